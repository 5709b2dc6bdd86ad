import { Effect } from "effect"
import { forbidden, isShown } from "../../calls/GuardedCalls.ts"
import { pathOf } from "../../calls/Resources.ts"
import type { PairRuleId } from "../../catalogue/Catalogue.ts"
import * as Expect from "../../judgement/Expect.ts"
import { blockRule, type Control, judge, judgePair } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Holder, holdersOf, lacking, operationsOn } from "../../profile/LimitedPrincipals.ts"
import type { PrincipalName } from "../../profile/Principals.ts"
import type { Operation } from "../../profile/Profile.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"

// Shared by the walks about refusals: callers, messages and unchanged state.

/** The limited principals. */
export const holders = Effect.map(Session, ({ profile }) => holdersOf(profile))

const nobodyLacks = (operation: Operation, entity: string): string =>
  `no limited principal of the profile lacks ${operation} on ${entity}`

/**
 * Blocks the rules because every principal of the profile has the operation. If the specification does not document the
 * calls, they are left out without a finding.
 */
export const leaveOut = Effect.fnUntraced(function* (
  rules: ReadonlyArray<PairRuleId>,
  operation: Operation,
  entity: string
) {
  if (!isShown(entity)) return
  yield* Effect.forEach(rules, (rule) => blockRule(rule, nobodyLacks(operation, entity)))
})

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** The message names the caller's account and the operation (PRV-10). */
const named = (exchange: Exchange, { limited }: Holder, operation: Operation): Expect.Met => {
  const urn = limited.accountUrn === undefined ? "urn:\\S+" : escaped(limited.accountUrn)
  const words = `${limited.accountUrn ?? "<account_urn>"} is unauthorized to ${operation} <entities>.`
  return Expect.matches(
    exchange,
    "error.message",
    new RegExp(`^${urn} is unauthorized to ${operation} \\S.*\\.$`, "s"),
    words
  )
}

/** A caller and the exchange. */
export interface Asked {
  readonly holder: Holder
  readonly exchange: Exchange
}

/** Judges the messages of the refusals among these exchanges. */
export const judgeMessages = Effect.fnUntraced(function* (asked: ReadonlyArray<Asked>, operation: Operation) {
  const refused = asked.filter(({ exchange }) => statusOf(exchange) === 403)
  if (refused.length === 0) return
  const evidence = refused.map(({ exchange }) => exchange)
  yield* judge(
    "PRV-10",
    evidence,
    refused.flatMap(({ exchange, holder }) => named(exchange, holder, operation))
  )
})

/** Judges the calls of principals with another operation alone on the entity type. */
export const judgeAlone = Effect.fnUntraced(function* (entity: string, asked: ReadonlyArray<Asked>, good: Control) {
  const probe = asked.filter(({ holder }) => operationsOn(holder, entity).length === 1).map(({ exchange }) => exchange)
  if (probe.length > 0) yield* judgePair("PRV-05", { control: good, probe }, probe.flatMap(forbidden))
})

/**
 * The second tokens of principals that lack an operation on an entity type, as far as the profile has them, those with
 * another operation on it first. The last one is a principal itself.
 */
export const twinsOf = Effect.fnUntraced(function* (entity: string, operation: Operation, first: Holder) {
  const all = lacking(yield* holders, entity, operation)
  const isNear = (holder: Holder) => operationsOn(holder, entity).length > 0
  const twins = [...all.filter(isNear), ...all.filter((holder) => !isNear(holder))].flatMap(({ limited, name }) =>
    limited.reissued === undefined ? [] : [`${name}.reissued` as const]
  )
  const names: ReadonlyArray<PrincipalName> = [...twins, first.name]
  return names
})

/** One of the second tokens, or the principal. */
export const twinOf = Effect.fnUntraced(function* (...about: Parameters<typeof twinsOf>) {
  const [twin = about[2].name] = yield* twinsOf(...about)
  return twin
})

/** Sends a call as each principal. */
export const asEach = <E, R>(
  them: ReadonlyArray<Holder>,
  send: (as: Holder["name"]) => Effect.Effect<Exchange, E, R>
) => Effect.forEach(them, (holder) => Effect.map(send(holder.name), (exchange) => ({ holder, exchange })))

/** Principals that must be refused, and the rule that says so. */
interface Refused {
  readonly rule: "PRV-16" | "PRV-17"
  readonly them: ReadonlyArray<Holder>
}

/** A call as some principals on one resource, a control before, and the changes that reads show after. */
interface Tried {
  readonly good: Control
  readonly asked: ReadonlyArray<Asked>
  readonly after: Exchange
  readonly changes: Expect.Met
}

/**
 * Judges a call that principals must not make. All try it on one resource; if it was changed, those of each rule try it
 * again on a resource of their own, so that the change counts against the right rule.
 */
export const judgeRefused = <E, R>(
  all: ReadonlyArray<Refused>,
  tryAs: (them: ReadonlyArray<Holder>) => Effect.Effect<Tried, E, R>
): Effect.Effect<void, E, R | Session> =>
  Effect.gen(function* () {
    const some = all.filter(({ them }) => them.length > 0)
    if (some.length === 0) return
    const { after, asked, changes, good } = yield* tryAs(some.flatMap(({ them }) => them))
    const isApart = changes.length > 0 && some.length > 1
    for (const { rule, them } of some) {
      const probe = asked.flatMap(({ exchange, holder }) => (them.includes(holder) ? [exchange] : []))
      const differences = [...probe.flatMap(forbidden), ...(isApart ? [] : changes)]
      yield* judgePair(rule, { control: good, probe, after }, differences)
    }
    if (isApart) yield* Effect.forEach(some, (one) => judgeRefused([one], tryAs), { discard: true })
  })

/** Reads an unknown credential without READ. Credentials are used because no read of a single worker is documented. */
export const judgeMissing = Effect.fnUntraced(function* (allowed: Control, id: string) {
  const { send } = yield* Session
  const [holder] = lacking(yield* holders, "credential", "READ")
  if (holder === undefined) return yield* blockRule("PRV-08", nobodyLacks("READ", "credential"))
  const path = `${yield* pathOf("credential")}/${encodeURIComponent(id)}`
  const missing = yield* send({ method: "GET", path, as: holder.name })
  yield* judgePair("PRV-08", { control: allowed, probe: missing }, forbidden(missing))
})

/** A refused call changed nothing. If the call succeeded, the rule that refuses it fails instead. */
export const judgeUnchanged = Effect.fnUntraced(function* (
  pair: { readonly control: Control; readonly probe: ReadonlyArray<Exchange>; readonly after: Exchange },
  differences: Expect.Met
) {
  const done = pair.probe.filter((exchange) => !isIn(exchange, 4))
  if (done.length === 0) return yield* judgePair("PRV-09", pair, differences)
  yield* blockRule("PRV-09", "prerequisite failed: a call that had to be refused was not", done)
})

/** Bodies that every create and change refuses. */
export const invalid = [
  { raw: { body: '{"identity":', type: "application/json" } },
  { raw: { body: "[42]", type: "application/json" } }
]
