import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Badge, wordsOf } from "../widgets/Badge.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { SearchFilter } from "../widgets/Filters.tsx"
import { ListExport } from "../widgets/ListExport.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Paging } from "../widgets/Paging.tsx"
import { type Column, Table } from "../widgets/Table.tsx"

type Row = Item<"GET /compliance-matrix">

type Cell = Row["checks"][number]

/** The checks of a page, in the order of the server. Every row has all of them. */
const checksOf = (rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  rows[0]?.checks.map(({ complianceCheckId }) => complianceCheckId) ?? []

/** The name of the register in the id of a ban. */
const registerOf = (ban: string): string => ban.split(":")[3] ?? ban

/** The result of a check, and each reason why it fails. */
export const Result = ({ bans, missingCredentialTypes, result, reviews }: Cell) => {
  const reviewed = reviews.map(({ credentialType }) => credentialType)
  const without = missingCredentialTypes.filter((type) => !reviewed.includes(type))
  return (
    <>
      <Badge value={result} />
      {without.length === 0 ? null : <span class="quiet"> without {without.join(", ")}</span>}
      {reviews.map(({ credentialType, statusDetail }) => (
        <p key={credentialType} class="reason">
          {credentialType} needs a review: {wordsOf(statusDetail)}
        </p>
      ))}
      {bans.map(({ eligibility, id }) => (
        <p key={id} class="reason">
          {eligibility === "MAY_NOT_ENGAGE" ? "Banned" : "Possibly banned"} in the register {registerOf(id)}
        </p>
      ))}
    </>
  )
}

/** The names of checks by id. A name that several checks have is followed by the id. */
export const namesOf = (checks: ReadonlyArray<Item<"GET /compliance-checks">>): ReadonlyMap<string, string> =>
  new Map(
    checks.map(({ displayName, id }) => {
      const isShared = checks.filter((one) => one.displayName === displayName).length > 1
      return [id, isShared ? `${displayName} (${id})` : displayName]
    })
  )

const columnsOf = (rows: ReadonlyArray<Row>, names: ReadonlyMap<string, string>): ReadonlyArray<Column<Row>> => [
  {
    heading: "Worker",
    cell: ({ worker }) => <a href={`/console/workers/${worker.id}`}>{worker.displayName}</a>
  },
  ...checksOf(rows).map(
    (check, index): Column<Row> => ({
      heading: names.get(check) ?? check,
      cell: ({ checks }) => {
        const cell = checks[index]
        return cell === undefined ? null : <Result {...cell} />
      }
    })
  )
]

/** Workers by compliance checks, with the reasons of each failure. */
export const Matrix = () => {
  const [{ cursor, query = "" }] = useUrlState()
  const read = useRead("GET /compliance-matrix", {
    query: { cursor, query, sort: "displayName:asc", pageSize: "50", includeTotal: "true" }
  })
  const checks = useRead("GET /compliance-checks", { query: { enabled: "true", pageSize: "20" } })
  const names = namesOf(checks.data?.data ?? [])
  return (
    <Screen
      title="Compliance matrix"
      actions={
        <ListExport
          list="GET /compliance-matrix"
          name="compliance-matrix"
          query={{ query, sort: "displayName:asc" }}
          disabled={read.data?.meta.total === 0}
        />
      }
    >
      <PrintedLine filters={{ query }} />
      <div class="filters">
        <SearchFilter name="query" label="Name or your id" />
      </div>
      <Loaded read={read}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Empty title={query === "" ? "There are no workers yet." : `Nobody matches “${query}”.`} />
          ) : checksOf(data).length === 0 ? (
            <Empty title="There are no enabled compliance checks.">
              <p>Add one through the API: POST /compliance-checks names the types of credential that it requires.</p>
            </Empty>
          ) : (
            <>
              <Table
                caption="Workers by checks"
                columns={columnsOf(data, names)}
                rows={data}
                keyOf={({ worker }) => worker.id}
              />
              <Paging next={meta.nextCursor} shown={data.length} total={meta.total} />
            </>
          )
        }
      </Loaded>
    </Screen>
  )
}
