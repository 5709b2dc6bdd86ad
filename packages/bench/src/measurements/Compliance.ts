import { Worker } from "@wcs/domain/people/Worker"
import { encodeCursor } from "@wcs/domain/resource/ListQuery"
import { type Bench, engineOf } from "../Bench.ts"
import { cursorSealOf } from "../data/CursorSeal.ts"
import type { Dataset } from "../data/Dataset.ts"
import { createdAtOf, idAt } from "../data/Ids.ts"
import { judgedChecks } from "../data/JudgedData.ts"
import type { LoadJob } from "../load/LoadJob.ts"
import type { Server } from "../load/Processes.ts"
import type { Row } from "../Row.ts"
import { interleaved, millisEach, sampleOf } from "../Series.ts"

const connections = 8
const pageSize = 25
const asked = 5_000

/** The number of workers on a page of the matrix. */
const matrixWorkers = 50

/** Row numbers scattered over the table by the golden ratio, the same in every run. */
const scattered = (rows: number): ReadonlyArray<number> =>
  Array.from({ length: asked }, (_, n) => Math.floor(((n * 0.618_033_988_749_895) % 1) * rows))

/** A call that finds few rows among all. */
interface Lookup {
  readonly what: string
  readonly template: LoadJob["template"]
  readonly keysOf: (dataset: Dataset) => LoadJob["keys"]
  readonly expected: string
}

const byCreation = { column: "created_at", direction: "asc" } as const

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
    expected: `"pageSize":${matrixWorkers},"nextCursor":"`
  },
  {
    what: `GET /compliance-matrix?checkId=check-1&result=FAIL of ${matrixWorkers} workers by name`,
    template: {
      method: "GET",
      path: `/openapi/v1/compliance-matrix?checkId=check-1&result=FAIL&sort=displayName:asc&pageSize=${matrixWorkers}`
    },
    keysOf: () => [[]],
    expected: `"pageSize":${matrixWorkers},"nextCursor":"`
  },
  {
    what: "GET /workers?compliance=PASS",
    template: { method: "GET", path: `/openapi/v1/workers?compliance=PASS&pageSize=${pageSize}&cursor=$0` },
    keysOf: (data) => cursorsIn(data, 0, data.credentials - pageSize - 2),
    expected: `"pageSize":${pageSize},"nextCursor":"`
  },
  {
    what: "GET /workers?compliance=FAIL",
    template: { method: "GET", path: `/openapi/v1/workers?compliance=FAIL&pageSize=${pageSize}&cursor=$0` },
    keysOf: (data) => cursorsIn(data, data.credentials, data.workers - pageSize - 2),
    expected: `"pageSize":${pageSize},"nextCursor":"`
  }
]

/** A data set and its server. */
interface Stored {
  readonly server: Server
  readonly data: Dataset
}

/** Compares a call over many rows with the same over few. */
const measureLookup = async (
  { client, plan, say }: Bench,
  { expected, keysOf, template, what }: Lookup,
  few: Stored,
  many: Stored
): Promise<Row> => {
  const sizes = [many, few].map(({ data }) => data.credentials)
  say(`${what} on ${engineOf(many.data)}: ${sizes.join(" rows, ")} rows`)
  const take =
    ({ data, server }: Stored, millis: number) =>
    () => {
      const job = {
        token: data.token.secret,
        connections,
        template,
        keys: keysOf(data),
        repeats: true,
        millis,
        expected
      }
      return sampleOf(server, client, job, millisEach)
    }
  for (const stored of [few, many]) await take(stored, plan.warmUpMillis)()
  const series = await interleaved(plan.rounds, "ms", {
    many: take(many, plan.lookupMillis),
    few: take(few, plan.lookupMillis)
  })
  return {
    what: `${what}, on ${engineOf(many.data)}`,
    against: `itself: ${sizes.join(" by ")} rows`,
    ours: series("many"),
    other: series("few"),
    goal: { direction: "at most", bar: 1.3, aim: 1.1 }
  }
}

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
