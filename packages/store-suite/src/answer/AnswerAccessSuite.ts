import { assert, describe } from "@effect/vitest"
import { type AnswerAccess, bound, linksMax, noAccess, withLink } from "@wcs/domain/answer/AnswerAccess"
import { AnswerAccessStore } from "@wcs/domain/answer/AnswerAccessStore"
import { Answer, type AnswerFields, answerIdOf } from "@wcs/domain/screening/Answer"
import { Task, taskIdOf } from "@wcs/domain/screening/Task"
import { Effect, Option } from "effect"
import { auditEntry, auditLog, created, find, mint, put, remove, revise, type TenantTest } from "../Fixtures.ts"
import { forgettingAnswersSuite } from "./ForgettingAnswersSuite.ts"

const linked = (tenantId: string, requestId: string, ...hashes: ReadonlyArray<string>) =>
  AnswerAccessStore.use((store) =>
    store.change(tenantId, requestId, (access) => ({ next: hashes.reduce(withLink, access) }))
  )

const found = (tenantId: string, hash: string) =>
  Effect.map(
    AnswerAccessStore.use((store) => store.find(tenantId, hash)),
    Option.getOrUndefined
  )

const accessTests = (it: TenantTest): void => {
  it("finds a request by each of its links, and by none of another tenant", function* (tenant) {
    const other = mint("tenant")
    const request = mint("captureRequest")
    yield* linked(tenant, request, "one", "two")
    assert.strictEqual((yield* found(tenant, "one"))?.requestId, request)
    assert.strictEqual((yield* found(tenant, "two"))?.requestId, request)
    assert.isUndefined(yield* found(tenant, "three"))
    assert.isUndefined(yield* found(other, "one"))
    yield* linked(other, mint("captureRequest"), "one")
    assert.strictEqual((yield* found(tenant, "one"))?.requestId, request)
  })

  it("ends links that the next access lacks", function* (tenant) {
    const request = mint("credentialCheck")
    const hashes = Array.from({ length: linksMax + 2 }, (_, index) => `link ${index}`)
    yield* linked(tenant, request, ...hashes)
    assert.isUndefined(yield* found(tenant, "link 1"))
    assert.deepStrictEqual((yield* found(tenant, "link 2"))?.access.links, hashes.slice(2))
  })

  it("stores nothing and no records without a next access, and both with one", function* (tenant) {
    const request = mint("captureRequest")
    const store = yield* AnswerAccessStore
    const entry = auditEntry(request, { entityType: "captureRequest", action: "open" })
    const records = { audit: [entry], events: [] }
    yield* store.change(tenant, request, () => ({ next: undefined, records }))
    assert.lengthOf(yield* auditLog(tenant), 0)
    yield* store.change(tenant, request, () => ({ next: { ...noAccess, device: "phone" }, records }))
    assert.deepStrictEqual(
      (yield* auditLog(tenant)).map(({ id }) => id),
      [entry.id]
    )
  })

  it("binds one of many devices that come together", function* (tenant) {
    const request = mint("captureRequest")
    const store = yield* AnswerAccessStore
    yield* linked(tenant, request, "raced")
    const devices = Array.from({ length: 8 }, (_, index) => `device ${index}`)
    const outcomes = yield* Effect.forEach(
      devices,
      (device) => store.change(tenant, request, (access: AnswerAccess) => ({ next: bound(access, device) })),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(
      outcomes.filter(({ next }) => next !== undefined),
      1
    )
    assert.include(devices, (yield* found(tenant, "raced"))?.access.device)
  })
}

const answerOf = (requestId: string, fields: Partial<AnswerFields> = {}): AnswerFields => ({
  state: "WAITING",
  request: { type: "captureRequest", id: requestId },
  worker: { id: mint("worker") },
  consent: { version: "1", text: "I agree", notice: "Why", at: "2026-01-31T00:00:00.000Z" },
  cards: [{ credentialType: "FIRST_AID" }],
  submittedAt: "2026-01-31T00:00:00.000Z",
  ...fields
})

const taskTests = (it: TenantTest): void => {
  const task = (tenant: string, id: string) => find(Task, tenant, taskIdOf(id))

  it("opens a task while an answer of a worker is undecided, and ends it", function* (tenant) {
    const request = mint("captureRequest")
    const id = answerIdOf(request)
    const fields = answerOf(request)
    yield* put<AnswerFields>(Answer, tenant, created(id, fields))
    const opened = yield* task(tenant, id)
    assert.deepStrictEqual(opened?.fields, {
      ...{ reason: "ANSWER_WAITING", answer: { id }, worker: fields.worker, assignee: { id: null } }
    } as never)
    const states = ["APPROVING", "APPROVED", "WAITING", "REJECTED", "WAITING"] as const
    const isThere: Array<boolean> = []
    for (const state of states) {
      yield* revise<AnswerFields>(Answer, tenant, id, (before) => ({
        ...{ ...before, version: before.version + 1 },
        fields: { ...fields, state }
      }))
      isThere.push((yield* task(tenant, id)) !== undefined)
    }
    assert.deepStrictEqual(isThere, [true, false, true, false, true])
    yield* remove(Answer, tenant, id)
    assert.isUndefined(yield* task(tenant, id))
  })

  it("opens a task about an answer of an applicant, too", function* (tenant) {
    const request = mint("credentialCheck")
    const id = answerIdOf(request)
    const { worker: _, ...fields } = answerOf(request, { applicant: { id: mint("applicant") } })
    yield* put<AnswerFields>(Answer, tenant, created<AnswerFields>(id, fields))
    assert.deepStrictEqual((yield* task(tenant, id))?.fields, {
      ...{ reason: "ANSWER_WAITING", answer: { id }, applicant: fields.applicant, assignee: { id: null } }
    } as never)
    yield* revise<AnswerFields>(Answer, tenant, id, (before) => ({
      ...{ ...before, version: before.version + 1 },
      fields: { ...fields, state: "APPROVED" }
    }))
    assert.isUndefined(yield* task(tenant, id))
  })
}

/** The access to the pages of requests, the tasks about answers, and how both end. */
export const answerAccessSuite = (it: TenantTest): void => {
  describe("AnswerAccessStore", () => accessTests(it))
  describe("tasks about answers", () => taskTests(it))
  forgettingAnswersSuite(it)
}
