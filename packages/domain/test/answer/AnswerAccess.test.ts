import { assert, describe, it } from "@effect/vitest"
import {
  type AnswerAccess,
  asked,
  bound,
  codeLength,
  codeMillis,
  codePauseMillis,
  codesMax,
  codesPerDay,
  entered,
  leaving,
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

const act = fc.record({
  does: fc.constantFrom("open", "enter", "ask", "mint", "link", "leave"),
  device: fc.constantFrom("phone", "thief"),
  code: fc.constantFrom(right, "wrong"),
  after: fc.integer({ min: 0, max: codeMillis })
})
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never

const run = (access: AnswerAccess, one: Act, now: number): AnswerAccess => {
  switch (one.does) {
    case "open":
      return bound(access, one.device) ?? access
    case "enter":
      return entered(access, one.code, one.device, now).next ?? access
    case "ask":
      return asked(access, one.device, now) ?? access
    case "mint":
      return withCode(access, right, now) ?? access
    case "link":
      return withLink(access, `link ${now}`)
    case "leave":
      return leaving(access, one.device) ?? access
  }
}

const phone = bound(noAccess, "phone") ?? noAccess

/** The access after a device has asked for a code, which is minted. */
const coded = (device: string, access = phone, now = start): AnswerAccess =>
  withCode(asked(access, device, now) ?? assert.fail(), right, now) ?? assert.fail()

describe("threat 82: the access to the page of a request", () => {
  it("binds the first device, and no other without an open code", () => {
    assert.strictEqual(standingOf(noAccess, undefined), "first")
    assert.strictEqual(standingOf(phone, "phone"), "bound")
    assert.strictEqual(standingOf(phone, undefined), "foreign")
    assert.isUndefined(bound(phone, "thief"))
    assert.strictEqual(bound(phone, "phone"), phone)
  })

  it("changes the bound device only by a right code of a device that asked, and leaves one device at most", () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        let [access, now] = [noAccess, start]
        for (const one of acts) {
          now += one.after
          const before = access
          access = run(access, one, now)
          if (access.device !== before.device && one.does !== "leave") {
            const hasAsked = before.askers.some(({ device, triesLeft }) => device === one.device && triesLeft > 0)
            const isRight = one.does === "enter" && one.code === right && hasAsked && before.codes.length > 0
            assert.isTrue((one.does === "open" && before.device === null) || isRight)
          }
          assert.isAtMost(access.links.length, linksMax)
          assert.isAtMost(access.codes.length, codesMax)
          assert.isAtMost(access.askers.filter(({ at }) => at > now - day).length, codesPerDay)
        }
      })
    )
  })

  it("gives the person the place of a stranger who was first", () => {
    const stranger = bound(noAccess, "thief") ?? assert.fail()
    const { isBound, next } = entered(coded("phone", stranger), right, "phone", start)
    assert.isTrue(isBound)
    assert.strictEqual(standingOf(next ?? noAccess, "thief"), "foreign")
    assert.strictEqual(standingOf(next ?? noAccess, "phone"), "bound")
  })

  it("binds nobody without a code after a device was left", () => {
    const left = leaving(phone, "phone") ?? assert.fail()
    for (const device of ["phone", "thief"]) assert.isUndefined(bound(left, device))
    assert.isUndefined(leaving(phone, "thief"))
  })

  it("accepts a code once, within its life, from a device that asked, and after few wrong ones", () => {
    const open = coded("tablet")
    assert.isTrue(entered(open, right, "tablet", start + codeMillis - 1).isBound)
    assert.isUndefined(entered(open, right, "tablet", start + codeMillis).next)
    assert.isUndefined(entered(open, right, "thief", start).next)
    assert.isUndefined(entered(entered(open, right, "tablet", start).next ?? open, right, "tablet", start).next)
    const tried = (times: number, device = "tablet", from = open) =>
      Array.from({ length: times }).reduce<AnswerAccess>(
        (access) => entered(access, "wrong", device, start).next ?? access,
        from
      )
    assert.isTrue(entered(tried(triesMax - 1), right, "tablet", start).isBound)
    assert.isUndefined(entered(tried(triesMax), right, "tablet", start).next)
    // A code that is minted for a further attempt of the same message gives no further tries.
    assert.isUndefined(entered(withCode(tried(triesMax), right, start) ?? noAccess, right, "tablet", start).next)
  })

  it("accepts a code once, also if several devices have asked for it", () => {
    const both = coded("thief", coded("tablet"), start + codePauseMillis)
    const { isBound, next = noAccess } = entered(both, right, "tablet", start + codePauseMillis)
    assert.isTrue(isBound)
    assert.isUndefined(entered(next, right, "thief", start + codePauseMillis).next)
  })

  it("lets a stranger spend no tries of another device", () => {
    const both = coded("thief", coded("tablet"), start + codePauseMillis)
    let access = both
    for (let tries = 0; tries < 2 * triesMax; tries++) access = entered(access, "wrong", "thief", start).next ?? access
    assert.isUndefined(entered(access, right, "thief", start).next)
    assert.isTrue(entered(access, right, "tablet", start).isBound)
  })

  it("compares 25 codes in a day, if a stranger has the link and guesses 100,000, also while new codes are sent", () => {
    let access = phone
    let looked = 0
    let opened = 0
    for (let guess = 0; guess < 100_000; guess++) {
      const now = start + guess * (day / 100_000)
      const asking = asked(access, "thief", now)
      // The message is tried three times, and each attempt mints a code.
      if (asking !== undefined)
        for (const code of ["a", "b", "c"]) access = withCode(code === "a" ? asking : access, code, now) ?? access
      const { isBound, next } = entered(access, `guess ${guess}`, "thief", now)
      if (next !== undefined) looked += 1
      if (isBound) opened += 1
      access = next ?? access
    }
    assert.strictEqual(looked, codesPerDay * triesMax)
    assert.strictEqual(opened, 0)
    // With eight digits: less than one in a million a day.
    assert.isBelow((looked * codesMax) / 10 ** codeLength, 1e-6)
  })

  it("sends few codes, with a pause, and none that nobody asked for or that is not needed", () => {
    assert.isUndefined(withCode(noAccess, right, start))
    assert.isUndefined(asked(noAccess, "thief", start))
    assert.isUndefined(asked(phone, "phone", start))
    const once = asked(phone, "tablet", start) ?? assert.fail()
    assert.isUndefined(asked(once, "tablet", start + codePauseMillis - 1))
    let [access, now] = [phone, start]
    for (let count = 0; count < codesPerDay; count++) {
      access = asked(access, "tablet", now) ?? assert.fail()
      now += codePauseMillis
    }
    assert.isUndefined(asked(access, "tablet", now))
    assert.isDefined(asked(access, "tablet", start + day))
  })
})
