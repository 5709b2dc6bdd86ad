import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Event } from "@wcs/conformance/evidence/Event"
import type { Finding } from "@wcs/conformance/judgement/Finding"
import { Effect } from "effect"
import type { Choice } from "../choices/Rows.ts"
import type { Hub } from "../target/Hub.ts"
import { start } from "../target/Start.ts"
import { findingsOf, judge } from "../target/Target.ts"

/** A rule that does not pass on a server with choices. */
export interface Alarm {
  readonly rule: RuleId
  readonly outcome: Finding["outcome"]
  readonly reason: string
}

/** The rules that do not pass on a server, and the choices that are enough for it. */
export interface ServerVerdict {
  readonly choices: ReadonlyArray<string>
  readonly alarms: ReadonlyArray<Alarm & { readonly culprits: ReadonlyArray<string> }>
}

const ill: ReadonlyArray<Finding["outcome"]> = ["fail", "warn", "error", "blocked", "inconclusive"]

const mayBlock = (choices: ReadonlyArray<Choice>, rule: RuleId): boolean =>
  choices.some(({ blocks = [] }) => blocks === "any" || blocks.includes(rule))

const reasonOf = ({ differences, reason, walk }: Finding): string => {
  const [first] = differences
  const difference =
    first && `${first.kind} at ${first.at}: ${JSON.stringify(first.expected)}, ${JSON.stringify(first.actual)}`
  return `${walk}: ${reason ?? difference ?? ""}`
}

/** The rules in a run that a server with these choices must not have: one alarm for each rule and outcome. */
const alarmsIn = (events: ReadonlyArray<Event>, choices: ReadonlyArray<Choice>): ReadonlyArray<Alarm> => {
  const found = findingsOf(events).filter(
    ({ outcome, rule }) => ill.includes(outcome) && !(outcome === "blocked" && mayBlock(choices, rule))
  )
  const alarms = found.map((finding) => ({
    rule: finding.rule,
    outcome: finding.outcome,
    reason: reasonOf(finding)
  }))
  return [...new Map(alarms.map((alarm) => [`${alarm.outcome} ${alarm.rule}`, alarm])).values()]
}

/** Judges a server with these choices by all walks, or by those of some rules. */
export const alarmsOn = Effect.fnUntraced(function* (
  hub: Hub,
  choices: ReadonlyArray<Choice>,
  rules?: ReadonlySet<RuleId>
) {
  return alarmsIn(yield* judge(yield* start(hub, undefined, choices), rules), choices)
}, Effect.scoped)

/** The fewest choices that are left if others are switched off as long as the server is still ill. */
export const culpritsAmong = Effect.fnUntraced(function* <E, R>(
  choices: ReadonlyArray<Choice>,
  isIll: (choices: ReadonlyArray<Choice>) => Effect.Effect<boolean, E, R>
) {
  let left = choices
  for (let size = Math.ceil(left.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < left.length; ) {
      const fewer = [...left.slice(0, from), ...left.slice(from + size)]
      if (fewer.length < left.length && (yield* isIll(fewer))) left = fewer
      else from += size
    }
  }
  return left
})

/** Alarms of one server whose culprits are sought. More have the same ones in general. */
const mostSought = 4

/** Judges a server with these choices. Of an alarm, the choices that cause it are found. */
export const verdictOn = Effect.fn("ChoiceVerdict.verdictOn")(function* (hub: Hub, choices: ReadonlyArray<Choice>) {
  const alarms = yield* alarmsOn(hub, choices)
  const found = yield* Effect.forEach(
    alarms,
    Effect.fnUntraced(function* (alarm, index) {
      const { outcome, rule } = alarm
      const isSame = (fewer: ReadonlyArray<Choice>) =>
        Effect.map(alarmsOn(hub, fewer, new Set([rule])), (all) =>
          all.some((one) => one.rule === rule && one.outcome === outcome)
        )
      // an alarm that its walks alone do not raise depends on the whole run
      const isFound = index < mostSought && (yield* isSame(choices))
      const culprits = isFound ? yield* culpritsAmong(choices, isSame) : []
      return { ...alarm, culprits: culprits.map(({ name }) => name) }
    })
  )
  return { choices: choices.map(({ name }) => name), alarms: found } satisfies ServerVerdict
})
