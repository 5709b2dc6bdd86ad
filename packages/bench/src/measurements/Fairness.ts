import { DatabaseSync } from "node:sqlite"
import { isObject, type JsonObject } from "@wcs/domain/shared/Json"
import { definitions } from "@wcs/store-suite/resource/Definitions"
import type { Bench } from "../Bench.ts"
import { makeEmpty, storeFile } from "../data/Dataset.ts"
import { fillLists } from "../data/ListData.ts"
import type { Server } from "../load/Processes.ts"
import { type Got, send } from "../load/Request.ts"
import type { Steps } from "../load/StepMeter.ts"
import { fixedLimit, judged, type Row } from "../Row.ts"
import { type IdsOf, type LargestCall, largestCalls } from "./LargestCalls.ts"

/** The sizes of the store. `crowded` credentials belong to `crowds` workers: each has as many as the service reads. */
export interface FairnessSize {
  readonly rows: number
  readonly credentials: number
  readonly crowds: number
  readonly crowded: number
}

/** A store with many rows, and its server. */
export interface Fair {
  readonly server: Server
  readonly token: string
  readonly ids: IdsOf
}

const account = "urn:wcs:account:acc_0000000000000000"

/**
 * Entries of the audit log of one account, and crowds of credentials and exemptions. Webhooks and identity providers
 * make room for new ones.
 */
const crowd = (database: DatabaseSync, tenantId: string, { credentials, crowded, crowds }: FairnessSize): void => {
  database.exec(
    "UPDATE webhook SET deleted_at = 1 WHERE rowid > 1; UPDATE identityProvider SET deleted_at = 1 WHERE rowid > 1"
  )
  for (const table of ["credential", "exemption"]) {
    database.exec(`UPDATE ${table} SET worker_id = (SELECT w.id FROM worker AS w WHERE w.rowid = 1 + ${table}.rowid % ${crowds})
      WHERE rowid <= ${crowded}`)
  }
  database.exec(`INSERT INTO audit_event (tenant_id, id, account, operation, action, entity_type, entity_id, request_id, at)
    WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${credentials})
    SELECT '${tenantId}', 'aud_' || printf('%016x', n), '${account}', 'UPDATE', 'update', 'worker',
      'wkr_' || printf('%016x', n), printf('%026d', n), n FROM series`)
}

/** Fills a store and starts its server. */
export const makeFair = async (
  { place, processes }: Pick<Bench, "place" | "processes">,
  size: FairnessSize,
  side: "timed" | "counted"
): Promise<Fair> => {
  const directory = place()
  const { tenantId, token } = await makeEmpty(directory)
  const isCredential = ({ type }: { readonly type: string }) => type === "credential"
  fillLists(directory, tenantId, size.credentials, definitions.filter(isCredential))
  fillLists(
    directory,
    tenantId,
    size.rows,
    // A tenant has far fewer units than rows of other lists.
    definitions.filter((resource) => !isCredential(resource) && resource.type !== "unit")
  )
  using database = new DatabaseSync(storeFile(directory))
  crowd(database, tenantId, size)
  const idsOf = new Map(
    definitions.map(({ collection, type }) => [
      collection as string,
      database
        .prepare(`SELECT id FROM ${type} ORDER BY rowid LIMIT 500`)
        .all()
        .map((row) => String(row["id"]))
    ])
  )
  const server = await processes.server(side, directory)
  return { server, token: token.secret, ids: (collection, count) => (idsOf.get(collection) ?? []).slice(0, count) }
}

/** The steps of one call. */
export interface Stepped extends Steps {
  readonly name: string
  readonly status: number
  /** The beginning of the response. */
  readonly answer: string
}

/** Ids of entities that a collection has only by calls. */
const firstId = async ({ server, token }: Fair, path: string): Promise<string> => {
  const { text } = await send(server.port, { method: "GET", path: `${path}?pageSize=1`, token })
  const { data } = JSON.parse(text) as { readonly data?: ReadonlyArray<{ readonly id?: string }> }
  return data?.[0]?.id ?? "none"
}

/** Runs a call with the id of a created or listed entity, and measures its steps. */
const stepOf = async (fair: Fair, call: LargestCall, ids: Map<string, string>): Promise<Stepped> => {
  const { server, token } = fair
  // A caretaker has the id of the person.
  const root = (call.path.split("/").slice(0, 4).join("/").split("?")[0] ?? "").replace(/caretakers$/, "workers")
  const id = ids.get(root) ?? (call.path.includes("{id}") ? await firstId(fair, root) : "")
  const path = call.path.replace("{id}", id).replace("{deliveryId}", "dlv_0000000000000000")
  await server.steps()
  const { status, text }: Got = await send(server.port, { ...call, path, token })
  const steps = await server.steps()
  if (status === 201) {
    const created = JSON.parse(text) as { readonly data?: JsonObject }
    if (isObject(created.data)) ids.set(root, String(created.data["id"] ?? created.data["code"]))
  }
  return { ...steps, name: call.name, status, answer: text.slice(0, 500) }
}

/** Creates that fill a page of the largest documents. */
const filling: ReadonlyArray<string> = ["screeningPackages.create", "complianceChecks.create", "workers.create"]
const pageful = 100

/** Creates first, since other calls use what was created, and removes last. */
const orderOf = ({ method, name }: LargestCall): number => (name.endsWith(".create") ? 0 : method === "DELETE" ? 2 : 1)

/** Measures the steps of the largest calls of every route, a number of times. */
export const stepsOfRoutes = async (fair: Fair, rounds: number): Promise<ReadonlyArray<ReadonlyArray<Stepped>>> => {
  const { text } = await send(fair.server.port, { method: "GET", path: "/openapi.json" })
  const calls = () => largestCalls(JSON.parse(text) as JsonObject, fair.ids)
  const ids = new Map<string, string>()
  for (let n = 0; n < pageful; n++) {
    for (const call of calls().filter(({ name }) => filling.includes(name))) await stepOf(fair, call, ids)
  }
  const measured = new Map<string, Array<Stepped>>()
  for (let round = 0; round < rounds; round++) {
    for (const call of calls().toSorted((one, two) => orderOf(one) - orderOf(two))) {
      const steps = measured.get(call.name) ?? []
      steps.push(await stepOf(fair, call, ids))
      measured.set(call.name, steps)
    }
  }
  return [...measured.values()]
}

/** Lists that match nothing, but have to examine all rows. */
export const emptyLists: ReadonlyArray<string> = [
  "/openapi/v1/credentials?credentialType=WWCC_NSW&jurisdiction=VIC&pageSize=100",
  "/openapi/v1/credentials?credentialType=WWCC_NSW&jurisdiction=VIC&pageSize=100&sort=expiryDate:desc&includeTotal=true",
  `/openapi/v1/audit-events?account=${account}&action=none&pageSize=100&includeTotal=true`
]

/** The longest wait of another caller during a list, in milliseconds, and the duration of the list. */
export const waitDuring = async ({ ids, server, token }: Fair, path: string) => {
  const [id = ""] = ids("workers", 1)
  const read = () => send(server.port, { method: "GET", path: `/openapi/v1/workers/${id}`, token })
  let isOver = false
  const listed = send(server.port, { method: "GET", path, token }).finally(() => {
    isOver = true
  })
  let longest = 0
  do longest = Math.max(longest, (await read()).millis)
  while (!isOver)
  return { longest, list: await listed }
}

const goal = { direction: "at most", bar: 0.01, aim: 0.005 } as const

/** Measures the longest step of every route, and the wait of others during lists that match nothing. */
export const measureFairness = async (bench: Bench): Promise<ReadonlyArray<Row>> => {
  const { plan, say } = bench
  const size = { rows: 20_000, credentials: plan.fairRows, crowds: 50, crowded: 60_000 }
  say(`filling a store with ${size.credentials} credentials`)
  const fair = await makeFair(bench, { ...size, crowded: Math.min(size.crowded, size.credentials) }, "timed")
  const waits: Array<Row> = []
  for (const path of emptyLists) {
    await waitDuring(fair, path)
    const rounds = []
    for (let round = 0; round < plan.rounds; round++) rounds.push(await waitDuring(fair, path))
    const [first] = rounds
    if (first?.list.status !== 200) throw new Error(`${path}: ${first?.list.status} ${first?.list.text}`)
    const seconds = (rounds.reduce((sum, { list }) => sum + list.millis, 0) / rounds.length / 1000).toFixed(2)
    waits.push({
      what: `longest wait during GET ${path.split("/").at(-1)}`,
      against: fixedLimit,
      ours: { side: "ours", unit: "ms", samples: rounds.map(({ longest }) => ({ value: longest })) },
      goal,
      note: `matches nothing among ${size.credentials} rows; the list takes ${seconds} s`
    })
  }
  say("the longest step of every route, with the largest bodies and pages")
  const rows = (await stepsOfRoutes(fair, plan.rounds)).map(
    (rounds): Row => ({
      what: rounds[0]?.name ?? "",
      against: fixedLimit,
      ours: { side: "ours", unit: "ms", samples: rounds.map(({ longestMillis }) => ({ value: longestMillis })) },
      goal,
      note: `status ${[...new Set(rounds.map(({ status }) => status))].join(", ")}`
    })
  )
  await fair.server.stop()
  const [worst] = rows.toSorted((one, two) => judged(two).median - judged(one).median)
  if (worst === undefined) throw new Error("the contract has no routes")
  return [
    ...waits,
    { ...worst, what: "the longest step of every route", note: `worst of ${rows.length}: ${worst.what}`, among: rows }
  ]
}
