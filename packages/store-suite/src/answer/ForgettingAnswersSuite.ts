import { assert, describe } from "@effect/vitest"
import { withLink } from "@wcs/domain/answer/AnswerAccess"
import { AnswerAccessStore } from "@wcs/domain/answer/AnswerAccessStore"
import * as ForgettingAnswers from "@wcs/domain/answer/ForgettingAnswers"
import type { StoredDocument } from "@wcs/domain/document/Document"
import type { DocumentOwner } from "@wcs/domain/document/DocumentOwner"
import { DocumentStore } from "@wcs/domain/document/DocumentStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { defaultSettings } from "@wcs/domain/message/MessageSettings"
import { MessageStore } from "@wcs/domain/message/MessageStore"
import { noOwners } from "@wcs/domain/ownership/Ownership"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import { Answer, type AnswerFields, type AskedRequest, answerIdOf, askedResources } from "@wcs/domain/screening/Answer"
import * as Id from "@wcs/domain/shared/Id"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Clock, type Duration, Effect, Layer, Option, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { freshHost, serviceAccountFor } from "../access/AccessFixtures.ts"
import {
  auditEntry,
  auditLog,
  created,
  credentialFields,
  find,
  mint,
  put,
  start,
  type TenantTest
} from "../Fixtures.ts"

const days = 30

const beginTenant = Effect.fnUntraced(function* (id: string, answerRetentionDays = days) {
  const [access, messages] = [yield* AccessStore, yield* MessageStore]
  const tenant = { id, name: "First", timeZone: "UTC", hosts: [freshHost()] }
  yield* access.insertTenant(tenant, serviceAccountFor(id), auditEntry(id, { entityType: "tenant" }))
  const settings = { ...defaultSettings, answerRetentionDays }
  yield* messages.setSettings(id, settings, "2026-01-30", auditEntry(id, { entityType: "message" }))
})

interface Case {
  readonly type: AskedRequest["type"]
  readonly request: object
  readonly answer?: Partial<AnswerFields>
  readonly deletedAt?: number | null
}

const linkOf = (id: string): string => `link of ${id}`

/** A request that was last changed at `start`, with a link and an answer, unless there is none. */
const begun = Effect.fnUntraced(function* (tenant: string, { answer, deletedAt = null, request, type }: Case) {
  const id = mint(type)
  const person =
    type === "captureRequest" ? { worker: { id: mint("worker") } } : { applicant: { id: mint("applicant") } }
  const asked =
    type === "captureRequest" ? { requestedCredentialTypes: ["FIRST_AID"] } : { screeningPackageCode: "aged-care" }
  yield* put(
    askedResources[type] as Resource,
    tenant,
    created(id, { ...person, ...asked, expiryDays: 14, ...request } as never, { deletedAt })
  )
  yield* AnswerAccessStore.use((store) =>
    store.change(tenant, id, (access) => ({ next: withLink(access, linkOf(id)) }))
  )
  if (answer !== undefined) {
    const fields: AnswerFields = {
      ...{ state: "WAITING", request: { type, id }, ...person },
      consent: { version: "1", text: "I agree", notice: "Why", at: "2026-01-31T00:00:00.000Z" },
      ...{ cards: [{ credentialType: "FIRST_AID", identifier: "HLT-1" }], submittedAt: "2026-01-31T00:00:00.000Z" },
      ...answer
    }
    yield* put<AnswerFields>(Answer, tenant, created(answerIdOf(id), fields))
  }
  return id
})

/** A file of an answer. */
const filed = Effect.fnUntraced(function* (tenant: string, owner: DocumentOwner) {
  const store = yield* DocumentStore
  const id = mint("document")
  const document: StoredDocument = {
    ...{
      id,
      tenantId: tenant,
      owner,
      status: "UPLOADING",
      bytes: 9,
      sealedKey: "key",
      name: "card.pdf",
      content: null
    },
    ...{ people: noOwners, account: "urn:wcs:answerer", createdAt: start, deletion: null }
  }
  yield* store.begin(document, () => Result.void)
  yield* store.change(tenant, id, () => Result.succeed({ next: { ...document, status: "STORED" }, audit: [] }))
})

const ids = Layer.provide(Id.layer, SecureRandom.layerWebCrypto)

/** One round on a day. */
const roundOn = (day: string) =>
  Effect.gen(function* () {
    yield* yield* ForgettingAnswers.make
  }).pipe(
    Effect.provide(ids),
    Effect.provideServiceEffect(
      Clock.Clock,
      Effect.map(Clock.Clock, (clock) => ({
        currentTimeMillisUnsafe: () => Date.parse(day),
        currentTimeMillis: Effect.succeed(Date.parse(day)),
        currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
        currentTimeNanos: clock.currentTimeNanos,
        monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: clock.monotonicTimeNanos,
        sleep: (duration: Duration.Duration) => clock.sleep(duration)
      }))
    )
  )

/** What is left of a request. */
const leftOf = Effect.fnUntraced(function* (tenant: string, id: string) {
  const store = yield* AnswerAccessStore
  const answer = (yield* find(Answer, tenant, answerIdOf(id))) as Stored<AnswerFields> | undefined
  return {
    link: Option.isSome(yield* store.find(tenant, linkOf(id))),
    answer:
      answer === undefined ? "none" : answer.deletedAt !== null && answer.fields.cards.length === 0 ? "erased" : "whole"
  }
})

const isOpen = { status: "SENT", expiryDate: "2026-12-24" }
const expired = { status: "SENT", expiryDate: "2026-02-14" }
const completed = { status: "COMPLETED" }
const approvedWith = (card: string): Partial<AnswerFields> => ({
  state: "APPROVED",
  credentials: [{ id: card, credentialType: "FIRST_AID" }]
})

/** Answers and links after their requests. */
export const forgettingAnswersSuite = (it: TenantTest): void => {
  describe("ForgettingAnswers", () => {
    it("forgets what is not kept once the days after the end of the request are over", function* (tenant) {
      yield* beginTenant(tenant)
      const [held, own] = [mint("credential"), mint("credential")]
      yield* put(Credential, tenant, created(held, credentialFields({ worker: mint("worker") })))
      yield* put(Credential, tenant, created(own, credentialFields({ applicant: mint("applicant") })))
      const [worker, check] = ["captureRequest", "credentialCheck"] as const
      const cases: ReadonlyArray<readonly [Case, answer: string]> = [
        [{ type: worker, request: completed, answer: {} }, "erased"],
        [{ type: worker, request: completed, answer: approvedWith(own) }, "whole"],
        [{ type: worker, request: { status: "CANCELLED" } }, "none"],
        [{ type: check, request: { status: "CANCELLED" }, answer: { state: "REJECTED" } }, "erased"],
        [{ type: check, request: completed, answer: approvedWith(own) }, "erased"],
        [{ type: check, request: completed, answer: approvedWith(held) }, "whole"],
        [{ type: check, request: isOpen, answer: {}, deletedAt: start }, "erased"]
      ]
      const begunOnes = yield* Effect.forEach(cases, ([one]) => begun(tenant, one))
      const opened = yield* begun(tenant, { type: worker, request: isOpen, answer: {} })
      const late = yield* begun(tenant, { type: worker, request: expired, answer: {} })
      for (const id of [late, begunOnes[1] ?? ""]) yield* filed(tenant, { type: "answer", id: answerIdOf(id) })
      yield* roundOn("2026-03-02T23:59:59Z") // 30 days after 31 January
      for (const id of begunOnes) assert.isTrue((yield* leftOf(tenant, id)).link, id)
      yield* roundOn("2026-03-03T00:00:00Z")
      for (const [index, id] of begunOnes.entries()) {
        assert.deepStrictEqual(yield* leftOf(tenant, id), { link: false, answer: cases[index]?.[1] }, String(index))
      }
      yield* roundOn("2026-03-16T23:59:59Z") // 30 days after 14 February
      assert.deepStrictEqual(yield* leftOf(tenant, late), { link: true, answer: "whole" })
      yield* roundOn("2026-03-17T00:00:00Z")
      assert.deepStrictEqual(yield* leftOf(tenant, late), { link: false, answer: "erased" })
      assert.deepStrictEqual(yield* leftOf(tenant, opened), { link: true, answer: "whole" })
      const documents = yield* DocumentStore
      // Also those that no card took, of an answer that stays.
      for (const id of [late, begunOnes[1] ?? ""]) {
        assert.deepStrictEqual(yield* documents.list(tenant, { type: "answer", id: answerIdOf(id) }), [], id)
      }
      const erased = (yield* auditLog(tenant)).filter(({ action }) => action === "erase")
      assert.lengthOf(erased, 5)
      assert.strictEqual(erased.at(-1)?.entityId, answerIdOf(late))
      yield* roundOn("2026-03-18T00:00:00Z")
      assert.lengthOf(
        (yield* auditLog(tenant)).filter(({ action }) => action === "erase"),
        5
      )
    })

    it("keeps the consent to approved cards, and forgets a correction that nobody approved", function* (tenant) {
      yield* beginTenant(tenant)
      const consent = { version: "1", text: "I agreed in March", notice: "Why", at: "2026-01-20T00:00:00.000Z" }
      const decided = { by: { id: mint("account") }, at: "2026-01-21T00:00:00.000Z" }
      const credentials = [{ id: mint("credential"), credentialType: "FIRST_AID" }]
      const previous = { state: "APPROVED" as const, ...decided, credentials, consent }
      const id = yield* begun(tenant, { type: "captureRequest", request: completed, answer: { previous } })
      yield* roundOn("2026-03-03T00:00:00Z")
      const kept = (yield* find(Answer, tenant, answerIdOf(id))) as Stored<AnswerFields> | undefined
      assert.isNull(kept?.deletedAt)
      assert.deepInclude(kept?.fields, { state: "APPROVED", cards: [], consent, credentials, decision: decided })
      assert.isUndefined(kept?.fields.previous)
    })

    it("does not keep an answer for longer than its person agreed to, nor erase it while it is approved", function* (tenant) {
      yield* beginTenant(tenant, 3650)
      const consent = {
        version: "1",
        text: "I agree",
        notice: "Why",
        retentionDays: 30,
        at: "2026-01-20T00:00:00.000Z"
      }
      const decision = { by: { id: mint("account") }, at: "2026-03-03T00:00:00.000Z" }
      const [short, long, claimed] = yield* Effect.all([
        begun(tenant, { type: "captureRequest", request: completed, answer: { consent } }),
        begun(tenant, { type: "captureRequest", request: completed, answer: {} }),
        begun(tenant, { type: "captureRequest", request: completed, answer: { consent, state: "APPROVING", decision } })
      ])
      yield* roundOn("2026-03-03T00:00:30Z")
      assert.deepStrictEqual(
        yield* Effect.forEach([short, long, claimed], (id) => Effect.map(leftOf(tenant, id), ({ answer }) => answer)),
        ["erased", "whole", "whole"]
      )
    })
  })
}
