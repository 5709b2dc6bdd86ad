import { assert, describe } from "@effect/vitest"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import type { EventDraft } from "@wcs/domain/event/EventDraft"
import type { EventKind } from "@wcs/domain/event/EventKind"
import { Credential } from "@wcs/domain/holding/Credential"
import { Webhook } from "@wcs/domain/webhook/Webhook"
import { Effect, Exit, Option, Result } from "effect"
import fc from "fast-check"
import {
  auditEntry,
  auditLog,
  created,
  credentialFields,
  eventDraft,
  freshTenant,
  mint,
  put,
  revise,
  start,
  subscribe,
  type TenantTest
} from "../Fixtures.ts"
import { check } from "../Property.ts"

/** Changes a new credential, with these events in its records. */
const publish = Effect.fnUntraced(function* (tenant: string, kinds: ReadonlyArray<EventKind>) {
  const row = created(mint("credential"), credentialFields({ worker: mint("worker") }))
  const events = kinds.map((kind) => eventDraft(row.id, kind))
  yield* put(Credential, tenant, row, { audit: [], events })
})

/** The kinds of the stored events, in order, read in pages. */
const kept = Effect.fnUntraced(function* (tenant: string) {
  const store = yield* EventStore
  const kinds: Array<EventKind> = []
  for (let last = 0; ; ) {
    const page = yield* store.events(tenant, last, 2)
    assert.isAtMost(page.length, 2)
    if (page.length === 0) return kinds
    for (const { kind, position } of page) {
      assert.isAbove(position, last)
      kinds.push(kind)
      last = position
    }
  }
})

/** A step of a tenant: one of three subscribers gets other kinds, possibly none, or events of some kinds happen. */
const anyKinds = fc.subarray<EventKind>(["credential.created", "credential.updated", "credential.verified"])
const anyStep = fc.record({
  tenant: fc.nat(1),
  subscriber: fc.constantFrom("one", "two", "three", null),
  kinds: anyKinds
})
type Step = typeof anyStep extends fc.Arbitrary<infer A> ? A : never

const runSteps = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const worlds = [freshTenant(), freshTenant()].map((tenant) => ({
    tenant,
    kinds: new Map<string, ReadonlyArray<EventKind>>(),
    expected: [] as Array<EventKind>
  }))
  for (const { kinds, subscriber, tenant: index } of steps) {
    const world = worlds[index] ?? assert.fail("no such tenant")
    if (subscriber === null) {
      yield* publish(world.tenant, kinds)
      const wanted = [...world.kinds.values()].flat()
      world.expected.push(...kinds.filter((kind) => wanted.includes(kind)))
    } else {
      yield* subscribe(world.tenant, subscriber, kinds)
      world.kinds.set(subscriber, kinds)
    }
  }
  for (const { expected, tenant } of worlds) assert.deepStrictEqual(yield* kept(tenant), expected)
})

const subscribeTests = (it: TenantTest): void => {
  it("stores each event once whose kind a webhook of the tenant has subscribed to by then, and no other", function* () {
    yield* check(fc.array(anyStep, { maxLength: 20 }), runSteps, { numRuns: 30 })
  })

  it("keeps a subscription when a change does not mention it, or is refused", function* (tenant) {
    const store = yield* ResourceStore
    const kinds = ["credential.created"] as const
    yield* subscribe(tenant, "one", kinds)
    yield* revise(Webhook, tenant, "one", (current) => ({ ...current, version: current.version + 1 }))
    const refused = store.change(Webhook, tenant, "one", [], () => Result.fail("refused" as const))
    assert.strictEqual(yield* Effect.flip(refused), "refused")
    const wrongVersion = store.change(Webhook, tenant, "one", [], ({ current }) =>
      Result.succeed({
        _tag: "Changed",
        next: Option.getOrThrow(current),
        records: noRecords,
        subscribesTo: []
      } as const)
    )
    assert.isTrue(Exit.isFailure(yield* Effect.exit(wrongVersion)))
    yield* publish(tenant, ["credential.created", "credential.updated"])
    assert.deepStrictEqual(yield* kept(tenant), [...kinds])
  })
}

const readTests = (it: TenantTest): void => {
  it("stores an event unchanged, with its sequence", function* (tenant) {
    const store = yield* EventStore
    yield* subscribe(tenant, "one", ["credential.created"])
    const row = created(mint("credential"), credentialFields({ worker: mint("worker") }))
    const data = { credential: { owners: { worker: null, applicant: 'ä \u{1F600} " \\' } }, list: [1, 2.5, true, {}] }
    const events: ReadonlyArray<EventDraft> = [
      eventDraft(row.id, "credential.created", { correlationId: "run:1.a_b-c", data, at: start + 7 }),
      eventDraft(row.id, "credential.created", { correlationId: null, data: {} })
    ]
    yield* put(Credential, tenant, row, { audit: [], events })
    assert.deepStrictEqual(
      (yield* store.events(tenant, 0, 10)).map(({ position: _, ...event }) => event),
      events.map((event) => ({ ...event, sequence: 1 }))
    )
  })

  it("stores audit entries unchanged, and returns them oldest first", function* () {
    const tenant = freshTenant()
    const row = created(mint("credential"), credentialFields({ worker: mint("worker") }))
    const entries = [
      auditEntry(row.id, { operation: "CREATE", action: "create" }),
      auditEntry(row.id, { bearer: { kind: "oauth", id: "wcs_oauth_0123456789abcdef" }, at: start - 9 }),
      auditEntry(row.id, { bearer: { kind: "personal", id: mint("personalToken") }, entityType: "worker" }),
      auditEntry(row.id, { account: `urn:wcs:account:${mint("account")}`, operation: "DELETE", action: "bulk link" })
    ]
    const [first, ...others] = entries.map((entry) => ({ audit: [entry], events: [] }))
    yield* put(Credential, tenant, row, first)
    for (const records of others) {
      yield* revise(Credential, tenant, row.id, (current) => ({ ...current, version: current.version + 1 }), records)
    }
    const audit = yield* auditLog(tenant)
    assert.deepStrictEqual(
      audit.map(({ position: _, ...entry }) => entry),
      entries
    )
    assert.deepStrictEqual(yield* auditLog(freshTenant()), [])
  })
}

/** The contract of `EventStore`. */
export const eventStoreSuite = (it: TenantTest): void => {
  describe("the subscription of a change", () => subscribeTests(it))
  describe("EventStore.events and audit", () => readTests(it))
}
