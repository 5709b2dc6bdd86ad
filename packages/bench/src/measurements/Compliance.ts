import { Worker } from "@wcs/domain/people/Worker"
import { encodeCursor } from "@wcs/domain/resource/ListQuery"
import { type Bench, engineOf } from "../Bench.ts"
import { cursorSealOf } from "../data/CursorSeal.ts"
import type { Dataset } from "../data/Dataset.ts"
import { createdAtOf, idAt } from "../data/Ids.ts"
import { judgedChecks } from "../data/JudgedData.ts"
import type { Row } from "../Row.ts"
import { byCreation, type Lookup, measureLookup, pageSize, type Stored, scattered } from "./Lookups.ts"

/** The number of workers on a page of the matrix. */
const matrixWorkers = 50

/** Cursors to workers between two, so that a whole page follows each. */
const cursorsIn = (
  { directory, tenantId }: Dataset,
  from: number,
  to: number
): ReadonlyArray<ReadonlyArray<string>> => {
  const seal = cursorSealOf(directory, tenantId)
  return scattered(to - from).map((n) => [
    seal(encodeCursor(Worker, byCreation, { key: createdAtOf(from + n), id: idAt("worker", from + n) }))
  ])
}

const lookups: ReadonlyArray<Lookup> = [
  {
    what: `GET /compliance-matrix of ${matrixWorkers} workers by ${judgedChecks} checks`,
    template: { method: "GET", path: `/openapi/v1/compliance-matrix?pageSize=${matrixWorkers}&cursor=$0` },
    keysOf: (data) => cursorsIn(data, 0, data.workers - matrixWorkers - 2),
    expected: `"pageSize":${matrixWorkers},"nextCursor":"`,
    pages: 0
  },
  {
    what: `GET /compliance-matrix?checkId=check-1&result=FAIL of ${matrixWorkers} workers by name`,
    template: {
      method: "GET",
      path: `/openapi/v1/compliance-matrix?checkId=check-1&result=FAIL&sort=displayName:asc&pageSize=${matrixWorkers}`
    },
    keysOf: () => [[]],
    expected: `"pageSize":${matrixWorkers},"nextCursor":"`,
    pages: 0
  },
  {
    what: "GET /workers?compliance=PASS",
    template: { method: "GET", path: `/openapi/v1/workers?compliance=PASS&pageSize=${pageSize}&cursor=$0` },
    keysOf: (data) => cursorsIn(data, 0, data.credentials - pageSize - 2),
    expected: `"pageSize":${pageSize},"nextCursor":"`,
    pages: 0
  },
  {
    what: "GET /workers?compliance=FAIL",
    template: { method: "GET", path: `/openapi/v1/workers?compliance=FAIL&pageSize=${pageSize}&cursor=$0` },
    keysOf: (data) => cursorsIn(data, data.credentials, data.workers - pageSize - 2),
    expected: `"pageSize":${pageSize},"nextCursor":"`,
    pages: 0
  }
]

/** Measures the matrix and the filter of workers by kept compliance, over few rows and over many. */
export const measureCompliance = async (bench: Bench, few: Dataset): Promise<ReadonlyArray<Row>> => {
  const { dataset, plan, processes, say } = bench
  const engine = engineOf(few)
  const stores: Array<Stored> = []
  for (const credentials of [plan.fewRows, plan.manyRows / 10, plan.manyRows]) {
    say(`filling a store on ${engine} with ${credentials} credentials and the compliance of their workers`)
    const data = await dataset({ workers: credentials * 1.1, credentials, isJudged: true }, engine)
    stores.push({ data, server: await processes.server("ours", data.directory) })
  }
  const [small, ...larger] = stores
  if (small === undefined) throw new Error("no store was filled")
  const rows: Array<Row> = []
  for (const lookup of lookups) for (const large of larger) rows.push(await measureLookup(bench, lookup, small, large))
  for (const { server } of stores) await server.stop()
  return rows
}
