import { assert, describe, it } from "@effect/vitest"
import { copyKeys } from "@wcs/store-sql/cells/Arrival"
import { findPlace, firstCell } from "@wcs/store-sql/cells/Directory"
import { isFencedOff } from "@wcs/store-sql/cells/Fence"
import { type Cell, cancel, finish, type Moving, move, type Part, parts } from "@wcs/store-sql/cells/Move"
import { left } from "@wcs/store-sql/cells/MovedTables"
import { dialectOf } from "@wcs/store-sql/engine/Dialect"
import { auditEntry } from "@wcs/store-suite/Fixtures"
import { Deferred, Effect, Fiber } from "effect"
import { Statement } from "effect/sql"
import { fill, makeCell, movedId, rowsOf } from "./movedTenant.ts"

const tenantId = "tnt_abcdefghijklmnop"
const other = "tnt_ponmlkjihgfedcba"

const movingOf = (
  first: Cell,
  source: Cell,
  target: Cell,
  announce: Moving["announce"] = () => Effect.void
): Moving => ({
  tenantId,
  first,
  source,
  target,
  notice: { channel: "wcs_test", topic: "leases" },
  entry: auditEntry(tenantId, { id: `${movedId} to ${target.name}`, action: "move", entityType: "tenant" }),
  staleMillis: 0,
  frozenMillis: 60_000,
  leaseMillis: 1000,
  drainMillis: 0,
  announce
})

/** Tells of each statement of a command the part that it is in, its number there, and its text. */
type IsStop = (part: Part | undefined, count: number, text: string) => boolean

/** Begins a move that stops for good, as by a kill: nothing is cleaned up, and its connections stay. */
const stoppedWhere = Effect.fnUntraced(function* (isStop: IsStop, moving: Moving) {
  const reached = yield* Deferred.make<void>()
  const goOn = yield* Deferred.make<void>()
  const stop = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(goOn))
  let [part, count]: [Part | undefined, number] = [undefined, 0]
  const announce: Moving["announce"] = (begun) =>
    Effect.suspend(() => {
      part = begun
      count = 0
      return isStop(part, count, "") ? stop : Effect.void
    })
  const transformed: Statement.Transformer = (statement) => {
    count += 1
    return isStop(part, count, statement.compile()[0]) ? Effect.as(stop, statement) : Effect.succeed(statement)
  }
  const command = Effect.provideService(move({ ...moving, announce }), Statement.CurrentTransformer, transformed)
  const fiber = yield* Effect.forkDetach(command)
  /** Lets the command go on. It is done before the connections close. */
  const late = Effect.andThen(Deferred.succeed(goOn, undefined), Fiber.join(fiber))
  yield* Effect.addFinalizer(() => Effect.exit(late))
  yield* Effect.raceFirst(Deferred.await(reached), Effect.orDie(Fiber.join(fiber)))
  assert.isTrue(yield* Deferred.isDone(reached))
  return { fiber, goOn: late }
})

/** Begins a move that stops at a part. */
const stoppedAt = (part: Part, moving: Moving) => stoppedWhere((begun, count) => begun === part && count === 0, moving)

/** Places between two statements, in the order of a move. */
const insides: ReadonlyArray<IsStop> = [
  (part, count) => part === "fence" && count > 5, // half of the triggers
  (part, count) => part === "copy" && count > 60,
  (part, count) => part === "freeze" && count > 2,
  (part, count) => part === "difference" && count > 0,
  (part, count) => part === "take" && count > 20,
  (part, count) => part === "switch" && count > 0,
  (part, count) => part === "put aside" && count > 60,
  (_, __, text) => /^DROP SCHEMA .*wcs_arriving/.test(text), // the directory says that all is done
  (_, __, text) => /DROP TRIGGER/.test(text)
]

/** Ends the open transactions, as Postgres does when a client is gone. */
const hangUp = ({ sql }: Cell) => sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND state = 'idle in transaction' AND pid <> pg_backend_pid()`

/** Ends the move at a part by a failure. */
const killedAt =
  (part: Part): Moving["announce"] =>
  (begun) =>
    begun === part ? Effect.die("killed") : Effect.void

/** The databases with rows of the tenant, apart from the directory of the first one. */
const holders = Effect.fnUntraced(function* (cells: ReadonlyArray<Cell>) {
  const found = yield* Effect.forEach(cells, ({ name, sql }) =>
    Effect.map(sql`SELECT 1 FROM account WHERE tenant_id = ${tenantId} LIMIT 1`, (rows) =>
      rows.length > 0 ? [name] : []
    )
  )
  return found.flat()
})

const twoCells = Effect.gen(function* () {
  const [first, second] = [yield* makeCell(firstCell), yield* makeCell("second")]
  yield* fill(first, other, 3)
  yield* fill(first, tenantId, 7)
  return { first, second }
})

describe("a move of a tenant", () => {
  it.live(
    "threat 92: moves every row and no row of another tenant, keeps them aside in the source, and moves back",
    () =>
      Effect.gen(function* () {
        const { first, second } = yield* twoCells
        const [rows, others] = [yield* rowsOf(first, tenantId), yield* rowsOf(first, other)]
        for (const [table, found] of Object.entries(rows)) assert.isNotEmpty(found, table)
        const there = movingOf(first, first, second)
        const moved = yield* move(there)
        assert.isAbove(moved.copied, 200)
        assert.deepStrictEqual([moved.different, moved.late], [0, 0])
        assert.deepStrictEqual(yield* rowsOf(second, tenantId), rows)
        assert.deepStrictEqual(yield* rowsOf(first, tenantId, left(tenantId)), rows)
        assert.deepStrictEqual(yield* holders([first, second]), ["second"])
        assert.deepStrictEqual(yield* rowsOf(first, other), others)
        for (const [table, found] of Object.entries(yield* rowsOf(second, other))) assert.isEmpty(found, table)
        yield* finish(there)
        assert.isNotEmpty((yield* rowsOf(first, tenantId))["tenant_host"] ?? [], "the directory keeps the hosts")
        const back = movingOf(first, second, first)
        yield* move(back)
        yield* finish(back)
        assert.deepStrictEqual(yield* rowsOf(first, tenantId), rows)
        assert.deepStrictEqual(yield* rowsOf(first, other), others)
        assert.deepStrictEqual(yield* holders([first, second]), [firstCell])
        assert.strictEqual((yield* findPlace(first.sql, tenantId)).step, "settled")
        const leftOver = yield* Effect.forEach(
          [first, second],
          ({ sql }) =>
            sql`SELECT CAST(CAST(tgrelid AS regclass) AS TEXT) AS name FROM pg_trigger WHERE tgname LIKE 'wcs%_write'
          UNION ALL SELECT nspname FROM pg_namespace WHERE nspname LIKE 'wcs%' ORDER BY name`
        )
        assert.deepStrictEqual(leftOver, [[], [{ name: "account" }, { name: "audit_event" }]])
        const entries = yield* first.sql`SELECT id FROM audit_event WHERE action = 'move' ORDER BY position`
        assert.deepStrictEqual(entries, [{ id: `${movedId} to second` }, { id: `${movedId} to ${firstCell}` }])
        const stray = yield* Effect.flip(second.sql`INSERT INTO account (tenant_id) VALUES (${tenantId})`)
        assert.isTrue(isFencedOff(stray), "a server that does not know the move cannot write in the source")
      })
  )

  it.live("threats 92 and 93: that is killed at any place leaves the tenant whole in one database, and goes on", () =>
    Effect.gen(function* () {
      const { first, second } = yield* twoCells
      const rows = yield* rowsOf(first, tenantId)
      // All places of one move are those of kills, each in a run of its own, then those of the move back.
      const atParts = parts.map(
        (part): IsStop =>
          (begun, count) =>
            begun === part && count === 0
      )
      const seen: Array<string> = []
      for (const [source, target, stops] of [
        [first, second, atParts],
        [second, first, insides]
      ] as const) {
        const stopped = []
        for (const [index, isStop] of stops.entries()) {
          stopped.push(yield* stoppedWhere(isStop, movingOf(first, source, target)))
          if (stops === insides) for (const cell of [first, second]) yield* hangUp(cell)
          const { cell, step } = yield* findPlace(first.sql, tenantId)
          seen.push(step)
          // Rows that were taken are whole in both databases until the source puts them aside.
          const holder = cell === target.name ? target : source
          assert.deepStrictEqual(yield* rowsOf(holder, tenantId), rows, `${index}: ${step}`)
        }
        yield* move(movingOf(first, source, target))
        assert.deepStrictEqual(yield* rowsOf(target, tenantId), rows)
        assert.deepStrictEqual(yield* holders([first, second]), [target.name])
        yield* finish(movingOf(first, source, target))
        for (const { goOn } of stopped) yield* Effect.exit(goOn)
        assert.deepStrictEqual(yield* holders([first, second]), [target.name])
      }
      assert.includeMembers(seen, ["settled", "copying", "frozen", "switched", "left"])
      yield* move(movingOf(first, first, second))
      assert.deepStrictEqual(yield* rowsOf(second, tenantId), rows, "nothing of the killed commands is left")
    })
  )

  it.live("copies what changes meanwhile, and refuses every write to the source from the freeze on", () =>
    Effect.gen(function* () {
      const { first, second } = yield* twoCells
      const accounts = 1100 // more than are copied at once
      yield* fill(first, tenantId, accounts, ({ name }) => name === "account")
      const refusals: Array<boolean> = []
      let rows = {}
      const change = first.sql`UPDATE worker SET updated_at = updated_at + 1 WHERE tenant_id = ${tenantId}`
      const remove = first.sql`DELETE FROM session WHERE tenant_id = ${tenantId}`
      // Each user gets the address of the next one.
      const prepare = first.sql`UPDATE account SET email = 'former ' || email WHERE tenant_id = ${tenantId}`
      const rotate = first.sql`UPDATE account SET email = 'email ' ||
        (CAST(split_part(id, ' ', 2) AS INTEGER) + 1) % CAST(${accounts} AS INTEGER) || ' of ' || tenant_id
        WHERE tenant_id = ${tenantId}`
      const announce: Moving["announce"] = (part) =>
        Effect.gen(function* () {
          if (part === "pause") {
            const writers = yield* dialectOf(second.sql).openWriters("audit_event") ?? Effect.succeed([])
            assert.deepStrictEqual(writers, [], "other tenants of the target wait for no loaded row")
          }
          if (part === "freeze") for (const write of [change, remove, prepare, rotate]) yield* write
          if (part === "take") rows = yield* rowsOf(first, tenantId)
          if (!["difference", "take", "switch"].includes(part)) return
          for (const write of [change, first.sql`DELETE FROM worker WHERE tenant_id = ${tenantId}`]) {
            refusals.push(isFencedOff(yield* Effect.flip(write)))
          }
          yield* first.sql`UPDATE worker SET updated_at = updated_at + 1 WHERE tenant_id = ${other}`
        }).pipe(Effect.orDie)
      const moved = yield* move(movingOf(first, first, second, announce))
      assert.strictEqual(moved.different, 0)
      // both forms of each user and worker, the worker's new version and mark, and the session
      assert.isAtLeast(moved.late, 2 * accounts + 7 * 5)
      assert.deepStrictEqual(refusals, [true, true, true, true, true, true])
      assert.deepStrictEqual(yield* rowsOf(second, tenantId), rows)
      assert.isEmpty((yield* rowsOf(second, tenantId))["session"] ?? ["none"])
    })
  )

  it.live("threat 93: fails if another command has completed it, and changes nothing", () =>
    Effect.gen(function* () {
      const { first, second } = yield* twoCells
      const rows = yield* rowsOf(first, tenantId)
      const there = movingOf(first, first, second)
      const late = []
      for (const part of ["difference", "take", "switch", "put aside"] as const)
        late.push(yield* stoppedAt(part, there))
      yield* move(there)
      yield* finish(there)
      const back = movingOf(first, second, first)
      yield* move(back)
      yield* finish(back)
      for (const { goOn } of late) yield* Effect.flip(Effect.sandbox(goOn))
      assert.deepStrictEqual(yield* holders([first, second]), [firstCell])
      assert.deepStrictEqual(yield* rowsOf(first, tenantId), rows)
      const { cell, step } = yield* findPlace(first.sql, tenantId)
      assert.deepStrictEqual([cell, step], [firstCell, "settled"])
      yield* first.sql`UPDATE session SET tenant_id = tenant_id WHERE tenant_id = ${tenantId}`
    })
  )

  it.live("lets the source serve the tenant again if the freeze takes too long or the command is interrupted", () =>
    Effect.gen(function* () {
      const { first, second } = yield* twoCells
      const rows = yield* rowsOf(first, tenantId)
      const { fiber } = yield* stoppedAt("take", movingOf(first, first, second))
      yield* Fiber.interrupt(fiber)
      assert.strictEqual((yield* findPlace(first.sql, tenantId)).step, "copying")
      yield* first.sql`UPDATE session SET tenant_id = tenant_id WHERE tenant_id = ${tenantId}`
      const refused = yield* Effect.flip(
        move({ ...movingOf(first, first, second), staleMillis: 5000, frozenMillis: 1 })
      )
      assert.match(refused.message, /^The tenant would be frozen for longer than /)
      assert.strictEqual((yield* findPlace(first.sql, tenantId)).step, "copying")
      yield* first.sql`UPDATE session SET tenant_id = tenant_id WHERE tenant_id = ${tenantId}`
      assert.deepStrictEqual(yield* rowsOf(first, tenantId), rows)
    })
  )

  it.live("can be cancelled before the target has the rows, and not afterwards", () =>
    Effect.gen(function* () {
      const { first, second } = yield* twoCells
      const rows = yield* rowsOf(first, tenantId)
      const moving = movingOf(first, first, second)
      yield* Effect.exit(move({ ...moving, announce: killedAt("take") }))
      yield* cancel(moving)
      yield* first.sql`UPDATE session SET tenant_id = tenant_id WHERE tenant_id = ${tenantId}`
      assert.strictEqual((yield* findPlace(first.sql, tenantId)).step, "settled")
      assert.deepStrictEqual(Object.keys(yield* rowsOf(first, tenantId)), Object.keys(rows))
      yield* Effect.exit(move({ ...moving, announce: killedAt("switch") }))
      const refused = yield* Effect.flip(cancel(moving))
      assert.match(refused.message, /second has the tenant/)
    })
  )

  it.live("shares new signing keys, and what a new master key has sealed if told so", () =>
    Effect.gen(function* () {
      const [{ sql: first }, { sql: second }] = [yield* makeCell(firstCell), yield* makeCell("second")]
      const sealed = Effect.map(second`SELECT sealed_private_key AS text FROM signing_key`, ([key]) => key?.["text"])
      yield* first`INSERT INTO signing_key ${first.insert({ kid: "k", use: "token", sealed_private_key: "former", created_at: 1 })}`
      yield* copyKeys(first, second)
      yield* first`UPDATE signing_key SET sealed_private_key = 'present'`
      yield* copyKeys(first, second)
      assert.strictEqual(yield* sealed, "former")
      yield* copyKeys(first, second, { reseals: true })
      assert.strictEqual(yield* sealed, "present")
    })
  )

  it.live("assigns positions above those of the moved rows", () =>
    Effect.gen(function* () {
      const { first, second } = yield* twoCells
      yield* first.sql`SELECT setval(pg_get_serial_sequence('event', 'position'), 1000)`
      yield* first.sql`INSERT INTO oauth_client ${first.sql.insert({ tenant_id: tenantId, client_id: "last", name: "", secret_hash: "", secret_last_four: "", created_at: 1 })}`
      yield* move(movingOf(first, first, second))
      const rows = yield* second.sql<{
        readonly position: unknown
      }>`INSERT INTO oauth_client ${second.sql.insert({ tenant_id: tenantId, client_id: "next", name: "", secret_hash: "", secret_last_four: "", created_at: 1 })} RETURNING position`
      const [highest] = yield* second.sql<{
        readonly position: unknown
      }>`SELECT max(position) AS position FROM oauth_client
        WHERE client_id <> 'next'`
      assert.isAbove(Number(rows[0]?.position), Number(highest?.position))
    })
  )
})
