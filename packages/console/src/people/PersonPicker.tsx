import { useId, useState } from "preact/hooks"
import { useRead } from "../calls/Queries.ts"
import { Problem } from "../widgets/Problem.tsx"
import { Search } from "../widgets/Search.tsx"
import type { Person, PersonKind } from "./Person.ts"

const shownMax = "8"

/** Finds a person by name. The best matches are radio buttons, so that arrow keys choose among them. */
export const PersonPicker = ({
  chosen,
  kind,
  label,
  onChoose
}: {
  readonly label: string
  readonly kind: PersonKind
  readonly chosen: Person | null
  readonly onChoose: (person: Person) => void
}) => {
  const group = useId()
  const [query, setQuery] = useState("")
  const page = { query, pageSize: shownMax, sort: "displayName:asc" }
  const workers = useRead("GET /workers", { query: page }, { isWanted: kind === "worker" })
  const applicants = useRead("GET /applicants", { query: page }, { isWanted: kind === "applicant" })
  const found: ReadonlyArray<Person> =
    kind === "worker"
      ? (workers.data?.data ?? []).map(({ id, identity }) => ({ type: kind, id, name: identity.displayName }))
      : (applicants.data?.data ?? []).map(({ displayName, emailAddress, id }) => ({
          type: kind,
          id,
          name: displayName ?? emailAddress
        }))
  return (
    <fieldset class="picker">
      <legend>{label}</legend>
      <Search label="Name begins with" value={query} onChange={setQuery} />
      <Problem error={kind === "worker" ? workers.error : applicants.error} />
      {found.length === 0 ? <p class="quiet">Nobody has this name.</p> : null}
      {found.map((person) => (
        <div class="check" key={person.id}>
          <input
            type="radio"
            id={`${group}-${person.id}`}
            name={group}
            checked={chosen?.id === person.id}
            onChange={() => onChoose(person)}
          />
          <label for={`${group}-${person.id}`}>{person.name}</label>
        </div>
      ))}
    </fieldset>
  )
}
