import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, at, credential, textAt, verifiable, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertStatus, dataOf, get, patch } from "../NewerSurface.ts"

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
})
