import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import { Clock, Context, Data, Effect, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { applied, migrations, objection } from "../engine/Migrations.ts"
import * as Arrival from "./Arrival.ts"
import * as Changes from "./Changes.ts"
import * as Departure from "./Departure.ts"
import { ClaimLost, claimPlace, findPlace, firstCell, type Place, putPlace } from "./Directory.ts"
import * as Fence from "./Fence.ts"
import { isTenantId } from "./MovedTables.ts"
import * as Pause from "./Pause.ts"

/** A move that cannot begin or go on. The message is a sentence with the remedy. */
export class MoveRefused extends Data.TaggedError("MoveRefused")<{ readonly message: string }> {}

/** A database of the deployment. */
export interface Cell {
  readonly name: string
  readonly sql: SqlClient.SqlClient
}

/** The parts of a move, in their order. After a kill, the command begins anew with `fence` or goes on with `switch`. */
export const parts = [
  "fence",
  "copy",
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
  /** The audit entry of the move, in the log of the tenant. */
  readonly entry: AuditEntry
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
  /** Rows that were copied while the tenant was served, and those that changed meanwhile. */
  readonly copied: number
  readonly different: number
  /** Rows that changed last, and were copied during the freeze. */
  readonly late: number
  /** Milliseconds for which this run refused the requests of the tenant. */
  readonly frozenMillis: number
}

/** The tenant is frozen when no more changes than these were open. */
const fewChanges = 100

/** How often refused rows are copied again during the freeze. */
const refusedRoundsMax = 10

/** How often changes are read before the freeze, if many are written. */
const roundsMax = 50

const rowsOf = ({ source, target, tenantId }: Moving): Arrival.MovedRows => ({
  source: source.sql,
  target: target.sql,
  tenantId
})

/** Fails unless a database has exactly the schema of this program. */
const requireSchema = Effect.fnUntraced(function* ({ name, sql }: Cell) {
  const stored = yield* Effect.provideService(applied, SqlClient.SqlClient, sql)
  if (stored.length === migrations.length && objection(stored, migrations) === undefined) return
  return yield* new MoveRefused({
    message: `The database ${name} has another schema than this program: run wcs migrate.`
  })
})

/** A move whose rows are loaded. */
interface Loading extends Claimed {
  /** Rows that are different in the target, and are copied again. */
  refused: ReadonlyArray<Changes.Change>
}

/** Copies all rows, or the changes and those that were refused. Returns the number of rows that were different. */
const copy = Effect.fnUntraced(function* (moving: Loading, changes?: ReadonlyArray<Changes.Change>) {
  const all = changes === undefined ? undefined : [...moving.refused, ...changes]
  const { different, refused } = yield* Arrival.copy(rowsOf(moving), all)
  moving.refused = refused
  return different
})

const takeChanges = ({ claim, source, tenantId }: Claimed) => Changes.take(source.sql, tenantId, claim)

/** Copies what has changed, until few changes are left. Returns the number of rows that were different. */
const catchUp = Effect.fnUntraced(function* (moving: Loading) {
  let different = 0
  for (let round = 0; round < roundsMax; round++) {
    const changes = yield* takeChanges(moving)
    different += yield* copy(moving, changes)
    if (changes.length <= fewChanges) break
  }
  return different
})

/** Copies all that has changed, once the fence is closed, and compares it. Returns the number of rows that were different. */
const copyLast = Effect.fnUntraced(function* (moving: Loading) {
  let different = 0
  const late: Array<Changes.Change> = []
  for (let round = 0; ; round++) {
    const changes = yield* takeChanges(moving)
    if (changes.length === 0 && (moving.refused.length === 0 || round > refusedRoundsMax)) break
    late.push(...moving.refused, ...changes)
    different += yield* copy(moving, changes)
  }
  if (moving.refused.length === 0 && (yield* copy(moving, late)) === 0) return different
  return yield* new Arrival.NotTaken({ reason: "Rows of the tenant differ in the databases" })
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
  // of a move that is over
  if (found.step === "settled") yield* Arrival.discard(target.sql, tenantId)
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

/** How often the source is tried after a failure: a connection of its pool may be broken. */
const recoverRetries = Schedule.spaced("1 second").pipe(Schedule.upTo({ times: 5 }))

/** Lets the source serve the tenant again after a failure, unless the target has taken it or another command has claimed it. */
const recover = (moving: Claimed) =>
  Effect.gen(function* () {
    const { claim, source, target, tenantId } = moving
    if (!(yield* Arrival.isOpen(target.sql, tenantId, claim))) return
    yield* Fence.open(source.sql, tenantId, claim)
    yield* place(moving, source.name, target.name, "copying")
    yield* Fence.endChanges(source.sql, tenantId)
  }).pipe(
    Effect.retry(recoverRetries),
    Effect.catchTag("ClaimLost", () => Effect.void)
  )

const tooLong = ({ frozenMillis, source }: Moving) =>
  new MoveRefused({
    message: `The tenant would be frozen for longer than ${frozenMillis / 1000} seconds: it stays in ${source.name}; repeat the command with a longer --within, or when less is written.`
  })

/** Runs what another database does, or what must be visible at once, apart from the transaction of the target. */
const outside =
  ({ target }: Moving) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.updateContext(
      effect,
      (context: Context.Context<R>) => Context.omit(target.sql.transactionService)(context) as Context.Context<R>
    )

/** Freezes the tenant, copies the last changes and takes the rows, in the open transaction. Returns when the freeze began. */
const hand = Effect.fnUntraced(function* (moving: Loading) {
  const { announce, claim, entry, frozenMillis, source, staleMillis, target, tenantId } = moving
  const apart = outside(moving)
  yield* apart(announce("freeze"))
  yield* apart(place(moving, source.name, target.name, "frozen"))
  const frozenAt = yield* Clock.currentTimeMillis
  const late = yield* Effect.gen(function* () {
    yield* Fence.close(source.sql, tenantId, claim)
    yield* apart(announce("difference"))
    const late = yield* copyLast(moving)
    yield* apart(Arrival.copyKeys(source.sql, target.sql))
    // Until then, a process may read in the source.
    yield* Effect.sleep(Math.max(0, frozenAt + staleMillis - (yield* Clock.currentTimeMillis)))
    yield* apart(announce("take"))
    yield* Arrival.take(rowsOf(moving), claim, entry)
    // In the first database, one transaction takes the rows and switches.
    if (target.name === firstCell) yield* place(moving, target.name, source.name, "switched")
    return late
  }).pipe(
    Effect.catchTag("NotTaken", ({ reason }) =>
      Effect.fail(new MoveRefused({ message: `${reason}: the tenant stays in ${source.name}; repeat the command.` }))
    ),
    Effect.timeoutOrElse({ duration: frozenMillis, orElse: () => Effect.fail(tooLong(moving)) })
  )
  return { late, frozenAt }
})

/** Copies the tenant while it is served, and hands it over. */
const load = Effect.fnUntraced(function* (claimed: Claimed) {
  const moving: Loading = { ...claimed, refused: [] }
  const apart = outside(moving)
  yield* apart(moving.announce("copy"))
  const copied = yield* copy(moving)
  let different = yield* catchUp(moving)
  // Compares all rows, as they were stored.
  different += yield* copy(moving)
  different += yield* catchUp(moving)
  yield* apart(moving.announce("pause"))
  yield* apart(pause(moving))
  different += yield* catchUp(moving)
  yield* Arrival.passPositions(rowsOf(moving))
  return { copied, different, ...(yield* hand(moving)) }
})

const stillFrozen = ({ source }: Moving) =>
  new MoveRefused({
    message: `The move failed, and the source ${source.name} cannot serve the tenant again: it gets 503 until you repeat the command.`
  })

/** Brings the tenant to the target. After a failure or an interruption, the source serves it again. */
const bring = Effect.fnUntraced(function* (moving: Claimed) {
  const { announce, claim, source, target, tenantId } = moving
  yield* requireRoom(moving)
  yield* announce("fence")
  yield* place(moving, source.name, target.name, "copying")
  yield* Fence.open(source.sql, tenantId)
  yield* Changes.begin(source.sql, tenantId, claim)
  yield* Fence.build(source.sql, tenantId)
  yield* Fence.build(target.sql, tenantId)
  yield* Arrival.copyKeys(source.sql, target.sql)
  yield* Arrival.raisePositions(rowsOf(moving))
  return yield* Effect.uninterruptibleMask((restore) =>
    restore(Arrival.loading(target.sql, tenantId, load(moving))).pipe(
      Effect.catchCause((cause) =>
        Effect.matchCauseEffect(recover(moving), {
          onSuccess: () => Effect.failCause(cause),
          onFailure: () => Effect.fail(stillFrozen(moving))
        })
      )
    )
  )
})

/** Removes what the move needed in the databases. */
const tidy = Effect.fnUntraced(function* ({ source, target, tenantId }: Moving) {
  yield* Arrival.discard(target.sql, tenantId)
  yield* Fence.endChanges(source.sql, tenantId)
  yield* Fence.release(target.sql, tenantId)
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
  yield* tidy(moving)
  yield* announce("done")
})

/** Fails unless the target has the rows that it has taken: nobody may be served from an empty database. */
const requireTaken = Effect.fnUntraced(function* ({ target, tenantId }: Moving) {
  if (yield* Arrival.hasRows(target.sql, tenantId)) return
  return yield* new MoveRefused({
    message: `The database ${target.name} has taken the tenant, but has no rows of it: was it restored? Nothing was changed.`
  })
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
    const nothing = { copied: 0, different: 0, late: 0, frozenAt: undefined }
    if (step === "left") {
      yield* tidy(claimed)
      return { copied: 0, different: 0, late: 0, frozenMillis: 0 }
    }
    if (isTaken) yield* requireTaken(claimed)
    const { copied, different, frozenAt, late } = isTaken ? nothing : yield* bring(claimed)
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
    return { copied, different, late, frozenMillis }
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
    yield* Fence.open(source.sql, tenantId)
    for (const { sql } of [source, target]) yield* Fence.release(sql, tenantId)
    yield* Fence.endChanges(source.sql, tenantId)
  }).pipe(Effect.catchTag("ClaimLost", lost))

/** Deletes what a complete move has left in the source. */
export const finish = (moving: Moving): Effect.Effect<void, MoveRefused | SqlError.SqlError> =>
  Effect.gen(function* () {
    const { claimed, step } = yield* begin(moving)
    const { source, target, tenantId } = claimed
    if (step !== "left") {
      return yield* new MoveRefused({ message: "There is no complete move of this tenant to finish." })
    }
    yield* tidy(claimed)
    yield* Departure.forget(source.sql, tenantId)
    yield* Fence.release(source.sql, tenantId)
    yield* place(claimed, target.name, "", "settled")
  }).pipe(Effect.catchTag("ClaimLost", lost))
