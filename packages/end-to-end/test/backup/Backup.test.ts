import { copyFileSync, mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Fiber, Redacted, type Scope } from "effect"
import { violations } from "../faults/Checker.ts"
import { connection, type Send } from "../faults/Connection.ts"
import { History } from "../faults/History.ts"
import { load, makeCommons } from "../faults/Load.ts"
import { raisedLimits } from "../faults/Scene.ts"
import { prepare, read } from "../faults/Stored.ts"
import { cli } from "../InProcess.ts"
import { until } from "../Machines.ts"
import { ask, bearer, type Environment, type Server, serving, temporaryDirectory } from "../Process.ts"

const nowhere = "postgres://wcs:secret@127.0.0.1:1/wcs"

type Engine = "SQLite" | "Postgres"

/** A data directory, with a database for Postgres. */
const place = Effect.fnUntraced(function* (engine: Engine): Effect.fn.Return<Environment, never, Scope.Scope> {
  const directory = join(yield* temporaryDirectory, "data")
  const environment = { WCS_DATA: directory, ...raisedLimits }
  return engine === "SQLite" ? environment : { ...environment, DATABASE_URL: Redacted.value(yield* freshDatabase) }
})

/** An empty place with the master key of another one. */
const elsewhere = Effect.fnUntraced(function* (engine: Engine, { WCS_DATA: from = "" }: Environment) {
  const environment = yield* place(engine)
  const { WCS_DATA: to = "" } = environment
  mkdirSync(to, { mode: 0o700 })
  copyFileSync(join(from, "master.key"), join(to, "master.key"))
  return environment
})

/** What the clients knew at a moment: later writes may be in the store or not. */
const knownUntil = (history: History, exchanges: number, deleted: ReadonlySet<string>): History => {
  const known = new History()
  known.sent = Number.POSITIVE_INFINITY
  known.exchanges.push(...history.exchanges.slice(0, exchanges))
  for (const batch of history.batches) known.batches.add(batch)
  for (const id of history.deletions.keys()) known.deletions.set(id, deleted.has(id))
  return known
}

/** Runs a command in this process. Returns its result. */
const ran = Effect.fnUntraced(function* (args: ReadonlyArray<string>, { WCS_DATA = "", ...settings }: Environment) {
  const { code, stderr, stdout } = yield* cli(join(WCS_DATA, ".."), [...args, "--json"], settings)
  assert.strictEqual(code, 0, stderr)
  return JSON.parse(stdout)
})

const changes = (server: Server, token: string, after: string) =>
  ask(server, `/openapi/v1/changes?after=${after}`, { headers: bearer(token) })

/** The position after the newest change. */
const newest = (server: Server, token: string) =>
  Effect.map(changes(server, token, "now"), ({ text }) => String(JSON.parse(text).meta.position))

/**
 * Backs up a store under 32 writing clients. Returns what they knew before the backup began, and positions of changes
 * before and after the backup.
 */
const backedUp = Effect.fnUntraced(function* (environment: Environment, file: string) {
  const token = yield* Effect.orDie(prepare(environment))
  const server = yield* serving(environment)
  const send = yield* connection(server, token, 32)
  const history = new History()
  let isOver = false
  const sending: Send = async (...call) => (isOver ? undefined : await send(...call))
  const commons = yield* Effect.promise(() => makeCommons(sending, history))
  const clients = yield* Effect.forkChild(
    Effect.promise(() => load(sending, history, commons, { clients: 32, round: 1, failuresMax: 0 }))
  )
  const answered = Effect.sync(() => history.exchanges.length)
  yield* until(answered, (count) => count > 600)
  const early = yield* newest(server, token)
  const deleted = new Set([...history.deletions].filter(([, isAcknowledged]) => isAcknowledged).map(([id]) => id))
  const before = history.exchanges.length
  const made = yield* ran(["backup", file], environment)
  const after = history.exchanges.length
  yield* until(answered, (count) => count > after + 100)
  isOver = true
  yield* Fiber.join(clients)
  const late = yield* newest(server, token)
  server.signal("SIGTERM")
  yield* server.ended
  assert.isAbove(after, before) // the clients wrote during the backup
  return { early, history, known: knownUntil(history, before, deleted), late, made, token }
})

// A backup has one form. `Refused.test.ts` restores it on the same engine.
const ways: ReadonlyArray<readonly [from: Engine, to: Engine]> = [
  ["SQLite", "Postgres"],
  ["Postgres", "SQLite"]
]

describe("a backup of a store under load", () => {
  it.live.each(ways)("restores everything that was acknowledged before it: from %s to %s", ([from, to]) =>
    Effect.gen(function* () {
      const source = yield* place(from)
      const file = join(yield* temporaryDirectory, "store.gz")
      const { early, history, known, late, made, token } = yield* backedUp(source, file)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      const target = yield* elsewhere(to, source)
      const { DATABASE_URL: url } = target
      // a further database of a deployment whose first one is down
      const cells = url === undefined ? {} : { DATABASE_URL: nowhere, WCS_CELLS: `second=${url}` }
      const named = url === undefined ? [] : ["--database", "second"]
      const restored = yield* ran(["restore", file, ...named], { ...target, ...cells })
      assert.deepStrictEqual(restored, {
        ...restored,
        engine: to.toLowerCase(),
        takenAt: made.takenAt,
        rows: made.rows
      })
      const stored = yield* Effect.orDie(read(target))
      assert.deepStrictEqual(violations(known, stored), [])
      // control: the checker finds the later writes, which the backup cannot have
      assert.isTrue(violations(history, stored).some((sentence) => sentence.includes("acknowledged and lost")))
      const { tenants } = yield* ran(["audit", "verify"], target)
      assert.isTrue(tenants.every(({ fault }: { readonly fault: unknown }) => fault === null))
      const server = yield* serving(target)
      yield* ran(["admin", "create-user", "--email", "later@example.com", "--role", "Viewer"], target)
      const body = JSON.stringify({ identity: { displayName: "Ann Example" } })
      const headers = { ...bearer(token), "content-type": "application/json" }
      const created = yield* ask(server, "/openapi/v1/workers", { method: "POST", headers, body })
      assert.strictEqual(created.status, 201, created.text)
      assert.strictEqual((yield* changes(server, token, early)).status, 200)
      assert.strictEqual((yield* changes(server, token, late)).status, 410)
    })
  )
})
