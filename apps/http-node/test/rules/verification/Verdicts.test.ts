import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, at, credential, textAt, verifiable, verified, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertStatus, dataOf, get, idsOf, patch, post, put } from "../NewerSurface.ts"

/** Identifiers by the simulator's answer. */
const expired = "WWC0000010E" // with the date of 30 days ago
const valid = "WWC0000001E" // without a date
const suspended = "WWC0000011E" // with a date in a year
const slow = "WWC0000052E" // VALID with a date in two years, after a second

const path = (id: string): string => `/credentials/${id}`

const attributesOf = (answer: Answer): Record<string, unknown> => Object(at(answer, "data.attributes"))

const reading = (answer: Answer): ReadonlyArray<unknown> => {
  const { eligibility, expiryDate, statusDetail } = attributesOf(answer)
  return [eligibility, statusDetail, expiryDate]
}

const isAwaited = (answer: Answer): boolean => at(answer, "data.attributes.eligibility") === "IN_PROGRESS"

/** Polls until there is a verdict. */
const settled = (id: string) => Effect.repeat(get(path(id)), { until: (answer) => !isAwaited(answer) })

/** A new credential after its first verification. */
const card = Effect.fnUntraced(function* (identifier: string, attributes: Readonly<Record<string, unknown>> = {}) {
  const id = yield* credential({ worker: yield* worker() }, { ...verifiable, identifier, ...attributes })
  yield* settled(id)
  return id
})

const history = Effect.fnUntraced(function* (id: string) {
  return dataOf(yield* get(`${path(id)}/verifications`)).map(Object)
})

const change = Effect.fnUntraced(function* (id: string, attributes: Readonly<Record<string, unknown>>) {
  const answer = yield* patch(path(id), { attributes })
  assertStatus(answer, 200)
  return answer
})

const mayEngage = ["MAY_ENGAGE", "VALID", undefined]

layer(layerService(), { excludeTestServices: true })("a verdict belongs to one state of the card", (it) => {
  it.effect("a changed identifier resets the verdict, without the old date", () =>
    Effect.gen(function* () {
      const id = yield* card(expired)
      const [eligibility, statusDetail, date] = reading(yield* get(path(id)))
      assert.deepStrictEqual([eligibility, statusDetail], ["MAY_NOT_ENGAGE", "EXPIRED"])
      assert.isString(date)
      assert.deepStrictEqual(reading(yield* change(id, { identifier: valid })), ["IN_PROGRESS", "PENDING", undefined])
      const answer = yield* post(`${path(id)}/verify`, { forceRefresh: true })
      const { data } = Object(answer.json)
      assert.deepStrictEqual([data.eligibility, data.statusDetail, data.expiryDate], ["MAY_ENGAGE", "VALID", null])
      const fresh = yield* card(valid)
      assert.deepStrictEqual(reading(yield* get(path(id))), mayEngage)
      assert.deepStrictEqual(reading(yield* get(path(fresh))), mayEngage)
    })
  )

  it.effect("a change of the card starts a verification and returns its correlation id", () =>
    Effect.gen(function* () {
      for (const attributes of [
        { identifier: suspended },
        { credentialType: "WWCC_VIC" },
        { issueNumber: "2" },
        { holder: { lastName: "Example" } }
      ]) {
        const id = yield* card(valid)
        const answer = yield* change(id, attributes)
        const correlationId = textAt(answer, "meta.correlationId")
        assert.strictEqual(at(answer, "data.attributes.lastCorrelationId"), correlationId)
        assert.notProperty(attributesOf(answer), "lastVerifiedAt")
        const after = yield* settled(id)
        const [, second, ...others] = yield* history(id)
        assert.deepStrictEqual(
          [second.trigger, second.correlationId, second.requestId, others.length],
          ["update", correlationId, answer.headers["x-request-id"], 0]
        )
        assert.deepStrictEqual(
          [second.eligibility, second.statusDetail, second.verifiedAt],
          [
            attributesOf(after)["eligibility"],
            attributesOf(after)["statusDetail"],
            attributesOf(after)["lastVerifiedAt"]
          ]
        )
      }
    })
  )

  it.effect("a PUT of another card starts a verification, and a change of other fields starts none", () =>
    Effect.gen(function* () {
      const id = yield* card(valid)
      const replaced = yield* put(path(id), { attributes: { credentialType: "WWCC_NSW", identifier: suspended } })
      assert.isString(at(replaced, "meta.correlationId"))
      assert.strictEqual(reading(yield* settled(id))[1], "SUSPENDED")
      for (const attributes of [
        { category: "Employee" },
        { expiryDate: "2999-12-31" },
        { issueDate: "2026-01-31" },
        { identifier: suspended }
      ]) {
        const answer = yield* change(id, attributes)
        assert.isUndefined(at(answer, "meta.correlationId"))
        assert.strictEqual(reading(answer)[1], "SUSPENDED")
      }
      assert.lengthOf(yield* history(id), 2)
    })
  )

  it.effect(
    "a change to a verifiable type starts a verification, a change to another type clears verdict and date",
    () =>
      Effect.gen(function* () {
        const id = yield* card(expired)
        const plain = yield* change(id, { credentialType: "FIRST_AID" })
        assert.isUndefined(at(plain, "meta.correlationId"))
        assert.deepStrictEqual(reading(plain), [undefined, undefined, undefined])
        const again = yield* change(id, { credentialType: "WWCC_NSW" })
        assert.isString(at(again, "meta.correlationId"))
        assert.strictEqual(reading(yield* settled(id))[1], "EXPIRED")
      })
  )

  it.effect("an answer in flight about the old card is not applied to the new one", () =>
    Effect.gen(function* () {
      const id = yield* credential({ worker: yield* worker() }, { ...verifiable, identifier: slow })
      assertStatus(yield* change(id, { identifier: valid }), 200)
      assert.deepStrictEqual(reading(yield* settled(id)), mayEngage)
      const all = yield* history(id)
      assert.deepStrictEqual(
        all.map(({ expiryDate, statusDetail, trigger }) => [trigger, statusDetail, expiryDate]),
        [
          ["create", "VALID", null],
          ["update", "VALID", null]
        ]
      )
    })
  )

  it.effect("an outcome of the old card is not reused for the new one", () =>
    Effect.gen(function* () {
      const id = yield* card(suspended)
      yield* change(id, { identifier: valid })
      const { data } = Object((yield* post(`${path(id)}/verify`)).json)
      assert.deepStrictEqual([data.statusDetail, data.expiryDate], ["VALID", null])
    })
  )

  it.effect("no list of expiring credentials has the old card's date", () =>
    Effect.gen(function* () {
      const holder = yield* worker()
      const id = yield* verified({ worker: holder }, { ...verifiable, identifier: expired }, "EXPIRED")
      const expiring = `/credentials?ownerType=worker&ownerId=${holder}&expiringBefore=2999-12-31`
      assert.deepStrictEqual(idsOf(yield* get(expiring)), [id])
      yield* change(id, { identifier: valid })
      assert.deepStrictEqual(idsOf(yield* get(expiring)), [])
    })
  )
})

layer(layerService(), { excludeTestServices: true })("the origin of an expiry date", (it) => {
  it.effect("keeps a declared date when the card changes, and when a register gives none", () =>
    Effect.gen(function* () {
      const id = yield* card(valid, { expiryDate: "2999-12-31" })
      assert.deepStrictEqual(reading(yield* get(path(id))), ["MAY_ENGAGE", "VALID", "2999-12-31"])
      yield* change(id, { issueNumber: "2" })
      assert.deepStrictEqual(reading(yield* settled(id)), ["MAY_ENGAGE", "VALID", "2999-12-31"])
    })
  )

  it.effect("clears a register's date that replaced a declared one when the card changes", () =>
    Effect.gen(function* () {
      const id = yield* card(suspended, { expiryDate: "2999-12-31" })
      assert.notStrictEqual(reading(yield* get(path(id)))[2], "2999-12-31")
      yield* change(id, { identifier: valid })
      assert.deepStrictEqual(reading(yield* settled(id)), mayEngage)
    })
  )

  it.effect("keeps a date that a person declares after a register's, until a register gives another", () =>
    Effect.gen(function* () {
      const id = yield* card(suspended)
      const given = reading(yield* get(path(id)))[2]
      assert.strictEqual(reading(yield* change(id, { expiryDate: "2999-12-31" }))[2], "2999-12-31")
      yield* post(`${path(id)}/verify`, { forceRefresh: true })
      assert.strictEqual(reading(yield* get(path(id)))[2], given)
      yield* change(id, { identifier: valid, expiryDate: "2999-12-30" })
      assert.deepStrictEqual(reading(yield* settled(id)), ["MAY_ENGAGE", "VALID", "2999-12-30"])
      assert.deepStrictEqual(reading(yield* change(id, { expiryDate: null })), mayEngage)
    })
  )

  it.effect("is kept by a PUT of the body from GET", () =>
    Effect.gen(function* () {
      for (const [identifier, attributes, kept] of [
        [suspended, {}, undefined],
        [valid, { expiryDate: "2999-12-31" }, "2999-12-31"]
      ] as const) {
        const id = yield* card(identifier, attributes)
        const before = yield* get(path(id))
        const same = yield* put(path(id), at(before, "data"))
        assertStatus(same, 200)
        assert.deepStrictEqual(at(same, "data"), at(before, "data"))
        assert.deepStrictEqual(Object.keys(Object(at(same, "meta"))), ["requestId"])
        const other = { ...attributesOf(before), category: "Employee" }
        assertStatus(yield* put(path(id), { ...Object(at(before, "data")), attributes: other }), 200)
        assert.strictEqual(reading(yield* change(id, { issueNumber: "2" }))[2], kept)
      }
    })
  )

  it.effect("ENV-16: a repeated PUT of another card with the old card's date changes nothing", () =>
    Effect.gen(function* () {
      const id = yield* card(expired)
      const { data } = Object((yield* get(path(id))).json)
      const body = { ...data, attributes: { ...data.attributes, credentialType: "WWCC_VIC", identifier: valid } }
      const once = yield* put(path(id), body)
      assertStatus(once, 200)
      assert.isUndefined(reading(once)[2])
      assert.strictEqual(at(once, "data.attributes.jurisdiction"), "VIC")
      assert.include(String(at(once, "meta.warnings")), "attributes.expiryDate")
      const before = yield* settled(id)
      assert.deepStrictEqual(reading(before), mayEngage)
      const again = yield* put(path(id), body)
      assertStatus(again, 200)
      assert.isUndefined(at(again, "meta.correlationId"))
      assert.deepStrictEqual(at(again, "data"), at(before, "data"))
      assert.lengthOf(yield* history(id), 2)
      const { expiryDate } = data.attributes
      assert.strictEqual(reading(yield* change(id, { expiryDate }))[2], expiryDate)
    })
  )

  it.effect("is not in the API, and cannot be written", () =>
    Effect.gen(function* () {
      const id = yield* card(expired)
      yield* change(id, { identifier: suspended })
      const shown = attributesOf(yield* settled(id))
      for (const name of ["expiryDateOrigin", "cleared"]) {
        assert.notProperty(shown, name)
        assertStatus(yield* patch(path(id), { attributes: { [name]: "register" } }), 400)
      }
    })
  )
})
