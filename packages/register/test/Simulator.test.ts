import { assert, describe, it } from "@effect/vitest"
import { conclusiveDetails, statusDetails } from "@wcs/domain/holding/Verification"
import { dayAt, defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { dayAfter } from "@wcs/domain/shared/Instant"
import * as Simulator from "@wcs/register/Simulator"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { asked, askedOf, questionAbout } from "./Questions.ts"
import { table } from "./Readme.ts"

/** The answer to an identifier, and its latency in milliseconds. */
const said = (identifier: string | null) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const fiber = yield* Effect.forkChild(
      Effect.zip(askedOf(Simulator.layer(), questionAbout(identifier)), Clock.currentTimeMillis)
    )
    yield* TestClock.adjust("1 minute")
    const [answer, ended] = yield* Fiber.join(fiber)
    return { answer, millis: ended - began }
  })

const isFault = (says: string) => (statusDetails.ERROR as ReadonlyArray<string>).includes(says)

/** The expected answer of a row, computed independently of the simulator. */
const expected = ({ expiresInDays, latencyMillis, says }: Omit<Simulator.Simulated, "digits">, now: number) => ({
  answer: isFault(says)
    ? { fault: says, isTransient: says !== "INTERNAL_ERROR" }
    : {
        _tag: "Found",
        statusDetail: says,
        expiryDate: expiresInDays === null ? null : dayAfter(dayAt(now, defaultTimeZone), expiresInDays)
      },
  millis: latencyMillis ?? 10
})

const dayInWords = (days: number | null): string => {
  if (days === null) return "none"
  if (days === 0) return "today"
  if (days === -1) return "yesterday"
  return days > 0 ? `in ${days} days` : `${-days} days ago`
}

describe("the simulator", () => {
  for (const row of Simulator.simulated) {
    it.effect(`answers ${row.says} to identifiers that end in ${row.digits}`, () =>
      Effect.gen(function* () {
        // 00:30 in Sydney, while it is still the previous day in UTC.
        yield* TestClock.setTime(Date.parse("2026-03-31T13:30:00Z"))
        assert.deepStrictEqual(yield* said(`WWC12345${row.digits}E`), expected(row, Date.parse("2026-03-31T13:30:00Z")))
      })
    )
  }

  for (const identifier of [null, "", "none", "no digits", "1234599", "00", "٣٤"]) {
    it.effect(`answers VALID to ${JSON.stringify(identifier)}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* said(identifier), expected(Simulator.usual, 0))
      })
    )
  }

  it("uses the last two digits, wherever they are", () => {
    const saying = (identifier: string) => Simulator.simulatedFor(identifier).says
    assert.strictEqual(saying("15"), "BARRED")
    assert.strictEqual(saying("1-5E"), "BARRED")
    assert.strictEqual(saying("1234561/5"), "BARRED")
    assert.strictEqual(saying("151"), "VALID")
    assert.strictEqual(saying("2"), "VALID_EXPIRING")
  })

  it("can give every answer of a register, and every fault", () => {
    // Not asked without a source, so no register says it.
    const says = new Set<string>(["SOURCE_NOT_CONFIGURED", ...Simulator.simulated.map((row) => row.says)])
    assert.deepStrictEqual(
      [...conclusiveDetails, ...statusDetails.ERROR].filter((detail) => !says.has(detail)),
      []
    )
    assert.strictEqual(new Set(Simulator.simulated.map(({ digits }) => digits)).size, Simulator.simulated.length)
  })

  it.effect("uses the default latency unless the table says otherwise", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        Effect.provide(asked(questionAbout(null)), Simulator.layer({ latencyMillis: 250 }))
      )
      yield* TestClock.adjust(249)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepInclude(yield* Fiber.join(fiber), { statusDetail: "VALID" })
    })
  )

  it("is shown completely in README.md", () => {
    const rows = Simulator.simulated.map(({ digits, expiresInDays, latencyMillis, says }) => [
      `\`${digits}\``,
      `\`${says}\``,
      dayInWords(expiresInDays),
      latencyMillis === undefined ? "" : `${latencyMillis} ms`
    ])
    const others = ["any other, and none", `\`${Simulator.usual.says}\``, dayInWords(Simulator.usual.expiresInDays), ""]
    assert.deepStrictEqual(table("last two digits", "says", "last day of validity", "takes"), [...rows, others])
  })
})
