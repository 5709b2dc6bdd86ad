import { Clock, Data, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { applied, migrations, objection } from "../engine/Migrations.ts"
import * as Arrival from "./Arrival.ts"
import * as Departure from "./Departure.ts"
import { mend, type Side } from "./Difference.ts"
import { ClaimLost, claimPlace, findPlace, firstCell, type Place, putPlace } from "./Directory.ts"
import * as Fence from "./Fence.ts"
import { arriving, isTenantId, movedTables } from "./MovedTables.ts"
import * as Pause from "./Pause.ts"

/** A move that cannot begin or go on. The message is a sentence with the remedy. */
export class MoveRefused extends Data.TaggedError("MoveRefused")<{ readonly message: string }> {}

/** A database of the deployment. */
export interface Cell {
  readonly name: string
  readonly sql: SqlClient.SqlClient
}

/** The parts of a move, in their order. Each can be repeated after a kill. */
export const parts = [
  "copy",
  "fence",
  "pause",
  "freeze",
  "difference",
  "take",
  "switch",
  "drain",
  "put aside",
  "done"
] as const

export type Part = (typeof parts)[number]

/** What a move needs. */
export interface Moving {
  readonly tenantId: string
  readonly first: Cell
  readonly source: Cell
  readonly target: Cell
  readonly notice: Pause.Notice
  /** The longest time in milliseconds for which a process may use what it has read of the directory. */
  readonly staleMillis: number
  /** How long the move waits for the leases of workers. */
  readonly leaseMillis: number
  /** The longest time for which the tenant may be frozen. Then the source serves it again. */
  readonly frozenMillis: number
  /** How long after the switch requests in flight can still read in the source. */
  readonly drainMillis: number
  /** Called before each part. */
  readonly announce: (part: Part) => Effect.Effect<void>
}

/** A move that this command has claimed. */
interface Claimed extends Moving {
  readonly claim: string
}

/** What a move has done. */
export interface Moved {
  /** Rows that were copied while the tenant was served, and those that were different afterwards. */
  readonly copied: number
  readonly different: number
  /** Milliseconds for which this run refused the requests of the tenant. */
  readonly frozenMillis: number
}

/** Tables that are copied at the same time. */
const tablesAtOnce = 4

const sideOf = ({ sql }: Cell): Side => ({ sql, schema: undefined })

const arrivingSide = ({ target, tenantId }: Moving): Side => ({ sql: target.sql, schema: arriving(tenantId) })

/** Fails unless a database has exactly the schema of this program. */
const requireSchema = Effect.fnUntraced(function* ({ name, sql }: Cell) {
  const stored = yield* Effect.provideService(applied, SqlClient.SqlClient, sql)
  if (stored.length === migrations.length && objection(stored, migrations) === undefined) return
  return yield* new MoveRefused({
    message: `The database ${name} has another schema than this program: run wcs migrate.`
  })
})

/** Copies the rows that are different. Returns their number. */
const copy = Effect.fnUntraced(function* (moving: Moving) {
  yield* Arrival.prepare(moving.target.sql, moving.tenantId)
  const different = yield* Effect.forEach(
    yield* movedTables(moving.source.sql),
    (table) => mend(sideOf(moving.source), arrivingSide(moving), table, moving.tenantId),
    { concurrency: tablesAtOnce }
  )
  return different.reduce((sum, rows) => sum + rows, 0)
})

/** Pauses the workers of the source until the scope closes. */
const pause = Effect.fnUntraced(function* ({ claim, leaseMillis, notice, source }: Claimed) {
  yield* Pause.begin(source.sql, claim, notice)
  const before = (yield* Clock.currentTimeMillis) + leaseMillis
  while ((yield* Pause.leasesLeft(source.sql)) > 0) {
    if ((yield* Clock.currentTimeMillis) > before) {
      return yield* new MoveRefused({
        message: `Workers of the database ${source.name} do not pause: replace those of earlier versions, and repeat the command.`
      })
    }
    yield* Effect.sleep("100 millis")
  }
})

const place = ({ claim, first, tenantId }: Claimed, cell: string, other: string, step: Place["step"]) =>
  putPlace(first.sql, { tenantId, cell, other, step, claim })

/**
 * Claims the move for this command. Fails if the directory has changed since the databases were chosen. Returns the place,
 * and whether the target has taken the rows.
 */
const begin = Effect.fnUntraced(function* (moving: Moving) {
  const { first, source, target, tenantId } = moving
  if (!isTenantId(tenantId)) return yield* new MoveRefused({ message: `${tenantId} is not the id of a tenant.` })
  for (const cell of [first, source, target]) yield* requireSchema(cell)
  const found = yield* claimPlace(first.sql, tenantId)
  const isOver = found.step === "switched" || found.step === "left"
  const isChosen =
    found.step === "settled"
      ? found.cell === source.name
      : found.cell === (isOver ? target : source).name && found.other === (isOver ? source : target).name
  if (!isChosen) return yield* new MoveRefused({ message: "The directory has changed meanwhile: repeat the command." })
  const { claim } = found
  const claimed: Claimed = { ...moving, claim }
  const isTaken = found.step === "left" || (yield* Arrival.claim(target.sql, tenantId, claim))
  return { claimed, step: found.step, isTaken: isTaken || found.step === "switched" }
})

/** Fails unless the target can take the tenant. */
const requireRoom = Effect.fnUntraced(function* ({ first, target, tenantId }: Moving) {
  if (yield* Arrival.hasRows(target.sql, tenantId)) {
    return yield* new MoveRefused({
      message: `The database ${target.name} has rows of the tenant that no move has brought: examine and delete them.`
    })
  }
  if (target.name === firstCell) return
  const [number] = yield* first.sql<{ readonly position: unknown }>`SELECT position FROM tenant WHERE id = ${tenantId}`
  const taken = yield* target.sql`SELECT 1 FROM tenant
    WHERE position = ${Number(number?.position ?? 0)} AND id <> ${tenantId}`
  if (taken.length === 0) return
  return yield* new MoveRefused({
    message: `The database ${target.name} has a tenant of its own with the same number: use a database that only moves fill.`
  })
})

/** Lets the source serve the tenant again after a failure, unless the target has taken it or another command has claimed it. */
const recover = Effect.fnUntraced(function* (moving: Claimed) {
  const { claim, source, target, tenantId } = moving
  if (!(yield* Arrival.isOpen(target.sql, tenantId, claim))) return
  yield* place(moving, source.name, target.name, "copying")
  yield* Fence.open(source.sql, tenantId, claim)
})

/** Freezes the tenant, copies the last difference and lets the target take the rows. Returns when the freeze began. */
const hand = Effect.fnUntraced(function* (moving: Claimed) {
  const { announce, claim, frozenMillis, source, staleMillis, target, tenantId } = moving
  yield* announce("freeze")
  yield* place(moving, source.name, target.name, "frozen")
  const frozenAt = yield* Clock.currentTimeMillis
  // In the first database, one transaction takes the rows and switches.
  const switching = target.name === firstCell ? place(moving, target.name, source.name, "switched") : Effect.void
  const different = yield* Effect.gen(function* () {
    yield* Fence.close(source.sql, tenantId, claim)
    yield* announce("difference")
    const different = yield* copy(moving)
    yield* Arrival.copyKeys(source.sql, target.sql)
    // Until then, a process may read in the source.
    yield* Effect.sleep(Math.max(0, frozenAt + staleMillis - (yield* Clock.currentTimeMillis)))
    yield* announce("take")
    yield* Arrival.take(sideOf(source), target.sql, { tenantId, claim }, switching)
    return different
  }).pipe(
    Effect.catchTag("NotTaken", ({ reason }) =>
      Effect.fail(new MoveRefused({ message: `${reason}: the tenant stays in ${source.name}; repeat the command.` }))
    ),
    Effect.timeoutOrElse({
      duration: frozenMillis,
      orElse: () =>
        Effect.fail(
          new MoveRefused({
            message: `The tenant would be frozen for longer than ${frozenMillis / 1000} seconds: it stays in ${source.name}; repeat the command with a longer --within, or when less is written.`
          })
        )
    })
  )
  return { different, frozenAt }
})

/** Copies and hands the tenant over. */
const bring = Effect.fnUntraced(function* (moving: Claimed) {
  const { announce, source, target, tenantId } = moving
  yield* requireRoom(moving)
  yield* announce("copy")
  yield* place(moving, source.name, target.name, "copying")
  yield* Fence.open(source.sql, tenantId)
  yield* Arrival.copyKeys(source.sql, target.sql)
  const copied = yield* copy(moving)
  yield* announce("fence")
  yield* Fence.build(source.sql, tenantId)
  yield* announce("pause")
  yield* pause(moving)
  return { copied, ...(yield* Effect.tapCause(hand(moving), () => Effect.ignoreCause(recover(moving)))) }
})

/** Puts the rows in the source aside, once no request can read them. */
const leave = Effect.fnUntraced(function* (moving: Claimed) {
  const { announce, claim, drainMillis, first, source, target, tenantId } = moving
  yield* announce("drain")
  yield* Effect.sleep(drainMillis)
  yield* announce("put aside")
  const mayGo = Effect.gen(function* () {
    const found = yield* findPlace(first.sql, tenantId)
    if (found.claim !== claim || found.cell !== target.name || found.step !== "switched") return yield* new ClaimLost()
  })
  yield* Departure.putAside(source.sql, tenantId, { keepsDirectory: source.name === firstCell, mayGo })
  yield* place(moving, target.name, source.name, "left")
  yield* Arrival.discard(target.sql, tenantId)
  yield* announce("done")
})

const lost = () =>
  Effect.fail(new MoveRefused({ message: "Another wcs move-tenant has continued the move of this tenant." }))

/**
 * Moves a tenant, or goes on with a move that was interrupted. Before `take` has ended, the source has the tenant, from
 * then on the target.
 */
export const move = (moving: Moving): Effect.Effect<Moved, MoveRefused | SqlError.SqlError> =>
  Effect.gen(function* () {
    const { claimed, isTaken, step } = yield* begin(moving)
    const { announce, source, target, tenantId } = claimed
    const nothing = { copied: 0, different: 0, frozenAt: undefined }
    if (step === "left") return { copied: 0, different: 0, frozenMillis: 0 }
    const { copied, different, frozenAt } = isTaken ? nothing : yield* bring(claimed)
    yield* announce("switch")
    yield* place(claimed, target.name, source.name, "switched")
    const frozenMillis = frozenAt === undefined ? 0 : (yield* Clock.currentTimeMillis) - frozenAt
    if (isTaken) {
      yield* Fence.build(source.sql, tenantId)
      yield* Fence.close(source.sql, tenantId, claimed.claim)
      yield* announce("pause")
      yield* pause(claimed)
    }
    yield* leave(claimed)
    return { copied, different, frozenMillis }
  }).pipe(Effect.scoped, Effect.catchTag("ClaimLost", lost))

/** Undoes a move whose rows the target has not taken. */
export const cancel = (moving: Moving): Effect.Effect<void, MoveRefused | SqlError.SqlError> =>
  Effect.gen(function* () {
    const { claimed, isTaken, step } = yield* begin(moving)
    const { source, target, tenantId } = claimed
    if (step === "settled") return yield* new MoveRefused({ message: "The tenant does not move." })
    if (isTaken) {
      return yield* new MoveRefused({
        message: `The database ${target.name} has the tenant: repeat the command with --to ${target.name}.`
      })
    }
    yield* Arrival.discard(target.sql, tenantId)
    yield* place(claimed, source.name, "", "settled")
    yield* Fence.remove(source.sql, tenantId)
  }).pipe(Effect.catchTag("ClaimLost", lost))

/** Deletes what a complete move has left in the source. */
export const finish = (moving: Moving): Effect.Effect<void, MoveRefused | SqlError.SqlError> =>
  Effect.gen(function* () {
    const { claimed, step } = yield* begin(moving)
    const { source, target, tenantId } = claimed
    if (step !== "left") {
      return yield* new MoveRefused({ message: "There is no complete move of this tenant to finish." })
    }
    yield* Departure.forget(source.sql, tenantId)
    yield* Fence.remove(source.sql, tenantId)
    yield* place(claimed, target.name, "", "settled")
  }).pipe(Effect.catchTag("ClaimLost", lost))
