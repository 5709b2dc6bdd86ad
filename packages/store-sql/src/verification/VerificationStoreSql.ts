import type { ChangeRecords } from "@wcs/domain/crud/ChangeRecords"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import type { VerificationDraft } from "@wcs/domain/holding/VerificationRecord"
import type { Stored } from "@wcs/domain/resource/Resource"
import type { TimelineSelection } from "@wcs/domain/resource/Timeline"
import {
  type Call,
  type CallBasis,
  type Conclusion,
  type RunAuthority,
  type RunBasis,
  VerificationStore
} from "@wcs/domain/verification/VerificationStore"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { LostRace, makeAtomically } from "../engine/Atomic.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, run, type Script } from "../engine/Script.ts"
import { makeTimelinePage, type TimelineTable } from "../engine/TimelineTable.ts"
import { withOverseer } from "../resource/Oversight.ts"
import { makeRead, makeWrite, storedOf } from "../resource/ResourceRows.ts"
import { makeVeil } from "../resource/Veil.ts"
import { makeReadDue } from "./VerificationDue.ts"
import {
  currentQueueOf,
  makeCountOpen,
  outcomeColumns,
  selectedOfVerification,
  type VerificationRow,
  verificationOf
} from "./VerificationRows.ts"

interface FoundRow extends VerificationRow {
  readonly awaits_review: unknown
}

interface RunRow {
  readonly due_at: unknown
  readonly attempts: unknown
}

const timeline: TimelineTable<"credentialId", VerificationRow, VerificationDraft> = {
  name: "verification",
  selected: selectedOfVerification,
  index: "verification_of_credential",
  fields: { credentialId: { column: "credential_id", index: "verification_of_credential" } },
  decode: verificationOf
}

const isAuthorized = ({ attempts, due_at }: RunRow, authority: RunAuthority): boolean =>
  authority._tag === "Worker"
    ? due_at !== null && Number(due_at) === authority.run.dueAt && Number(attempts) + 1 === authority.run.attempt
    : due_at === null

/** Stores the conclusion in the run. A postponed run may have another credential type now. */
const writeRun = (sql: SqlClient.SqlClient, tenantId: string, credentialId: string, conclusion: Conclusion) => {
  const isRun = sql`tenant_id = ${tenantId} AND credential_id = ${credentialId}`
  switch (conclusion._tag) {
    case "Postponed": {
      const { attempts, dueAt } = conclusion
      const queue = currentQueueOf(sql, sql`${tenantId}`, "verification_run.credential_id")
      return sql`UPDATE verification_run SET due_at = ${dueAt}, attempts = ${attempts}, queue = ${queue} WHERE ${isRun}`
    }
    case "AwaitsReview":
      return sql`UPDATE verification_run SET due_at = NULL WHERE ${isRun}`
    case "Concluded":
      return sql`DELETE FROM verification_run WHERE ${isRun}`
  }
}

/** Opening and concluding verifications, each the script of one transaction. */
const makeScripts = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const records = makeRecordsWriter(sql)
  const readForUpdate = makeRead(sql, dialect.forUpdate)
  const veil = makeVeil(sql)
  const write = makeWrite(sql)
  const countOpen = makeCountOpen(sql)
  const openVerifications = (tenantId: string, credentialId: string) =>
    sql<VerificationRow>`SELECT ${sql.literal(selectedOfVerification)}
      FROM verification AS r${dialect.indexedBy("verification_open")}
      WHERE r.tenant_id = ${tenantId} AND r.credential_id = ${credentialId} AND r.verified_at IS NULL
      ORDER BY r.position`

  /** Stores the credential and its records. Returns false when the credential changed meanwhile. */
  function* writeNext(
    tenantId: string,
    { credential }: Pick<RunBasis, "credential">,
    {
      next,
      records: entries
    }: { readonly next: Stored<CredentialFields> | undefined; readonly records: ChangeRecords },
    traceparent: string | null
  ): Script<boolean> {
    const version = Option.match(credential, { onNone: () => 0, onSome: (current) => current.version })
    if (next !== undefined) {
      if (next.version <= version) throw new Error(`${next.id} has version ${next.version}, and had ${version}`)
      if (!(yield* write(Credential, tenantId, credential, next))) return false
    }
    yield* records.all(tenantId, entries, () => next?.version ?? version, traceparent)
    return true
  }

  /** Locks the credential, and says which of its owners a limited account does not reach. */
  function* credentialFor(tenantId: string, id: string, account: string | undefined) {
    const found = storedOf(Credential)(yield* rows(readForUpdate(Credential, tenantId, id, account)))
    const [veiled] = yield* veil.within(Credential, tenantId, account, Option.toArray(found))
    return Option.fromUndefinedOr(veiled)
  }

  function* begin<E, Decided extends Call>(
    tenantId: string,
    credentialId: string,
    decide: (basis: CallBasis) => Result.Result<Decided, E>,
    traceparent: string | null,
    account: string | undefined
  ): Script<Result.Result<Decided, E | LostRace>> {
    // The credential is locked first, so that concurrent calls count each other.
    const credential = yield* credentialFor(tenantId, credentialId, account)
    const basis = { credential, openCount: yield* countOpen(tenantId, credentialId) }
    const decision = decide(basis)
    if (Result.isFailure(decision)) return decision
    return (yield* writeNext(tenantId, basis, decision.success, traceparent)) ? decision : Result.fail(new LostRace())
  }

  function* conclude<E>(
    tenantId: string,
    credentialId: string,
    authority: RunAuthority,
    decide: (basis: RunBasis) => Result.Result<Conclusion, E>,
    traceparent: string | null,
    account: string | undefined
  ): Script<Result.Result<boolean, E | LostRace>> {
    // The credential is locked first, like in `begin` and in reruns, which therefore wait for this transaction.
    const credential = yield* credentialFor(tenantId, credentialId, account)
    const [run] = yield* rows(sql<RunRow>`SELECT r.due_at, r.attempts FROM verification_run AS r
      WHERE r.tenant_id = ${tenantId} AND r.credential_id = ${credentialId}${dialect.forUpdate}`)
    if (run === undefined || !isAuthorized(run, authority)) return Result.succeed(false)
    const open = yield* rows(openVerifications(tenantId, credentialId))
    const basis = { credential, open: open.map(verificationOf) }
    const decision = decide(basis)
    if (Result.isFailure(decision)) return Result.fail(decision.failure)
    const conclusion = decision.success
    if (conclusion._tag !== "Postponed" && !(yield* writeNext(tenantId, basis, conclusion, traceparent))) {
      return Result.fail(new LostRace())
    }
    if (conclusion._tag === "Concluded") {
      yield* changes(sql`UPDATE verification SET ${sql.update(outcomeColumns(conclusion.outcome))}
        WHERE tenant_id = ${tenantId} AND credential_id = ${credentialId} AND verified_at IS NULL`)
    }
    yield* changes(writeRun(sql, tenantId, credentialId, conclusion))
    return Result.succeed(true)
  }

  return { begin, conclude }
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const page = yield* makeTimelinePage(timeline)
  const readDue = makeReadDue(sql)
  const { begin, conclude } = makeScripts(sql)

  return VerificationStore.of({
    begin: (tenantId, credentialId, decide) =>
      withOverseer((account) =>
        atomically((traceparent) => begin(tenantId, credentialId, decide, traceparent, account))
      ),

    readDue: Effect.fn("VerificationStore.readDue")((request) =>
      Effect.orDie(Effect.suspend(() => run(readDue(request))))
    ),

    conclude: (tenantId, credentialId, authority, decide) =>
      withOverseer((account) =>
        atomically((traceparent) => conclude(tenantId, credentialId, authority, decide, traceparent, account))
      ),

    find: Effect.fn("VerificationStore.find")((tenantId, id) =>
      sql<FoundRow>`SELECT ${sql.literal(selectedOfVerification)},
        CASE WHEN q.credential_id IS NOT NULL AND q.due_at IS NULL AND r.verified_at IS NULL THEN 1 ELSE 0 END AS awaits_review
        FROM verification AS r LEFT JOIN verification_run AS q
        ON q.tenant_id = r.tenant_id AND q.credential_id = r.credential_id
        WHERE r.tenant_id = ${tenantId} AND r.id = ${id}`.pipe(
        Effect.orDie,
        Effect.map(([row]) =>
          Option.map(Option.fromUndefinedOr(row), (one) => ({
            verification: verificationOf(one),
            awaitsReview: Number(one.awaits_review) === 1
          }))
        )
      )
    ),

    list: Effect.fn("VerificationStore.list")((tenantId, credentialId, selection) => {
      const conditions = selection.conditions && [{ field: "credentialId", value: credentialId } as const]
      return Effect.orDie(page(tenantId, { ...selection, conditions } satisfies TimelineSelection<"credentialId">))
    })
  })
})

export const layer = Layer.effect(VerificationStore, make)
