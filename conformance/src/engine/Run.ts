import { Clock, Deferred, Effect, Ref } from "effect"
import { catalogue } from "../catalogue/Catalogue.ts"
import { digestOf } from "../catalogue/CatalogueDigest.ts"
import type { Ending, Event } from "../evidence/Event.ts"
import type { Evidence } from "../evidence/Evidence.ts"
import { type Entry, Journal } from "../evidence/Journal.ts"
import type { ExchangeRule } from "../exchanges/ExchangeRule.ts"
import type { Finding } from "../judgement/Finding.ts"
import * as Receiving from "../judgement/Receiving.ts"
import { rulesOf, type Walk } from "../judgement/Walk.ts"
import { limitsOf, timeoutSecondsOf } from "../profile/Limits.ts"
import type { Profile } from "../profile/Profile.ts"
import { suiteVersion } from "../release/SuiteVersion.ts"
import type { Exchange } from "../wire/Exchange.ts"
import type { Handles } from "../wire/Handles.ts"
import { isLost } from "../wire/Lost.ts"
import * as Bearers from "./Bearers.ts"
import { runThrough, type Wait } from "./Concurrency.ts"
import { judgeEveryExchange } from "./EveryExchangeFindings.ts"
import { preflight, preflightWalk, readyWithin } from "./Preflight.ts"
import { chooseAll, timeLack } from "./Selection.ts"
import * as Sending from "./Sending.ts"
import * as Sessions from "./Sessions.ts"
import { sharing } from "./Sharing.ts"
import type { Suite } from "./Suite.ts"
import { sweep } from "./Sweep.ts"
import { Halted, makeWalk } from "./Walking.ts"

type Owed = Effect.Success<ReturnType<typeof Sessions.make>>["sendOwed"]

/** The rules, walks and profile of a run. */
export interface Matter {
  /** Part of every name that the run creates: lower-case letters and digits, unique per run. */
  readonly run: string
  readonly profile: Profile
  readonly handles: Handles
  readonly walks: ReadonlyArray<Walk<string>>
  readonly exchangeRules: ReadonlyArray<ExchangeRule<string>>
  /** The selected rules; default: all. */
  readonly only?: ReadonlySet<string>
}

/** The options of a run. */
export interface Options extends Matter {
  /** Default: the rules of the specification. */
  readonly suite?: Pick<Suite, "command" | "rules" | "preflight">
  /** Completes when the run has to end early. Running walks are interrupted, and their resources are deleted. */
  readonly stop: Effect.Effect<void>
  /** The longest wait in seconds until the deployment is ready; default: none. */
  readonly secondsToReady?: number
  /** Receives all events in order, also findings about rules that are not selected but were judged by the way. */
  readonly emit: (event: Event) => Effect.Effect<void>
}

/** The suite of the specification. */
export const specification = { command: "wcs-conformance", rules: catalogue, preflight } as const

/** Whether a rule is selected. */
export const isAsked = ({ only }: Pick<Matter, "only">, rule: string): boolean => only === undefined || only.has(rule)

/** The walks that judge a selected rule. */
const walksOf = (matter: Matter): ReadonlyArray<Walk<string>> =>
  matter.walks.filter((walk) => rulesOf(walk).some((rule) => isAsked(matter, rule)))

/** The findings of a walk that does not run. */
const unmade = (walk: Walk<string>, why: Pick<Finding, "outcome" | "reason" | "lacks">, rules = walk.judges) =>
  rules.map((rule): Finding => ({ rule, walk: walk.name, differences: [], exchanges: [], ...why }))

/** The state that the walks of a run share. */
const sharedOf = Effect.fnUntraced(function* (options: Options, exchanges: Array<Exchange>) {
  const { emit, handles, profile, run } = options
  const limits = limitsOf(profile)
  const numbers = yield* Ref.make(0)
  const record = (exchange: Exchange) => {
    exchanges.push(exchange)
    return emit({ type: "exchange", exchange })
  }
  const send = yield* Sending.make(limits, handles, record, numbers)
  const receiving = yield* Receiving.make({
    timeoutSeconds: timeoutSecondsOf(profile),
    numbers,
    delivered: handles.delivered,
    record
  })
  const names = yield* Ref.make(0)
  const note = (evidence: Evidence) => emit({ type: "evidence", evidence })
  return yield* sharing({
    run,
    profile,
    handles,
    isAsked: (rule) => isAsked(options, rule),
    secondsToWait: limits.secondsToWait,
    send,
    receiving,
    bearer: yield* Bearers.make(profile, handles, send),
    find: (finding) => emit({ type: "finding", finding }),
    sleep: (seconds) => Effect.sleep(seconds * 1000),
    nextName: Effect.fnUntraced(function* (walk) {
      const number = yield* Ref.updateAndGet(names, (count) => count + 1)
      yield* note({ of: "name", walk, number })
      return number
    }),
    note
  })
})

/**
 * Runs the walks that the profile allows, a limited number concurrently, and records the reasons for the others. Walks
 * that wait for a delivery or a limit do not count. Walks that log in run one after another, beside the rest.
 */
export const throughWalks = Effect.fnUntraced(function* <R>(
  matter: Matter,
  find: (finding: Finding) => Effect.Effect<void>,
  make: (walk: Walk<string>, wait: Wait) => Effect.Effect<void, never, R>
) {
  const { concurrency } = limitsOf(matter.profile)
  const all = walksOf(matter)
  const choices = chooseAll(all, matter.profile)
  const one = Effect.fnUntraced(function* (walk: Walk<string>, wait: Wait) {
    const choice = choices.get(walk)
    if (choice === undefined || choice.as === "made") return yield* make(walk, wait)
    const { as, lacks, reason } = choice
    const only = choice.as === "blocked" ? choice.only : undefined
    yield* Effect.forEach(unmade(walk, { outcome: as, reason, lacks }, only), find)
  })
  const loggingIn = all.filter(({ logsIn }) => logsIn === true)
  const others = all.filter(({ logsIn }) => logsIn !== true)
  const jobs = [loggingIn, ...others.map((walk) => [walk])]
  yield* runThrough(
    jobs.map((some) => (wait: Wait) => Effect.forEach(some, (walk) => one(walk, wait), { discard: true })),
    concurrency
  )
})

/**
 * Returns the exchanges without those whose responses were lost. `owned` are lost responses that count as the
 * deployment's own behaviour.
 */
export const withoutLost = (
  exchanges: ReadonlyArray<Exchange>,
  owned: ReadonlyArray<Exchange>
): ReadonlyArray<Exchange> => {
  const numbers = new Set(owned.map(({ number }) => number))
  return exchanges.filter((exchange) => !isLost(exchange) || numbers.has(exchange.number))
}

/** Fails when the run has to end: on request, or at its time limit. */
const haltedBy = Effect.fnUntraced(function* (options: Options, isStopped: Ref.Ref<boolean>) {
  const halt = yield* Deferred.make<never, Halted>()
  const { secondsInAll } = limitsOf(options.profile)
  const stopping = options.stop.pipe(
    Effect.andThen(Ref.set(isStopped, true)),
    Effect.as(new Halted({ reason: "the run was stopped before the rule was judged" }))
  )
  const timeUp = Effect.as(
    Effect.sleep(secondsInAll * 1000),
    new Halted({
      reason: `the run's limit of ${secondsInAll} s passed before the rule was judged: raise run.secondsInAll in the profile`,
      lacks: [timeLack]
    })
  )
  yield* Effect.raceFirst(stopping, timeUp).pipe(
    Effect.flatMap((halted) => Deferred.fail(halt, halted)),
    Effect.forkScoped
  )
  return Deferred.await(halt)
})

/** The journal, with its entries in memory to find what remains. */
const remembered = Effect.map(Journal, (journal) => {
  const entries: Array<Entry> = []
  return {
    entries,
    journal: Journal.of({
      write: (entry) => {
        entries.push(entry)
        const written = journal.write(entry)
        // create nothing without a journal entry, but delete even if the disk is full
        return entry.entry === "intended" ? written : Effect.catchDefect(written, () => Effect.void)
      }
    })
  }
})

/** Tries once more to delete what the walks left, and reports what remains. */
const tidy = Effect.fnUntraced(function* ({ emit, profile }: Options, send: Owed, entries: ReadonlyArray<Entry>) {
  const { residue } = yield* sweep(profile, entries, send)
  yield* Effect.forEach(residue, (one) => emit({ type: "residue", residue: one }))
})

/** Everything between the first and the last event. */
const judgeAll = Effect.fnUntraced(function* (options: Options) {
  const { profile } = options
  const exchanges: Array<Exchange> = []
  const { entries, journal } = yield* remembered
  const shared = yield* Effect.provideService(sharedOf(options, exchanges), Journal, journal)
  const isStopped = yield* Ref.make(false)
  const halted = yield* haltedBy(options, isStopped)
  const { sendOwed, session } = yield* Sessions.make(preflightWalk, shared)
  const sentence = yield* readyWithin(session, options.secondsToReady ?? 0, options.suite?.preflight).pipe(
    Effect.raceFirst(halted),
    Effect.catchTag("Halted", ({ reason }) => Effect.succeed(reason))
  )
  if (sentence !== undefined && !(yield* Ref.get(isStopped))) return { as: "unreachable", sentence } satisfies Ending
  if (sentence === undefined) {
    const owned: Array<Exchange> = []
    const made = throughWalks(options, shared.find, (walk, wait) =>
      Effect.map(makeWalk(walk, { ...shared, wait }, halted, options.emit), (lost) => void owned.push(...lost))
    )
    yield* Effect.provideService(made, Journal, journal)
    yield* Effect.provideService(tidy(options, sendOwed, entries), Journal, journal)
    const all = withoutLost(exchanges, owned)
    yield* Effect.forEach(judgeEveryExchange(options.exchangeRules, all, profile), shared.find)
  }
  return { as: (yield* Ref.get(isStopped)) ? "interrupted" : "finished" } satisfies Ending
}, Effect.scoped)

/** Judges a deployment. The last event is always `run-ended`. */
export const run = Effect.fn("Run.run")(function* (options: Options) {
  const { emit, profile, suite = specification } = options
  const target = profile.newer.tenantBaseUrl
  const journal = yield* Journal
  yield* journal.write({ entry: "run", run: options.run, target, profile: profile.name })
  yield* emit({
    type: "run-started",
    run: options.run,
    suiteVersion,
    suite: suite.command,
    catalogueDigest: digestOf(suite.rules),
    profile: profile.name,
    deployment: profile.deployment ?? {},
    target,
    ceiling: limitsOf(profile).ceiling,
    seed: limitsOf(profile).seed,
    startedAt: yield* Clock.currentTimeMillis,
    walks: [...chooseAll(walksOf(options), profile)].flatMap(([{ name }, { as }]) => (as === "made" ? [name] : [])),
    only: options.only === undefined ? null : [...options.only]
  })
  const ending = yield* judgeAll(options)
  yield* Effect.ignoreCause(journal.write({ entry: "ended", run: options.run })) // a full disk loses nothing here
  yield* emit({ type: "run-ended", endedAt: yield* Clock.currentTimeMillis, ending })
})
