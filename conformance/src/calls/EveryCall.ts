import { Effect } from "effect"
import { Session } from "../engine/Session.ts"
import { type ActionPath, actionPathsOf, endpointsOf } from "../places/Endpoints.ts"
import { fill } from "../profile/Template.ts"
import type { Json } from "../wire/Json.ts"
import { allCalls, type Guarded, type Target } from "./GuardedCalls.ts"
import { linkBody, templateOf, worker } from "./OwnershipCalls.ts"
import { pathOf } from "./Resources.ts"

/** The body of an action on a credential. None of them moves the credential to another owner. */
const actionBody = Effect.fnUntraced(function* (path: ActionPath, { parts, resource }: Target) {
  const { profile } = yield* Session
  const owner = worker(parts["worker"]?.id ?? "")
  const bodies: Readonly<Record<ActionPath, Json | undefined>> = {
    "/{id}/link": yield* linkBody(owner),
    "/{id}/unlink": fill(templateOf(profile, "unlink"), { ...owner }),
    "/{id}/transfer": { from: owner, to: owner },
    "/{id}/verify": { forceRefresh: true },
    "/transfer": { from: owner, to: owner, credentialIds: [resource.id] },
    "/link": fill(profile.ownership?.bulkLink ?? {}, { to: owner, credentialIds: [resource.id] }),
    "/{id}/rotate": undefined
  }
  return bodies[path]
})

/** The calls of §4.2 on a target that are neither a read nor a create, a change or a delete. */
const actionCalls = Effect.fnUntraced(function* (target: Target) {
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

/**
 * Every call that the deployment offers for an entity type, aimed at a target. DELETE comes last because it removes the
 * target. The bodies contain names not used before.
 */
export const everyCall = Effect.fnUntraced(function* (target: Target) {
  const { profile } = yield* Session
  const { entity, resource } = target
  const isReadable = endpointsOf(profile).some((endpoint) => endpoint.entity === entity && endpoint.way === "read")
  const path = `${yield* pathOf(entity)}/${encodeURIComponent(resource.id)}`
  const reading: ReadonlyArray<Guarded> = isReadable
    ? [{ entity, operation: "READ", call: { method: "GET", path } }]
    : []
  const calls: ReadonlyArray<Guarded> = yield* allCalls(target)
  const isLast = ({ operation }: Guarded) => operation === "DELETE"
  const actions: ReadonlyArray<Guarded> = yield* actionCalls(target)
  return [...reading, ...calls.filter((call) => !isLast(call)), ...actions, ...calls.filter(isLast)]
})
