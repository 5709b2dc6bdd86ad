import { call } from "../calls/Call.ts"
import type { Item } from "../calls/Contract.ts"
import { useWholeList } from "../calls/WholeList.ts"
import { Button } from "../widgets/Button.tsx"
import { download } from "../widgets/Csv.ts"
import { Problem } from "../widgets/Problem.tsx"

type Row = Item<"GET /compliance-matrix">

/** The checks of a page, in the order of the server. Every row has all of them. */
export const checksOf = (rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  rows[0]?.checks.map(({ complianceCheckId }) => complianceCheckId) ?? []

const exported = (rows: ReadonlyArray<Row>) =>
  download("compliance-matrix.csv", [
    ["worker", "id", ...checksOf(rows).flatMap((check) => [check, `${check} missing`])],
    ...rows.map(({ checks, worker }) => [
      worker.displayName,
      worker.id,
      ...checks.flatMap(({ missingCredentialTypes, result }) => [result, missingCredentialTypes.join(" ")])
    ])
  ])

/** The button that exports all workers whose name matches. */
export const MatrixExport = ({ query, total }: { readonly query: string; readonly total: number }) => {
  const { count, problem, start, stop } = useWholeList<Row>(
    (cursor) => call("GET /compliance-matrix", { query: { cursor, query, sort: "displayName:asc", pageSize: "100" } }),
    exported
  )
  return (
    <>
      <Button disabled={total === 0} onClick={count === null ? start : stop}>
        {count === null ? "Export all as CSV" : `Stop, ${count} read`}
      </Button>
      <Problem error={problem} />
    </>
  )
}
