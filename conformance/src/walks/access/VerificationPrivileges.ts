import { Effect } from "effect"
import { forbidden } from "../../calls/GuardedCalls.ts"
import { read } from "../../calls/Resources.ts"
import { makeVerifiable, verify } from "../../calls/VerifyCalls.ts"
import { control, judgePair, observe } from "../../engine/Judge.ts"
import { Session } from "../../engine/Session.ts"
import { type Walk, walk } from "../../engine/Walk.ts"
import { covered, type Holder, holdersOf, strangers, withOnly } from "../../profile/LimitedPrincipals.ts"
import { statusOf } from "../../wire/Exchange.ts"
import { beganWith } from "../event/Verification.ts"

/** The maximum number of tried principals without privileges on credential; the fewest with all others. */
const maxStrangers = 8

/**
 * The admin verifies a credential, then these principals try. Detects a verification that happens despite the refusal.
 */
const askAll = Effect.fnUntraced(function* (them: ReadonlyArray<Holder>) {
  const { id } = yield* makeVerifiable()
  const correlationId = yield* (yield* Session).unique
  const done = yield* control(verify(id, { forceRefresh: true }))
  const before = yield* read("credential", id)
  const probe = yield* Effect.forEach(them, ({ name: as }) => verify(id, { correlationId, forceRefresh: true }, { as }))
  const after = yield* read("credential", id)
  const differences = [...probe.flatMap(forbidden), ...beganWith(before, after, correlationId)]
  return { pair: { control: done, probe, after }, differences }
})

const needs = ["limited tokens", "verifiable credential"] as const

const withoutAny = walk({ name: "privileges/verify", judges: [], alsoJudges: ["PRV-16"], impact: "mutate-own", needs })(
  function* () {
    const { profile } = yield* Session
    const them = covered(strangers(holdersOf(profile), "credential"), maxStrangers)
    if (them.length === 0) return
    const { differences, pair } = yield* askAll(them)
    yield* judgePair("PRV-16", pair, differences)
  }
)

const readAlone = walk({
  name: "privileges/verify-by-read-alone",
  judges: [],
  alsoJudges: ["PRV-17"],
  impact: "mutate-own",
  needs
})(function* () {
  const { profile } = yield* Session
  const reader = withOnly(holdersOf(profile), "credential", "READ")
  if (reader === undefined) return
  const { differences, pair } = yield* askAll([reader])
  yield* judgePair("PRV-17", pair, differences)
})

const guards = walk({
  name: "privileges/verify-guards",
  judges: [],
  alsoJudges: ["SIL-13"],
  impact: "mutate-own",
  needs
})(function* () {
  const { profile } = yield* Session
  const { id } = yield* makeVerifiable()
  const asked = (["CREATE", "UPDATE", "DELETE"] as const).flatMap((operation) => {
    const holder = withOnly(holdersOf(profile), "credential", operation)
    return holder === undefined ? [] : [{ operation, as: holder.name }]
  })
  if (asked.length === 0) return
  const answers = yield* Effect.forEach(asked, ({ as, operation }) =>
    Effect.map(verify(id, {}, { as }), (exchange) => ({ operation, exchange }))
  )
  const opening = answers.filter(({ exchange }) => statusOf(exchange) !== 403)
  const evidence = answers.map(({ exchange }) => exchange)
  yield* observe("SIL-13", { verify: opening.map(({ operation }) => operation) }, evidence)
})

/** Privileges for verifying a credential. */
export const verificationPrivilegeWalks: ReadonlyArray<Walk> = [withoutAny, readAlone, guards]
