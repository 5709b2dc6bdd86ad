import { assert, describe } from "@effect/vitest"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import type { EventDraft } from "@wcs/domain/event/EventDraft"
import type { EventKind } from "@wcs/domain/event/EventKind"
import { Credential } from "@wcs/domain/holding/Credential"
import { Webhook } from "@wcs/domain/webhook/Webhook"
import { Effect, Exit, Option, Result } from "effect"
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
  type StoresTest,
  start,
  subscribe
} from "../Fixtures.ts"

/** Changes a new credential, with these events in its records. */
const publish = Effect.fnUntraced(function* (tenant: string, kinds: ReadonlyArray<EventKind>) {
  const row = created(mint("credential"), credentialFields({ worker: mint("worker") }))
  const events = kinds.map((kind) => eventDraft(row.id, kind))
  yield* put(Credential, tenant, row, { audit: [], events })
})

/** The kinds of the stored events. */
const kept = Effect.fnUntraced(function* (tenant: string) {
  const store = yield* EventStore
  return (yield* store.events(tenant, 0, 100)).map(({ kind }) => kind)
})

const subscribeTests = (it: StoresTest): void => {
  it.effect("stores no event without a subscriber", () =>
    Effect.gen(function* () {
      const tenant = freshTenant()
      yield* publish(tenant, ["credential.created"])
      assert.deepStrictEqual(yield* kept(tenant), [])
    })
  )

  it.effect("stores events of the subscribed kinds only, from the subscription on", () =>
    Effect.gen(function* () {
      const tenant = freshTenant()
      yield* publish(tenant, ["credential.created"])
      yield* subscribe(tenant, "one", ["credential.created", "credential.verified"])
      yield* publish(tenant, ["credential.created", "credential.updated", "credential.verified"])
      assert.deepStrictEqual(yield* kept(tenant), ["credential.created", "credential.verified"])
    })
  )

  it.effect("stores an event once for several subscribers", () =>
    Effect.gen(function* () {
      const tenant = freshTenant()
      for (const subscriber of ["one", "two", "three"]) {
        yield* subscribe(tenant, subscriber, ["credential.created"])
      }
      yield* publish(tenant, ["credential.created"])
      assert.deepStrictEqual(yield* kept(tenant), ["credential.created"])
    })
  )

  it.effect("replaces the kinds of one subscriber only", () =>
    Effect.gen(function* () {
      const tenant = freshTenant()
      yield* subscribe(tenant, "one", ["credential.created"])
      yield* subscribe(tenant, "two", ["credential.verified"])
      yield* subscribe(tenant, "one", ["credential.updated"])
      yield* publish(tenant, ["credential.created", "credential.updated", "credential.verified"])
      assert.deepStrictEqual(yield* kept(tenant), ["credential.updated", "credential.verified"])
    })
  )

  it.effect("ends a subscription without kinds, and keeps the others", () =>
    Effect.gen(function* () {
      const tenant = freshTenant()
      yield* subscribe(tenant, "one", ["credential.created"])
      yield* subscribe(tenant, "two", ["credential.created"])
      yield* subscribe(tenant, "one", [])
      yield* publish(tenant, ["credential.created"])
      assert.deepStrictEqual(yield* kept(tenant), ["credential.created"])
      yield* subscribe(tenant, "two", [])
      yield* publish(tenant, ["credential.created"])
      assert.deepStrictEqual(yield* kept(tenant), ["credential.created"])
    })
  )

  it.effect("keeps a subscription when a change does not mention it, or is refused", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const tenant = freshTenant()
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
  )

  it.effect("keeps the subscribers and events of tenants apart", () =>
    Effect.gen(function* () {
      const [mine, yours] = [freshTenant(), freshTenant()]
      yield* subscribe(mine, "one", ["credential.created"])
      yield* subscribe(yours, "one", ["credential.updated"])
      yield* publish(mine, ["credential.created", "credential.updated"])
      yield* publish(yours, ["credential.created", "credential.updated"])
      assert.deepStrictEqual(yield* kept(mine), ["credential.created"])
      assert.deepStrictEqual(yield* kept(yours), ["credential.updated"])
    })
  )
}

const readTests = (it: StoresTest): void => {
  it.effect("stores an event unchanged, with its sequence", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const tenant = freshTenant()
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
  )

  it.effect("stores audit entries unchanged, and returns them oldest first", () =>
    Effect.gen(function* () {
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
  )

  it.effect("returns a page after a position; paging meets each event once, in order", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const [tenant, neighbour] = [freshTenant(), freshTenant()]
      for (const each of [tenant, neighbour]) yield* subscribe(each, "one", ["credential.created"])
      const changes = 7
      for (let change = 0; change < changes; change++) {
        for (const each of [tenant, neighbour]) {
          const row = created(mint("credential"), credentialFields({ worker: mint("worker") }))
          const records = { audit: [auditEntry(row.id)], events: [eventDraft(row.id, "credential.created")] }
          yield* put(Credential, each, row, records)
        }
      }
      const events = yield* store.events(tenant, 0, 100)
      const audit = yield* auditLog(tenant)
      assert.strictEqual(events.length, changes)
      assert.strictEqual(audit.length, changes)
      for (const limit of [1, 2, 3, changes, changes + 1]) {
        assert.deepStrictEqual(yield* walk(limit, (after) => store.events(tenant, after, limit)), events)
        assert.deepStrictEqual(yield* walk(limit, (after) => auditLog(tenant, limit, after)), audit)
      }
    })
  )
}

/** All items by paging, each page after the last position of the previous one. */
const walk = Effect.fnUntraced(function* <Entry extends { readonly position: number }, R>(
  limit: number,
  pageAfter: (position: number) => Effect.Effect<ReadonlyArray<Entry>, never, R>
) {
  const entries: Array<Entry> = []
  for (;;) {
    const last = entries.at(-1)?.position ?? 0
    const page = yield* pageAfter(last)
    if (page.length === 0) return entries
    assert.isAtMost(page.length, limit)
    for (const entry of page) {
      assert.isAbove(entry.position, entries.at(-1)?.position ?? 0)
      entries.push(entry)
    }
  }
})

/** The contract of `EventStore`. */
export const eventStoreSuite = (it: StoresTest): void => {
  describe("the subscription of a change", () => subscribeTests(it))
  describe("EventStore.events and audit", () => readTests(it))
}
