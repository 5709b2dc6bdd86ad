import { Effect } from "effect"
import { link, transfer, unlink, worker } from "../../calls/OwnershipCalls.ts"
import { anyOwner, makeCredential, makeFrom, makeParts } from "../../calls/Resources.ts"
import { makeVerifiable, verify } from "../../calls/VerifyCalls.ts"
import type { Blocked } from "../../judgement/Blocked.ts"
import { block, observe } from "../../judgement/Judge.ts"
import { type Call, Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { holdersOf, withOnly } from "../../profile/LimitedPrincipals.ts"
import { needs } from "../../profile/Need.ts"
import { type Exchange, statusOf } from "../../wire/Exchange.ts"
import { rotate } from "../event/Webhooks.ts"

/** Sends a call as each principal with one writing privilege alone, and tells which privileges allow it. */
const openingOf = Effect.fnUntraced(function* (
  entity: string,
  send: (more: Pick<Call, "as">) => Effect.Effect<Exchange, Blocked, Session>
) {
  const { profile } = yield* Session
  const writers = (["CREATE", "UPDATE", "DELETE"] as const).flatMap((operation) => {
    const holder = withOnly(holdersOf(profile), entity, operation)
    return holder === undefined ? [] : [{ operation, as: holder.name }]
  })
  const answers = yield* Effect.forEach(writers, ({ as, operation }) =>
    Effect.map(send({ as }), (exchange) => ({ operation, exchange }))
  )
  const opening = answers.filter(({ exchange }) => statusOf(exchange) !== 403)
  return {
    asked: writers.map(({ operation }) => operation),
    opening: opening.map(({ operation }) => operation),
    evidence: answers.map(({ exchange }) => exchange)
  }
})

/** The privileges that allow a rotation. */
const opensRotate = Effect.gen(function* () {
  const { id } = yield* makeFrom("webhook", yield* makeParts("webhook"))
  return yield* openingOf("webhook", (more) => rotate(id, more))
})

const ownership = walk({
  name: "privileges/ownership-guards",
  judges: ["SIL-13"],
  impact: "mutate-own",
  needs: ["limited tokens", "credential body"]
})(function* () {
  const { profile } = yield* Session
  const [holder, other] = [yield* anyOwner("worker"), yield* anyOwner("worker")]
  const { id } = yield* makeCredential({ worker: holder.id })
  const [own, next] = [worker(holder.id), worker(other.id)]
  // calls that change nothing even if they are allowed: of the owner, of the last one, and of another one
  const linked = yield* openingOf("credential", (more) => link(id, own, more))
  const unlinked = yield* openingOf("credential", (more) => unlink(id, own, more))
  const moved = yield* openingOf("credential", (more) => transfer(id, next, next, more))
  if (linked.asked.length === 0)
    return yield* block("no limited principal of the profile may write credentials in one way alone")
  const rotated = needs["webhook body"].isMet(profile) ? yield* opensRotate : undefined
  const observed = {
    ...{ asked: linked.asked, link: linked.opening, unlink: unlinked.opening, transfer: moved.opening },
    ...(rotated && { rotate: rotated.opening })
  }
  yield* observe(
    "SIL-13",
    observed,
    [linked, unlinked, moved, ...(rotated ? [rotated] : [])].flatMap(({ evidence }) => evidence)
  )
})

const verifying = walk({
  name: "privileges/verify-guards",
  judges: [],
  alsoJudges: ["SIL-13"],
  impact: "mutate-own",
  needs: ["limited tokens", "verifiable credential"]
})(function* () {
  const { id } = yield* makeVerifiable()
  const { asked, evidence, opening } = yield* openingOf("credential", (more) => verify(id, {}, more))
  if (asked.length > 0) yield* observe("SIL-13", { verify: opening }, evidence)
})

/** The privileges that allow the actions on credentials and webhooks: an open question. */
export const actionGuardWalks: ReadonlyArray<Walk> = [ownership, verifying]
