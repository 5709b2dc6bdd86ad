import { type Chosen, OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { Worker } from "@wcs/domain/people/Worker"
import {
  auditEntry,
  created,
  credentialFields,
  eventDraft,
  freshTenant,
  mint,
  put,
  start,
  subscribe,
  workerFields
} from "@wcs/store-suite/Fixtures"
import { Effect, Option, Result } from "effect"
import { SqlClient, Statement } from "effect/sql"

/** A tenant with a subscriber, two workers, and this many credentials of the first. */
export const prepared = Effect.fnUntraced(function* (count: number) {
  const tenantId = freshTenant()
  const [from, to] = [mint("worker"), mint("worker")]
  yield* subscribe(tenantId, "whk_1", ["credential.created", "credential.updated"])
  for (const id of [from, to]) yield* put(Worker, tenantId, created(id, workerFields()))
  const ids = Array.from({ length: count }, () => mint("credential"))
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.forEach(ids, (id) => put(Credential, tenantId, created(id, credentialFields({ worker: from }))))
  )
  return { tenantId, ids, from, to }
})

/** Puts a worker into the slot of all chosen credentials. Returns the inputs of the decision. */
export const move = Effect.fnUntraced(function* (tenantId: string, chosen: Chosen, to: string) {
  const decisions: Array<{ readonly found: number; readonly isPresent: boolean }> = []
  const ownership = yield* OwnershipStore
  const outcome = yield* Effect.result(
    ownership.transition(tenantId, chosen, { type: "worker", id: to }, (found, { isPresent }) => {
      decisions.push({ found: found.length, isPresent })
      if (!isPresent) return Result.fail("nobody" as const)
      const moving = found.filter(({ owners }) => owners.worker !== to).map(({ id }) => id)
      return Result.succeed({
        answer: moving.length,
        changes: new Map(moving.map((id) => [id, { worker: to, applicant: null }])),
        records: { audit: moving.map((id) => auditEntry(id)), events: moving.map((id) => eventDraft(id)) },
        at: start
      })
    })
  )
  return { outcome: Result.map(outcome, ({ answer }) => answer), decisions }
})

/** Versions of credentials, and the numbers of the tenant's audit entries and events. */
export const stateOf = Effect.fnUntraced(function* (tenantId: string, ids: ReadonlyArray<string>) {
  const resources = yield* ResourceStore
  const found = yield* Effect.forEach(ids, (id) => resources.find(Credential, tenantId, id))
  const sql = yield* SqlClient.SqlClient
  const [counted] = yield* sql<{ readonly audit: unknown; readonly events: unknown }>`
    SELECT (SELECT count(*) FROM audit_event WHERE tenant_id = ${tenantId}) AS audit,
      (SELECT count(*) FROM event WHERE tenant_id = ${tenantId}) AS events`
  return {
    versions: found.map((each) => Option.getOrThrow(each).version),
    records: [Number(counted?.audit), Number(counted?.events)]
  }
})

/** Commits an effect once, before the first statement that writes a credential. */
export const meddling = (meddle: Effect.Effect<unknown, unknown>): Statement.Transformer => {
  let isDone = false
  return (statement) => {
    if (isDone || !statement.compile()[0].includes("UPDATE credential SET")) return Effect.succeed(statement)
    isDone = true
    const undisturbed = Effect.provideService(meddle, Statement.CurrentTransformer, undefined)
    return Effect.as(Effect.orDie(undisturbed), statement)
  }
}
