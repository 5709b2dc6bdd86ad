import { useEffect, useRef, useState } from "preact/hooks"
import { allPages } from "../calls/AllPages.ts"
import { call } from "../calls/Call.ts"
import type { Item } from "../calls/Contract.ts"
import { Refusal } from "../calls/Refusal.ts"
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

/** The button that exports all workers whose name matches. It counts while it reads, and can be stopped. */
export const MatrixExport = ({ query, total }: { readonly query: string; readonly total: number }) => {
  const isWanted = useRef(false)
  const [count, setCount] = useState<number | null>(null)
  const [problem, setProblem] = useState<Refusal | null>(null)
  const stop = () => {
    isWanted.current = false
  }
  useEffect(() => stop, []) // a person who leaves the screen wants no file
  const read = (cursor: string) =>
    call("GET /compliance-matrix", { query: { cursor, query, sort: "displayName:asc", pageSize: "100" } })
  const onRows = (rows: number) => {
    setCount(rows)
    return isWanted.current
  }
  const start = () => {
    isWanted.current = true
    setProblem(null)
    setCount(0)
    allPages(read, onRows)
      .then((rows) => rows === null || exported(rows))
      .catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error
        setProblem(error)
      })
      .finally(() => setCount(null))
  }
  return (
    <>
      <Button disabled={total === 0} onClick={count === null ? start : stop}>
        {count === null ? "Export all as CSV" : `Stop, ${count} read`}
      </Button>
      <Problem error={problem} />
    </>
  )
}
