import { assert, describe, it } from "@effect/vitest"
import { alarmsIn, judge } from "@wcs/specimen/target/Target"
import { Effect } from "effect"
import { started } from "../Specimen.ts"
import { laggingLists } from "./LaggingLists.ts"

/** The alarms of the suite on the second server where some lists lag. */
const alarmsWith = Effect.fnUntraced(function* (...lag: Parameters<typeof laggingLists>) {
  return alarmsIn(yield* judge(yield* started({ rewrite: laggingLists(...lag) })))
}, Effect.scoped)

const timeout = 300_000

const later = (created: number) => created + 150
const never = () => Number.POSITIVE_INFINITY
const ofCredentials = (path: string) => path.startsWith("/credentials")

// Runs wait most of the time, for resources that are not listed yet.
describe.concurrent("lists that lag on the second server", () => {
  const rows: ReadonlyArray<readonly [what: string, Parameters<typeof laggingLists>, alarm: string]> = [
    ["all by 150 ms", [later], "warn WRK-05"],
    ["those of credentials by 150 ms", [later, ofCredentials], "warn CRD-06"]
  ]
  for (const [what, lag, alarm] of rows) {
    it.live(
      `raise one warning, and every other rule is judged: ${what}`,
      () =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* alarmsWith(...lag), [alarm])
        }),
      timeout
    )
  }

  const blind: ReadonlyArray<readonly [what: string, Parameters<typeof laggingLists>, failure: string]> = [
    ["all lists", [never], "fail WRK-05"],
    ["those of credentials", [never, ofCredentials], "fail CRD-06"]
  ]
  for (const [what, lag, failure] of blind) {
    it.live(
      `fail one rule where they never show anything new: ${what}`,
      () =>
        Effect.gen(function* () {
          const alarms = yield* alarmsWith(...lag)
          assert.deepStrictEqual(
            alarms.filter((alarm) => !alarm.startsWith("blocked ")),
            [failure]
          )
        }),
      timeout
    )
  }
})
