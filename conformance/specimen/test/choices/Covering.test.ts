import { assert, describe, it } from "@effect/vitest"
import { choices, incompatible } from "@wcs/specimen/choices/Choices"
import { coveringOf, leastOf } from "@wcs/specimen/choices/Covering"
import { type Choice, choice } from "@wcs/specimen/choices/Rows"
import { culpritsAmong } from "@wcs/specimen/selftest/ChoiceVerdict"
import { Effect } from "effect"
import * as fc from "fast-check"

type Incompatible = ReadonlyArray<readonly [one: string, other: string]>

/** The value of each point of a table on a server: the name of a choice, or `own POINT`. */
const valuesOn = (table: ReadonlyArray<Choice>, server: ReadonlyArray<Choice>): ReadonlyArray<string> => {
  const points = [...new Set(table.map(({ point }) => point))]
  return points.map((point) => server.find((one) => one.point === point)?.name ?? `own ${point}`)
}

const pairOf = (one: string, other: string): string => [one, other].toSorted().join(" & ")

const pairsOf = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  values.flatMap((one, index) => values.slice(index + 1).map((other) => pairOf(one, other)))

/** Every pair of values of two points. */
const allPairs = (table: ReadonlyArray<Choice>): ReadonlySet<string> => {
  const points = [...Map.groupBy(table, ({ point }) => point)]
  const values = points.map(([point, own]) => [`own ${point}`, ...own.map(({ name }) => name)])
  return new Set(
    values.flatMap((own, index) =>
      own.flatMap((one) => values.slice(index + 1).flatMap((others) => others.map((other) => pairOf(one, other))))
    )
  )
}

/** The pairs of a table that no server has, and those that a server has although they are incompatible. */
const flawsOf = (table: ReadonlyArray<Choice>, excluded: Incompatible) => {
  const together = table.filter(({ isAlone }) => isAlone !== true)
  const servers = coveringOf(table, excluded).filter((server) => server.every(({ isAlone }) => isAlone !== true))
  const seen = new Set(servers.flatMap((server) => pairsOf(valuesOn(together, server))))
  const wrong = new Set(excluded.map(([one, other]) => pairOf(one, other)))
  return {
    missing: [...allPairs(together)].filter((pair) => !seen.has(pair) && !wrong.has(pair)),
    wrong: [...seen].filter((pair) => wrong.has(pair))
  }
}

/** Tables of up to 12 points with up to three values besides the server's own, and some incompatible pairs. */
const tables = fc
  .array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 12 })
  .map((counts) =>
    counts.flatMap((count, point) =>
      Array.from({ length: count }, (_, value) => choice(`p${point}`, `v${value}`, ["SIL-11"]))
    )
  )
  .chain((table) => {
    const pairs = table.flatMap((one) =>
      table.flatMap((other) => (one.point < other.point ? [[one.name, other.name] as const] : []))
    )
    return fc.record({
      table: fc.constant(table),
      excluded: fc.subarray(pairs, { maxLength: Math.min(6, pairs.length) })
    })
  })

describe("a covering of choices", () => {
  it("has every compatible pair of values together on a server, and no incompatible one", () => {
    fc.assert(
      fc.property(tables, ({ excluded, table }) => {
        assert.deepStrictEqual(flawsOf(table, excluded), { missing: [], wrong: [] })
      }),
      { numRuns: 60 }
    )
  })

  it("has few servers: not much more than the product of the two largest numbers of values", () => {
    fc.assert(
      fc.property(tables, ({ table }) => {
        assert.isAtMost(coveringOf(table).length, 2 * leastOf(table) + 2)
      }),
      { numRuns: 60 }
    )
  })

  it("is the same every time", () => {
    assert.deepStrictEqual(coveringOf(choices, incompatible), coveringOf(choices, incompatible))
  })

  it("gives a choice that hides others a server of its own", () => {
    const alone = choice("p9", "v9", ["SIL-11"], { isAlone: true })
    const table = [choice("p1", "v1", ["SIL-11"]), choice("p2", "v2", ["SIL-11"]), alone]
    const servers = coveringOf(table).filter((server) => server.includes(alone))
    assert.deepStrictEqual(servers, [[alone]])
  })
})

describe("the covering of the second server's choices", () => {
  const servers = coveringOf(choices, incompatible)

  it("has every compatible pair, on about twice the least number of servers", () => {
    assert.deepStrictEqual(flawsOf(choices, incompatible), { missing: [], wrong: [] })
    assert.isAtMost(servers.length, 2 * leastOf(choices))
  })

  it("has choices with unique names, and knows the incompatible ones", () => {
    const names = choices.map(({ name }) => name)
    assert.strictEqual(new Set(names).size, names.length)
    for (const name of incompatible.flat()) assert.include(names, name)
  })
})

describe("the culprits of an alarm", () => {
  it.effect("are the choices without which there is no alarm", () =>
    Effect.gen(function* () {
      const all = Array.from({ length: 40 }, (_, index) => choice(`p${index}`, true, ["SIL-11"]))
      for (const wanted of [["p3: true"], ["p0: true", "p39: true"], ["p7: true", "p8: true", "p30: true"]]) {
        const isIll = (some: ReadonlyArray<Choice>) =>
          Effect.succeed(wanted.every((name) => some.some((one) => one.name === name)))
        const found = yield* culpritsAmong(all, isIll)
        assert.deepStrictEqual(
          found.map(({ name }) => name),
          wanted
        )
      }
    })
  )
})
