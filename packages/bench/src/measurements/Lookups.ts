import { Credential } from "@wcs/domain/holding/Credential"
import { encodeCursor } from "@wcs/domain/resource/ListQuery"
import { type Bench, engineOf, serverOn } from "../Bench.ts"
import { cursorSealOf } from "../data/CursorSeal.ts"
import type { Dataset } from "../data/Dataset.ts"
import { createdAtOf, externalIdAt, idAt } from "../data/Ids.ts"
import type { LoadJob } from "../load/LoadJob.ts"
import type { Server } from "../load/Processes.ts"
import type { Row } from "../Row.ts"
import { interleaved, millisEach, sampleOf } from "../Series.ts"

const connections = 8
export const pageSize = 25
/** Pages that are read from each starting point. */
const pages = 10
const asked = 5_000

/** Row numbers scattered over the table by the golden ratio, the same in every run. */
export const scattered = (rows: number): ReadonlyArray<number> =>
  Array.from({ length: asked }, (_, n) => Math.floor(((n * 0.618_033_988_749_895) % 1) * rows))

/** A call that finds few rows among all. */
export interface Lookup {
  readonly what: string
  readonly template: LoadJob["template"]
  readonly keysOf: (dataset: Dataset) => LoadJob["keys"]
  readonly expected: string
  /** The further pages that are read after each. */
  readonly pages: number
}

export const byCreation = { column: "created_at", direction: "asc" } as const

const lookups: ReadonlyArray<Lookup> = [
  {
    what: "GET /workers?externalId=",
    template: { method: "GET", path: "/openapi/v1/workers?externalId=$0" },
    keysOf: ({ workers }) => scattered(workers).map((n) => [externalIdAt(n), idAt("worker", n)]),
    expected: '"data":[{"id":"$1"',
    pages: 0
  },
  {
    what: "GET /credentials?ownerExternalId=",
    template: { method: "GET", path: "/openapi/v1/credentials?ownerExternalId=$0" },
    keysOf: ({ workers }) => scattered(workers).map((n) => [externalIdAt(n), idAt("credential", n)]),
    expected: '"data":[{"id":"$1"',
    pages: 0
  },
  {
    what: `GET /credentials?cursor=, a page of ${pageSize}`,
    template: { method: "GET", path: `/openapi/v1/credentials?pageSize=${pageSize}&cursor=$0` },
    keysOf: ({ credentials, directory, tenantId }) => {
      const seal = cursorSealOf(directory, tenantId)
      return scattered(credentials - pageSize * (pages + 2)).map((n) => [
        seal(encodeCursor(Credential, byCreation, { key: createdAtOf(n), id: idAt("credential", n) }))
      ])
    },
    expected: `"pageSize":${pageSize},"nextCursor":"`,
    pages: pages - 1
  }
]

/** Compares a call over many rows with the same over few. */
export const measureLookup = async (
  { client, plan, say }: Bench,
  { expected, keysOf, pages, template, what }: Lookup,
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
      return sampleOf(server, client, { ...job, pages }, millisEach)
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

/** A data set and its server. */
export interface Stored {
  readonly server: Server
  readonly data: Dataset
}

/** Measures lookups and paging by cursor, over few rows and over many. */
export const measureLookups = async (bench: Bench, few: Dataset): Promise<ReadonlyArray<Row>> => {
  const { dataset, plan, say } = bench
  const engine = engineOf(few)
  say(`filling a store on ${engine} with ${plan.manyRows} workers and as many credentials`)
  const many = await dataset({ workers: plan.manyRows, credentials: plan.manyRows }, engine)
  const small = await serverOn(bench, few, "ours")
  const large = { server: await bench.processes.server("ours", many.directory), data: many }
  const rows: Array<Row> = []
  for (const lookup of lookups) rows.push(await measureLookup(bench, lookup, small, large))
  for (const { server } of [small, large]) await server.stop()
  return rows
}
