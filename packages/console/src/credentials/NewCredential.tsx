import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { useMay } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { duplicatesIn, MaybeDuplicate } from "../people/MaybeDuplicate.tsx"
import { kindOptions, type Person, type PersonKind, personKinds } from "../people/Person.ts"
import { PersonPicker } from "../people/PersonPicker.tsx"
import { Screen } from "../shell/Screen.tsx"
import { SelectField, TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Problem } from "../widgets/Problem.tsx"

/** The chosen owner: the name, and what is known of the holder of the card. */
const useOwner = (person: Person | null) => {
  const may = useMay()
  const params = { id: person?.id ?? "" }
  const isWanted = (type: PersonKind) => ({ isWanted: person?.type === type && may(`${type}:READ`) })
  const worker = useRead("GET /workers/:id", { params }, isWanted("worker"))
  const applicant = useRead("GET /applicants/:id", { params }, isWanted("applicant"))
  const { error, isPlaceholderData } = person?.type === "worker" ? worker : applicant
  const read = person?.type === "worker" ? worker.data?.data.identity : applicant.data?.data
  const known = isPlaceholderData ? undefined : read // the answer about the owner before is not about this one
  return {
    error,
    isRead: person === null || known !== undefined || error !== null || !may(`${person.type}:READ`),
    name: known?.displayName ?? person?.name,
    firstName: known?.firstName ?? "",
    lastName: known?.lastName ?? "",
    birthDate: known?.birthDate ?? ""
  }
}

/** The fields with a text. */
const filled = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""))

/** Adds a credential. The address may name its owner: `?worker=…` or `?applicant=…`. */
export const NewCredential = () => {
  const { query, route } = useLocation()
  const types = useRead("GET /credential-types", {})
  const create = useChange("POST /credentials")
  const [given = null] = personKinds.flatMap((type): ReadonlyArray<Person> => {
    const id = query[type]
    return id === undefined ? [] : [{ type, id, name: `the ${type}` }]
  })
  const [kind, setKind] = useState<PersonKind>("worker")
  const [chosen, setChosen] = useState<Person | null>(given)
  const [credentialType, setCredentialType] = useState("")
  const [identifier, setIdentifier] = useState("")
  // Those of the owner until something is typed.
  const [typed, setTyped] = useState<Partial<Record<"firstName" | "lastName" | "birthDate", string>>>({})
  const owner = useOwner(chosen)
  const choose = (person: Person | null) => {
    setChosen(person)
    setTyped({})
  }
  const { birthDate, firstName, lastName } = { ...owner, ...typed }
  const [expiryDate, setExpiryDate] = useState("")
  const [issuingCountry, setIssuingCountry] = useState("")
  const type = types.data?.data.find(({ code }) => code === credentialType)
  const neededFor = (path: string) =>
    type?.askedWith.includes(path) === true ? { hint: "The register is not asked without it." } : {}
  const submit = () => {
    if (chosen === null) return
    const holder = filled({ firstName, lastName, birthDate })
    const attributes = {
      credentialType,
      ...filled({ identifier, expiryDate, issuingCountry }),
      ...(Object.keys(holder).length === 0 ? {} : { holder }),
      owners: { [chosen.type]: chosen.id }
    }
    create.mutate(
      { body: { attributes } },
      { onSuccess: ({ data, meta }) => duplicatesIn(meta.warnings).length || route(`/console/credentials/${data.id}`) }
    )
  }
  const added = create.data
  const duplicates = duplicatesIn(added?.meta.warnings)
  if (added !== undefined && duplicates.length > 0) {
    const href = `/console/credentials/${added.data.id}`
    const workerId = added.data.attributes.owners.worker
    return <MaybeDuplicate title="The credential is added" href={href} warnings={duplicates} workerId={workerId} />
  }
  return (
    <Screen title="Add a credential">
      <Loaded read={types}>
        {({ data }) => (
          <Form
            action="Add"
            change={create}
            disabled={chosen === null || !owner.isRead}
            onSubmit={submit}
            out="/console/credentials"
          >
            {given === null ? (
              <>
                <SelectField
                  label="Owner"
                  value={kind}
                  options={kindOptions}
                  onChange={(next) => {
                    setKind(next as PersonKind)
                    choose(null)
                  }}
                />
                <PersonPicker label="Owner" kind={kind} chosen={chosen} onChoose={choose} />
              </>
            ) : (
              <p>
                Owner: {owner.name} <code>{given.id}</code>
              </p>
            )}
            <Problem error={owner.error} />
            <SelectField
              label="Type"
              value={credentialType}
              required
              options={[["", "choose"], ...data.map(({ code, displayName }) => [code, displayName] as const)]}
              onChange={setCredentialType}
            />
            <TextField
              label="Identifier"
              {...(type?.identifier == null ? {} : { hint: `Form: ${type.identifier.form}` })}
              value={identifier}
              onChange={setIdentifier}
              maxLength={100}
            />
            {type?.requiredFields.includes("issuingCountry") === true && (
              <TextField
                label="Country of issue"
                hint="Two capital letters, such as NZ."
                value={issuingCountry}
                onChange={setIssuingCountry}
                maxLength={2}
              />
            )}
            <TextField
              label="First name of the holder"
              {...neededFor("holder.firstName")}
              value={firstName}
              onChange={(text) => setTyped({ ...typed, firstName: text })}
              maxLength={100}
            />
            <TextField
              label="Last name of the holder"
              {...neededFor("holder.lastName")}
              value={lastName}
              onChange={(text) => setTyped({ ...typed, lastName: text })}
              maxLength={100}
            />
            <TextField
              label="Birth date of the holder"
              {...neededFor("holder.birthDate")}
              type="date"
              value={birthDate}
              onChange={(text) => setTyped({ ...typed, birthDate: text })}
            />
            <TextField
              label="Expires"
              {...neededFor("expiryDate")}
              type="date"
              value={expiryDate}
              onChange={setExpiryDate}
            />
          </Form>
        )}
      </Loaded>
    </Screen>
  )
}
