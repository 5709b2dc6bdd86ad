import { assert, layer } from "@effect/vitest"
import * as Privilege from "@wcs/domain/access/Privilege"
import { cardCause, causeOf, type MessageSubject, type PersonalKind } from "@wcs/domain/event/MessageDraft"
import { Credential } from "@wcs/domain/holding/Credential"
import { AnswerLinks } from "@wcs/domain/message/AnswerLinks"
import * as Composing from "@wcs/domain/message/Composing"
import type { StoredMessage } from "@wcs/domain/message/Message"
import { defaultSettings } from "@wcs/domain/message/MessageSettings"
import { MessageStore } from "@wcs/domain/message/MessageStore"
import type { OwnerReference } from "@wcs/domain/ownership/Ownership"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Worker } from "@wcs/domain/people/Worker"
import { FetchRequest } from "@wcs/domain/screening/FetchRequests"
import { RecruitmentCheck } from "@wcs/domain/screening/RecruitmentChecks"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { freshHost, serviceAccountFor } from "@wcs/store-suite/access/AccessFixtures"
import {
  applicantFields,
  auditEntry,
  created,
  credentialFields,
  freshTenant,
  mint,
  put,
  remove,
  workerFields
} from "@wcs/store-suite/Fixtures"
import { Effect, Layer, Option, Redacted } from "effect"
import { surroundings } from "../World.ts"

/** Noon of a day, in the tenant's time zone too. */
const now = Date.UTC(2026, 1, 3, 4)
const today = "2026-02-03"
const host = freshHost()

const telling = { ...defaultSettings, enabled: true, tellsOfCards: true, tellsOfRequests: true }

const beginTenant = Effect.gen(function* () {
  const [access, store] = [yield* AccessStore, yield* MessageStore]
  const id = freshTenant()
  const tenant = { id, name: "Example Org", timeZone: "Australia/Perth", hosts: [`${id}.${host}`] }
  const audit = () => auditEntry(id, { entityType: "message" })
  yield* access.insertTenant(tenant, serviceAccountFor(id), audit())
  yield* store.setSettings(id, telling, "2026-02-01", audit())
  return id
})

/** What there is to say to a person; undefined if there is nothing. */
const composed = Effect.fnUntraced(function* (
  tenantId: string,
  kind: PersonalKind,
  recipient: OwnerReference,
  about: MessageSubject,
  cause: string
) {
  const [store, { compose }] = [yield* MessageStore, yield* Composing.Composing]
  const fields = { kind, state: "QUEUED", recipient, about, cause, attempts: 0 } as const
  const stand = { version: 1, createdAt: now, updatedAt: now, deletedAt: null }
  const message: StoredMessage = { id: mint("message"), ...stand, fields }
  return Option.getOrUndefined(yield* compose(yield* store.tenant(tenantId), message, now))
})

/** What is sent to a person; undefined if nothing is. */
const written = (...given: Parameters<typeof composed>) =>
  Effect.map(composed(...given), (found) => (found?.to === undefined ? undefined : found))

/** A worker with a card. Returns how a message about the card would be written. */
const holder = Effect.fnUntraced(function* (
  expiryDate: string,
  contact: { readonly workEmail?: string; readonly personalEmail?: string } = { workEmail: "ann@work.example" },
  employment = {}
) {
  const tenant = yield* beginTenant
  const [worker, card] = [mint("worker"), mint("credential")]
  yield* put(Worker, tenant, created(worker, workerFields({ contact, employment })))
  yield* put(
    Credential,
    tenant,
    created(card, credentialFields({ worker }, { credentialType: "FIRST_AID", expiryDate }))
  )
  const told = (kind: PersonalKind, date = expiryDate) =>
    written(
      tenant,
      kind,
      { type: "worker", id: worker },
      { type: "credential", id: card },
      cardCause(card, date, today)
    )
  return { tenant, worker, card, told }
})

/** A page that mints the links and codes that the test reads. */
const page = Layer.succeed(AnswerLinks, {
  issue: (_, { id }) => Effect.succeed(Option.some(Redacted.make(`/answer/secret-${id}`))),
  issueCode: () => Effect.succeed(Option.some(Redacted.make("314159"))),
  decision: () => Effect.succeed(Option.some({ isAccepted: false, reason: "The picture is not readable." }))
})

const none = Layer.succeed(AnswerLinks, {
  issue: () => Effect.succeedNone,
  issueCode: () => Effect.succeedNone,
  decision: () => Effect.succeedNone
})

const composingWith = (links: typeof page) =>
  Composing.layer.pipe(Layer.provide([Privilege.layer, links]), Layer.provideMerge(surroundings))

layer(composingWith(page), { excludeTestServices: true })("the text of a message about a card", (it) => {
  it.effect("goes to the address at work, or to the private one, and names the card and its last day", () =>
    Effect.gen(function* () {
      const { told } = yield* holder("2026-03-05")
      const message = (yield* told("CARD_EXPIRING")) ?? assert.fail("nothing to say")
      assert.strictEqual(message.to, "ann@work.example")
      assert.deepStrictEqual(message.hidden, ["ann@work.example"])
      assert.include(message.text, "ends on March 5, 2026. Days left: 30.")
      const other = yield* holder("2026-03-05", { personalEmail: "ann@home.example", workEmail: "not an address" })
      assert.strictEqual((yield* other.told("CARD_EXPIRING"))?.to, "ann@home.example")
    })
  )

  it.effect("does not exist for a person without an address, which is told if there is something to say", () =>
    Effect.gen(function* () {
      const { card, tenant, worker } = yield* holder("2026-03-05", {})
      const person = { type: "worker", id: worker } as const
      const found = (date: string) =>
        composed(tenant, "CARD_EXPIRING", person, { type: "credential", id: card }, cardCause(card, date, today))
      assert.deepStrictEqual(yield* found("2026-03-05"), { to: undefined, person })
      assert.isUndefined(yield* found("2026-03-04"))
    })
  )

  it.effect("does not exist for somebody who left, or was deleted", () =>
    Effect.gen(function* () {
      const left = yield* holder("2026-03-05", undefined, { status: "TERMINATED" })
      assert.isUndefined(yield* left.told("CARD_EXPIRING"))
      const deleted = yield* holder("2026-03-05")
      yield* remove(Worker, deleted.tenant, deleted.worker)
      assert.isUndefined(yield* deleted.told("CARD_EXPIRING"))
    })
  )

  it.effect(
    "is none for a card with another date, that has ended or not, that was deleted, or that another one replaces",
    () =>
      Effect.gen(function* () {
        const first = yield* holder("2026-03-05")
        assert.isUndefined(yield* first.told("CARD_EXPIRING", "2026-03-04"))
        assert.isUndefined(yield* first.told("CARD_EXPIRED"))
        const ended = yield* holder("2026-02-02")
        assert.isUndefined(yield* ended.told("CARD_EXPIRING"))
        assert.include((yield* ended.told("CARD_EXPIRED"))?.text, "last valid on February 2, 2026")
        const { card, tenant, told, worker } = ended
        const later = created(
          mint("credential"),
          credentialFields({ worker }, { credentialType: "FIRST_AID", expiryDate: "2028-02-02" })
        )
        yield* put(Credential, tenant, later)
        assert.isUndefined(yield* told("CARD_EXPIRED"))
        yield* remove(Credential, tenant, later.id)
        assert.isDefined(yield* told("CARD_EXPIRED"))
        yield* remove(Credential, tenant, card)
        assert.isUndefined(yield* told("CARD_EXPIRED"))
      })
  )

  it.effect("is none for a tenant that has turned the kind or all messages off since", () =>
    Effect.gen(function* () {
      for (const off of [{ tellsOfCards: false }, { enabled: false }]) {
        const { tenant, told } = yield* holder("2026-03-05")
        const audit = auditEntry(tenant, { entityType: "message" })
        yield* (yield* MessageStore).setSettings(tenant, { ...telling, ...off }, today, audit)
        assert.isUndefined(yield* told("CARD_EXPIRING"))
      }
    })
  )
})

const invitation = {
  message: "Please hurry.",
  expiryDays: 14,
  status: "INITIATED",
  expiryDate: "2026-02-17"
} as const

/** A fetch request to a worker. Returns how messages about the request would be written. */
const asked = Effect.fnUntraced(function* (
  fields: { readonly status?: "COMPLETED"; readonly expiryDate?: string } = {}
) {
  const tenant = yield* beginTenant
  const [worker, id] = [mint("worker"), mint("captureRequest")]
  yield* put(Worker, tenant, created(worker, workerFields({ contact: { workEmail: "ann@work.example" } })))
  const types = { worker: { id: worker }, requestedCredentialTypes: ["FIRST_AID"] }
  yield* put(FetchRequest, tenant, created(id, { ...types, ...invitation, ...fields }))
  const told = (kind: PersonalKind, recipient: OwnerReference = { type: "worker", id: worker }) =>
    written(tenant, kind, recipient, { type: "captureRequest", id }, causeOf({ id, version: 1 }))
  return { tenant, id, told }
})

layer(composingWith(page), { excludeTestServices: true })("the text of a message about a request", (it) => {
  it.effect("threat 80: has the link or the code of the page, which no answer of the mail server keeps", () =>
    Effect.gen(function* () {
      const { id, tenant, told } = yield* asked()
      const path = `/answer/secret-${id}`
      for (const kind of ["REQUEST", "REQUEST_REMINDER"] as const) {
        const message = (yield* told(kind)) ?? assert.fail("nothing to say")
        assert.include(message.text, `https://${tenant}.${host}${path}`)
        for (const part of ["- First aid", "Please hurry.", "February 17, 2026"]) assert.include(message.text, part)
        assert.deepStrictEqual(message.hidden, [path, "ann@work.example"])
      }
      const code = (yield* told("REQUEST_CODE")) ?? assert.fail("nothing to say")
      assert.include(code.text, "314159")
      assert.deepStrictEqual(code.hidden, ["314159", "ann@work.example"])
      const decided = (yield* told("REQUEST_DECIDED"))?.text
      assert.include(decided, "Your answer was not accepted.")
      assert.include(decided, "The picture is not readable.")
    })
  )

  it.effect("asks an applicant for what the recruitment check needs", () =>
    Effect.gen(function* () {
      const tenant = yield* beginTenant
      const [applicant, id] = [mint("applicant"), mint("credentialCheck")]
      yield* put(Applicant, tenant, created(applicant, applicantFields({ emailAddress: "bo@example.org" })))
      const requirements = { credentialTypes: ["FIRST_AID"], exemptionTypes: ["TEACHER"] }
      const check = { applicant: { id: applicant }, screeningPackageCode: "nurse", requirements, ...invitation }
      yield* put(RecruitmentCheck, tenant, created(id, check))
      const about = { type: "credentialCheck", id } as const
      const message = yield* written(tenant, "REQUEST", { type: "applicant", id: applicant }, about, "1")
      assert.strictEqual(message?.to, "bo@example.org")
      assert.include(message?.text, "- TEACHER")
    })
  )

  it.effect("is none for another person, and for a request that is over, but for the decision", () =>
    Effect.gen(function* () {
      const { told } = yield* asked()
      const other = yield* asked()
      assert.isUndefined(yield* told("REQUEST", { type: "worker", id: other.id.replace("cap_", "wkr_") }))
      for (const over of [{ status: "COMPLETED" }, { expiryDate: "2026-02-02" }] as const) {
        const { told } = yield* asked(over)
        for (const kind of ["REQUEST", "REQUEST_REMINDER", "REQUEST_CODE"] as const) {
          assert.isUndefined(yield* told(kind), kind)
        }
        assert.isDefined(yield* told("REQUEST_DECIDED"))
      }
    })
  )
})

layer(composingWith(none), { excludeTestServices: true })("without a page to answer", (it) => {
  it.effect("nobody is asked", () =>
    Effect.gen(function* () {
      const { told } = yield* asked()
      for (const kind of ["REQUEST", "REQUEST_REMINDER", "REQUEST_CODE", "REQUEST_DECIDED"] as const) {
        assert.isUndefined(yield* told(kind), kind)
      }
    })
  )
})
