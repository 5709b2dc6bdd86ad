import { Effect } from "effect"
import { isRuleId } from "../catalogue/RuleIdSchema.ts"
import type { Ending, Event } from "../evidence/Event.ts"
import * as Journal from "../evidence/Journal.ts"
import type { Recorded } from "../evidence/Recorded.ts"
import type { ExchangeRule } from "../exchanges/ExchangeRule.ts"
import type { Finding } from "../judgement/Finding.ts"
import type { Walk } from "../judgement/Walk.ts"
import { limitsOf } from "../profile/Limits.ts"
import type { Profile } from "../profile/Profile.ts"
import type { Exchange } from "../wire/Exchange.ts"
import * as Handles from "../wire/Handles.ts"
import * as Bearers from "./Bearers.ts"
import { judgeEveryExchange } from "./EveryExchangeFindings.ts"
import { insisting } from "./Insisting.ts"
import { preflight, preflightWalk } from "./Preflight.ts"
import * as Replaying from "./Replaying.ts"
import { isAsked, type Matter, throughWalks, withoutLost } from "./Run.ts"
import * as Sessions from "./Sessions.ts"
import { sharing } from "./Sharing.ts"
import { judgeWalk } from "./Walking.ts"

/** The same checks that judge a deployment. */
export interface Judges {
  readonly walks: ReadonlyArray<Walk<string>>
  readonly exchangeRules: ReadonlyArray<ExchangeRule<string>>
}

const profileIn = ({ circumstances }: Recorded) =>
  circumstances.flatMap((one) => (one.type === "evidence" && one.evidence.of === "profile" ? [one.evidence] : []))[0]

/** Returns the profile of a recorded run, or undefined. */
export const profileOf = (recorded: Recorded): Profile | undefined => profileIn(recorded)?.profile

/** Returns the profile, rules and walks of a recorded run, or undefined. */
const matterOf = (recorded: Recorded, judges: Judges): Matter | undefined => {
  const started = recorded.circumstances.find((one) => one.type === "run-started")
  const told = profileIn(recorded)
  if (started === undefined || told === undefined) return undefined
  const { only, run } = started
  return {
    ...judges,
    run,
    profile: told.profile,
    handles: Handles.recalled(told.secrets, recorded.exchanges),
    ...(only === null ? {} : { only: new Set(only.filter(isRuleId)) })
  }
}

const endingOf = (recorded: Recorded): Ending | undefined =>
  recorded.circumstances.find((one) => one.type === "run-ended")?.ending

/** Returns the ending of the run. `sentence` is the error of the preflight, if the preflight failed. */
const endingBy = (recorded: Ending, sentence: string | undefined): Ending => {
  if (recorded.as === "interrupted") return recorded
  if (sentence === undefined) return { as: "finished" }
  return recorded.as === "unreachable" ? recorded : { as: "unreachable", sentence }
}

/** Stops a walk where it was interrupted, even if its last response arrived. */
const cutShort = (
  walk: Walk<string>,
  { halt, isHalted }: Effect.Success<ReturnType<typeof Replaying.make>>
): Walk<string> =>
  isHalted(walk.name) ? { ...walk, steps: Effect.andThen(Effect.ignore(walk.steps), halt(walk.name)) } : walk

const judgeAgain = Effect.fnUntraced(function* (
  matter: Matter,
  recorded: Recorded,
  find: (finding: Finding) => Effect.Effect<void>
) {
  const { handles, profile, run } = matter
  const replaying = yield* Replaying.make(recorded)
  const { nextName, recalled, receiving, send } = replaying
  const shared = yield* sharing({
    ...{ run, profile, handles, send, receiving, nextName, recalled },
    isAsked: (rule) => isAsked(matter, rule),
    secondsToWait: limitsOf(profile).secondsToWait,
    sleep: () => Effect.void, // the recorded time has already passed
    bearer: yield* Bearers.make(profile, handles, send),
    find,
    note: () => Effect.void
  })
  const { session } = yield* Sessions.make(preflightWalk, shared)
  const sentence = yield* preflight(session)
  if (sentence !== undefined) return sentence
  const once = (walk: Walk<string>) =>
    Effect.scoped(judgeWalk(cutShort(walk, replaying), shared, replaying.haltedOf(walk.name)))
  const owned: Array<Exchange> = []
  yield* throughWalks(
    matter,
    find,
    Effect.fnUntraced(function* (walk) {
      const judged = yield* insisting(walk, shared.sleep, once)
      yield* Effect.forEach(judged.findings, find)
      owned.push(...judged.owned)
    })
  )
  const all = withoutLost(recorded.exchanges, owned)
  yield* Effect.forEach(judgeEveryExchange(matter.exchangeRules, all, profile), find)
  return undefined
}, Effect.scoped)

/**
 * Judges a recorded run again with the same walks, without its deployment. Returns all events; none if the record has
 * no profile or no start of a run.
 */
export const rejudge = Effect.fn("Rejudging.rejudge")(
  function* (recorded: Recorded, judges: Judges) {
    const matter = matterOf(recorded, judges)
    if (matter === undefined) return []
    const findings: Array<Event> = []
    const find = (finding: Finding) =>
      Effect.sync(() => {
        if (isAsked(matter, finding.rule)) findings.push({ type: "finding", finding })
      })
    const sentence = yield* judgeAgain(matter, recorded, find)
    const ending = endingOf(recorded)
    const events: ReadonlyArray<Event> = [
      ...recorded.circumstances.filter(({ type }) => type === "run-started" || type === "evidence"),
      ...recorded.exchanges.map((exchange): Event => ({ type: "exchange", exchange })),
      ...findings,
      ...recorded.circumstances.flatMap((one): ReadonlyArray<Event> => {
        if (one.type === "residue") return [one]
        return one.type === "run-ended" ? [{ ...one, ending: endingBy(ending ?? one.ending, sentence) }] : []
      })
    ]
    return events
  },
  (effect) => Effect.provide(effect, Journal.layerMemory())
)
