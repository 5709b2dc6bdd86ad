import { assert, describe, it } from "@effect/vitest"
import * as SecondFactor from "@wcs/domain/second-factor/SecondFactor"
import * as fc from "fast-check"

const start = Date.UTC(2026, 5, 1)

const factor: SecondFactor.SecondFactor = {
  tenantId: "tnt_1",
  accountId: "acc_1",
  sealedSeed: "v1.sealed",
  createdAt: start,
  confirmedAt: start,
  lastStep: 100,
  recoveryHashes: ["one", "two"],
  failures: []
}

describe("SecondFactor", () => {
  it("AUT-17: a login needs an app for Super Admins, short passwords, and from the day of the organization on", () => {
    const [short, long] = ["a".repeat(14), "a".repeat(15)]
    const rows: ReadonlyArray<readonly [Parameters<typeof SecondFactor.isRequired>, boolean]> = [
      [["Viewer", long, false], false],
      [["Viewer", short, false], true],
      [["Super Admin", long, false], true],
      [["Viewer", long, true], true],
      [[{ role: "Viewer", units: [] }, long, true], true]
    ]
    for (const [given, expected] of rows) assert.strictEqual(SecondFactor.isRequired(...given), expected, String(given))
    assert.isFalse(SecondFactor.isRequiredOfAll(undefined, "2026-01-31"))
    assert.isFalse(SecondFactor.isRequiredOfAll("2026-02-01", "2026-01-31"))
    assert.isTrue(SecondFactor.isRequiredOfAll("2026-01-31", "2026-01-31"))
    assert.isTrue(SecondFactor.isRequiredOfAll("2026-01-31", "2026-02-01"))
  })

  it("tells the time of a code, to the step", () => {
    assert.isNull(SecondFactor.timeOfStep(0))
    assert.strictEqual(SecondFactor.timeOfStep(SecondFactor.stepOf(start + 29_999)), start)
  })

  it("AUT-17: accepts only six ASCII digits as a code", () => {
    assert.isTrue(SecondFactor.isCode("012345"))
    for (const text of ["", "12345", "1234567", " 123456", "123456\n", "１２３４５６", "12345a", "-12345", "1e2345"]) {
      assert.isFalse(SecondFactor.isCode(text), JSON.stringify(text))
    }
  })

  const spellings: ReadonlyArray<readonly [typed: string, code: string]> = [
    ["123456", "123456"],
    ["123 456", "123456"],
    [" 123-456\n", "123456"],
    ["12\u00a034\u201356", "123456"],
    [" ABCD-efgh 2345\u2011mnop ", "abcdefgh2345mnop"]
  ]
  it.each(spellings)("AUT-17: ignores spaces, dashes and case in %j", (typed, code) => {
    assert.strictEqual(SecondFactor.normalizeCode(typed), code)
  })

  it("AUT-17: codes change every 30 seconds, and adjacent steps are accepted", () => {
    assert.strictEqual(SecondFactor.stepOf(59_999), 1)
    assert.strictEqual(SecondFactor.stepOf(60_000), 2)
    assert.deepStrictEqual(SecondFactor.stepsAround(60_000), [2, 1, 3])
  })

  it("accepts a step once, and no earlier step", () => {
    assert.isUndefined(SecondFactor.takeStep(factor, 99))
    assert.isUndefined(SecondFactor.takeStep(factor, 100))
    assert.deepStrictEqual(SecondFactor.takeStep(factor, 101), { ...factor, lastStep: 101 })
  })

  it("accepts a recovery code once", () => {
    assert.strictEqual(SecondFactor.showRecoveryCode("abcdefgh2345mnop"), "abcd-efgh-2345-mnop")
    const after = SecondFactor.takeRecoveryCode(factor, "one")
    assert.deepStrictEqual(after, { ...factor, recoveryHashes: ["two"] })
    assert.isUndefined(after && SecondFactor.takeRecoveryCode(after, "one"))
  })

  it("creates recovery codes of 80 bits", () => {
    assert.strictEqual(SecondFactor.recoveryCodeLength * Math.log2(SecondFactor.recoveryAlphabet.length), 80)
  })

  it("is not in force before the enrolment is confirmed", () => {
    assert.isTrue(SecondFactor.isInForce(factor))
    assert.isFalse(SecondFactor.isInForce({ ...factor, confirmedAt: null }))
    assert.isFalse(SecondFactor.isInForce(null))
  })
})

/** An attempt: the device, the delay since the last one, and whether the code is right. */
const attempt = fc.record({
  device: fc.constantFrom(null, "one", "two"),
  afterSeconds: fc.nat(900),
  isRight: fc.boolean()
})

describe("SecondFactor.judge", () => {
  it("checks at most five wrong codes per device and window, and no device locks another", () => {
    fc.assert(
      fc.property(fc.array(attempt, { maxLength: 60 }), (attempts) => {
        let current = factor
        let now = start
        const wrong = new Map<string | null, Array<number>>()
        for (const { afterSeconds, device, isRight } of attempts) {
          now += afterSeconds * 1000
          const recent = (wrong.get(device) ?? []).filter((at) => now < at + 3600_000)
          const judged = SecondFactor.judge(current, device, now, isRight ? current : undefined)
          if (judged._tag === "Limited") assert.isAtLeast(recent.length, 5)
          else {
            current = judged.next
            if (judged._tag === "Wrong") wrong.set(device, [...recent, now])
            else wrong.delete(device)
          }
          if (recent.length === 0) assert.notStrictEqual(judged._tag, "Limited")
        }
      })
    )
  })

  it("refuses the sixth code of the hour even if right, and accepts codes afterwards", () => {
    let current = factor
    for (let count = 0; count < 5; count++) {
      const judged = SecondFactor.judge(current, null, start + count, undefined)
      assert.strictEqual(judged._tag, "Wrong")
      current = judged._tag === "Wrong" ? judged.next : current
    }
    assert.strictEqual(SecondFactor.judge(current, null, start + 10, current)._tag, "Limited")
    assert.strictEqual(SecondFactor.judge(current, "known", start + 10, current)._tag, "Taken")
    assert.strictEqual(SecondFactor.judge(current, null, start + 3600_000, current)._tag, "Taken")
  })

  it("counts at most ten devices separately", () => {
    let current = factor
    for (let device = 0; device < 30; device++) {
      const judged = SecondFactor.judge(current, String(device), start, undefined)
      if (judged._tag === "Wrong") current = judged.next
    }
    assert.lengthOf(current.failures, SecondFactor.deviceWindowsMax)
  })
})
