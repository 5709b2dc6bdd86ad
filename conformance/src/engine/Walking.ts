import { Clock, Data, Effect, Result } from "effect"
import { cleanUp, isDeletedBy } from "../calls/CleanUp.ts"
import type { Event } from "../evidence/Event.ts"
import { Journal } from "../evidence/Journal.ts"
import type { Blocked } from "../judgement/Blocked.ts"
import type { Finding } from "../judgement/Finding.ts"
import { type CreatedResource, Session } from "../judgement/Session.ts"
import { rulesOf, type Walk } from "../judgement/Walk.ts"
import type { Profile } from "../profile/Profile.ts"
import type { Exchange } from "../wire/Exchange.ts"
import { isLost } from "../wire/Lost.ts"
import { waitHoldingPermit } from "./Concurrency.ts"
import { defectInWords } from "./Defect.ts"
import { insisting } from "./Insisting.ts"
import { mistakenAt } from "./Mistaken.ts"
import * as Sessions from "./Sessions.ts"

/** The run ends early. Rules that a walk has not judged completely stay unjudged. */
export class Halted extends Data.TaggedError("Halted")<{
  readonly reason: string
  /** What was missing, as in a finding; absent if the operator stopped the run. */
  readonly lacks?: ReadonlyArray<string>
}> {}

/** How the steps of a walk ended. */
type End = Result.Result<void, Blocked | Halted | Fault>

/** The suite failed. */
class Fault extends Data.TaggedError("Fault")<{ readonly reason: string }> {}

/** Returns the finding for rules that a walk did not judge, or not completely. */
const restOf = (end: End): Pick<Finding, "outcome" | "reason" | "exchanges" | "lacks"> => {
  if (end._tag === "Success")
    return { outcome: "error", reason: "the walk ended without judging the rule", exchanges: [] }
  const { failure } = end
  if (failure._tag === "Fault") return { outcome: "error", reason: failure.reason, exchanges: [] }
  return {
    outcome: "blocked",
    reason: failure.reason,
    exchanges: failure._tag === "Blocked" ? failure.exchanges : [],
    ...(failure.lacks === undefined ? {} : { lacks: failure.lacks })
  }
}

/** Adds the entry of the profile that may be wrong to the reason of a blocked rule, unless the reason names one. */
const withEntry = (finding: Finding, profile: Profile, sent: ReadonlyMap<number, Exchange>): Finding => {
  const { exchanges, outcome, reason } = finding
  if (outcome !== "blocked" || reason?.startsWith("prerequisite failed") !== true || reason.includes("profile")) {
    return finding
  }
  const entry = exchanges.flatMap((number) => {
    const exchange = sent.get(number)
    return exchange === undefined ? [] : (mistakenAt(profile, exchange) ?? [])
  })[0]
  return entry === undefined ? finding : { ...finding, reason: `${reason}; look at ${entry} in the profile` }
}

/**
 * Runs the steps of a walk once, until they end or the run is halted. Adds a finding for each rule without one. Returns
 * the findings, the created resources and their clean-up.
 */
export const judgeWalk = Effect.fnUntraced(function* (
  walk: Walk<string>,
  shared: Sessions.Shared,
  halted: Effect.Effect<never, Halted>
) {
  const found = new Set<string>()
  const findings: Array<Finding> = []
  const lost: Array<Exchange> = []
  const sent = new Map<number, Exchange>()
  const find = (finding: Finding) => {
    // walks are selected by their declared rules: an undeclared rule would be judged only sometimes
    if (!rulesOf(walk).includes(finding.rule))
      return Effect.die(new Error(`${walk.name} does not declare ${finding.rule}`))
    found.add(finding.rule)
    return Effect.sync(() => void findings.push(withEntry(finding, shared.profile, sent)))
  }
  const send: Sessions.Shared["send"] = (...call) =>
    Effect.tap(shared.send(...call), (exchange) =>
      Effect.sync(() => {
        sent.set(exchange.number, exchange)
        if (isLost(exchange)) lost.push(exchange)
      })
    )
  const { made, received, sendOwed, session } = yield* Sessions.make(walk.name, { ...shared, find, send })
  const steps = walk.steps.pipe(
    Effect.provideService(Session, session),
    Effect.catchDefect((defect) => Effect.fail(new Fault({ reason: defectInWords(defect) })))
  )
  const end: End = yield* Effect.result(Effect.raceFirst(halted, steps)) // a run that has ended makes no further step
  const isHalted = Result.isFailure(end) && end.failure._tag === "Halted"
  if (isHalted) {
    const { lacks, reason } = end.failure
    const given = lacks === undefined ? {} : { lacks }
    yield* shared.note({ of: "halted", walk: walk.name, reason, received: received(), ...given })
  }
  // an interrupted walk may have had more to judge about a rule
  const due = walk.judges.filter(shared.isAsked)
  const begun = rulesOf(walk).filter((rule) => found.has(rule) || due.includes(rule))
  const open = Result.isFailure(end) ? begun : due.filter((rule) => !found.has(rule))
  yield* Effect.forEach(open, (rule) => find({ rule, walk: walk.name, differences: [], ...restOf(end) }))
  const isDeleted = isDeletedBy(shared.profile, sent.values())
  return { findings, lost: [...lost], isHalted, made: made(), isDeleted, sendOwed }
})

/** Runs one walk, repeatedly if responses are lost, and deletes its resources. */
export const makeWalk = Effect.fnUntraced(function* (
  walk: Walk<string>,
  shared: Sessions.Shared,
  halted: Effect.Effect<never, Halted>,
  emit: (event: Event) => Effect.Effect<void>
) {
  const startedAt = yield* Clock.currentTimeMillis
  const journal = yield* Journal
  const once = Effect.fnUntraced(function* (walk: Walk<string>) {
    const { isDeleted, made, sendOwed, ...judged } = yield* judgeWalk(walk, shared, halted)
    const deleted = ({ id, to, type }: CreatedResource) =>
      journal.write({ entry: "deleted", type, id, ...(to && { to }) })
    yield* Effect.forEach(made.filter(isDeleted), deleted)
    const left = made.filter((one) => !isDeleted(one))
    yield* cleanUp(shared.profile, left, sendOwed, deleted)
    return judged
  }, Effect.scoped)
  const { wait = waitHoldingPermit } = shared
  const { findings, owned } = yield* insisting(walk, (seconds) => wait(shared.sleep(seconds)), once)
  yield* Effect.forEach(findings, shared.find)
  yield* emit({ type: "walk-ended", walk: walk.name, millis: (yield* Clock.currentTimeMillis) - startedAt })
  return owned
})
