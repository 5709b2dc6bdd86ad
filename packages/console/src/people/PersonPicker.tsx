import { useEffect, useId, useState } from "preact/hooks"
import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { Problem } from "../widgets/Problem.tsx"
import { Search } from "../widgets/Search.tsx"
import type { Person, PersonKind } from "./Person.ts"

const shownMax = 8

const detailOf = ({ employment, id, source }: Item<"GET /workers">): string =>
  [employment?.jobTitle, source?.externalId ?? id].filter(Boolean).join(", ")

/**
 * Finds a person by name. The best matches are radio buttons, so that arrow keys choose among them. Enter in the search
 * chooses the only match.
 */
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
  const [entered, setEntered] = useState<string | null>(null)
  const page = { query, pageSize: String(shownMax), sort: "displayName:asc" }
  const workers = useRead("GET /workers", { query: page }, { isWanted: kind === "worker" })
  const applicants = useRead("GET /applicants", { query: page }, { isWanted: kind === "applicant" })
  const people: Readonly<Record<PersonKind, () => ReadonlyArray<Person>>> = {
    worker: () =>
      (workers.data?.data ?? []).map((worker) => ({
        type: kind,
        id: worker.id,
        name: worker.identity.displayName,
        detail: detailOf(worker)
      })),
    applicant: () =>
      (applicants.data?.data ?? []).map(({ displayName, emailAddress, id }) => ({
        type: kind,
        id,
        name: displayName ?? emailAddress,
        detail: emailAddress
      }))
  }
  const found = people[kind]()
  const read = { worker: workers, applicant: applicants }[kind]
  useEffect(() => {
    if (entered !== query || read.data === undefined || read.isPlaceholderData) return
    setEntered(null)
    const [first, ...others] = found
    if (first !== undefined && others.length === 0) onChoose(first)
  }, [entered, query, read.data, read.isPlaceholderData])
  // A choice stays in sight when the search goes on.
  const isChosenFound = chosen === null || found.some(({ id }) => id === chosen.id)
  const shown = isChosenFound || chosen.type !== kind ? found : [chosen, ...found]
  return (
    <fieldset class="picker">
      <legend>{label}</legend>
      <Search label="Name or your id" value={query} onChange={setQuery} onEnter={setEntered} />
      <Problem error={read.error} />
      {read.data !== undefined && found.length === 0 ? <p class="quiet">Nobody matches.</p> : null}
      {shown.map((person) => (
        <div class="check" key={person.id}>
          <input
            type="radio"
            id={`${group}-${person.id}`}
            name={group}
            checked={chosen?.id === person.id}
            onChange={() => onChoose(person)}
          />
          <label for={`${group}-${person.id}`}>
            {person.name} <span class="quiet">{person.detail}</span>
          </label>
        </div>
      ))}
      {found.length < shownMax ? null : <p class="quiet">The first {shownMax}. Type more of the name to see others.</p>}
    </fieldset>
  )
}
