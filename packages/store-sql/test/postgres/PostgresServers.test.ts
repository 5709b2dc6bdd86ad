import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { type Command, decide, enteringOwner, type OwnerReference, type Owners } from "@wcs/domain/ownership/Ownership"
import * as AccessEpoch from "@wcs/store-sql/access/AccessEpoch"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import {
  applicantRef,
  auditEntry,
  auditLog,
  eventDraft,
  find,
  freshTenant,
  mint,
  start,
  subscribe,
  workerRef
} from "@wcs/store-suite/Fixtures"
import { putApplicant, putCredential, putWorker, refusalText } from "@wcs/store-suite/ownership/Owning"
import { stepSlots } from "@wcs/store-suite/ownership/SlotModel"
import { check } from "@wcs/store-suite/Property"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Context, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"

/** A server: a store with 16 connections of its own. */
const serverOn = (url: Effect.Success<typeof freshDatabase>) =>
  Layer.build(
    Layer.fresh(
      Layer.provideMerge(
        Layer.provide(StoreSql.layerShared, AccessEpoch.layer),
        PgClient.layer({ url, maxConnections: 16 })
      )
    )
  )

/** A call with its answer, the id of its audit entry, and the times of both by one strictly increasing clock. */
interface Call {
  readonly credentialId: string
  readonly command: Command
  readonly auditId: string
  readonly invokedAt: number
  readonly answer: string
  readonly answeredAt: number
}

/** One command on one credential. Its event names the call's audit entry. */
const changeOwner = (
  store: OwnershipStore["Service"],
  tenantId: string,
  { auditId, command, credentialId }: Pick<Call, "auditId" | "command" | "credentialId">
) =>
  store
    .transition(tenantId, { _tag: "Ids", ids: [credentialId] }, enteringOwner(command), ([slots], facts) => {
      if (slots === undefined) return Result.fail("missing")
      const decision = decide(slots.owners, command, facts)
      if (decision._tag === "Refused") return Result.fail(refusalText(decision.reason))
      const unchanged = { answer: "unchanged", changes: new Map<string, Owners>(), records: { audit: [], events: [] } }
      if (decision._tag === "Unchanged") return Result.succeed({ ...unchanged, at: start })
      const after = decision.owners
      const audit = [auditEntry(slots.id, { id: auditId, ownership: { before: slots.owners, after } })]
      const events = [eventDraft(slots.id, "credential.updated", { data: { auditId } })]
      return Result.succeed({
        answer: "changed",
        changes: new Map([[slots.id, after]]),
        records: { audit, events },
        at: start
      })
    })
    .pipe(Effect.match({ onSuccess: ({ answer }) => answer, onFailure: (refusal) => refusal }))

/**
 * Checks that the calls of a credential are linearizable: `order` has those that changed it, in the order of its
 * versions. Each other call fits at a state after all changes and calls that ended before it, and before all changes
 * that began after it.
 */
const checkOrder = (
  step: ReturnType<typeof stepSlots>,
  initial: Owners,
  order: ReadonlyArray<Call>,
  calls: ReadonlyArray<Call>
): ReadonlyArray<Owners> => {
  const states = [initial]
  for (const call of order) {
    const { answer, state } = step(states.at(-1) ?? initial, call.command)
    assert.strictEqual(answer, "changed")
    states.push(state)
  }
  order.forEach((call, place) => {
    for (const earlier of order.slice(0, place)) assert.isTrue(earlier.invokedAt < call.answeredAt)
  })
  const placed: Array<{ readonly answeredAt: number; readonly place: number }> = []
  const idle = calls.filter((call) => !order.includes(call)).sort((one, two) => one.answeredAt - two.answeredAt)
  for (const call of idle) {
    const before = placed.filter(({ answeredAt }) => answeredAt < call.invokedAt).map(({ place }) => place)
    const changedBefore = order.flatMap((change, place) => (change.answeredAt < call.invokedAt ? [place + 1] : []))
    const changedAfter = order.flatMap((change, place) => (change.invokedAt > call.answeredAt ? [place] : []))
    const [from, to] = [Math.max(0, ...before, ...changedBefore), Math.min(order.length, ...changedAfter)]
    const place = states.findIndex(
      (state, index) => index >= from && index <= to && step(state, call.command).answer === call.answer
    )
    assert.isAtLeast(place, 0, `no state explains ${JSON.stringify(call)}`)
    placed.push({ answeredAt: call.answeredAt, place })
  }
  return states
}

/** Compares a credential with the calls: its slots, version, audit entries and events. */
const checkCredential = Effect.fnUntraced(function* (
  tenantId: string,
  credentialId: string,
  step: ReturnType<typeof stepSlots>,
  initial: Owners,
  calls: ReadonlyArray<Call>
) {
  const events = (yield* (yield* EventStore).events(tenantId, 0, 100_000))
    .filter(({ subjectId }) => subjectId === credentialId)
    .sort((one, two) => one.sequence - two.sequence)
  const byAudit = new Map(calls.map((call) => [call.auditId, call]))
  const order = events.flatMap(({ data }) => byAudit.get(String(Object(data).auditId)) ?? [])
  assert.sameMembers(
    order,
    calls.filter(({ answer }) => answer === "changed")
  )
  assert.deepStrictEqual(
    events.map(({ sequence }) => sequence),
    order.map((_, place) => place + 2)
  )
  const states = checkOrder(step, initial, order, calls)
  const credential = yield* find(Credential, tenantId, credentialId)
  assert.deepStrictEqual(credential?.fields.attributes.owners, states.at(-1))
  assert.strictEqual(credential?.version, order.length + 1)
  const audit = (yield* auditLog(tenantId, 100_000)).filter(({ entityId }) => entityId === credentialId)
  assert.sameDeepMembers(
    audit.map(({ id, ownership }) => ({ id, before: ownership?.before, after: ownership?.after })),
    order.map(({ auditId }, place) => ({ id: auditId, before: states[place], after: states[place + 1] }))
  )
})

const credentialCount = 4

/** The programs of both servers: the steps of their 20 callers. Each step has the number of a credential. */
const programsOf = (owners: ReadonlyArray<OwnerReference>) => {
  const owner = fc.constantFrom(...owners)
  const step = fc.record({
    credential: fc.nat(credentialCount - 1),
    command: fc.oneof(
      owner.map((to): Command => ({ _tag: "Link", to })),
      owner.map((from): Command => ({ _tag: "Unlink", from })),
      fc.tuple(owner, owner).map(([from, to]): Command => ({ _tag: "Transfer", from, to }))
    )
  })
  const program = fc.array(fc.array(step, { minLength: 8, maxLength: 8 }), { minLength: 20, maxLength: 20 })
  return fc.tuple(program, program)
}

const deadlocks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ readonly deadlocks: unknown }>`
    SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`
  return Number(found?.deadlocks)
})

it.live("OWN-19, threat 20: random transitions by two servers have one order, in which all records agree", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const [one, two] = [yield* serverOn(url), yield* serverOn(url)]
    const stores = [one, two].map((context) => Context.get(context, OwnershipStore))
    const test = Effect.gen(function* () {
      const tenantId = freshTenant()
      yield* subscribe(tenantId, "webhook", ["credential.updated"])
      const [worker, applicant] = [yield* putWorker(tenantId), yield* putApplicant(tenantId)]
      const present = [worker, applicant, yield* putWorker(tenantId), yield* putApplicant(tenantId)]
      const missing = mint("worker")
      const owners = [...present, missing].map((id) => (id.startsWith("wkr") ? workerRef(id) : applicantRef(id)))
      const step = stepSlots((id) => present.includes(id))
      const initial = { worker, applicant }

      yield* check(
        programsOf(owners),
        Effect.fnUntraced(function* (programs) {
          const credentials: Array<string> = []
          for (let count = 0; count < credentialCount; count++)
            credentials.push(yield* putCredential(tenantId, initial))
          const calls: Array<Call> = []
          let clock = 0
          const callers = stores.flatMap((store, index) =>
            (programs[index] ?? []).map((steps) =>
              Effect.forEach(steps, ({ command, credential }) =>
                Effect.gen(function* () {
                  const asked = { credentialId: credentials[credential] ?? "", command, auditId: mint("audit") }
                  const invokedAt = clock++
                  const answer = yield* changeOwner(store, tenantId, asked)
                  calls.push({ ...asked, invokedAt, answer, answeredAt: clock++ })
                })
              )
            )
          )
          yield* Effect.all(callers, { concurrency: "unbounded" })
          for (const id of credentials) {
            const mine = calls.filter(({ credentialId }) => credentialId === id)
            yield* checkCredential(tenantId, id, step, initial, mine)
          }
        }),
        { numRuns: 4 }
      )
      assert.strictEqual(yield* deadlocks, 0)
    })
    yield* Effect.provideContext(test, one)
  }).pipe(Effect.scoped)
)
