import type { Item } from "../calls/Contract.ts"
import { type ListKind, ListScreen } from "../listing/ListScreen.tsx"
import { CalendarDay, Time } from "../widgets/Time.tsx"

type Duplicate = Item<"GET /duplicates">
type Reason = Duplicate["reasons"][number]

/** Each reason in words. */
const reasonWords: Readonly<Record<Reason, string>> = {
  EXTERNAL_ID: "the same external id",
  NAME: "the same name and birth date",
  CARD: "the same card number"
}
const reasons = Object.entries(reasonWords) as ReadonlyArray<readonly [Reason, string]>

const Person = ({ birthDate, createdAt, displayName, externalId, id }: Duplicate["workers"][number]) => (
  <>
    <a href={`/console/workers/${id}`}>{displayName}</a>
    <div class="quiet">
      {birthDate === null ? null : (
        <>
          born <CalendarDay day={birthDate} />,{" "}
        </>
      )}
      {externalId === null ? "" : `your id ${externalId}, `}added <Time at={createdAt} />
    </div>
  </>
)

const list: ListKind<"GET /duplicates"> = {
  list: "GET /duplicates",
  title: "Duplicates",
  isCounted: false,
  keyOf: ({ workers }) => workers.map(({ id }) => id).join(),
  columns: [
    { heading: "Older record", cell: ({ workers: [older] }) => <Person {...older} /> },
    { heading: "Newer record", cell: ({ workers: [, newer] }) => <Person {...newer} /> },
    { heading: "They have", cell: ({ reasons }) => reasons.map((reason) => reasonWords[reason]).join(", ") },
    {
      heading: "Decide",
      cell: ({ workers: [older, newer] }) => (
        <a class="button small" href={`/console/workers/${older.id}/merge?from=${newer.id}`}>
          Compare
          <span class="unseen">
            {" "}
            {older.displayName} and {newer.displayName}
          </span>
        </a>
      )
    }
  ],
  filters: [{ name: "reason", label: "They have", by: [["", "any of these"], ...reasons] }],
  empty: "No two workers look like one person."
}

/** Pairs of workers who may be one person. */
export const Duplicates = () => (
  <ListScreen
    kind={list}
    actions={
      <a class="button" href="/console/merges">
        Merges
      </a>
    }
  />
)
