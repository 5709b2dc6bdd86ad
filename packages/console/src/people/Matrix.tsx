import type { Item } from "../calls/Contract.ts"
import { useRead } from "../calls/Queries.ts"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { Badge, wordsOf } from "../widgets/Badge.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { SearchFilter } from "../widgets/Filters.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Paging } from "../widgets/Paging.tsx"
import { type Column, Table } from "../widgets/Table.tsx"
import { checksOf, MatrixExport } from "./MatrixExport.tsx"

type Row = Item<"GET /compliance-matrix">

/** The result of a check, and why it is not passed. */
export const Result = ({ bans, missingCredentialTypes, result, reviews }: Row["checks"][number]) => (
  <>
    <Badge value={result} />
    {missingCredentialTypes.length === 0 ? null : (
      <span class="quiet"> without {missingCredentialTypes.join(", ")}</span>
    )}
    {bans.map(({ eligibility, id }) => (
      <span key={id} class="quiet">
        {" "}
        · {eligibility === "MAY_NOT_ENGAGE" ? "banned" : "perhaps banned"}: <code>{id}</code>
      </span>
    ))}
    {reviews.map(({ credentialType, statusDetail }) => (
      <span key={credentialType} class="quiet">
        {" "}
        · review of {credentialType}: {wordsOf(statusDetail)}
      </span>
    ))}
  </>
)

const columnsOf = (rows: ReadonlyArray<Row>): ReadonlyArray<Column<Row>> => [
  {
    heading: "Worker",
    cell: ({ worker }) => <a href={`/console/workers/${worker.id}`}>{worker.displayName}</a>
  },
  ...checksOf(rows).map(
    (check, index): Column<Row> => ({
      heading: check,
      cell: ({ checks }) => {
        const cell = checks[index]
        return cell === undefined ? null : <Result {...cell} />
      }
    })
  )
]

/** Workers by compliance checks, with the missing types of credential. */
export const Matrix = () => {
  const [{ cursor, query = "" }] = useUrlState()
  const read = useRead("GET /compliance-matrix", {
    query: { cursor, query, sort: "displayName:asc", pageSize: "50", includeTotal: "true" }
  })
  return (
    <Screen title="Compliance matrix" actions={<MatrixExport query={query} total={read.data?.meta.total ?? 0} />}>
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
                columns={columnsOf(data)}
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
