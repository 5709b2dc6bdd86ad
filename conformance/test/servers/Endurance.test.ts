import { assert, describe, it } from "@effect/vitest"
import { granted, tokenIn } from "@wcs/conformance/calls/Grants"
import { makeWorker } from "@wcs/conformance/calls/Resources"
import { run } from "@wcs/conformance/engine/Run"
import type { Entry } from "@wcs/conformance/evidence/Journal"
import { Journal } from "@wcs/conformance/evidence/Journal"
import { judge } from "@wcs/conformance/judgement/Judge"
import { Session } from "@wcs/conformance/judgement/Session"
import { walk } from "@wcs/conformance/judgement/Walk"
import * as Handles from "@wcs/conformance/wire/Handles"
import { Wire } from "@wcs/conformance/wire/Wire"
import { Effect, Layer } from "effect"
import { exchangeOf } from "../Exchanges.ts"
import { answer, keeping, profile, runOver, secrets } from "../Invented.ts"

const about = { name: "workers/some", judges: ["WRK-03"], impact: "create", needs: [] } as const

describe("the endurance of a run", () => {
  it.effect("deletes its resources when the disk is full, and creates none that it cannot record", () =>
    Effect.gen(function* () {
      const { kept, serve } = keeping()
      const made: Array<string> = []
      const steps = Effect.forEach(Array.from({ length: 5 }), () =>
        Effect.map(makeWorker(), ({ id }) => void made.push(id))
      )
      const written: Array<Entry> = []
      const journal = Journal.of({
        write: (entry) =>
          Effect.sync(() => {
            if (written.filter((one) => one.entry === "intended").length === 2) throw new Error("ENOSPC")
            written.push(entry)
          })
      })
      const walks = [walk(about)(Effect.andThen(steps, judge("WRK-03", [], [])))]
      const findings: Array<string> = []
      yield* run({
        ...{
          run: "invented",
          profile,
          handles: Handles.make(profile, secrets),
          walks,
          exchangeRules: [],
          stop: Effect.never
        },
        emit: (event) =>
          Effect.sync(
            () => event.type === "finding" && findings.push(`${event.finding.outcome} ${event.finding.reason}`)
          )
      }).pipe(
        Effect.provide(Layer.merge(Layer.succeed(Wire, Wire.of({ send: serve })), Layer.succeed(Journal, journal)))
      )
      assert.lengthOf(made, 2)
      assert.strictEqual(kept.size, 0)
      assert.deepStrictEqual(findings, ["error Error: ENOSPC"])
    })
  )

  it.effect("stops requests when the answers exceed the memory that it may use", () =>
    Effect.gen(function* () {
      const large = "x".repeat(2 * 1024 * 1024)
      let reads = 0
      const { exchanges, findings } = yield* runOver({
        serve: () => Effect.succeed(answer(200, { data: [], large: `${large}${++reads}` })),
        walks: [
          walk(about)(Effect.forever(Effect.flatMap(Session, ({ send }) => send({ method: "GET", path: "/workers" }))))
        ]
      })
      assert.isBelow(exchanges.length, 20)
      assert.match(findings[0]?.reason ?? "", /^the run already keeps \d+ characters of answers$/)
    })
  )

  it("OAU-01: refuses a token that a header cannot carry", () => {
    for (const token of ["a\r\nX-Injected: 1", "", "tökén", 42]) {
      const exchange = exchangeOf({ answer: answer(200, { access_token: token }) })
      assert.isUndefined(tokenIn(exchange))
      assert.lengthOf(granted(exchange), 1)
    }
    const good = exchangeOf({ answer: answer(200, { access_token: "a.b-c_d~e+f/g=" }) })
    assert.strictEqual(tokenIn(good), "a.b-c_d~e+f/g=")
    assert.deepStrictEqual(granted(good), [])
  })
})
