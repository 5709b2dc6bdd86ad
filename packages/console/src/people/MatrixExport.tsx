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

/** The name of the register in the id of a ban. */
export const registerOf = (ban: string): string => ban.split(":")[3] ?? ban

const headings = ["", " missing", " reviews", " bans"] as const

const cellsOf = ({ bans, missingCredentialTypes, result, reviews }: Row["checks"][number]): ReadonlyArray<string> => [
  result,
  missingCredentialTypes.join(" "),
  reviews.map(({ credentialType, statusDetail }) => `${credentialType}: ${statusDetail}`).join(", "),
  bans.map(({ eligibility, id }) => `${registerOf(id)}: ${eligibility}`).join(", ")
]

const exported = (rows: ReadonlyArray<Row>) =>
  download("compliance-matrix.csv", [
    ["worker", "id", ...checksOf(rows).flatMap((check) => headings.map((heading) => check + heading))],
    ...rows.map(({ checks, worker }) => [worker.displayName, worker.id, ...checks.flatMap(cellsOf)])
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
