import { Effect } from "effect"
import type { Exchange } from "./Exchange.ts"
import * as Expect from "./Expect.ts"
import type { Operation } from "./Profile.ts"
import { bodyOf, groupOf, makeCredential, makeWorker, noteMade, pathOf, type Resource } from "./Resources.ts"
import { type Call, type PrincipalName, Session } from "./Session.ts"
import { fill, fillPath } from "./Template.ts"

/** The entity types whose calls the specification and the profile show well enough to ask for every operation. */
export const guardedTypes = ["worker", "credential"] as const
export type GuardedType = (typeof guardedTypes)[number]

/** One call that a privilege guards. */
export interface Guarded {
  readonly entity: GuardedType
  readonly operation: Operation
  readonly call: Call
  /** What a create would make, and under which name. */
  readonly unique?: string
}

/** A resource that calls are aimed at. */
export interface Target {
  readonly entity: GuardedType
  readonly resource: Resource
  /** The worker that owns it, or that it is. */
  readonly owner: Resource
}

/** A worker, or a credential of a worker. */
export const makeTarget = Effect.fnUntraced(function* (entity: GuardedType) {
  const owner = yield* makeWorker()
  const resource = entity === "worker" ? owner : yield* makeCredential({ worker: owner.id })
  return { entity, resource, owner } satisfies Target
})

/** The types that a target can be made of. */
export const makeableTypes = Effect.gen(function* () {
  const credential = yield* groupOf("credential")
  return guardedTypes.filter((entity) => entity === "worker" || credential?.create !== undefined)
})

/** `GET` of a group. Credentials are asked for as section 4.2 shows it: by the external id of an owner. */
export const readCall = Effect.fnUntraced(function* (entity: GuardedType) {
  const { profile } = yield* Session
  const usual = entity === "worker" ? "/workers" : `${yield* pathOf("credential")}?ownerExternalId=nobody`
  const call: Call = { method: "GET", path: profile.readPaths?.[entity] ?? usual }
  return { entity, operation: "READ", call } satisfies Guarded
})

/** The `POST` that makes one. */
export const createCall = Effect.fnUntraced(function* (entity: GuardedType, owner: Resource) {
  const unique = yield* (yield* Session).unique
  const json = yield* bodyOf(entity, unique, { worker: owner.id })
  const call: Call = { method: "POST", path: yield* pathOf(entity), json }
  return { entity, operation: "CREATE", call, unique } satisfies Guarded
})

/**
 * Every PATCH and PUT of the group that the profile shows, aimed at an id; what it would write holds `unique`, a name
 * that stands nowhere yet.
 */
export const updateCalls = Effect.fnUntraced(function* (target: Target, id: string = target.resource.id) {
  const { entity, owner } = target
  const changes = (yield* groupOf(entity))?.update ?? []
  const unique = yield* (yield* Session).unique
  const values = { id, unique, name: `Conformance ${unique}`, email: `${unique}@example.org`, worker: owner.id }
  return changes.map(({ body, method, path }): Guarded & { readonly unique: string } => ({
    entity,
    operation: "UPDATE",
    call: { method, path: fillPath(path, { id }), json: fill(body, values) },
    unique
  }))
})

/** The `DELETE` that the profile shows, if it shows one, aimed at an id. */
export const deleteCalls = Effect.fnUntraced(function* (entity: GuardedType, id: string) {
  const how = (yield* groupOf(entity))?.delete
  if (how?.method !== "DELETE") return []
  const call: Call = { method: "DELETE", path: fillPath(how.path, { id }) }
  return [{ entity, operation: "DELETE", call } satisfies Guarded]
})

/** All calls of an entity type that the specification or the profile shows, aimed at a target. */
export const allCalls = Effect.fnUntraced(function* (target: Target) {
  const { entity, owner, resource } = target
  return [
    yield* readCall(entity),
    yield* createCall(entity, owner),
    ...(yield* updateCalls(target)),
    ...(yield* deleteCalls(entity, resource.id))
  ]
})

/** Sends a guarded call as somebody. What a create makes is deleted again, also where it had to be refused. */
export const attempt = Effect.fnUntraced(function* (
  { call, entity, operation, unique }: Guarded,
  as: PrincipalName,
  change: Partial<Call> = {}
) {
  const session = yield* Session
  const { json: _, ...bare } = call
  const sent: Call = { ...(change.raw === undefined ? call : bare), as, ...change }
  if (operation !== "CREATE" || unique === undefined) return yield* session.send(sent)
  yield* session.intend(entity, unique)
  const exchange = yield* session.send(sent)
  yield* noteMade(entity, unique, exchange)
  return exchange
})

/** Refused for want of a privilege. */
export const forbidden = (exchange: Exchange): Expect.Met => Expect.error(exchange, 403, "FORBIDDEN")
