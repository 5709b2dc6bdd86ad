import { assert, describe, it } from "@effect/vitest"
import {
  type AnswerAccess,
  asked,
  bound,
  codeMillis,
  codePauseMillis,
  codesMax,
  codesPerDay,
  devicesMax,
  entered,
  linksMax,
  noAccess,
  standingOf,
  triesMax,
  withCode,
  withLink
} from "@wcs/domain/answer/AnswerAccess"
import * as fc from "fast-check"

const start = Date.UTC(2026, 0, 31)
const day = 86_400_000

const right = "right code"

type Act =
  | { readonly does: "open" | "enter"; readonly device: string; readonly code: string }
  | { readonly does: "ask" | "mint" | "link" }

const act: fc.Arbitrary<Act & { readonly after: number }> = fc.record({
  does: fc.constantFrom("open", "enter", "ask", "mint", "link"),
  device: fc.constantFrom("phone", "thief"),
  code: fc.constantFrom(right, "wrong"),
  after: fc.integer({ min: 0, max: codeMillis })
}) as fc.Arbitrary<Act & { readonly after: number }>

const run = (access: AnswerAccess, one: Act, now: number): AnswerAccess => {
  switch (one.does) {
    case "open":
      return bound(access, one.device) ?? access
    case "enter":
      return entered(access, one.code, one.device, now).next
    case "ask":
      return asked(access, now) ?? access
    case "mint":
      return withCode(access, right, now) ?? access
    case "link":
      return withLink(access, `link ${now}`)
  }
}

describe("threat 82: the access to the page of a request", () => {
  it("binds the first device, and no other without an open code", () => {
    assert.strictEqual(standingOf(noAccess, undefined), "first")
    const first = bound(noAccess, "phone") ?? assert.fail()
    assert.strictEqual(standingOf(first, "phone"), "bound")
    assert.strictEqual(standingOf(first, undefined), "foreign")
    assert.isUndefined(bound(first, "thief"))
    assert.strictEqual(bound(first, "phone"), first)
  })

  it("gives no device the place of another, in any history without a right code", () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        let [access, now] = [noAccess, start]
        for (const one of acts) {
          now += one.after
          const isRight = one.does === "enter" && one.code === right
          const before = access
          access = run(access, one, now)
          const isNew = access.devices.some((device) => !before.devices.includes(device))
          if (isNew) assert.isTrue((one.does === "open" && before.devices.length === 0) || isRight)
          assert.isAtMost(access.devices.length, devicesMax)
          assert.isAtMost(access.links.length, linksMax)
          assert.isAtMost(access.codes.length, codesMax)
          assert.isAtMost(access.askedAt.filter((at) => at > now - day).length, codesPerDay)
        }
      })
    )
  })

  it("accepts a code once, within its life, and after few wrong ones", () => {
    const open = withCode(asked(noAccess, start) ?? assert.fail(), right, start) ?? assert.fail()
    assert.isTrue(entered(open, right, "tablet", start + codeMillis - 1).isBound)
    assert.isFalse(entered(open, right, "tablet", start + codeMillis).isBound)
    assert.isFalse(entered(entered(open, right, "tablet", start).next, right, "thief", start).isBound)
    const tried = (times: number) =>
      Array.from({ length: times }).reduce<AnswerAccess>(
        (access) => entered(access, "wrong", "thief", start).next,
        open
      )
    assert.isTrue(entered(tried(triesMax - 1), right, "tablet", start).isBound)
    assert.isFalse(entered(tried(triesMax), right, "tablet", start).isBound)
    // A code that is minted for a further attempt of the same message gives no further tries.
    assert.isFalse(entered(withCode(tried(triesMax), right, start) ?? noAccess, right, "thief", start).isBound)
  })

  it("sends few codes, with a pause, and none that nobody asked for", () => {
    assert.isUndefined(withCode(noAccess, right, start))
    const once = asked(noAccess, start) ?? assert.fail()
    assert.isUndefined(asked(once, start + codePauseMillis - 1))
    let [access, now] = [noAccess, start]
    for (let count = 0; count < codesPerDay; count++) {
      access = asked(access, now) ?? assert.fail()
      now += codePauseMillis
    }
    assert.isUndefined(asked(access, now))
    assert.isDefined(asked(access, start + day))
  })
})
