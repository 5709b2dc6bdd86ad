import { Effect } from "effect"
import { applicant, type BodyName, link, templateOf, unlink, worker } from "../../calls/OwnershipCalls.ts"
import { makeApplicant, makeWorker } from "../../calls/Resources.ts"
import type { AnswersRuleId } from "../../catalogue/Catalogue.ts"
import { statusOfCode } from "../../catalogue/ErrorCodes.ts"
import type { Blocked } from "../../engine/Blocked.ts"
import * as Expect from "../../engine/Expect.ts"
import { block, control, judge } from "../../engine/Judge.ts"
import { Session } from "../../engine/Session.ts"
import type { Difference } from "../../evidence/Difference.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import { anApplicant, makeOwned, offersApplicants } from "./OwnedCredentials.ts"
import { inShort } from "./Slots.ts"

// §4.2 does not show the body of a link: only the profile knows it, and may be wrong. What is refused for what was
// sent is then its mistake as well as the deployment's. So the body is tried where nothing else can be wrong: a deployment
// that understands it there answers for what it refuses elsewhere, and of one that does not nobody can tell.

/** The statuses at which §7.1 refuses what was sent, and not who sent it, whom it is about or what is there. */
const ofWhatWasSent = [400, 422]

/** Whether an answer refuses what was sent; a code that stands at another status tells that it was understood. */
const refusesWhatWasSent = (exchange: Exchange): boolean => {
  const code = Expect.valueAt(exchange, "error.code")
  const usual = typeof code === "string" ? statusOfCode(code) : undefined
  return [statusOf(exchange), usual ?? 400].every((status) => ofWhatWasSent.includes(status))
}

const isCarriedOut = (exchange: Exchange): boolean => isIn(exchange, 2)

/** A link of whoever is there, and of somebody else: that conflicts, and is understood. */
const linksWorkers = Effect.gen(function* () {
  const [holder, other] = [yield* makeWorker(), yield* makeWorker()]
  const { id } = yield* makeOwned({ worker: holder.id })
  if (isCarriedOut(yield* link(id, worker(holder.id)))) return true
  const another = yield* link(id, worker(other.id))
  return isCarriedOut(another) || Expect.valueAt(another, "error.code") === "ALREADY_LINKED"
})

/** A link into a slot that is empty. */
const linksApplicants = Effect.gen(function* () {
  const { id } = yield* makeOwned({ worker: (yield* makeWorker()).id })
  return isCarriedOut(yield* link(id, applicant((yield* makeApplicant()).id)))
})

/** An unlink out of a slot that is empty, and out of one that is not. */
const unlinksApplicants = Effect.gen(function* () {
  const owner = yield* makeWorker()
  const other = yield* anApplicant(owner)
  const { id } = yield* makeOwned({ worker: owner.id })
  if (isCarriedOut(yield* unlink(id, other))) return true
  yield* control(link(id, other))
  return isCarriedOut(yield* unlink(id, other))
})

/** An unlink of a worker who leaves an applicant behind. */
const unlinksWorkers = Effect.gen(function* () {
  const owner = yield* makeWorker()
  const { id } = yield* makeOwned({ worker: owner.id })
  yield* control(link(id, applicant((yield* makeApplicant()).id)))
  return isCarriedOut(yield* unlink(id, worker(owner.id)))
})

const tries = {
  link: [linksWorkers, linksApplicants],
  unlink: [unlinksApplicants, unlinksWorkers]
} as const

/** Whether a body says whether it is about a worker or an applicant. */
const saysType = Effect.fnUntraced(function* (name: BodyName) {
  return JSON.stringify(templateOf((yield* Session).profile, name)).includes("{{type}}")
})

/** Blocks the walk where a link does not say its owner's type: then no wrong type can be asked for. */
export const linkSaysType = Effect.gen(function* () {
  if (!(yield* saysType("link"))) return yield* block("the profile's ownership.link body has no place for {{type}}")
})

/** Whether the deployment is seen to understand the body: of either type, or of both where it does not say the type. */
const isUnderstood = Effect.fnUntraced(function* (name: BodyName) {
  const [first, second] = tries[name]
  const isFirst = yield* first
  const isDecided = isFirst === (yield* saysType(name)) || !(yield* offersApplicants)
  return isDecided ? isFirst : yield* second
})

const refusedBody = Effect.fnUntraced(function* (name: BodyName, exchange: Exchange) {
  const { profile } = yield* Session
  const told = profile.ownership?.[name] !== undefined
  const body = told
    ? `the profile's ownership.${name} body`
    : `the reference itself, for want of an ownership.${name} body,`
  return yield* block(`${body} is refused: ${inShort(exchange)}; check ownership.${name} in the profile`, exchange)
})

/**
 * Blocks the walk where a link or an unlink among these calls was refused for what was sent, and nothing shows that the
 * deployment understands the profile's body of it. To be asked before a rule is said to be broken.
 */
export const holdBodies = Effect.fnUntraced(function* (evidence: ReadonlyArray<Exchange>) {
  for (const name of ["link", "unlink"] as const) {
    const form = new RegExp(`/credentials/[^/]+/${name}$`, "u")
    const refusal = evidence.find(
      (exchange) => form.test(new URL(exchange.request.url).pathname) && refusesWhatWasSent(exchange)
    )
    if (refusal !== undefined && !(yield* isUnderstood(name))) return yield* refusedBody(name, refusal)
  }
})

/** As `judge`; but where the profile's bodies may be to blame, the walk is blocked. */
export const judgeUnlessMistaken = Effect.fnUntraced(function* (
  rule: AnswersRuleId,
  evidence: ReadonlyArray<Exchange>,
  differences: ReadonlyArray<Difference>
): Effect.fn.Return<void, Blocked, Session> {
  if (differences.length > 0) yield* holdBodies(evidence)
  yield* judge(rule, evidence, differences)
})
