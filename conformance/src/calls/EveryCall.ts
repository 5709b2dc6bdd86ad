import { Effect } from "effect"
import { type Call, Session } from "../judgement/Session.ts"
import { type ActionPath, actionPathsOf, isReadable } from "../places/Endpoints.ts"
import { needs } from "../profile/Need.ts"
import { fill } from "../profile/Template.ts"
import type { Json } from "../text/Json.ts"
import {
  createCall,
  deleteCalls,
  type Guarded,
  makeTarget,
  readCall,
  type Target,
  updateCalls
} from "./GuardedCalls.ts"
import { applicant, linkBody, templateOf, worker } from "./OwnershipCalls.ts"
import { anyOwner, type Owning, pathOf, sharedOwner } from "./Resources.ts"

/** A target of every call. A credential has two more owners. */
export interface Stage extends Target {
  /** The target of transfers. */
  readonly next: Owning | undefined
  /** An applicant that the credential does not have: an unlink of it is a no-op (§3). */
  readonly absent: Owning | undefined
  /** Whether no list shows the target by its name. */
  readonly isUnlisted?: boolean
  /** The worker of the credential, if it is not one of the stage. */
  readonly holder?: Owning
}

/** Adds the further owners to a target. */
export const stageOf = Effect.fnUntraced(function* (target: Target) {
  const { profile } = yield* Session
  const isCredential = target.entity === "credential"
  const stage: Stage = {
    ...target,
    next: isCredential ? yield* sharedOwner("worker") : undefined,
    absent: isCredential && needs.applicant.isMet(profile) ? yield* anyOwner("applicant") : undefined
  }
  return stage
})

export const makeStage = (entity: string, more?: Pick<Call, "turn">) =>
  Effect.flatMap(makeTarget(entity, more), stageOf)

/** The body of an action. Of the ownership actions, only a transfer changes the credential. */
const actionBody = Effect.fnUntraced(function* (path: ActionPath, stage: Stage) {
  const { profile } = yield* Session
  const { absent, holder, next, parts, resource } = stage
  const owner = worker(parts["worker"]?.id ?? "")
  const idle = absent === undefined ? owner : applicant(absent.id)
  const from = holder === undefined ? owner : worker(holder.id)
  const to = next === undefined ? owner : worker(next.id)
  const bodies: Readonly<Record<ActionPath, Json | undefined>> = {
    // into the empty slot if another worker has the other
    "/{id}/link": yield* linkBody(holder === undefined ? owner : idle),
    "/{id}/unlink": fill(templateOf(profile, "unlink"), { ...idle }),
    "/{id}/transfer": { from, to },
    "/{id}/verify": { forceRefresh: true },
    "/transfer": { from, to, credentialIds: [resource.id] },
    "/link": fill(profile.ownership?.bulkLink ?? {}, { from: owner, to: owner, credentialIds: [resource.id] }),
    "/{id}/rotate": undefined
  }
  return bodies[path]
})

/** The calls of §4.2 on a target other than reads, creates, changes and deletes. */
const actionCalls = Effect.fnUntraced(function* (target: Stage) {
  const { profile } = yield* Session
  const { entity, resource } = target
  const group = yield* pathOf(entity)
  return yield* Effect.forEach(
    actionPathsOf(entity, profile),
    Effect.fnUntraced(function* (path) {
      const json = yield* actionBody(path, target)
      const to = `${group}${path.replace("{id}", encodeURIComponent(resource.id))}`
      const call = { method: "POST", path: to, ...(json === undefined ? {} : { json }) }
      return { entity, operation: "UPDATE", call } satisfies Guarded
    })
  )
})

/** `GET` of one target, if the deployment may have it. */
export const readOne = Effect.fnUntraced(function* ({ entity, resource }: Target) {
  const { profile } = yield* Session
  if (!isReadable(entity, profile)) return undefined
  const path = `${yield* pathOf(entity)}/${encodeURIComponent(resource.id)}`
  return { entity, operation: "READ", call: { method: "GET", path } } satisfies Guarded
})

/**
 * Every call that the deployment offers for an entity type, aimed at a target. DELETE comes last because it removes the
 * target. The bodies contain names not used before.
 */
export const everyCall = Effect.fnUntraced(function* (target: Stage) {
  const { entity, parts, resource } = target
  const reading: Guarded | undefined = yield* readOne(target)
  const all: ReadonlyArray<Guarded> = [
    ...(reading === undefined ? [] : [reading]),
    yield* readCall(entity),
    yield* createCall(entity, parts),
    ...(yield* updateCalls(target)),
    ...(yield* actionCalls(target)),
    ...(yield* deleteCalls(entity, resource.id))
  ]
  return all
})
