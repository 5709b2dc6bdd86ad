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
import { filled, useTexts } from "../widgets/Texts.ts"

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
  const { field, texts } = useTexts({ credentialType: "", identifier: "", expiryDate: "", issuingCountry: "" })
  const { credentialType, ...card } = texts
  // Those of the owner until something is typed.
  const [typed, setTyped] = useState<Partial<Record<"firstName" | "lastName" | "birthDate", string>>>({})
  const owner = useOwner(chosen)
  const choose = (person: Person | null) => {
    setChosen(person)
    setTyped({})
  }
  const { birthDate, firstName, lastName } = { ...owner, ...typed }
  const held = (name: keyof typeof typed) => ({
    hint: neededFor(`holder.${name}`),
    value: { ...owner, ...typed }[name],
    onChange: (text: string) => setTyped({ ...typed, [name]: text })
  })
  const type = types.data?.data.find(({ code }) => code === credentialType)
  const neededFor = (path: string) =>
    type?.askedWith.includes(path) === true ? "The register is not asked without it." : undefined
  const submit = () => {
    if (chosen === null) return
    const holder = filled({ firstName, lastName, birthDate })
    const attributes = {
      credentialType,
      ...filled(card),
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
              required
              options={[["", "choose"], ...data.map(({ code, displayName }) => [code, displayName] as const)]}
              {...field("credentialType")}
            />
            <TextField
              label="Identifier"
              hint={type?.identifier == null ? undefined : `Form: ${type.identifier.form}`}
              {...field("identifier")}
              maxLength={100}
            />
            {type?.requiredFields.includes("issuingCountry") === true && (
              <TextField
                label="Country of issue"
                hint="Two capital letters, such as NZ."
                {...field("issuingCountry")}
                maxLength={2}
              />
            )}
            <TextField label="First name of the holder" {...held("firstName")} maxLength={100} />
            <TextField label="Last name of the holder" {...held("lastName")} maxLength={100} />
            <TextField label="Birth date of the holder" type="date" {...held("birthDate")} />
            <TextField label="Expires" hint={neededFor("expiryDate")} type="date" {...field("expiryDate")} />
          </Form>
        )}
      </Loaded>
    </Screen>
  )
}
