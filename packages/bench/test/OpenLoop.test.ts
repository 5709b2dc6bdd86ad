import { assert, describe, it } from "@effect/vitest"
import { type Account, type OpenJob, openLoad } from "@wcs/bench/load/OpenLoop"
import { openRow } from "@wcs/bench/measurements/OpenLoops"
import { plotOf } from "@wcs/bench/Plot"
import { jsonOf, textOf } from "@wcs/bench/Report"
import { reachesAim, verdictOf } from "@wcs/bench/Row"
import { Effect } from "effect"
import { listening } from "./Listening.ts"

const body = '{"id":"one"}'

const run = (port: number, more: Partial<OpenJob> = {}) =>
  Effect.promise(() =>
    openLoad({
      port,
      token: "token",
      connections: 4,
      template: { method: "GET", path: "/$0" },
      keys: Array.from({ length: 10 }, (_, n) => [String(n)]),
      expected: '"id":"one"',
      count: 100,
      perSecond: 10_000,
      graceMillis: 60_000,
      ...more
    })
  )

const accountOf = ({ answered, cutOff, published, refused }: Account): Account => ({
  published,
  answered,
  refused,
  cutOff
})

describe("an open loop", () => {
  it.effect("counts answers, refusals, and requests without an answer", () =>
    Effect.gen(function* () {
      let asked = 0
      const { port } = yield* listening((request, response) => {
        asked += 1
        if (asked % 10 === 3) request.socket.destroy()
        else if (asked % 10 === 4) response.writeHead(503, { "content-length": 2 }).end("{}")
        else response.setHeader("content-length", body.length).end(body)
      })
      const account = accountOf(yield* run(port))
      assert.deepStrictEqual(account, { published: 100, answered: 80, refused: 10, cutOff: 10 })
    })
  )

  it.effect("measures from the scheduled time: one slow response delays all later ones", () =>
    Effect.gen(function* () {
      let asked = 0
      const slowMillis = 200
      const { port } = yield* listening((_, response) => {
        asked += 1
        const answer = () => response.setHeader("content-length", body.length).end(body)
        if (asked === 1) setTimeout(answer, slowMillis)
        else answer()
      })
      // The last request is due after 10 ms, and its only connection is busy for 200 ms.
      const { p99 } = yield* run(port, { connections: 1, count: 10, perSecond: 1000 })
      assert.isAtLeast(p99, slowMillis - 11)
    })
  )

  it.effect("fails for an unexpected response", () =>
    Effect.gen(function* () {
      const { port } = yield* listening((_, response) => {
        response.writeHead(500, { "content-length": 2 }).end("{}")
      })
      const failed = yield* Effect.exit(run(port))
      assert.include(String(failed), "500")
    })
  )

  it.effect("does not count requests that were never sent", () =>
    Effect.gen(function* () {
      const { port } = yield* listening(() => undefined)
      const account = accountOf(yield* run(port, { connections: 2, graceMillis: 20 }))
      assert.deepStrictEqual(account, { published: 100, answered: 0, refused: 0, cutOff: 2 })
    })
  )
})

const complete: Account = { published: 100, answered: 90, refused: 6, cutOff: 4 }

const sideWith = (account: Account) => ({
  series: { side: "side", unit: "ms", samples: [{ value: 3 }, { value: 3 }] } as const,
  account,
  rate: 70
})

const machine = {
  processor: "p",
  cores: 2,
  memoryGibibytes: 1,
  system: "s",
  node: "n",
  sqlite: "s",
  pinning: null,
  loadBefore: 0,
  fdatasync: { median: 1, p90: 1, writes: 1 },
  postgres: null
}

describe("the row of an open loop", () => {
  it("has a figure if published = answered + refused + cut off", () => {
    const row = openRow("GET", "Fastify", sideWith(complete), sideWith(complete))
    assert.strictEqual(verdictOf(row), "pass")
    assert.include(row.note, "100 published, 90 answered, 6 refused, 4 cut off")
    assert.include(plotOf("day", [row]), "GET")
  })

  for (const [name, change] of [
    ["an outcome is missing", { answered: 89 }],
    ["a request has two outcomes", { refused: 7 }],
    ["a request was not counted as published", { published: 99 }]
  ] as const) {
    it(`is void and has no figure if ${name}, on either side`, () => {
      const broken = sideWith({ ...complete, ...change })
      for (const row of [
        openRow("GET", "Fastify", broken, sideWith(complete)),
        openRow("GET", "Fastify", sideWith(complete), broken)
      ]) {
        assert.deepStrictEqual([verdictOf(row), reachesAim(row)], ["void", false])
        const text = textOf(machine, [row])
        assert.include(text, "no figure")
        assert.notInclude(text, "3.00")
        const [kept] = JSON.parse(jsonOf(machine, "quick", new Date(0), [row])).rows
        assert.deepStrictEqual([kept.ours, kept.theirs, kept.ratio], [null, null, null])
        assert.notInclude(plotOf("day", [row]), "GET")
      }
    })
  }
})
