import { assert, describe } from "@effect/vitest"
import { serverActing, serverUrn } from "@wcs/domain/audit/AuditEntry"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { ErasureStore } from "@wcs/domain/erasure/ErasureStore"
import type { MessageDraft, PersonalKind } from "@wcs/domain/event/MessageDraft"
import { Credential } from "@wcs/domain/holding/Credential"
import { withAcceptance } from "@wcs/domain/message/Acceptance"
import { begun, Message, settled } from "@wcs/domain/message/Message"
import { defaultSettings, type MessageSettings } from "@wcs/domain/message/MessageSettings"
import { MessageStore } from "@wcs/domain/message/MessageStore"
import { withReach } from "@wcs/domain/message/Reach"
import { tellingMax } from "@wcs/domain/message/Telling"
import { Worker, type WorkerFields } from "@wcs/domain/people/Worker"
import { FetchRequest } from "@wcs/domain/screening/FetchRequests"
import { momentAt } from "@wcs/domain/shared/CalendarDay"
import { toRfc3339 } from "@wcs/domain/shared/Instant"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { WarningStore } from "@wcs/domain/watch/WarningStore"
import { Effect, Option, Result } from "effect"
import { freshHost, serviceAccountFor } from "../access/AccessFixtures.ts"
import {
  auditEntry,
  auditLog,
  created,
  credentialFields,
  find,
  listIds,
  mint,
  put,
  revise,
  start,
  type TenantTest,
  workerFields
} from "../Fixtures.ts"
import { putRequest } from "../resource/ProgressionFixtures.ts"

const telling: MessageSettings = { ...defaultSettings, enabled: true, tellsOfCards: true, tellsOfRequests: true }

const beginTenant = Effect.fnUntraced(function* (id: string, settings = telling) {
  const [access, store] = [yield* AccessStore, yield* MessageStore]
  const tenant = { id, name: "First", timeZone: "Australia/Perth", hosts: [freshHost()] }
  yield* access.insertTenant(tenant, serviceAccountFor(id), auditEntry(id, { entityType: "tenant" }))
  yield* store.setSettings(id, settings, "2026-01-30", auditEntry(id, { entityType: "message" }))
})

/** A worker, and a change of the worker that has messages. Returns the id of the worker. */
const changedWith = Effect.fnUntraced(function* (
  tenant: string,
  draftsOf: (recipient: MessageDraft["recipient"]) => ReadonlyArray<MessageDraft>
) {
  const store = yield* ResourceStore
  const id = mint("worker")
  const next = created(id, workerFields())
  const records = { audit: [], events: [], messages: draftsOf({ type: "worker", id }) }
  yield* store.change(Worker, tenant, id, [], () => Result.succeed({ _tag: "Changed", next, records } as const))
  return id
})

const draft = (
  recipient: MessageDraft["recipient"],
  cause: string,
  kind: PersonalKind = "REQUEST",
  at = start
): MessageDraft => ({
  ...{ id: mint("message"), kind, recipient, cause, at },
  about: { type: "captureRequest", id: mint("captureRequest") }
})

const sentTo = (tenant: string, column: "recipient_id" | "kind", value: string) =>
  listIds(Message, tenant, { conditions: [{ _tag: "Equal", column, value }] })

const draftTests = (it: TenantTest): void => {
  it("queues the messages of a change, each kind once for a cause, and without an address", function* (tenant) {
    const store = yield* MessageStore
    yield* beginTenant(tenant)
    const id = yield* changedWith(tenant, (to) => [draft(to, "a"), draft(to, "a"), draft(to, "a", "REQUEST_CODE")])
    yield* changedWith(tenant, () => [draft({ type: "worker", id }, "a"), draft({ type: "worker", id }, "b")])
    const ids = yield* sentTo(tenant, "recipient_id", id)
    assert.lengthOf(ids, 3)
    const { fields } = (yield* find(Message, tenant, ids[0] ?? "")) ?? assert.fail("no message")
    assert.deepStrictEqual(fields.recipient, { type: "worker", id })
    const queues = (yield* store.waiting(start)).filter(({ tenantId }) => tenantId === tenant)
    assert.sameDeepMembers(
      queues.map(({ dueAt, priority }) => [priority, dueAt]),
      [
        [0, start],
        [1, start]
      ]
    )
  })

  it("queues no message that the tenant has not chosen", function* (tenant) {
    yield* beginTenant(tenant, { ...telling, tellsOfRequests: false })
    const id = yield* changedWith(tenant, (to) => [draft(to, "a"), draft(to, "a", "CARD_EXPIRED")])
    assert.deepStrictEqual(yield* sentTo(tenant, "recipient_id", id), yield* sentTo(tenant, "kind", "CARD_EXPIRED"))
    const store = yield* MessageStore
    const audit = auditEntry(tenant, { entityType: "message" })
    yield* store.setSettings(tenant, { ...telling, enabled: false }, "2026-01-30", audit)
    const other = yield* changedWith(tenant, (to) => [draft(to, "a", "CARD_EXPIRED")])
    assert.deepStrictEqual(yield* sentTo(tenant, "recipient_id", other), [])
  })

  it(`threat 79: queues at most ${tellingMax} of a kind for a person in a day`, function* (tenant) {
    yield* beginTenant(tenant)
    const count = tellingMax + 5
    const id = yield* changedWith(tenant, (to) => Array.from({ length: count }, (_, n) => draft(to, `a ${n}`)))
    assert.lengthOf(yield* sentTo(tenant, "recipient_id", id), tellingMax)
    const to = { type: "worker", id } as const
    yield* changedWith(tenant, () => [draft(to, "late"), draft(to, "late", "REQUEST_CODE")])
    assert.lengthOf(yield* sentTo(tenant, "recipient_id", id), tellingMax + 1)
    yield* changedWith(tenant, () => [draft(to, "next day", "REQUEST", start + 86_400_000)])
    assert.lengthOf(yield* sentTo(tenant, "recipient_id", id), tellingMax + 2)
  })
}

const by = { ...momentAt(start, "Australia/Perth"), actor: serverActing("01J00000000000000000000000"), auditId: "" }

const requestTests = (it: TenantTest): void => {
  it("makes a request SENT together with the acceptance of its message, once, with an audit entry", function* (tenant) {
    const store = yield* MessageStore
    yield* beginTenant(tenant)
    const worker = mint("worker")
    yield* put(Worker, tenant, created(worker, workerFields()))
    const { id } = yield* putRequest(tenant, worker, { status: "INITIATED" })
    const about = { type: "captureRequest", id } as const
    yield* store.tell(
      tenant,
      ["a", "b"].map((cause) => ({ ...draft({ type: "worker", id: worker }, cause), about }))
    )
    for (const message of yield* sentTo(tenant, "recipient_id", worker)) {
      yield* store.change(tenant, message, (current) => begun(current, start))
      yield* store.change(tenant, message, (current) => {
        const end = settled(current, 1, { _tag: "Accepted", reply: "250 ok" }, start, 0)
        return end && withAcceptance(end, { ...by, auditId: mint("audit") })
      })
    }
    const request = yield* find(FetchRequest, tenant, id)
    assert.deepInclude(request?.fields, { status: "SENT", sentAt: toRfc3339(start) })
    assert.strictEqual(request?.version, 2)
    const entries = (yield* auditLog(tenant)).filter(({ entityId }) => entityId === id)
    assert.deepStrictEqual(
      entries.map(({ account, action }) => [account, action]),
      [[serverUrn, "sent"]]
    )
  })
}

/** Ends an attempt of a new message to a worker whose address was read before. */
const attempted = Effect.fnUntraced(function* (
  tenant: string,
  worker: string,
  tag: "Accepted" | "Refused",
  to: string,
  isOfAddress = true
) {
  const store = yield* MessageStore
  const person = { type: "worker", id: worker } as const
  const told = draft(person, mint("message"))
  yield* store.tell(tenant, [told])
  yield* store.change(tenant, told.id, (message) => begun(message, start))
  yield* store.change(tenant, told.id, (message) => {
    const outcome = { _tag: tag, reply: "", isOfAddress } as const
    const end = settled(message, 1, outcome, start, 0)
    return end && withReach(end, person, to, outcome)
  })
})

const reachTests = (it: TenantTest): void => {
  it("knows whom no message reaches, until the address changes or takes a message", function* (tenant) {
    const resources = yield* ResourceStore
    yield* beginTenant(tenant)
    const id = mint("worker")
    const fields = workerFields({ contact: { workEmail: "ann@example.org" } })
    yield* put(Worker, tenant, created(id, fields))
    const unreachable = Effect.gen(function* () {
      const conditions = [{ _tag: "Equal", column: "unreachable", value: "true" }] as const
      const listed = yield* listIds(Worker, tenant, { conditions })
      const found = Option.getOrThrow(yield* resources.findText(Worker, tenant, id))
      assert.strictEqual(found.isUnreachable, listed.includes(id))
      return found.isUnreachable
    })
    assert.isFalse(yield* unreachable)
    yield* attempted(tenant, id, "Refused", "ann@example.org", false)
    assert.isFalse(yield* unreachable)
    yield* attempted(tenant, id, "Refused", "ann@example.org")
    assert.isTrue(yield* unreachable)
    // Otherwise the import that wrote the person could not be undone any more.
    assert.strictEqual((yield* find(Worker, tenant, id))?.version, 1)
    const change = (some: Partial<WorkerFields>) =>
      revise(Worker, tenant, id, ({ fields, version, ...rest }) => ({
        ...{ ...rest, version: version + 1 },
        fields: { ...fields, ...some }
      }))
    yield* change({ employment: { jobTitle: "Nurse" } })
    assert.isTrue(yield* unreachable)
    yield* attempted(tenant, id, "Accepted", "ann@example.org")
    assert.isFalse(yield* unreachable)
    yield* attempted(tenant, id, "Refused", "ann@example.org")
    yield* change({ contact: { personalEmail: "ann@example.com" } })
    assert.isFalse(yield* unreachable)
    // An attempt that read the address before.
    yield* attempted(tenant, id, "Refused", "ann@example.org")
    assert.isFalse(yield* unreachable)
  })
}

/** A card that ends soon, whose warning has a message. Carries out a round of warnings. */
const warned = Effect.fnUntraced(function* (tenant: string) {
  const store = yield* WarningStore
  const [worker, card] = [mint("worker"), mint("credential")]
  yield* put(Worker, tenant, created(worker, workerFields()))
  yield* put(Credential, tenant, created(card, credentialFields({ worker }, { expiryDate: "2026-03-02" })))
  const stand = { tenantId: tenant, timeZone: "Australia/Perth", through: null, round: null }
  const days = { after: "2026-01-30", upTo: "2026-01-31" }
  const dates = [{ from: "2026-03-02", to: "2026-03-02" }]
  const round = yield* store.warn({ ...days, tenant: stand, dates, limit: 10 }, () => ({
    message: draft({ type: "worker", id: worker }, "day", "CARD_EXPIRING")
  }))
  return { card, round, worker }
})

const warningTests = (it: TenantTest): void => {
  it("queues messages about cards without a webhook, and raises no version", function* (tenant) {
    yield* beginTenant(tenant)
    const { card, round, worker } = yield* warned(tenant)
    assert.deepInclude(round, { events: 0, messages: 1 })
    assert.lengthOf(yield* sentTo(tenant, "recipient_id", worker), 1)
    assert.strictEqual((yield* find(Credential, tenant, card))?.version, 1)
  })

  it("reads no card of a tenant that does not tell of cards", function* (tenant) {
    yield* beginTenant(tenant, { ...telling, tellsOfCards: false })
    const { round, worker } = yield* warned(tenant)
    assert.deepInclude(round, { events: 0, messages: 0 })
    assert.deepStrictEqual(yield* sentTo(tenant, "recipient_id", worker), [])
  })
}

const erasureTests = (it: TenantTest): void => {
  it("threat 80: forgets the messages to a person, waiting ones too, and no others", function* (tenant) {
    const [store, erasures] = [yield* MessageStore, yield* ErasureStore]
    yield* beginTenant(tenant)
    const id = yield* changedWith(tenant, (to) => ["a", "b", "c"].map((cause) => draft(to, cause)))
    const other = yield* changedWith(tenant, (to) => [draft(to, "a")])
    const [first = ""] = yield* sentTo(tenant, "recipient_id", id)
    yield* store.change(tenant, first, (message) => begun(message, start))
    const reply = "550 <ann@example.org>: no such user"
    yield* store.change(tenant, first, (message) => settled(message, 1, { _tag: "Refused", reply }, start, 0))
    assert.isTrue(yield* erasures.forgetMessages(tenant, { type: "worker", id }, 2))
    assert.isFalse(yield* erasures.forgetMessages(tenant, { type: "worker", id }, 2))
    assert.deepStrictEqual(yield* listIds(Message, tenant), yield* sentTo(tenant, "recipient_id", other))
    const shares = (yield* store.waiting(start)).map((queue) => ({ ...queue, count: 10 }))
    const due = yield* store.due(
      shares.filter(({ tenantId }) => tenantId === tenant),
      start
    )
    assert.lengthOf(due, 1)
  })
}

/** Tests how messages to workers and applicants are queued and forgotten. */
export const personalMessageSuite = (it: TenantTest): void => {
  describe("MessageStore of people", () => {
    draftTests(it)
    requestTests(it)
    reachTests(it)
    warningTests(it)
    erasureTests(it)
  })
}
