import { assert, describe, it } from "@effect/vitest"
import { isGivenBack } from "@wcs/conformance/walks/access/RateWindow"
import { exchangeOf } from "../Exchanges.ts"

const limit = 10

const burst = (...remaining: ReadonlyArray<number>) => burstOf(limit, ...remaining)
const burstOf = (told: number, ...remaining: ReadonlyArray<number>) =>
  remaining.map((one) =>
    exchangeOf({ answer: { headers: { "x-ratelimit-limit": String(told), "x-ratelimit-remaining": String(one) } } })
  )

const givenBack = {
  "a window ends between bursts": [burst(9, 8, 7, 6), burst(9, 7, 8, 6)],
  "a window ends within a burst": [burst(9, 8, 7), burst(6, 9, 8)],
  "a window ends after an exhausted limit": [burst(2, 1, 0), burst(2, 1, 0)]
}

const kept = {
  "less and less remains": [burst(9, 8, 7), burst(5, 6, 4)],
  "nothing remains but calls still succeed": [burst(2, 1, 0, 0), burst(2, 1, 0, 0)],
  "more remains of another limit": [burst(9, 8, 7), burstOf(100, 99, 98)],
  "the remainder never changes": [burst(9, 9), burst(9, 9)],
  "answers have no limits": [[exchangeOf({})], [exchangeOf({})]],
  "there were no calls": []
}

describe("RTL-04: a limit that was not reached", () => {
  for (const [what, bursts] of Object.entries(givenBack)) {
    it(`was reset when ${what}`, () => assert.isTrue(isGivenBack(limit, bursts)))
  }
  for (const [what, bursts] of Object.entries(kept)) {
    it(`was not reset when ${what}`, () => assert.isFalse(isGivenBack(limit, bursts)))
  }
})
