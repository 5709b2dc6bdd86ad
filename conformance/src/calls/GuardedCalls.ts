import { Effect } from "effect"
import * as Expect from "../engine/Expect.ts"
import { control } from "../engine/Judge.ts"
import { type Call, type PrincipalName, Session } from "../engine/Session.ts"
import { isOfTable, makeableTypesOf } from "../profile/Groups.ts"
import type { Operation, Profile } from "../profile/Profile.ts"
import { fill, fillPath } from "../profile/Template.ts"
import type { Exchange } from "../wire/Exchange.ts"
import { readPathsOf } from "./ReadPaths.ts"
import { shownState, stateOf } from "./ResourceState.ts"
import {
  bodyOf,
  groupOf,
  idsOf,
  isAstray,
  makeFrom,
  makeParts,
  noteMade,
  type Parts,
  pathOf,
  type Resource,
  unlessAstray
} from "./Resources.ts"

/** One call that a privilege guards. */
export interface Guarded {
  /** The entity type of its group. */
  readonly entity: string
  readonly operation: Operation
  readonly call: Call
  /** What a create would make, and under which name. */
  readonly unique?: string
}

/** A resource that calls are aimed at. */
export interface Target {
  readonly entity: string
  readonly resource: Resource
  /** What it was made with, and what others like it can be made with. */
  readonly parts: Parts
}

/** A new resource of a group; of a credential, one of a worker. */
export const makeTarget = Effect.fnUntraced(function* (entity: string) {
  const parts = yield* makeParts(entity)
  return { entity, resource: yield* makeFrom(entity, parts), parts } satisfies Target
})

/**
 * How a target is shown before calls are aimed at it, and the proof that it is there: the walk is blocked where no read
 * shows what the specification says how to read. Of other groups a read may not be known.
 */
export const groundOf = Effect.fnUntraced(function* ({ entity, resource }: Target) {
  if (isShown(entity)) return yield* shownState(entity, resource)
  const made = yield* control(Effect.succeed(resource.exchange))
  return { ...(yield* stateOf(entity, resource)), control: made }
})

/** The types that a target can be made of. */
export const makeableTypes = Effect.map(Session, ({ profile }) => makeableTypesOf(profile))

/**
 * Whether a group's name in the profile is that of an entity type: one of §4.2's table, or one that privileges
 * are named by. What guards the groups beside the table is not said.
 */
export const isEntityType = ({ principals }: Profile, entity: string): boolean =>
  isOfTable(entity) || (principals.limited ?? []).some(({ privileges }) => Object.hasOwn(privileges, entity))

/** The entity types that can be read, workers and credentials among them, and others where the profile tells the place. */
export const readableTypes = Effect.map(Session, ({ profile }) =>
  readPathsOf(profile).flatMap(({ call, entity }) =>
    call.isUnknownPath !== true && isEntityType(profile, entity) ? [entity] : []
  )
)

/** The entity types that a target can be made of. */
export const guardedTypes = Effect.map(Session, ({ profile }) =>
  makeableTypesOf(profile).filter((entity) => isEntityType(profile, entity))
)

/** Whether the specification shows the calls of a group: what a profile leaves out of these is a lack. */
export const isShown = (entity: string): boolean => entity === "worker" || entity === "credential"

/** `GET` of a group. Credentials are asked for as §4.2 shows it: by the external id of an owner. */
export const readCall = Effect.fnUntraced(function* (entity: string) {
  const { profile } = yield* Session
  const shown = readPathsOf(profile).find((one) => one.entity === entity)?.call
  const call: Call = shown ?? { method: "GET", path: yield* pathOf(entity) }
  return { entity, operation: "READ", call } satisfies Guarded
})

/** The `POST` that makes one. */
export const createCall = Effect.fnUntraced(function* (entity: string, parts: Parts) {
  const unique = yield* (yield* Session).unique
  const json = yield* bodyOf(entity, unique, idsOf(parts))
  const call: Call = { method: "POST", path: yield* pathOf(entity), json }
  return { entity, operation: "CREATE", call, unique } satisfies Guarded
})

/**
 * Every PATCH and PUT of the group that the profile shows, aimed at an id; what it would write holds `unique`, a name
 * that stands nowhere yet.
 */
export const updateCalls = Effect.fnUntraced(function* (target: Target, id: string = target.resource.id) {
  const { entity, parts, resource } = target
  const changes = (yield* groupOf(entity))?.update ?? []
  const unique = yield* (yield* Session).unique
  const values = { id, unique, name: `Conformance ${unique}`, email: `${unique}@example.org` }
  return changes.map(({ body, method, path }): Guarded & { readonly unique: string } => ({
    entity,
    operation: "UPDATE",
    call: {
      method,
      path: fillPath(path, { id }),
      json: fill(body, { ...idsOf({ ...parts, [entity]: resource }), ...values })
    },
    unique
  }))
})

/** The `DELETE` that the profile shows, if it shows one, aimed at an id. */
export const deleteCalls = Effect.fnUntraced(function* (entity: string, id: string) {
  const how = (yield* groupOf(entity))?.delete
  if (how?.method !== "DELETE") return []
  const call: Call = { method: "DELETE", path: fillPath(how.path, { id }) }
  return [{ entity, operation: "DELETE", call } satisfies Guarded]
})

/**
 * Blocks the walk where a delete among these calls was aimed at nothing, and so is one by somebody who may delete: the
 * path of the profile leads nowhere. To be asked before a rule is said to be broken.
 */
export const holdDeletePath = Effect.fnUntraced(function* (entity: string, evidence: ReadonlyArray<Exchange>) {
  if (!evidence.some((exchange) => exchange.request.method === "DELETE" && isAstray(exchange))) return
  const { resource } = yield* makeTarget(entity)
  for (const call of yield* deleteCalls(entity, resource.id)) yield* unlessAstray(entity, yield* attempt(call, "admin"))
})

/** All calls of an entity type that the specification or the profile shows, aimed at a target. */
export const allCalls = Effect.fnUntraced(function* (target: Target) {
  const { entity, parts, resource } = target
  return [
    yield* readCall(entity),
    yield* createCall(entity, parts),
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
