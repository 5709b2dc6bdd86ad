import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { walks } from "@wcs/conformance/walks/Walks"
import { choices, incompatible } from "@wcs/specimen/choices/Choices"
import { coveringOf } from "@wcs/specimen/choices/Covering"
import { type Choice, choice } from "@wcs/specimen/choices/Rows"
import { verdictOn } from "@wcs/specimen/selftest/ChoiceVerdict"
import { complaintsAboutChoices } from "@wcs/specimen/selftest/Complaints"
import { effects } from "@wcs/specimen/selftest/Effects"
import { judgeAll } from "@wcs/specimen/selftest/Jobs"
import { reached } from "@wcs/specimen/selftest/Reached"
import * as Hub from "@wcs/specimen/target/Hub"
import { start } from "@wcs/specimen/target/Start"
import { judgeBy } from "@wcs/specimen/target/Target"
import { Effect } from "effect"

const timeout = 300_000

const sources = globSync(fileURLToPath(new URL("../../src/{server,target}/**/*.ts", import.meta.url)))
  .map((file) => readFileSync(file, "utf8"))
  .join("\n")

const named = (name: string): Choice => {
  const found = choices.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no such choice: ${name}`)
  return found
}

describe("the choices of the second server", () => {
  it("are at points that the server asks for, or change only its profile", () => {
    for (const { point, profile } of choices) {
      assert.isTrue(profile !== undefined || sources.includes(`"${point}"`), point)
    }
  })

  it("name every point that the server asks for", () => {
    const points = new Set(choices.map(({ point }) => point))
    const asked = [...sources.matchAll(/\bchosen\(\s*"([^"]+)"/g)].map(([, point = ""]) => point)
    assert.isAbove(asked.length, 60)
    assert.deepStrictEqual(
      [...new Set(asked)].filter((point) => !points.has(point)),
      []
    )
  })
})

describe("the suite on the second server with other choices", () => {
  it.live(
    "is silent on the first servers of the covering",
    () =>
      Effect.gen(function* () {
        const servers = coveringOf(choices, incompatible).slice(0, 3)
        assert.deepStrictEqual(complaintsAboutChoices(yield* judgeAll({ servers })), [])
      }),
    timeout
  )

  it.live(
    "names the choice that breaks a rule, among others",
    () =>
      Effect.gen(function* () {
        const wrong = choice("refusal of a malformed id", "500 INTERNAL", ["ENV-09"])
        const others = [named("page size: 10"), named("items of a batch: reversed"), named("further fields: true")]
        const { alarms } = yield* verdictOn(Hub.make(), [...others, wrong])
        const culprits = alarms.flatMap((alarm) => alarm.culprits)
        assert.deepStrictEqual([...new Set(culprits)], [wrong.name])
      }),
    timeout
  )

  it.live(
    "notices a choice without an effect",
    () =>
      Effect.gen(function* () {
        const hub = Hub.make()
        const { readers } = yield* reached(hub, [])
        const hasEffect = effects(hub, readers)
        assert.isTrue(yield* hasEffect(named("refusal of the last owner: 422 UNPROCESSABLE")))
        assert.isTrue(yield* hasEffect(named("second factor: none")))
        assert.isFalse(yield* hasEffect(choice("page size", 20, ["SIL-11"])))
        assert.isFalse(yield* hasEffect(choice("a point of no server", true, ["SIL-11"])))
      }),
    timeout
  )

  it.live(
    "TRN-08: leaves the credentials of others alone where a batch is taken as a form and its owner exists",
    () =>
      Effect.gen(function* () {
        const exists = named("workers: exist")
        const seen: Array<string> = []
        const target = yield* start(Hub.make(), (point) => point === "a form is accepted", [exists])
        const form = walks.filter(({ name }) => name.startsWith("strangers/calls"))
        yield* judgeBy(
          {
            ...target,
            serve: (request) =>
              Effect.tap(target.serve(request), ({ text }) =>
                Effect.sync(() => {
                  if (/\/credentials\/(?:link|transfer)$/.test(request.url) && text.includes("cred_existing"))
                    seen.push(`${request.url} ${request.body}`)
                })
              )
          },
          form
        )
        assert.deepStrictEqual(seen, [])
      }).pipe(Effect.scoped),
    timeout
  )
})
