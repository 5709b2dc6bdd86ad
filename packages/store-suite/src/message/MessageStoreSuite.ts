import { assert, describe } from "@effect/vitest"
import type { Account } from "@wcs/domain/access/Account"
import { fnv1a } from "@wcs/domain/lease/Fnv"
import { messageIdOf, queued } from "@wcs/domain/message/Announcing"
import { begun, lostMillis, Message, type Placed, sampleCause, settled } from "@wcs/domain/message/Message"
import { defaultSettings, type MessageSettings, type Round } from "@wcs/domain/message/MessageSettings"
import { MessageStore, type Recipient } from "@wcs/domain/message/MessageStore"
import { Worker } from "@wcs/domain/people/Worker"
import { rulesVersion } from "@wcs/domain/screening/ComplianceEvaluation"
import type { KeptResult } from "@wcs/domain/screening/KeptCompliance"
import { KeptComplianceStore } from "@wcs/domain/screening/KeptComplianceStore"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Effect, Option } from "effect"
import { freshHost, serviceAccountFor } from "../access/AccessFixtures.ts"
import { putUser } from "../access/UserFixtures.ts"
import {
  auditEntry,
  auditLog,
  created,
  find,
  listIds,
  mint,
  put,
  remove,
  start,
  type TenantTest,
  workerFields
} from "../Fixtures.ts"

const [monday, tuesday] = ["2026-02-02", "2026-02-03"]
const enabled: MessageSettings = { ...defaultSettings, enabled: true }
const long = "2026-01-01"

const dailyOf = (day: string): Round => ({ day, causes: [{ kind: "RED_TODAY", cause: day }] })

/** A tenant that has enabled messages on the day before the first round. */
const beginTenant = Effect.fnUntraced(function* (id: string, settings = enabled) {
  const access = yield* AccessStore
  const store = yield* MessageStore
  const tenant = { id, name: "First", timeZone: "Australia/Perth", hosts: [freshHost(), freshHost()] }
  yield* access.insertTenant(tenant, serviceAccountFor(id), auditEntry(id, { entityType: "tenant" }))
  yield* store.setSettings(id, settings, "2026-02-01", auditEntry(id, { entityType: "tenant", action: "setMessages" }))
  return tenant
})

/** Stands for SHA-256: the same text has the same hash. */
const hashed = (text: string): string => fnv1a(text).toString(16).padStart(16, "0")

/** A message to a user. */
const one = ({ email, id, tenantId }: Account, cause = monday): Placed => {
  const kind = "RED_TODAY"
  return queued(messageIdOf(hashed, tenantId, { kind, cause, recipientId: id }), kind, cause, { id, email }, start)
}

/** A message to each recipient. */
const toAll = (recipients: ReadonlyArray<Recipient>, { day }: Round): ReadonlyArray<Placed> =>
  recipients.map(({ account }) => one(account, day))

const announced = Effect.fnUntraced(function* (tenant: string, round: Round, limit = 100) {
  const store = yield* MessageStore
  const seen: Array<Recipient> = []
  const count = yield* store.announce(yield* store.tenant(tenant), round, long, limit, (recipients) => {
    seen.splice(0, seen.length, ...recipients)
    return toAll(recipients, round)
  })
  return { count, seen }
})

const insert = (tenant: string, placed: Placed, most = 100) =>
  MessageStore.use((store) =>
    store.insert(tenant, placed, { since: start - 1, most }, auditEntry(placed.message.id, { entityType: "message" }))
  )

/** Keeps a result of a worker. */
const keepResult = Effect.fnUntraced(function* (tenant: string, worker: string, result: KeptResult) {
  const kept = yield* KeptComplianceStore
  const row = (yield* kept.read(tenant, [worker])).get(worker)
  if (row === undefined) return assert.fail("no row")
  const status = { rulesVersion, generation: 0, through: "9999-12-31", result, bans: [], beyond: [], checks: {} }
  yield* kept.keep(tenant, [{ row, status, tasks: [], events: [] }])
})

const settingsTests = (it: TenantTest): void => {
  it("keeps the settings of a tenant with an audit entry, and lists the tenants that have enabled messages", function* (tenant) {
    const store = yield* MessageStore
    const { hosts } = yield* beginTenant(tenant, defaultSettings)
    const stand = { tenantId: tenant, name: "First", timeZone: "Australia/Perth", host: hosts[0] ?? null }
    assert.deepStrictEqual(yield* store.tenant(tenant), { ...stand, settings: defaultSettings, lastDay: "" })
    const listed = Effect.map(store.tenants("", 10_000), (all) => all.filter(({ tenantId }) => tenantId === tenant))
    assert.deepStrictEqual(yield* listed, [])
    const settings = { ...enabled, templates: { RED_TODAY: { subject: "{organization}", text: "ein „Text“" } } }
    yield* store.setSettings(
      tenant,
      settings,
      monday,
      auditEntry(tenant, { entityType: "tenant", action: "setMessages" })
    )
    assert.deepStrictEqual(yield* listed, [{ ...stand, settings, lastDay: monday }])
    assert.deepStrictEqual((yield* auditLog(tenant)).map(({ action }) => action).slice(-2), [
      "setMessages",
      "setMessages"
    ])
  })

  it("keeps the kinds that a user has turned off", function* (tenant) {
    const store = yield* MessageStore
    yield* beginTenant(tenant)
    const { account } = yield* putUser(tenant)
    const audit = () => auditEntry(account.id, { entityType: "user" })
    yield* store.decline(tenant, account.id, ["WEEKLY_DIGEST", "RED_TODAY"], audit())
    yield* store.decline(tenant, account.id, ["WEEKLY_DIGEST"], audit())
    assert.deepStrictEqual(yield* store.declined(tenant, account.id), ["WEEKLY_DIGEST"])
    assert.deepStrictEqual((yield* announced(tenant, dailyOf(monday))).seen[0]?.declined, ["WEEKLY_DIGEST"])
  })
}

/** The message of a tenant. */
const read = Effect.fnUntraced(function* (tenant: string, id: string) {
  return (yield* find(Message, tenant, id)) ?? assert.fail("no message")
})

const roundTests = (it: TenantTest): void => {
  it("queues a round for the active users, oldest first, and keeps its day", function* (tenant) {
    const store = yield* MessageStore
    yield* beginTenant(tenant)
    const first = yield* putUser(tenant)
    const second = yield* putUser(tenant)
    yield* putUser(tenant, { deactivatedAt: start })
    const { count, seen } = yield* announced(tenant, dailyOf(monday))
    assert.deepStrictEqual(
      seen.map(({ account }) => account),
      [first.account, second.account]
    )
    assert.strictEqual(count, 2)
    assert.strictEqual((yield* store.tenant(tenant)).lastDay, monday)
    assert.lengthOf((yield* announced(tenant, dailyOf(tuesday), 1)).seen, 1)
  })

  it("lets only the first of two workers carry out a round", function* (tenant) {
    const store = yield* MessageStore
    yield* beginTenant(tenant)
    yield* putUser(tenant)
    const stand = yield* store.tenant(tenant)
    const round = dailyOf(monday)
    const counts = yield* Effect.forEach(
      [1, 2, 3],
      () => store.announce(stand, round, long, 10, (recipients) => toAll(recipients, round)),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(
      counts.filter((count) => count !== undefined),
      [1]
    )
    assert.lengthOf(yield* listIds(Message, tenant), 1)
  })

  it("reaches users whose accounts are newer than those of many who get no message, up to the limit", function* (tenant) {
    yield* beginTenant(tenant)
    const store = yield* MessageStore
    yield* putUser(tenant)
    const officers = [yield* putUser(tenant), yield* putUser(tenant)].map(({ account }) => account.id)
    const round = dailyOf(monday)
    const count = yield* store.announce(yield* store.tenant(tenant), round, long, 1, (recipients) =>
      toAll(
        recipients.filter(({ account }) => officers.includes(account.id)),
        round
      )
    )
    assert.strictEqual(count, 1)
    const [id = ""] = yield* listIds(Message, tenant)
    assert.strictEqual((yield* read(tenant, id)).fields.recipient.id, officers[0])
  })

  it("stores a kind once for a user and a cause", function* (tenant) {
    yield* beginTenant(tenant)
    const { account } = yield* putUser(tenant)
    assert.isTrue(yield* insert(tenant, one(account)))
    assert.isFalse(yield* insert(tenant, one(account)))
    assert.strictEqual((yield* announced(tenant, dailyOf(monday))).count, 0)
    assert.isTrue(yield* insert(tenant, one(account, tuesday)))
  })

  it("stores no message beyond the limit of a user", function* (tenant) {
    yield* beginTenant(tenant)
    const { account } = yield* putUser(tenant)
    const other = yield* putUser(tenant)
    assert.isTrue(yield* insert(tenant, one(account, "test 1"), 1))
    assert.isFalse(yield* insert(tenant, one(account, "test 2"), 1))
    assert.isTrue(yield* insert(tenant, one(other.account, "test 2"), 1))
  })

  it("does nothing for a tenant that has disabled messages", function* (tenant) {
    const store = yield* MessageStore
    yield* beginTenant(tenant)
    yield* putUser(tenant)
    const stand = yield* store.tenant(tenant)
    yield* store.setSettings(tenant, defaultSettings, monday, auditEntry(tenant, { entityType: "tenant" }))
    const count = yield* store.announce(stand, dailyOf(monday), long, 10, () => assert.fail("asked"))
    assert.isUndefined(count)
  })
}

const redTests = (it: TenantTest): void => {
  it("shows who went from PASS to FAIL before a round and still fails, once", function* (tenant) {
    const store = yield* MessageStore
    yield* beginTenant(tenant)
    const workers = [mint("worker"), mint("worker"), mint("worker"), mint("worker"), mint("worker")]
    const [red = "", again = "", green = "", gone = "", late = ""] = workers
    for (const id of workers) {
      yield* put(Worker, tenant, created(id, workerFields()))
      yield* keepResult(tenant, id, "PASS")
    }
    for (const id of [red, again, green, gone]) yield* keepResult(tenant, id, "FAIL")
    assert.deepStrictEqual(yield* store.reddened(tenant, "", "", 10), [red, again, green, gone])
    yield* keepResult(tenant, green, "PASS")
    yield* remove(Worker, tenant, gone)
    yield* announced(tenant, dailyOf(monday))
    yield* keepResult(tenant, late, "FAIL")
    assert.deepStrictEqual(yield* store.reddened(tenant, monday, "", 10), [red, again])
    assert.deepStrictEqual(yield* store.reddened(tenant, monday, red, 1), [again])
    yield* announced(tenant, dailyOf(tuesday))
    assert.deepStrictEqual(yield* store.reddened(tenant, tuesday, "", 10), [late])
  })

  it("remembers nobody while messages are disabled, and nobody who failed from the start", function* (tenant) {
    const store = yield* MessageStore
    yield* beginTenant(tenant, defaultSettings)
    const [red, fresh] = [mint("worker"), mint("worker")]
    yield* put(Worker, tenant, created(red, workerFields()))
    for (const result of ["PASS", "FAIL"] as const) yield* keepResult(tenant, red, result)
    assert.deepStrictEqual(yield* store.reddened(tenant, "", "", 10), []) // the switch deletes what waits for a round
    yield* store.setSettings(tenant, enabled, "2026-02-01", auditEntry(tenant, { entityType: "tenant" }))
    yield* put(Worker, tenant, created(fresh, workerFields()))
    yield* keepResult(tenant, fresh, "FAIL")
    yield* announced(tenant, dailyOf(monday))
    assert.deepStrictEqual(yield* store.reddened(tenant, monday, "", 10), [])
  })
}

/** The messages of a tenant whose time has come, longest first. */
const dueIn = Effect.fnUntraced(function* (tenant: string, now: number) {
  const store = yield* MessageStore
  const queues = (yield* store.waiting(now)).filter(({ tenantId }) => tenantId === tenant)
  const found = yield* store.due(
    queues.map((queue) => ({ ...queue, count: 100 })),
    now
  )
  return found.map(({ message }) => message.id)
})

const attemptTests = (it: TenantTest): void => {
  it("returns what is due, and what was begun and has no end since long", function* (tenant) {
    const store = yield* MessageStore
    yield* beginTenant(tenant)
    const { account } = yield* putUser(tenant)
    const [early, late] = [one(account, "a"), { ...one(account, "b"), dueAt: start + 10 }]
    yield* insert(tenant, late)
    yield* insert(tenant, early)
    assert.deepStrictEqual(yield* dueIn(tenant, start), [early.message.id])
    assert.deepStrictEqual(yield* dueIn(tenant, start + 10), [early.message.id, late.message.id])
    yield* store.change(tenant, early.message.id, (message) => begun(message, start))
    assert.deepStrictEqual(yield* dueIn(tenant, start), [])
    assert.deepStrictEqual(yield* dueIn(tenant, start + lostMillis - 1), [late.message.id])
    assert.deepStrictEqual(yield* dueIn(tenant, start + lostMillis), [late.message.id, early.message.id])
  })

  it("reads the queues of a tenant by priority, and of each as many messages as are asked for", function* (tenant) {
    const store = yield* MessageStore
    yield* beginTenant(tenant)
    const { account } = yield* putUser(tenant)
    for (const cause of ["a", "b", "c"]) yield* insert(tenant, one(account, cause))
    const sample = { ...one(account, sampleCause("a")), dueAt: start + 10 }
    yield* insert(tenant, sample)
    const waitingAt = (now: number) =>
      Effect.map(store.waiting(now), (all) => all.filter(({ tenantId }) => tenantId === tenant))
    const [late, early] = [1, 2].map((priority) => ({
      tenantId: tenant,
      priority,
      dueAt: start + (priority === 1 ? 10 : 0)
    }))
    assert.deepStrictEqual(yield* waitingAt(start - 1), [])
    assert.deepStrictEqual(yield* waitingAt(start), [early])
    const queues = yield* waitingAt(start + 10)
    assert.sameDeepMembers([...queues], [late, early])
    const shares = queues.map((queue) => ({ ...queue, count: 2 }))
    const found = (yield* store.due(shares, start + 10)).map(({ priority }) => priority)
    assert.deepStrictEqual(found, [2, 2, 1])
  })

  it("threat 76: lets one of two workers begin an attempt, and stores its end", function* (tenant) {
    const store = yield* MessageStore
    yield* beginTenant(tenant)
    const { account } = yield* putUser(tenant)
    const placed = one(account)
    const { id } = placed.message
    yield* insert(tenant, placed)
    const begins = yield* Effect.forEach(
      [1, 2, 3],
      () => store.change(tenant, id, (message) => begun(message, start)),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(
      begins.filter((found) => Option.getOrUndefined(found) !== undefined),
      1
    )
    yield* store.change(tenant, id, (message) => settled(message, 1, { _tag: "Accepted", reply: "250 ok" }, start, 0))
    const { fields, version } = yield* read(tenant, id)
    assert.strictEqual(version, 3)
    assert.deepInclude(fields, { state: "ACCEPTED", attempts: 1, reply: "250 ok" })
    assert.deepStrictEqual(
      yield* listIds(Message, tenant, { conditions: [{ _tag: "Equal", column: "state", value: "ACCEPTED" }] }),
      [id]
    )
    assert.deepStrictEqual(yield* dueIn(tenant, start + 2 * lostMillis), [])
  })

  it("deletes a message, and knows no message of another tenant", function* (tenant) {
    const store = yield* MessageStore
    yield* beginTenant(tenant)
    const { account } = yield* putUser(tenant)
    const placed = one(account)
    yield* insert(tenant, placed)
    assert.isTrue(Option.isNone(yield* store.change(mint("tenant"), placed.message.id, () => null)))
    assert.deepStrictEqual(yield* store.change(tenant, placed.message.id, () => null), Option.some(null))
    assert.isUndefined(yield* find(Message, tenant, placed.message.id))
  })

  it("deletes messages that ended before an instant, also after messages were disabled, and none that waits", function* (tenant) {
    const store = yield* MessageStore
    yield* beginTenant(tenant)
    const { account } = yield* putUser(tenant)
    const [ended, waiting] = [one(account, "a"), one(account, "b")]
    for (const placed of [ended, waiting]) yield* insert(tenant, placed)
    yield* store.change(tenant, ended.message.id, (message) => begun(message, start))
    yield* store.change(tenant, ended.message.id, (message) =>
      settled(message, 1, { _tag: "Refused", reply: "550" }, start, 0)
    )
    const off = auditEntry(tenant, { entityType: "message" })
    yield* store.setSettings(tenant, defaultSettings, monday, off)
    yield* store.forget(start, 10_000)
    assert.lengthOf(yield* listIds(Message, tenant), 2)
    yield* store.forget(start + 1, 10_000)
    assert.deepStrictEqual(yield* listIds(Message, tenant), [waiting.message.id])
  })
}

/** Tests the contract of the message store. */
export const messageStoreSuite = (it: TenantTest): void => {
  describe("MessageStore", () => {
    settingsTests(it)
    roundTests(it)
    redTests(it)
    attemptTests(it)
  })
}
