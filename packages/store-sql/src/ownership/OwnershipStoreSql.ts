import {
  type Chosen,
  type FoundCredential,
  OwnershipStore,
  type Transition,
  type Transitioned
} from "@wcs/domain/credential/OwnershipStore"
import type { ChangeRecords } from "@wcs/domain/crud/ChangeRecords"
import { noFacts, type OwnerFacts, type OwnerReference, type OwnerType } from "@wcs/domain/ownership/Ownership"
import { ownerColumns } from "@wcs/domain/people/Owner"
import { Context, Effect, Layer, Result } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { isLost, LostRace, makeAtomically } from "../engine/Atomic.ts"
import { type Batch, type BatchStatement, keepForBatches } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { limitedAccountOf, makeOversight, withOverseer } from "../resource/Oversight.ts"
import * as GroupTransitions from "./GroupTransitions.ts"
import {
  assignmentsOf,
  type Changed,
  changedRows,
  factsOf,
  isAsked,
  isHeard,
  makeChoices,
  makeFacts,
  movedOf,
  peopleIn,
  type SlotsRow,
  seenBy,
  sequenceIn,
  slotsOf,
  transitioned,
  writtenColumns,
  writtenRow
} from "./OwnershipRows.ts"

/** Writes the changed slots if every credential still has the version that was read. Returns whether it had. */
const makeWrite = (sql: SqlClient.SqlClient) => {
  /** One statement for each set of slots, so that indexes of other slots stay untouched. */
  const updates = new Map<string, BatchStatement<typeof writtenColumns>>()
  const updateOf = (moved: ReadonlyArray<OwnerType>) => {
    const known = updates.get(moved.join())
    if (known !== undefined) return known
    const moves = (one: NonNullable<Batch["one"]>) =>
      moved.map((type) => sql`${sql.literal(ownerColumns[type])} = ${one(type)}`)
    const update = keepForBatches(sql, dialectOf(sql), writtenColumns, ({ one, rows, fieldOf }) =>
      one === undefined
        ? // The list comes first and includes the tenant, so that each row is found by its key. Without statistics
          // SQLite would read the whole tenant and search the list for each row.
          sql`WITH n AS MATERIALIZED (${rows}) UPDATE credential SET ${sql.literal(assignmentsOf(moved))} FROM n
            WHERE credential.tenant_id = ${fieldOf("tenant")} AND credential.id = n.credential AND credential.version = n.version`
        : // With FROM, SQLite would copy every page that it changes, as for several rows.
          sql`UPDATE credential SET ${sql.csv([...moves(one), sql`version = version + 1`, sql`updated_at = ${one("at")}`])}
            WHERE tenant_id = ${one("tenant")} AND id = ${one("credential")} AND version = ${one("version")}`
    )
    updates.set(moved.join(), update)
    return update
  }

  return function* (tenantId: string, changed: ReadonlyArray<Changed>, at: number): Script<boolean> {
    const moved = movedOf(changed)
    const [first, ...others] = changed.map(({ owners, row }) => writtenRow(tenantId, row, owners, moved, at))
    if (first === undefined) return true
    return (yield* changes(updateOf(moved)([first, ...others]))) === changed.length
  }
}

type Decide<Answer, E> = (
  found: ReadonlyArray<FoundCredential>,
  facts: OwnerFacts
) => Result.Result<Transition<Answer>, E>

/** A transition that locks the rows it reads, so it loses no race on an engine with locks. */
const makeLocking = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  // With concurrent writers, the new owner is read again under a lock.
  const choose = makeChoices(sql, dialect.forUpdate, dialect.hasOneWriter)
  const readFacts = makeFacts(sql, dialect.forShare)
  const write = makeWrite(sql)
  const records = makeRecordsWriter(sql)
  const oversight = makeOversight(sql, dialect)

  /** What a limited account sees of the chosen rows and of the facts about the new owner. */
  function* seenFor(
    tenantId: string,
    account: string,
    chosen: Chosen,
    entering: OwnerReference | undefined,
    chosenRows: ReadonlyArray<SlotsRow>,
    facts: OwnerFacts
  ) {
    const named = [
      ...(chosen._tag === "HeldBy" ? [chosen.owner.id] : []),
      ...(entering === undefined ? [] : [entering.id])
    ]
    const ids = JSON.stringify(peopleIn(chosenRows, named))
    const reached = new Set((yield* rows(oversight.reached(tenantId, ids, { account }))).map(({ id }) => id))
    return {
      facts: entering !== undefined && reached.has(entering.id) ? facts : noFacts,
      found: chosen._tag === "HeldBy" && !reached.has(chosen.owner.id) ? [] : seenBy(chosenRows, reached)
    }
  }

  return function* <Answer, E>(
    tenantId: string,
    chosen: Chosen,
    entering: OwnerReference | undefined,
    decide: Decide<Answer, E>,
    traceparent: string | null,
    account: string | undefined
  ): Script<Result.Result<Transitioned<Answer>, E | LostRace>> {
    const asking = dialect.hasOneWriter ? (entering?.type ?? "none") : "none"
    const chosenRows = yield* rows(choose[asking](tenantId, chosen, entering?.id))
    const [first] = chosenRows
    const isKnown = entering === undefined || (dialect.hasOneWriter && first !== undefined)
    const known = isKnown ? factsOf(first) : yield* readFacts(tenantId, entering)
    const { facts, found } =
      account === undefined
        ? { facts: known, found: chosenRows }
        : yield* seenFor(tenantId, account, chosen, entering, chosenRows, known)
    const decision = decide(found.map(slotsOf), facts)
    if (Result.isFailure(decision)) return Result.fail(decision.failure)
    const { at, changes: owners, records: entries } = decision.success
    const byId = new Map(found.map((row) => [row.id, row]))
    if (!(yield* write(tenantId, changedRows(byId, owners), at))) return Result.fail(new LostRace())
    // With concurrent writers, open requests are known only after the owner is locked, so they are read then.
    const isSettled = dialect.hasOneWriter && found.length > 0 && !isAsked(found, entries)
    const { audit, messages = [], progressions = [], reruns = [], scans = [], verifications = [] } = entries
    const written = {
      ...{ audit, messages, reruns, scans, verifications },
      events: isHeard(found) ? entries.events : [],
      progressions: isSettled ? [] : progressions
    } satisfies Required<Omit<ChangeRecords, "recheck" | "imported">>
    yield* records.all(tenantId, written, sequenceIn(byId, owners), traceparent)
    return Result.succeed(transitioned(byId, decision.success))
  }
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const locking = makeLocking(sql)
  const { isDistributed, writesTogether } = dialectOf(sql)
  // A group is one statement with an INSERT in its WITH. A distributed Postgres would plan and run each part by itself.
  const grouped = writesTogether && !isDistributed ? yield* GroupTransitions.make(sql) : undefined

  return OwnershipStore.of({
    transition: <Answer, E>(
      tenantId: string,
      chosen: Chosen,
      entering: OwnerReference | undefined,
      decide: Decide<Answer, E>
    ) => {
      const lockedFor = (account: string | undefined) =>
        atomically((traceparent) => locking(tenantId, chosen, entering, decide, traceparent, account))
      if (grouped === undefined) return withOverseer(lockedFor)
      const locked = lockedFor(undefined)
      const together = Effect.catch(grouped(tenantId, chosen, entering, decide), (error) => {
        if (isLost(error)) return locked
        return SqlError.isSqlError(error) ? Effect.die(error) : Effect.fail(error)
      })
      return Effect.withFiber(({ context }) => {
        const account = limitedAccountOf(context)
        if (account !== undefined) return lockedFor(account)
        return Context.getOrUndefined(context, sql.transactionService) === undefined ? together : locked
      })
    }
  })
})

export const layer = Layer.effect(OwnershipStore, make)
