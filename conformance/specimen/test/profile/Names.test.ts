import { assert, describe, it } from "@effect/vitest"
import { parse, textsIn } from "@wcs/conformance/text/Json"
import { alarmsIn, judge } from "@wcs/specimen/target/Target"
import { Effect } from "effect"
import { started } from "../Specimen.ts"

const name = /conf-[a-z0-9]+-\d+x?/g

describe("the names of a run on the second server", () => {
  it.live(
    "raise no false alarm where a profile appends digits, and no value that is sent contains another's name",
    () =>
      Effect.gen(function* () {
        const appended = { body: { what: "wwc", number: "{{unique}}7", workerId: "{{worker}}" } }
        const target = yield* started({ profile: (profile) => ({ ...profile, verifiableCredential: appended }) })
        const events = yield* judge(target)
        const bodies = events.flatMap((event) =>
          event.type === "exchange" ? [parse(event.exchange.request.body)] : []
        )
        const values = [...new Set(bodies.flatMap((body) => textsIn(body).map(([, text]) => text)))]
        const named = values.flatMap((value) => [...value.matchAll(name)].map(([found]) => ({ value, found })))
        const made = [...new Set(named.map(({ found }) => found))]
        assert.isAbove(made.length, 300)
        const within = named.flatMap(({ found, value }) =>
          made.flatMap((other) => (value.includes(other) && other !== found ? [`${other} in ${value}`] : []))
        )
        assert.deepStrictEqual(within, [])
        assert.deepStrictEqual(alarmsIn(events), [])
      }).pipe(Effect.scoped),
    300_000
  )
})
