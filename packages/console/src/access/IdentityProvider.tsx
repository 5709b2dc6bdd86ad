import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import type { Data } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { Table } from "../listing/Table.tsx"
import { Screen } from "../shell/Screen.tsx"
import { announcing } from "../widgets/Announcement.tsx"
import { Badge } from "../widgets/Badge.tsx"
import { Button } from "../widgets/Button.tsx"
import { ConfirmedCall } from "../widgets/ConfirmedCall.tsx"
import { Copy } from "../widgets/Copy.tsx"
import { Facts } from "../widgets/Facts.tsx"
import { TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Opener } from "../widgets/Opener.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { Time } from "../widgets/Time.tsx"
import { domainsOf, Metadata, noClient, OidcFields, settingsOf } from "./NewProvider.tsx"
import { protocolNames } from "./SingleSignOn.tsx"

type Provider = Data<"GET /identity-providers/:id">

const Copied = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <>
    <code>{text}</code> <Copy text={text} what={what} />
  </>
)

/** The values that an administrator enters at the identity provider. */
const OurSide = ({ kind, paths }: Provider) => {
  const at = (path: string) => `${location.origin}${path}`
  const login = ["Login URL", <Copied key="login" text={at(paths.login)} what="the login URL" />] as const
  return (
    <section class="block">
      <h2>1. Enter these at the identity provider</h2>
      <Facts
        facts={
          kind === "saml"
            ? [
                ["Entity ID, metadata", <Copied key="id" text={at(paths.metadata ?? "")} what="the entity ID" />],
                ["Reply URL (ACS)", <Copied key="acs" text={at(paths.back)} what="the reply URL" />],
                login
              ]
            : [["Redirect URI", <Copied key="back" text={at(paths.back)} what="the redirect URI" />], login]
        }
      />
    </section>
  )
}

const DomainProofs = ({ domainProofs }: Pick<Provider, "domainProofs">) => (
  <Table
    caption="Domains"
    keyOf={({ domain }) => domain}
    rows={domainProofs}
    columns={[
      { heading: "Domain", cell: ({ domain }) => domain },
      {
        heading: "State",
        cell: ({ verified }) => (
          <Badge value={verified ? "VERIFIED" : "NOT VERIFIED"} tone={verified ? "good" : "wait"} />
        )
      },
      { heading: "TXT record", cell: ({ recordName }) => <Copied text={recordName} what="the record's name" /> },
      { heading: "Text", cell: ({ recordText }) => <Copied text={recordText} what="the record's text" /> }
    ]}
  />
)

/** The domains that the provider vouches for, and the DNS records that prove them. */
const Domains = ({ domainProofs, domains, id }: Provider) => {
  const may = useMay()
  const update = useChange("PATCH /identity-providers/:id")
  const verify = useChange("POST /identity-providers/:id/verify-domains")
  const [text, setText] = useState(domains.join(", "))
  const params = { id }
  const submit = (event: Event) => {
    event.preventDefault()
    update.mutate({ params, body: { domains: domainsOf(text) } })
  }
  return (
    <section class="block">
      <h2>2. Prove your domains</h2>
      {domainProofs.length === 0 ? (
        <p>Without a verified domain nobody logs in through the provider.</p>
      ) : (
        <DomainProofs domainProofs={domainProofs} />
      )}
      {may("identityProvider:UPDATE") ? (
        <>
          {domainProofs.length === 0 ? null : (
            <div class="actions">
              <Button isBusy={verify.isPending} onClick={() => verify.mutate({ params })}>
                Check the DNS
              </Button>
            </div>
          )}
          {(verify.data?.meta.warnings ?? []).map((warning) => (
            <p class="notice" key={warning} role="status">
              {warning}
            </p>
          ))}
          <form class="form" onSubmit={submit}>
            <TextField
              label="Domains of email addresses"
              hint="Separate several by commas."
              value={text}
              onChange={setText}
              maxLength={5000}
            />
            <div class="actions">
              <Button type="submit" isBusy={update.isPending}>
                Save the domains
              </Button>
            </div>
          </form>
          <Problem error={update.error ?? verify.error} />
        </>
      ) : null}
    </section>
  )
}

const wordsOfSwitch = ({ active, required }: { readonly active?: boolean; readonly required?: boolean }): string =>
  required === undefined
    ? `Single sign-on is switched ${active ? "on" : "off"}.`
    : required
      ? "Single sign-on is required now."
      : "Passwords are allowed again."

const isComplete = ({ oidc, saml }: Provider): boolean => oidc !== undefined || saml !== undefined

/** The values of the identity provider, which it may give only after it has our addresses. */
const TheirSide = (provider: Provider) => {
  const { id, kind } = provider
  const may = useMay()
  const update = useChange("PATCH /identity-providers/:id")
  const [metadata, setMetadata] = useState("")
  const [client, setClient] = useState(noClient)
  if (isComplete(provider) || !may("identityProvider:UPDATE")) return null
  const submit = () =>
    update.mutate(
      { params: { id }, body: kind === "saml" ? { metadata } : settingsOf(client) },
      announcing("The values are stored.", () => {})
    )
  return (
    <section class="block">
      <h2>Then enter the values of the identity provider</h2>
      <p class="quiet">Without them, nobody can log in through the provider, and it cannot be switched on.</p>
      <Form action="Save the values" change={update} onSubmit={submit} out="/console/single-sign-on">
        {kind === "saml" ? (
          <Metadata value={metadata} onChange={setMetadata} />
        ) : (
          <OidcFields value={client} onChange={setClient} />
        )}
      </Form>
    </section>
  )
}

/** The switches of a provider, after its test login. */
const Switches = (provider: Provider) => {
  const { active, domainProofs, id, paths, required } = provider
  const may = useMay()
  const update = useChange("PATCH /identity-providers/:id")
  const change = (body: { readonly active?: boolean; readonly required?: boolean }) => () =>
    update.mutate(
      { params: { id }, body },
      announcing(wordsOfSwitch(body), () => {})
    )
  if (!isComplete(provider) || !may("identityProvider:UPDATE")) return null
  return (
    <section class="block">
      <h2>3. Test, then switch it on</h2>
      <p>The test logs nobody in. It shows the reason if a login would be refused.</p>
      {domainProofs.some(({ verified }) => verified) ? null : (
        <p class="notice">No domain is verified: nobody can log in through the provider, even if it is on.</p>
      )}
      <div class="actions">
        <a class="button" href={paths.test} target="_blank" rel="external noreferrer">
          Test the login
        </a>
        <Button class={active ? "danger" : "main"} isBusy={update.isPending} onClick={change({ active: !active })}>
          {active ? "Switch off" : "Switch on"}
        </Button>
        <Button isBusy={update.isPending} disabled={!active} onClick={change({ required: !required })}>
          {required ? "Allow passwords again" : "Require single sign-on"}
        </Button>
      </div>
      <p class="quiet">
        Required means: users of the verified domains can no longer use a password. Super Admins always can. One of them
        needs a password and an app first, so that nobody is locked out.
      </p>
      <Problem error={update.error} />
    </section>
  )
}

const Certificates = ({ certificates }: Provider) =>
  certificates.length === 0 ? null : (
    <section class="block">
      <h2>Certificates</h2>
      <Table
        caption="Certificates"
        keyOf={({ fingerprint }) => fingerprint}
        rows={certificates}
        columns={[
          { heading: "Subject", cell: ({ subject }) => subject },
          { heading: "State", cell: ({ validity }) => <Badge value={validity} /> },
          { heading: "Expires", cell: ({ notAfter }) => <Time at={notAfter} /> },
          { heading: "SHA-256", cell: ({ fingerprint }) => <code>{fingerprint}</code> }
        ]}
      />
    </section>
  )

/** Replaces the SAML metadata, for example before the current certificate expires. */
const Renewal = ({ id, kind, saml }: Provider) => {
  const may = useMay()
  const update = useChange("PATCH /identity-providers/:id")
  const [metadata, setMetadata] = useState("")
  if (kind !== "saml" || saml === undefined || !may("identityProvider:UPDATE")) return null
  const submit = (event: Event) => {
    event.preventDefault()
    const renewed = announcing("The metadata is replaced.", () => setMetadata(""))
    update.mutate({ params: { id }, body: { metadata } }, renewed)
  }
  return (
    <details class="block">
      <summary>Replace the metadata</summary>
      <form class="form" onSubmit={submit}>
        <p>Do this when the identity provider has a new certificate or address. Then test the login.</p>
        <Metadata value={metadata} onChange={setMetadata} />
        <Problem error={update.error} />
        <div class="actions">
          <Button type="submit" isBusy={update.isPending}>
            Replace
          </Button>
        </div>
      </form>
    </details>
  )
}

/** An identity provider: what to enter there, its domains, test and switches. */
export const IdentityProvider = ({ id }: { readonly id: string }) => {
  const { route } = useLocation()
  const may = useMay()
  const read = useRead("GET /identity-providers/:id", { params: { id } })
  const name = read.data?.data.name
  return (
    <Screen
      title={name ?? "Identity provider"}
      actions={
        name !== undefined && may("identityProvider:DELETE") ? (
          <Opener
            class="danger"
            dialog={(close) => (
              <ConfirmedCall
                call="DELETE /identity-providers/:id"
                input={{ params: { id } }}
                told={`${name} is deleted.`}
                title={`Delete ${name}?`}
                action="Delete"
                onClose={close}
                onDone={() => route("/console/single-sign-on")}
              >
                <p>Nobody can log in through it any more. Users without a password need a new invite link.</p>
              </ConfirmedCall>
            )}
          >
            Delete
          </Opener>
        ) : null
      }
    >
      <Loaded read={read}>
        {({ data }) => (
          <>
            <p>
              {protocolNames[data.kind]}{" "}
              <Badge value={data.active ? "ON" : "OFF"} tone={data.active ? "good" : "plain"} />{" "}
              {data.required ? <Badge value="REQUIRED" tone="wait" /> : null}{" "}
              <a href={`/console/audit?entityId=${id}`}>Logins and refusals</a>
            </p>
            <div class="group">
              <OurSide {...data} />
              <TheirSide {...data} />
              <Domains key={data.domains.join()} {...data} />
              <Switches {...data} />
              <Certificates {...data} />
              <Renewal {...data} />
            </div>
          </>
        )}
      </Loaded>
    </Screen>
  )
}
