import { Effect } from "effect"
import { read } from "../../calls/Resources.ts"
import { makeVerifiable, verify } from "../../calls/VerifyCalls.ts"
import { control, observe } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { covered, type Holder, holdersOf, strangers, withOnly } from "../../profile/LimitedPrincipals.ts"
import { statusOf } from "../../wire/Exchange.ts"
import { asEach, holders, judgeRefused } from "../answer/Refusing.ts"
import { beganWith } from "../event/Verification.ts"

/** The maximum number of tried principals without privileges on credential; the fewest with all others. */
const maxStrangers = 8

/**
 * The admin verifies a credential, then these principals try. Detects a verification that happens despite the refusal.
 */
const verifyAs = Effect.fnUntraced(function* (them: ReadonlyArray<Holder>) {
  const { id } = yield* makeVerifiable()
  const correlationId = yield* (yield* Session).unique
  const good = yield* control(verify(id, { forceRefresh: true }))
  const before = yield* read("credential", id)
  const asked = yield* asEach(them, (as) => verify(id, { correlationId, forceRefresh: true }, { as }))
  const after = yield* read("credential", id)
  return { good, asked, after, changes: beganWith(before, after, correlationId) }
})

const needs = ["limited tokens", "verifiable credential"] as const

const refused = walk({
  name: "privileges/verify",
  judges: [],
  alsoJudges: ["PRV-16", "PRV-17"],
  impact: "mutate-own",
  needs
})(function* () {
  const all = yield* holders
  const reader = withOnly(all, "credential", "READ")
  const refused = [
    { rule: "PRV-16", them: covered(strangers(all, "credential"), maxStrangers) },
    { rule: "PRV-17", them: reader === undefined ? [] : [reader] }
  ] as const
  yield* judgeRefused(refused, verifyAs)
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
export const verificationPrivilegeWalks: ReadonlyArray<Walk> = [refused, guards]
