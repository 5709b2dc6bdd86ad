import { assert, describe, it } from "@effect/vitest"
import { RegisterFailed } from "@wcs/domain/verification/Register"
import {
  afterEvent,
  resultOf,
  resultTexts,
  type SourceEvent,
  type SourceResult,
  testResultOf,
  type VerificationSourceFields
} from "@wcs/domain/verification/VerificationSource"
import { Result } from "effect"
import * as fc from "fast-check"

const at = Date.UTC(2026, 0, 31, 9, 30)

const fresh: VerificationSourceFields = {
  credentialType: "WWCC_SA",
  url: "https://gateway.example.org/",
  intervalDays: 7,
  limits: { callsPerMinute: 60 },
  state: "NOT_CONFIGURED",
  lastSuccessAt: null,
  lastFault: null,
  lastResult: "OK",
  isPaused: false,
  sealedSecret: ""
}

const asked = (result: SourceResult, minutes = 0): SourceEvent => ({
  _tag: "Asked",
  result,
  at: at + minutes * 60_000
})
const written = (secret?: string): SourceEvent => ({ _tag: "Written", secret })
const paused: SourceEvent = { _tag: "Paused" }
const resumed: SourceEvent = { _tag: "Resumed" }

const history = (...events: ReadonlyArray<SourceEvent>) => events.reduce(afterEvent, fresh)

describe("the state of a verification source", () => {
  it.each<readonly [string, ReadonlyArray<SourceEvent>]>([
    ["NOT_CONFIGURED", [written()]],
    ["OK", [written("sealed")]],
    ["OK", [written("sealed"), asked("OK")]],
    ["AWAY", [written("sealed"), asked("TIMEOUT")]],
    ["AWAY", [written("sealed"), asked("UNREACHABLE")]],
    ["REFUSED", [written("sealed"), asked("SECRET_REFUSED")]],
    ["REFUSED", [written("sealed"), asked("QUESTION_REFUSED")]],
    ["REFUSED", [written("sealed"), asked("UNREADABLE_ANSWER")]],
    ["REFUSED", [written("sealed"), asked("WRONG_ADDRESS")]],
    ["REFUSED", [written("sealed"), asked("SECRET_REFUSED"), written()]],
    ["OK", [written("sealed"), asked("SECRET_REFUSED"), written("another")]],
    ["OK", [written("sealed"), asked("TIMEOUT"), asked("OK")]],
    ["PAUSED", [written("sealed"), paused]],
    ["PAUSED", [written("sealed"), paused, asked("TIMEOUT")]],
    ["AWAY", [written("sealed"), asked("TIMEOUT"), paused, resumed]],
    ["NOT_CONFIGURED", [paused, resumed]]
  ])("is %s after %j", (state, events) => {
    assert.strictEqual(history(...events).state, state)
  })

  it("keeps the last success and the last fault apart", () => {
    const { lastFault, lastSuccessAt } = history(written("sealed"), asked("OK"), asked("SECRET_REFUSED", 1))
    assert.strictEqual(lastSuccessAt, "2026-01-31T09:30:00.000Z")
    const message = resultTexts.SECRET_REFUSED
    assert.deepStrictEqual(lastFault, { result: "SECRET_REFUSED", message, at: "2026-01-31T09:31:00.000Z" })
  })

  it.each(["OK", "TIMEOUT"] as const)("writes equal results %s once an hour", (result) => {
    const first = history(written("sealed"), asked(result))
    assert.deepStrictEqual(afterEvent(first, asked(result, 59)), first)
    assert.notDeepEqual(afterEvent(first, asked(result, 60)), first)
  })

  it("is PAUSED while it is paused, and NOT_CONFIGURED only without a secret, after any history", () => {
    const event = fc.oneof(
      fc.constantFrom(...(Object.keys(resultTexts) as Array<SourceResult>)).map((result) => asked(result)),
      fc.constantFrom(written(), written("sealed"), paused, resumed)
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), (events) => {
        const { isPaused, sealedSecret, state } = history(...events, written())
        assert.strictEqual(state === "PAUSED", isPaused)
        assert.strictEqual(state === "NOT_CONFIGURED", !isPaused && sealedSecret === "")
      })
    )
  })
})

describe("the result of a question", () => {
  const failed = (facts: Partial<RegisterFailed>) =>
    Result.fail(new RegisterFailed({ fault: "INTERNAL_ERROR", isTransient: false, detail: "", ...facts }))

  it.each([
    ["OK", Result.succeed({ _tag: "Found", statusDetail: "BARRED", expiryDate: null } as const)],
    ["TIMEOUT", failed({ fault: "SOURCE_TIMEOUT" })],
    ["UNREACHABLE", failed({ fault: "SOURCE_UNAVAILABLE" })],
    ["SECRET_REFUSED", failed({ refused: "secret" })],
    ["QUESTION_REFUSED", failed({ refused: "question" })],
    ["WRONG_ADDRESS", failed({ refused: "address" })],
    ["UNREADABLE_ANSWER", failed({})]
  ] as const)("is %s, also in a test, where only the question may be refused", (result, answer) => {
    assert.strictEqual(resultOf(answer), result)
    assert.strictEqual(testResultOf(answer), result === "QUESTION_REFUSED" ? "OK" : result)
  })
})
