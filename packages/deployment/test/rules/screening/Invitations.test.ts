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
  verified,
  worker
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, patch, post, put, remove } from "../NewerSurface.ts"
import { ids } from "../resource/Listing.ts"

type Fields = Readonly<Record<string, unknown>>

/** The two groups: how a request for these types is created for a person, and how the person is named. */
const groups = [
  {
    collection: "recruitment-checks",
    entity: "credentialCheck",
    type: "applicant",
    other: "worker",
    someone: applicant,
    another: worker,
    make: (id: string, fields: Fields = {}, credentialTypes: ReadonlyArray<string> = ["FIRST_AID"]) =>
      Effect.flatMap(screeningPackage({ requirements: { credentialTypes } }), (code) =>
        recruitmentCheck({ id }, code, fields)
      )
  },
  {
    collection: "fetch-requests",
    entity: "captureRequest",
    type: "worker",
    other: "applicant",
    someone: worker,
    another: applicant,
    make: (id: string, fields: Fields = {}, requestedCredentialTypes: ReadonlyArray<string> = ["FIRST_AID"]) =>
      fetchRequest({ id }, { requestedCredentialTypes, ...fields })
  }
] as const

const dayMillis = 86_400_000
const daysPass = (days: number) => Service.use(({ advance }) => advance((days * dayMillis) / 1000))

const read = (path: string) => Effect.map(get(path), (answer) => Object(at(answer, "data")))
const statusOf = (path: string) => Effect.map(read(path), ({ status }) => status)

/** Moves the server's clock to about noon in Sydney, so that no test runs across midnight. */
const untilNoon = Effect.fnUntraced(function* (path: string) {
  const { createdAt } = yield* read(path)
  const hour = new Date(createdAt).toLocaleString("en-GB", { hour: "2-digit", timeZone: "Australia/Sydney" })
  yield* daysPass(((36 - Number(hour)) % 24) / 24)
})

/** The day of a time in Sydney, and the day this many days later. */
const dayAfter = (instant: string, days: number): string => {
  const day = new Date(instant).toLocaleDateString("en-CA", { timeZone: "Australia/Sydney" })
  return new Date(Date.parse(day) + days * dayMillis).toISOString().slice(0, 10)
}

// The tests of the domain have the table of statuses and actions, the days, and the progress by every holding.
layer(layerService(), { excludeTestServices: true })("requests to a person", (it) => {
  for (const { another, collection, entity, make, other, someone, type } of groups) {
    /** A person, and the path of a new request to the person. */
    const asked = Effect.fnUntraced(function* (...given: [fields?: Fields, types?: ReadonlyArray<string>]) {
      const person = yield* someone()
      return { person, owner: { [type]: person }, path: `/${collection}/${yield* make(person, ...given)}` }
    })

    const exempt = (id: string, fields: Fields = {}) =>
      exemption({ [type]: { id } } as { readonly worker: unknown }, {
        exemptedCredentialTypes: ["FIRST_AID"],
        ...fields
      })

    it.effect(`ENV-11, ENV-16: of ${collection} the message and the days can change, and nothing else`, () =>
      Effect.gen(function* () {
        const { path } = yield* asked({ message: "Please" })
        const before = yield* read(path)
        assert.deepStrictEqual([before.type, before.status, before.expiryDays], [entity, "INITIATED", 14])
        assert.strictEqual(before.expiryDate, dayAfter(before.createdAt, 14))
        const others: Fields = {
          applicant: { id: yield* applicant() },
          worker: { id: yield* worker() },
          screeningPackageCode: yield* screeningPackage(),
          requestedCredentialTypes: ["WWCC_NSW"]
        }
        for (const [name, value] of Object.entries(others).filter(([name]) => name in before)) {
          for (const send of [put, patch]) {
            assertRefused(yield* send(path, { ...before, [name]: value }), "INVALID_ARGUMENT", name)
          }
        }
        const longest = yield* patch(path, { expiryDays: 90, message: null })
        assert.strictEqual(at(longest, "data.expiryDate"), dayAfter(before.createdAt, 90))
        assert.isUndefined(at(longest, "data.message"))
      })
    )

    it.effect(`ENV-10, PRV-15, DEL-03: actions on ${collection} are stored and audited, and 404 after a delete`, () =>
      Effect.gen(function* () {
        const { path, person } = yield* asked({ expiryDays: 2 })
        const act = (action: "resend" | "remind" | "cancel") => post(`${path}/${action}`)
        yield* untilNoon(path)
        const sent = Object(at(yield* act("resend"), "data"))
        assert.deepStrictEqual([sent.status, sent.expiryDate], ["SENT", dayAfter(sent.sentAt, 2)])
        assert.deepStrictEqual(yield* read(path), sent)
        const { remindedAt, updatedAt, ...reminded } = Object(at(yield* act("remind"), "data"))
        assert.deepStrictEqual({ ...reminded, updatedAt: sent.updatedAt }, sent)
        assert.strictEqual(updatedAt, remindedAt)
        yield* daysPass(3)
        const expired = yield* read(path)
        assert.strictEqual(expired.status, "EXPIRED")
        assert.deepStrictEqual(yield* ids(collection, { [`${type}Id`]: person, status: "EXPIRED" }), [expired.id])
        // A body from GET can be sent back, and writes nothing.
        for (const send of [put, patch]) assert.deepStrictEqual(at(yield* send(path, expired), "data"), expired)
        assertRefused(yield* act("remind"), "UNPROCESSABLE", "resend")
        const cancelled = Object(at(yield* act("cancel"), "data"))
        assert.deepStrictEqual([cancelled.status, cancelled.expiryDate], ["CANCELLED", undefined])
        assertStatus(yield* act("cancel"), 200)
        assertRefused(yield* act("resend"), "UNPROCESSABLE", "CANCELLED")
        assertRefused(yield* patch(path, { message: "Other" }), "UNPROCESSABLE", "CANCELLED")
        assert.deepStrictEqual(yield* read(path), cancelled)
        const entries = dataOf(yield* get(`/audit-events?entityType=${entity}&entityId=${cancelled.id}`))
        const told = entries.map((entry) => [Object(entry).operation, Object(entry).action].join(" "))
        assert.sameMembers(told, ["CREATE create", "UPDATE resend", "UPDATE remind", "UPDATE cancel"])
        assertStatus(yield* remove(path), 204)
        for (const action of ["resend", "remind", "cancel"] as const) assertRefused(yield* act(action), "NOT_FOUND")
      })
    )

    it.effect(`every change that adds to a person's holdings completes ${collection}`, () =>
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
          "exemption that is created": (person) => exempt(person),
          "exemption that is changed": Effect.fnUntraced(function* (person) {
            const id = yield* exempt(person, { exemptedCredentialTypes: undefined })
            assertStatus(yield* patch(`/exemptions/${id}`, { exemptedCredentialTypes: ["FIRST_AID"] }), 200)
          })
        }
        const byReview = yield* asked({}, [reviewed.credentialType])
        const queued = yield* verified(byReview.owner, reviewed, "QUEUED_MANUAL")
        assert.strictEqual(yield* statusOf(byReview.path), "INITIATED")
        assertStatus(yield* post(`/credentials/${queued}/review`, { statusDetail: "VALID" }), 200)
        assert.strictEqual(yield* statusOf(byReview.path), "COMPLETED")
        for (const [way, hold] of Object.entries(ways)) {
          const { path, person } = yield* asked()
          const late = `/${collection}/${yield* make(person, {}, ["FIRST_AID", "WWCC_NSW"])}`
          yield* hold(person, yield* another())
          assert.strictEqual(yield* statusOf(path), "COMPLETED", way)
          assert.strictEqual(yield* statusOf(late), "IN_PROGRESS", way)
        }
      })
    )

    it.effect(`${collection} are completed at the creation, and expired ones when they are reopened or reminded`, () =>
      Effect.gen(function* () {
        const { owner, path: resent, person } = yield* asked({ expiryDays: 2 })
        const extended = `/${collection}/${yield* make(person, { expiryDays: 2 })}`
        yield* daysPass(3)
        yield* credential(owner)
        for (const path of [resent, extended]) assert.strictEqual(yield* statusOf(path), "EXPIRED")
        assert.strictEqual(at(yield* patch(extended, { message: "Please" }), "data.status"), "EXPIRED")
        assert.strictEqual(at(yield* post(`${resent}/resend`), "data.status"), "COMPLETED")
        assert.strictEqual(at(yield* patch(extended, { expiryDays: 90 }), "data.status"), "COMPLETED")
        const made = yield* read(`/${collection}/${yield* make(person)}`)
        assert.deepStrictEqual([made.status, made.expiryDate, made.updatedAt], ["COMPLETED", undefined, made.createdAt])

        // An exemption that comes into force changes nothing by itself.
        const { path: reminded, person: later } = yield* asked()
        const tomorrow = new Date(Date.parse((yield* read(reminded)).expiryDate) - 13 * dayMillis)
        yield* exempt(later, { issueDate: tomorrow.toISOString().slice(0, 10) })
        yield* daysPass(1)
        assert.strictEqual(yield* statusOf(reminded), "INITIATED")
        assert.strictEqual(at(yield* post(`${reminded}/remind`), "data.status"), "COMPLETED")
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
})
