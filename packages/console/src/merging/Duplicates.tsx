import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Empty } from "../widgets/Empty.tsx"
import { SelectFilter } from "../widgets/Filters.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Paging } from "../widgets/Paging.tsx"
import { type Column, Table } from "../widgets/Table.tsx"
import { CalendarDay, Time } from "../widgets/Time.tsx"

type Duplicate = Item<"GET /duplicates">
type Reason = Duplicate["reasons"][number]

/** Each reason in words. */
const reasonWords: Readonly<Record<Reason, string>> = {
  EXTERNAL_ID: "the same id of yours",
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

const columns: ReadonlyArray<Column<Duplicate>> = [
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
]

/** Pairs of workers who may be one person. */
export const Duplicates = () => {
  const [{ cursor, reason = "" }] = useUrlState()
  const query = { reason }
  const read = useRead("GET /duplicates", { query: { ...query, cursor, pageSize: "50" } })
  return (
    <Screen
      title="Duplicates"
      actions={
        <a class="button" href="/console/merges">
          Merges
        </a>
      }
    >
      <PrintedLine filters={query} />
      <div class="filters">
        <SelectFilter name="reason" label="They have" options={[["", "any of these"], ...reasons]} />
      </div>
      <Loaded read={read}>
        {({ data, meta }) =>
          data.length === 0 && meta.nextCursor === null ? (
            <Empty title="No two workers look like one person." />
          ) : (
            <>
              <Table
                caption="Duplicates"
                columns={columns}
                rows={data}
                keyOf={({ workers }) => workers.map(({ id }) => id).join()}
              />
              <Paging next={meta.nextCursor} shown={data.length} />
            </>
          )
        }
      </Loaded>
    </Screen>
  )
}
