import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { type Plan, planOf, unlockLines } from "../engine/Plan.ts"
import * as Walk from "../judgement/Walk.ts"
import { limitsOf } from "../profile/Limits.ts"
import type { Profile } from "../profile/Profile.ts"
import { walks } from "../walks/Walks.ts"
import { onlyFlag, rulesOf } from "./Rules.ts"
import { targetFlags, targetOf } from "./Target.ts"

const planText = ({ unmet, walks: planned }: Plan, profile: Profile): string => {
  const limits = limitsOf(profile)
  const made = planned.filter(({ choice }) => choice.as === "made")
  const rest = planned.flatMap(({ choice, walk }) =>
    choice.as === "made" ? [] : [`  ${walk.name}: ${choice.as}, ${choice.reason}`]
  )
  return [
    `${profile.name} at ${profile.newer.tenantBaseUrl}`,
    `at most ${limits.requests} requests in ${limits.secondsInAll} s, ${limits.concurrency} walks at a time, ceiling ${limits.ceiling}`,
    "",
    `${made.length} walks would run:`,
    ...made.map(({ walk }) => `  ${walk.name} (${walk.impact}): ${walk.judges.join(" ")}`),
    ...(rest.length === 0 ? [] : ["", `${rest.length} would not:`, ...rest]),
    ...(unmet.length === 0 ? [] : ["", "Missing in the profile:", ...unlockLines(unmet).map((line) => `  ${line}`)])
  ].join("\n")
}

/** Shows what a run would do. Sends nothing. */
export const planCommand = Command.make(
  "plan",
  {
    ...targetFlags,
    only: onlyFlag,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))
  },
  Effect.fnUntraced(function* ({ json, only, ...given }) {
    const { profile } = yield* targetOf(given)
    const rules = yield* rulesOf(only)
    const asked = walks.filter(
      (walk) => Option.isNone(rules) || Walk.rulesOf(walk).some((rule) => rules.value.has(rule))
    )
    const plan = planOf(asked, profile)
    const told = {
      unmet: plan.unmet,
      walks: plan.walks.map(({ choice, walk: { steps: _, ...about } }) => ({ ...about, choice }))
    }
    yield* Console.log(json ? JSON.stringify(told, null, 2) : planText(plan, profile))
  })
).pipe(Command.withDescription("Show what a run would do and what the profile lacks; sends nothing"))
