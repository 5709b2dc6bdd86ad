import { useId, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { useChange } from "../calls/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { Labelled, LinesField, SelectField, TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { protocolNames } from "./SingleSignOn.tsx"

/** The domains of a text: separated by spaces or commas, in lower case. */
export const domainsOf = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[\s,;]+/)
      .filter((domain) => domain !== "")
  )
]

/** SAML metadata from a file, or pasted. */
export const Metadata = ({
  isOptional = false,
  onChange,
  value
}: {
  readonly value: string
  readonly onChange: (text: string) => void
  readonly isOptional?: boolean
}) => {
  const id = useId()
  const [problem, setProblem] = useState("")
  const read = (file: File | undefined) => {
    setProblem("")
    file?.text().then(onChange, () => setProblem("The file cannot be read."))
  }
  return (
    <>
      <Labelled id={id} label="Metadata file of the identity provider">
        <input
          id={id}
          type="file"
          accept=".xml,application/xml,application/samlmetadata+xml"
          onChange={({ currentTarget }) => read(currentTarget.files?.[0])}
        />
        {problem === "" ? null : <p role="alert">{problem}</p>}
      </Labelled>
      <LinesField
        label="Or paste the metadata"
        hint="XML, as the identity provider shows it."
        rows={6}
        required={!isOptional}
        value={value}
        onChange={onChange}
      />
    </>
  )
}

/** The values of an OpenID Connect provider that an administrator enters. */
interface OidcClient {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

export const noClient: OidcClient = { issuer: "", clientId: "", clientSecret: "" }

export const OidcFields = ({
  isOptional = false,
  onChange,
  value
}: {
  readonly value: OidcClient
  readonly onChange: (value: OidcClient) => void
  readonly isOptional?: boolean
}) => (
  <>
    <TextField
      label="Issuer"
      type="url"
      value={value.issuer}
      onChange={(issuer) => onChange({ ...value, issuer })}
      maxLength={1024}
      required={!isOptional}
    />
    <TextField
      label="Client id"
      value={value.clientId}
      onChange={(clientId) => onChange({ ...value, clientId })}
      maxLength={255}
      required={!isOptional}
    />
    <TextField
      label="Client secret"
      type="password"
      value={value.clientSecret}
      onChange={(clientSecret) => onChange({ ...value, clientSecret })}
      maxLength={1024}
    />
  </>
)

const isEmpty = (client: OidcClient): boolean => Object.values(client).every((value) => value === "")

/** The settings of OpenID Connect, and the client secret if there is one. */
export const settingsOf = ({ clientSecret, ...oidc }: OidcClient) => ({
  oidc,
  ...(clientSecret === "" ? {} : { clientSecret })
})

/** Adds an identity provider. It stays off until its test login succeeds and somebody switches it on. */
export const NewProvider = () => {
  const { route } = useLocation()
  const create = useChange("POST /identity-providers")
  const [kind, setKind] = useState<string>("saml")
  const [name, setName] = useState("")
  const [domains, setDomains] = useState("")
  const [metadata, setMetadata] = useState("")
  const [oidcClient, setOidcClient] = useState(noClient)
  const submit = () => {
    const settings =
      kind === "saml"
        ? ({ kind: "saml", ...(metadata === "" ? {} : { metadata }) } as const)
        : ({ kind: "oidc", ...(isEmpty(oidcClient) ? {} : settingsOf(oidcClient)) } as const)
    create.mutate(
      { body: { name, domains: domainsOf(domains), ...settings } },
      { onSuccess: ({ data }) => route(`/console/single-sign-on/${data.id}`) }
    )
  }
  return (
    <Screen title="Add an identity provider">
      <Form action="Add" change={create} onSubmit={submit} out="/console/single-sign-on">
        <p>
          The addresses to enter at the identity provider are on the next screen. If it asks for them first, leave its
          values empty here, and enter them there.
        </p>
        <TextField label="Name" hint="Your users see it at the login." value={name} onChange={setName} required />
        <SelectField
          label="Protocol"
          value={kind}
          options={[
            ["saml", protocolNames.saml],
            ["oidc", protocolNames.oidc]
          ]}
          onChange={setKind}
        />
        <TextField
          label="Domains of email addresses"
          hint="Such as example.org, example.com. You prove each of them on the next screen."
          value={domains}
          onChange={setDomains}
          maxLength={5000}
        />
        {kind === "saml" ? (
          <Metadata isOptional value={metadata} onChange={setMetadata} />
        ) : (
          <OidcFields isOptional={isEmpty(oidcClient)} value={oidcClient} onChange={setOidcClient} />
        )}
      </Form>
    </Screen>
  )
}
