import { assert, describe, it } from "@effect/vitest"
import { findPlace, firstCell } from "@wcs/store-sql/cells/Directory"
import { isFencedOff } from "@wcs/store-sql/cells/Fence"
import { type Cell, cancel, finish, type Moving, move, type Part, parts } from "@wcs/store-sql/cells/Move"
import { left } from "@wcs/store-sql/cells/MovedTables"
import { Deferred, Effect, Fiber } from "effect"
import { fill, makeCell, rowsOf } from "./movedTenant.ts"

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
  staleMillis: 0,
  frozenMillis: 60_000,
  leaseMillis: 1000,
  drainMillis: 0,
  announce
})

/** Begins a move that stops at a part for good, as a kill does: nothing is cleaned up, and its connections stay. */
const stoppedAt = Effect.fnUntraced(function* (part: Part, moving: Moving) {
  const reached = yield* Deferred.make<void>()
  const goOn = yield* Deferred.make<void>()
  const announce: Moving["announce"] = (begun) =>
    begun === part ? Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(goOn)) : Effect.void
  const fiber = yield* Effect.forkDetach(move({ ...moving, announce }))
  yield* Effect.raceFirst(Deferred.await(reached), Effect.orDie(Fiber.join(fiber)))
  return { goOn: Effect.andThen(Deferred.succeed(goOn, undefined), Fiber.join(fiber)) }
})

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
        assert.strictEqual(moved.different, 0)
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
            sql`SELECT tgname AS name FROM pg_trigger WHERE tgname LIKE 'wcs%'
          UNION ALL SELECT nspname FROM pg_namespace WHERE nspname LIKE 'wcs%'`
        )
        assert.deepStrictEqual(leftOver.flat(), [])
      })
  )

  it.live("threats 92 and 93: that is killed at any part leaves the tenant whole in one database, and goes on", () =>
    Effect.gen(function* () {
      const { first, second } = yield* twoCells
      const rows = yield* rowsOf(first, tenantId)
      // All parts of one move are killed, each in a run of its own, then those of the move back.
      for (const [source, target] of [
        [first, second],
        [second, first]
      ] as const) {
        for (const part of parts.filter((part) => part !== "done")) {
          yield* stoppedAt(part, movingOf(first, source, target))
          const { cell, step } = yield* findPlace(first.sql, tenantId)
          const holder = cell === target.name || (step === "frozen" && part === "switch") ? target : source
          assert.deepStrictEqual(yield* rowsOf(holder, tenantId), rows, part)
        }
        yield* move(movingOf(first, source, target))
        assert.deepStrictEqual(yield* rowsOf(target, tenantId), rows)
        assert.deepStrictEqual(yield* holders([first, second]), [target.name])
        yield* finish(movingOf(first, source, target))
      }
    })
  )

  it.live("copies what changes meanwhile, and refuses every write to the source from the fence on", () =>
    Effect.gen(function* () {
      const { first, second } = yield* twoCells
      const refusals: Array<boolean> = []
      const change = first.sql`UPDATE worker SET updated_at = updated_at + 1 WHERE tenant_id = ${tenantId}`
      const remove = first.sql`DELETE FROM session WHERE tenant_id = ${tenantId}`
      const announce: Moving["announce"] = (part) =>
        Effect.gen(function* () {
          if (part === "freeze") yield* Effect.andThen(change, remove)
          if (!["difference", "take", "switch"].includes(part)) return
          for (const write of [change, first.sql`DELETE FROM worker WHERE tenant_id = ${tenantId}`]) {
            refusals.push(isFencedOff(yield* Effect.flip(write)))
          }
          yield* first.sql`UPDATE worker SET updated_at = updated_at + 1 WHERE tenant_id = ${other}`
        }).pipe(Effect.orDie)
      const { different } = yield* move(movingOf(first, first, second, announce))
      assert.isAbove(different, 7)
      assert.deepStrictEqual(refusals, [true, true, true, true, true, true])
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
      for (const { goOn } of late) yield* Effect.flip(goOn)
      assert.deepStrictEqual(yield* holders([first, second]), [firstCell])
      assert.deepStrictEqual(yield* rowsOf(first, tenantId), rows)
      const { cell, step } = yield* findPlace(first.sql, tenantId)
      assert.deepStrictEqual([cell, step], [firstCell, "settled"])
      yield* first.sql`UPDATE session SET tenant_id = tenant_id WHERE tenant_id = ${tenantId}`
    })
  )

  it.live("lets the source serve the tenant again if the freeze takes too long", () =>
    Effect.gen(function* () {
      const { first, second } = yield* twoCells
      const rows = yield* rowsOf(first, tenantId)
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
