import { Effect } from "effect"
import { applicant, link, type Owner, unlink, worker } from "../../calls/OwnershipCalls.ts"
import {
  groupOf,
  makeApplicant,
  makeCredential,
  makeWorker,
  type Owners,
  type Resource,
  read
} from "../../calls/Resources.ts"
import { block, control, inWords, refused } from "../../engine/Judge.ts"
import { Session } from "../../engine/Session.ts"
import { needs } from "../../profile/Need.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { holds } from "./Slots.ts"

/** Whether the profile says how applicants are made. */
export const offersApplicants = Effect.map(Session, ({ profile }) => needs.applicant.isMet(profile))

/** Whether a credential can be made with an applicant for an owner. */
export const takesApplicants = Effect.gen(function* () {
  const body = JSON.stringify((yield* groupOf("credential"))?.create?.body ?? null)
  return (yield* offersApplicants) && body.includes("{{applicant}}")
})

/** Blocks the walk unless a read shows these owners: whatever came after it would prove nothing. */
export const seen = (shown: Exchange, owners: Owners) => {
  if (!isIn(shown, 2)) return Effect.fail(refused(shown))
  return holds(shown, owners).length === 0
    ? Effect.void
    : block(`prerequisite failed: ${inWords(shown)} and does not show the owners that it should`, shown)
}

/** A new credential that is seen to have the owners that it was made with. */
export const makeOwned = Effect.fnUntraced(function* (owners: Owners) {
  const credential = yield* makeCredential(owners)
  yield* seen(yield* read("credential", credential.id), owners)
  return credential
})

/** Puts an applicant in and takes the worker out, where a credential cannot be made without a worker. */
const withWorkerTakenOut = Effect.fnUntraced(function* (holder: Resource) {
  const first = yield* makeWorker()
  const { id } = yield* makeOwned({ worker: first.id })
  yield* control(link(id, applicant(holder.id)))
  yield* control(unlink(id, worker(first.id)))
  yield* seen(yield* read("credential", id), { applicant: holder.id })
  return id
})

/** A new credential whose worker slot is empty, and the applicant who owns it; the profile has to offer applicants. */
export const makeWithoutWorker = Effect.fnUntraced(function* () {
  const holder = yield* makeApplicant()
  const owners = { applicant: holder.id }
  const id = (yield* takesApplicants) ? (yield* makeOwned(owners)).id : yield* withWorkerTakenOut(holder)
  return { id, owners }
})

/**
 * An applicant to name where it matters little who it is: a new one, or, where the profile does not say how one is
 * made, the id of nobody in an applicant's form.
 */
export const anApplicant = Effect.fnUntraced(function* (like: Resource) {
  const id = (yield* offersApplicants) ? (yield* makeApplicant()).id : like.id.replace(/^wkr_/, "app_")
  const owner: Owner = applicant(id)
  return owner
})
