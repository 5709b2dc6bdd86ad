import { Effect } from "effect"
import { applicant, type BodyName, link, templateOf, unlink, worker } from "../../calls/OwnershipCalls.ts"
import { makeOwner, read } from "../../calls/Resources.ts"
import type { AnswersRuleId } from "../../catalogue/Catalogue.ts"
import { statusOfCode } from "../../catalogue/ErrorCodes.ts"
import type { Blocked } from "../../judgement/Blocked.ts"
import type { Difference } from "../../judgement/Difference.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, inShort, judge } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { existingOwners } from "../../profile/ExistingOwners.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import { anApplicant, makeOwned, offersApplicants } from "./OwnedCredentials.ts"

// §4.2 does not document the body of a link: only the profile has it, and may be wrong. A refusal of the body may then
// be the profile's mistake or the deployment's. The suite tries the body in calls where nothing else can be wrong. If
// the deployment accepts it there, refusals elsewhere count. Otherwise the walk is blocked.

/** The statuses with which §7.1 refuses a request for its content, and not for its caller or its target. */
const ofWhatWasSent = [400, 422]

/**
 * Whether an answer refuses the request for its content. A code that belongs to another status shows that the
 * deployment understood the request.
 */
const refusesWhatWasSent = (exchange: Exchange): boolean => {
  const code = Expect.valueAt(exchange, "error.code")
  const usual = typeof code === "string" ? statusOfCode(code) : undefined
  return [statusOf(exchange), usual ?? 400].every((status) => ofWhatWasSent.includes(status))
}

const isCarriedOut = (exchange: Exchange): boolean => isIn(exchange, 2)

/** Links the current owner, and another one: a conflict shows that the body was understood. */
const linksWorkers = Effect.gen(function* () {
  const [holder, other] = [yield* makeOwner("worker"), yield* makeOwner("worker")]
  const { id } = yield* makeOwned({ worker: holder.id })
  if (isCarriedOut(yield* link(id, worker(holder.id)))) return true
  const another = yield* link(id, worker(other.id))
  return isCarriedOut(another) || Expect.valueAt(another, "error.code") === "ALREADY_LINKED"
})

/** Links into an empty slot. */
const linksApplicants = Effect.gen(function* () {
  const { id } = yield* makeOwned({ worker: (yield* makeOwner("worker")).id })
  return isCarriedOut(yield* link(id, applicant((yield* makeOwner("applicant")).id)))
})

/** Unlinks from an empty slot and from a full one. */
const unlinksApplicants = Effect.gen(function* () {
  const owner = yield* makeOwner("worker")
  const other = yield* anApplicant(owner)
  const { id } = yield* makeOwned({ worker: owner.id })
  if (isCarriedOut(yield* unlink(id, other))) return true
  yield* control(link(id, other))
  return isCarriedOut(yield* unlink(id, other))
})

/** Unlinks a worker while an applicant remains. */
const unlinksWorkers = Effect.gen(function* () {
  const owner = yield* makeOwner("worker")
  const { id } = yield* makeOwned({ worker: owner.id })
  yield* control(link(id, applicant((yield* makeOwner("applicant")).id)))
  return isCarriedOut(yield* unlink(id, worker(owner.id)))
})

const tries = {
  link: [linksWorkers, linksApplicants],
  unlink: [unlinksApplicants, unlinksWorkers]
} as const

/** Whether a body contains the type of the owner. */
export const saysType = Effect.fnUntraced(function* (name: BodyName) {
  return JSON.stringify(templateOf((yield* Session).profile, name)).includes("{{type}}")
})

/** Blocks the walk if the link body has no owner type, because a wrong type cannot be sent then. */
export const linkSaysType = Effect.gen(function* () {
  if (!(yield* saysType("link"))) return yield* block("the profile's ownership.link body has no place for {{type}}")
})

/** Whether the deployment understands the body: for either type, or for both if the body has no type. */
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
    : `the bare owner reference (the profile has no ownership.${name} body)`
  return yield* block(`${body} is refused: ${inShort(exchange)}; look at ownership.${name} in the profile`, exchange)
})

/** Blocks the walk if the deployment knows no owner of the profile that a refused link names: its id may be wrong. */
const holdOwners = Effect.fnUntraced(function* (refusal: Exchange) {
  const { profile } = yield* Session
  for (const type of ["worker", "applicant"] as const) {
    const named = existingOwners(profile, type).find((id) => refusal.request.body.includes(JSON.stringify(id)))
    if (named === undefined || isIn(yield* read(type, named), 2)) continue
    return yield* block(
      `prerequisite failed: ${inShort(refusal)}; look at owners.${type}.existing in the profile`,
      refusal
    )
  }
})

/**
 * Blocks the walk if the deployment refused the content of a link or unlink and never understood the profile's body.
 * Call it before a rule fails.
 */
export const holdBodies = Effect.fnUntraced(function* (evidence: ReadonlyArray<Exchange>) {
  for (const name of ["link", "unlink"] as const) {
    const form = new RegExp(`/credentials/[^/]+/${name}$`, "u")
    const refusal = evidence.find(
      (exchange) => form.test(new URL(exchange.request.url).pathname) && refusesWhatWasSent(exchange)
    )
    if (refusal !== undefined && !(yield* isUnderstood(name))) return yield* refusedBody(name, refusal)
    const unknown = evidence.find(
      (exchange) => form.test(new URL(exchange.request.url).pathname) && [400, 404, 422].includes(statusOf(exchange))
    )
    if (unknown !== undefined) yield* holdOwners(unknown)
  }
})

/** Like `judge`, but blocks the walk if the profile's bodies may be wrong. */
export const judgeUnlessMistaken = Effect.fnUntraced(function* (
  rule: AnswersRuleId,
  evidence: ReadonlyArray<Exchange>,
  differences: ReadonlyArray<Difference>
): Effect.fn.Return<void, Blocked, Session> {
  if (differences.length > 0) yield* holdBodies(evidence)
  yield* judge(rule, evidence, differences)
})
