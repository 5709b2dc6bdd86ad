import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  applicant,
  at,
  credential,
  exemption,
  fetchRequest,
  recruitmentCheck,
  reviewed,
  Service,
  screeningPackage,
  textAt,
  verified,
  webhookFields,
  worker
} from "../../Service.ts"
import { layerService, raisedLimits } from "../../TestService.ts"
import { assertStatus, dataOf, get, patch, post } from "../NewerSurface.ts"
import { ids } from "../resource/Listing.ts"
import { webhookReceiver } from "../webhook/WebhookReceiver.ts"

const settings = { WCS_WEBHOOK_HTTP: "allow", WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1" }

const nsw = (digits = "01") => ({ credentialType: "WWCC_NSW", identifier: `WWC12345${digits}E` })

const shown = (path: string) => Effect.map(get(path), (answer) => Object(at(answer, "data")))
const statusOf = (path: string) => Effect.map(shown(path), ({ status }) => status)

const dayPasses = (days = 1) => Service.use(({ advance }) => advance(days * 86_400))

/** The two groups: how a request for these types is created for a new person, and how the person is named. */
const groups = [
  {
    name: "a recruitment check",
    collection: "recruitment-checks",
    type: "applicant" as const,
    other: "worker" as const,
    kind: "recruitmentCheck",
    entity: "credentialCheck",
    someone: applicant(),
    another: worker(),
    make: (id: string, credentialTypes: ReadonlyArray<string>, fields: Readonly<Record<string, unknown>> = {}) =>
      Effect.flatMap(screeningPackage({ requirements: { credentialTypes } }), (code) =>
        recruitmentCheck({ id }, code, fields)
      )
  },
  {
    name: "a fetch request",
    collection: "fetch-requests",
    type: "worker" as const,
    other: "applicant" as const,
    kind: "fetchRequest",
    entity: "captureRequest",
    someone: worker(),
    another: applicant(),
    make: (
      id: string,
      requestedCredentialTypes: ReadonlyArray<string>,
      fields: Readonly<Record<string, unknown>> = {}
    ) => fetchRequest({ id }, { requestedCredentialTypes, ...fields })
  }
]

/** A webhook with its own receiver, subscribed to all completions. */
const subscribed = Effect.gen(function* () {
  const receiver = yield* webhookReceiver
  const events = ["recruitmentCheck.completed", "fetchRequest.completed"]
  const made = yield* post("/webhooks", { ...webhookFields, url: receiver.url, events })
  assertStatus(made, 201)
  return { ...receiver, webhook: textAt(made, "data.id") }
})

const auditOf = Effect.fnUntraced(function* (id: string) {
  const answer = yield* get(`/audit-events?entityId=${id}`)
  assertStatus(answer, 200)
  return dataOf(answer).map((entry) => `${Object(entry).operation} ${Object(entry).action}`)
})

layer(layerService(raisedLimits, {}, settings), { excludeTestServices: true })(
  "progress by a person's holdings",
  (it) => {
    for (const { another, collection, entity, kind, make, name, other, someone, type } of groups) {
      /** A person, and the path of a request to the person for these types. */
      const asked = Effect.fnUntraced(function* (
        types: ReadonlyArray<string>,
        fields: Readonly<Record<string, unknown>> = {}
      ) {
        const person = yield* someone
        return { person, owner: { [type]: person }, path: `/${collection}/${yield* make(person, types, fields)}` }
      })

      it.effect(`completes ${name}: the first requirement makes IN_PROGRESS, the last COMPLETED, with one event`, () =>
        Effect.gen(function* () {
          const { received, take, webhook } = yield* subscribed
          const { owner, path, person } = yield* asked(["WWCC_NSW", "FIRST_AID"], { message: "Dear Ann Example" })
          const id = path.slice(path.lastIndexOf("/") + 1)
          assert.strictEqual(yield* statusOf(path), "INITIATED")
          yield* verified(owner, nsw())
          const { expiryDate, ...begun } = yield* shown(path)
          assert.strictEqual(begun.status, "IN_PROGRESS")
          yield* credential(owner)
          const { updatedAt, ...completed } = yield* shown(path)
          const { updatedAt: _, ...before } = begun
          assert.deepStrictEqual(completed, { ...before, status: "COMPLETED" })
          const [delivery] = yield* take(({ body }) => JSON.stringify(body["data"]).includes(id))
          const { deliveryId, eventId, timestamp, ...body } = Object(delivery?.body)
          assert.deepStrictEqual(body, {
            type: `${kind}.completed`,
            correlationId: null,
            sequence: 3,
            data: { [kind]: { id, type: entity, status: "COMPLETED", [type]: { id: person } } }
          })
          assert.strictEqual(timestamp, updatedAt)
          assert.match(eventId, /^evt_/)
          const listed = dataOf(yield* get(`/webhooks/${webhook}/deliveries`)).map((one) => Object(one).id)
          assert.deepStrictEqual(listed, [deliveryId])
          assert.lengthOf(received, 1)
          assert.sameMembers(yield* auditOf(id), ["CREATE create", "UPDATE progress", "UPDATE complete"])
          assert.deepStrictEqual(yield* ids(collection, { status: "COMPLETED", [`${type}Id`]: person }), [id])
          assert.deepStrictEqual(yield* ids(collection, { status: "IN_PROGRESS", [`${type}Id`]: person }), [])
        })
      )

      it.effect(`completes ${name} by every change that adds to the person's holdings`, () =>
        Effect.gen(function* () {
          const reference = (id: string, of: string = type) => ({ type: of, id })
          const ways: Readonly<
            Record<string, (person: string, elsewhere: string) => Effect.Effect<unknown, unknown, Service>>
          > = {
            create: (person) => credential({ [type]: person }),
            link: Effect.fnUntraced(function* (person, elsewhere) {
              const id = yield* credential({ [other]: elsewhere })
              assertStatus(yield* post(`/credentials/${id}/link`, reference(person)), 200)
            }),
            transfer: Effect.fnUntraced(function* (person, elsewhere) {
              const id = yield* credential({ [other]: elsewhere })
              const body = { from: reference(elsewhere, other), to: reference(person) }
              assertStatus(yield* post(`/credentials/${id}/transfer`, body), 200)
            }),
            "bulk link": Effect.fnUntraced(function* (person, elsewhere) {
              const body = { credentialIds: [yield* credential({ [other]: elsewhere })], to: reference(person) }
              assert.strictEqual(at(yield* post("/credentials/link", body), "meta.succeeded"), 1)
            }),
            "bulk transfer": Effect.fnUntraced(function* (person, elsewhere) {
              yield* credential({ [other]: elsewhere })
              const body = { from: reference(elsewhere, other), to: reference(person) }
              assert.strictEqual(at(yield* post("/credentials/transfer", body), "meta.succeeded"), 1)
            }),
            "change of a credential": Effect.fnUntraced(function* (person) {
              const id = yield* credential({ [type]: person }, { expiryDate: "2020-01-31" })
              assertStatus(yield* patch(`/credentials/${id}`, { attributes: { expiryDate: "2999-01-31" } }), 200)
            }),
            "exemption that is created": (person) =>
              exemption({ [type]: { id: person } } as { readonly worker: unknown }, {
                exemptedCredentialTypes: ["FIRST_AID"]
              }),
            "exemption that is changed": Effect.fnUntraced(function* (person) {
              const id = yield* exemption({ [type]: { id: person } } as { readonly worker: unknown })
              assertStatus(yield* patch(`/exemptions/${id}`, { exemptedCredentialTypes: ["FIRST_AID"] }), 200)
            }),
            "exemption of somebody else": Effect.fnUntraced(function* (person, elsewhere) {
              const fields = { exemptedCredentialTypes: ["FIRST_AID"] }
              const id = yield* exemption({ [other]: { id: elsewhere } } as { readonly worker: unknown }, fields)
              assertStatus(yield* patch(`/exemptions/${id}`, { [other]: null, [type]: { id: person } }), 200)
            })
          }
          const { owner, path: byReview } = yield* asked([reviewed.credentialType])
          const queued = yield* verified(owner, reviewed, "QUEUED_MANUAL")
          assert.strictEqual(yield* statusOf(byReview), "INITIATED")
          assertStatus(yield* post(`/credentials/${queued}/review`, { statusDetail: "VALID" }), 200)
          assert.strictEqual(yield* statusOf(byReview), "COMPLETED")
          for (const [way, hold] of Object.entries(ways)) {
            const { path, person } = yield* asked(["FIRST_AID"])
            const late = `/${collection}/${yield* make(person, ["FIRST_AID", "WWCC_NSW"])}`
            yield* hold(person, yield* another)
            assert.strictEqual(yield* statusOf(path), "COMPLETED", way)
            assert.strictEqual(yield* statusOf(late), "IN_PROGRESS", way)
          }
        })
      )

      it.effect(`completes ${name} at its creation if the person holds everything already`, () =>
        Effect.gen(function* () {
          const { take } = yield* subscribed
          const { owner, path: first, person } = yield* asked(["FIRST_AID"])
          yield* credential(owner)
          assert.strictEqual(yield* statusOf(first), "COMPLETED")
          const { createdAt, expiryDate, id, status, updatedAt } = yield* shown(
            `/${collection}/${yield* make(person, ["FIRST_AID"])}`
          )
          assert.deepStrictEqual([status, expiryDate, updatedAt], ["COMPLETED", undefined, createdAt])
          const [delivery] = yield* take(({ body }) => JSON.stringify(body["data"]).includes(id))
          assert.strictEqual(delivery?.body["sequence"], 1)
          const some = yield* shown(`/${collection}/${yield* make(person, ["FIRST_AID", "WWCC_NSW"])}`)
          assert.strictEqual(some.status, "IN_PROGRESS")
          assert.isString(some.expiryDate)
        })
      )

      it.effect(`completes ${name} that is EXPIRED only when it is reopened`, () =>
        Effect.gen(function* () {
          const { owner, path: resent, person } = yield* asked(["FIRST_AID"], { expiryDays: 2 })
          const extended = `/${collection}/${yield* make(person, ["FIRST_AID"], { expiryDays: 2 })}`
          yield* dayPasses(3)
          yield* credential(owner)
          for (const path of [resent, extended]) assert.strictEqual(yield* statusOf(path), "EXPIRED")
          assert.strictEqual(at(yield* patch(extended, { message: "Please" }), "data.status"), "EXPIRED")
          assert.strictEqual(at(yield* post(`${resent}/resend`), "data.status"), "COMPLETED")
          assert.strictEqual(at(yield* patch(extended, { expiryDays: 90 }), "data.status"), "COMPLETED")
        })
      )

      it.effect(`evaluates ${name} again at a reminder: an exemption may have come into force`, () =>
        Effect.gen(function* () {
          const { path, person } = yield* asked(["FIRST_AID"])
          const tomorrow = new Date(Date.parse((yield* shown(path)).expiryDate) - 13 * 86_400_000)
          yield* exemption({ [type]: { id: person } } as { readonly worker: unknown }, {
            exemptedCredentialTypes: ["FIRST_AID"],
            issueDate: tomorrow.toISOString().slice(0, 10)
          })
          assert.strictEqual(yield* statusOf(path), "INITIATED")
          yield* dayPasses()
          assert.strictEqual(yield* statusOf(path), "INITIATED")
          assert.strictEqual(at(yield* post(`${path}/remind`), "data.status"), "COMPLETED")
        })
      )
    }

    it.effect("BLK-17: completes each item of a bulk fetch request by its worker's holdings", () =>
      Effect.gen(function* () {
        const [has, lacks] = [yield* worker(), yield* worker()]
        yield* credential({ worker: has })
        const body = { workers: [{ id: has }, { id: lacks }, { id: has }], requestedCredentialTypes: ["FIRST_AID"] }
        const items = dataOf(yield* post("/fetch-requests/bulk", body)).map(Object)
        const statuses = yield* Effect.forEach(items, ({ id }) => statusOf(`/fetch-requests/${id}`))
        assert.deepStrictEqual(statuses, ["COMPLETED", "INITIATED", "COMPLETED"])
      })
    )
  }
)
