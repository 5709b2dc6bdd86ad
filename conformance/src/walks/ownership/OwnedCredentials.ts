import { Effect } from "effect"
import { applicant, link, type Owner, unlink, worker } from "../../calls/OwnershipCalls.ts"
import {
  anyOwner,
  groupOf,
  makeCredential,
  type Owners,
  type Owning,
  read,
  sharedCredential
} from "../../calls/Resources.ts"
import { block, control, inWords, refused } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { limitsOf } from "../../profile/Limits.ts"
import { needs } from "../../profile/Need.ts"
import type { PrincipalName } from "../../profile/Principals.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { holds, slotsIn } from "./Slots.ts"

/** Whether the profile offers applicants, new or existing ones. */
export const offersApplicants = Effect.map(Session, ({ profile }) => needs.applicant.isMet(profile))

const createBody = Effect.map(groupOf("credential"), (group) => JSON.stringify(group?.create?.body ?? null))

/** Whether a credential can be created with a worker and an applicant as owners. */
export const takesBoth = Effect.gen(function* () {
  return (yield* offersApplicants) && (yield* createBody).includes("{{applicant}}")
})

/** Whether a credential can be created with an applicant as its only owner. */
const takesApplicants = Effect.gen(function* () {
  return (yield* takesBoth) || ((yield* offersApplicants) && (yield* createBody).includes("{{ownerId}}"))
})

/** Blocks the walk unless a read shows these owners, because the later steps would prove nothing. */
export const seen = (shown: Exchange, owners: Owners) => {
  if (!isIn(shown, 2)) return Effect.fail(refused(shown))
  return holds(shown, owners).length === 0
    ? Effect.void
    : block(`prerequisite failed: ${inWords(shown)} and does not show the expected owners`, shown)
}

/** Another principal of the profile than the admin: a personal token or a second client. */
export const otherReader = Effect.fnUntraced(function* (name: "personalToken" | "secondClient") {
  const { principals } = (yield* Session).profile
  return principals[name] === undefined ? undefined : name
})

/** Reads as another principal, whose user may lack the privilege. The admin reads then. */
export const readAs = Effect.fnUntraced(function* (path: string, as: PrincipalName | undefined) {
  const { send } = yield* Session
  const shown = as === undefined ? undefined : yield* send({ method: "GET", path, as })
  return shown !== undefined && isIn(shown, 2) ? shown : yield* send({ method: "GET", path })
})

/** Checks that a read shows the owner of a credential. Run once for all walks. */
const ownersAreShown = Effect.gen(function* () {
  const { id, owner } = yield* sharedCredential
  yield* seen(yield* read("credential", id), { worker: owner.id })
})

/**
 * Creates a credential, and checks that its owners are shown: in the answer, if reads show owners as well, else by a
 * read.
 */
export const makeOwned = Effect.fnUntraced(function* (owners: Owners) {
  const { share } = yield* Session
  const credential = yield* makeCredential(owners)
  const shown = slotsIn(credential.exchange)
  const isShown = shown.worker === (owners.worker ?? null) && shown.applicant === (owners.applicant ?? null)
  if (isShown) yield* share("credential-with-owners", ownersAreShown)
  else yield* seen(yield* read("credential", credential.id), owners)
  return credential
})

/** Links an applicant and unlinks the worker, for deployments that cannot create a credential without a worker. */
const withWorkerTakenOut = Effect.fnUntraced(function* (holder: Owning) {
  const { ceiling } = limitsOf((yield* Session).profile)
  if (ceiling === "create") return yield* block("needs the ceiling mutate-own; the profile allows create")
  const first = yield* anyOwner("worker")
  const { id } = yield* makeOwned({ worker: first.id })
  yield* control(link(id, applicant(holder.id)))
  yield* control(unlink(id, worker(first.id)))
  yield* seen(yield* read("credential", id), { applicant: holder.id })
  return id
})

/** Creates a credential with an empty worker slot and an applicant as owner. Needs applicants in the profile. */
export const makeWithoutWorker = Effect.fnUntraced(function* () {
  const holder = yield* anyOwner("applicant")
  const owners = { applicant: holder.id }
  const id = (yield* takesApplicants) ? (yield* makeOwned(owners)).id : yield* withWorkerTakenOut(holder)
  return { id, owners }
})

/** Any applicant of the profile, or an unused id in the form of an applicant's if the profile cannot create one. */
export const anApplicant = Effect.fnUntraced(function* (like: Owning) {
  const id = (yield* offersApplicants) ? (yield* anyOwner("applicant")).id : like.id.replace(/^wkr_/, "app_")
  const owner: Owner = applicant(id)
  return owner
})
