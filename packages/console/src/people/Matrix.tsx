import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { PrintedLine } from "../shell/PrintedLine.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Badge, wordsOf } from "../widgets/Badge.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { DayFilter, SearchFilter } from "../widgets/Filters.tsx"
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

const columnsOf = (
  rows: ReadonlyArray<Row>,
  names: ReadonlyMap<string, string>,
  day: string
): ReadonlyArray<Column<Row>> => [
  {
    heading: "Worker",
    cell: ({ worker: { displayName, id } }) => (
      <a href={day === "" ? `/console/workers/${id}` : `/console/workers/${id}/as-of?day=${day}`}>{displayName}</a>
    )
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

/** Workers by compliance checks, with the reasons of each failure, now or as of a day. The past cannot be searched. */
export const Matrix = () => {
  const [{ cursor, day = "", query: text = "" }] = useUrlState()
  const query = day === "" ? text : ""
  const selection = day === "" ? { query, sort: "displayName:asc" } : { asOf: day }
  const read = useRead("GET /compliance-matrix", {
    query: { ...selection, cursor, pageSize: "50", ...(day === "" ? { includeTotal: "true" } : {}) }
  })
  const named = day === "" ? { enabled: "true", pageSize: "20" } : { includeDeleted: "true", pageSize: "100" }
  const checks = useRead("GET /compliance-checks", { query: named })
  const names = namesOf(checks.data?.data ?? [])
  return (
    <Screen
      title="Compliance matrix"
      actions={
        <ListExport
          list="GET /compliance-matrix"
          name="compliance-matrix"
          query={selection}
          disabled={read.data?.meta.total === 0}
        />
      }
    >
      <PrintedLine filters={{ query, day: day === "" ? "" : `day ${day}` }} />
      <div class="filters">
        {day === "" ? <SearchFilter name="query" label="Name or your id" /> : null}
        <DayFilter name="day" label="As of the end of a day" />
      </div>
      <Loaded read={read}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Empty
              title={
                query === ""
                  ? day === ""
                    ? "There are no workers yet."
                    : "There were no workers."
                  : `Nobody matches “${query}”.`
              }
            />
          ) : checksOf(data).length === 0 ? (
            <Empty title="There are no enabled compliance checks.">
              <p>Add one through the API: POST /compliance-checks names the types of credential that it requires.</p>
            </Empty>
          ) : (
            <>
              <Table
                caption="Workers by checks"
                columns={columnsOf(data, names, day)}
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
