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

/** Whether the profile can create applicants. */
export const offersApplicants = Effect.map(Session, ({ profile }) => needs.applicant.isMet(profile))

/** Whether a credential can be created with an applicant as owner. */
export const takesApplicants = Effect.gen(function* () {
  const body = JSON.stringify((yield* groupOf("credential"))?.create?.body ?? null)
  return (yield* offersApplicants) && body.includes("{{applicant}}")
})

/** Blocks the walk unless a read shows these owners, because the later steps would prove nothing. */
export const seen = (shown: Exchange, owners: Owners) => {
  if (!isIn(shown, 2)) return Effect.fail(refused(shown))
  return holds(shown, owners).length === 0
    ? Effect.void
    : block(`prerequisite failed: ${inWords(shown)} and does not show the expected owners`, shown)
}

/** Creates a credential, and checks that a read shows its owners. */
export const makeOwned = Effect.fnUntraced(function* (owners: Owners) {
  const credential = yield* makeCredential(owners)
  yield* seen(yield* read("credential", credential.id), owners)
  return credential
})

/** Links an applicant and unlinks the worker, for deployments that cannot create a credential without a worker. */
const withWorkerTakenOut = Effect.fnUntraced(function* (holder: Resource) {
  const first = yield* makeWorker()
  const { id } = yield* makeOwned({ worker: first.id })
  yield* control(link(id, applicant(holder.id)))
  yield* control(unlink(id, worker(first.id)))
  yield* seen(yield* read("credential", id), { applicant: holder.id })
  return id
})

/** Creates a credential with an empty worker slot and an applicant as owner. Needs applicants in the profile. */
export const makeWithoutWorker = Effect.fnUntraced(function* () {
  const holder = yield* makeApplicant()
  const owners = { applicant: holder.id }
  const id = (yield* takesApplicants) ? (yield* makeOwned(owners)).id : yield* withWorkerTakenOut(holder)
  return { id, owners }
})

/** Any applicant: a new one, or an unused id in the form of an applicant's if the profile cannot create one. */
export const anApplicant = Effect.fnUntraced(function* (like: Resource) {
  const id = (yield* offersApplicants) ? (yield* makeApplicant()).id : like.id.replace(/^wkr_/, "app_")
  const owner: Owner = applicant(id)
  return owner
})
