import { assert, describe, it } from "@effect/vitest"
import { bearerKinds } from "@wcs/domain/access/Caller"
import { stepUpLimitMillis } from "@wcs/domain/session/Session"
import { check } from "@wcs/domain/session/StepUp"
import { Result } from "effect"

const now = Date.UTC(2026, 5, 1)

const outcome = (kind: (typeof bearerKinds)[number], takesTokens: boolean, age?: number) => {
  const caller = { bearer: { kind, id: "id" }, ...(age === undefined ? {} : { authenticatedAt: now - age }) }
  return Result.match(check({ takesTokens }, caller, now), {
    onSuccess: () => "allowed",
    onFailure: ({ _tag }) => _tag
  })
}

describe("StepUp.check", () => {
  it("needs an authentication of the last 15 minutes for a session", () => {
    for (const takesTokens of [true, false]) {
      assert.strictEqual(outcome("session", takesTokens, stepUpLimitMillis - 1), "allowed")
      assert.strictEqual(outcome("session", takesTokens, stepUpLimitMillis), "StepUpNeeded")
      assert.strictEqual(outcome("session", takesTokens), "StepUpNeeded")
    }
  })

  it("refuses an external identity provider's token, because its user did not authenticate here", () => {
    assert.strictEqual(outcome("external", true), "StepUpNeeded")
    assert.strictEqual(outcome("external", false), "StepUpNeeded")
  })

  it("accepts other tokens always, or never", () => {
    for (const kind of bearerKinds.filter((kind) => kind !== "session" && kind !== "external")) {
      assert.strictEqual(outcome(kind, true), "allowed")
      assert.strictEqual(outcome(kind, false), "NotASession")
      assert.strictEqual(outcome(kind, false, 0), "NotASession")
    }
  })
})
