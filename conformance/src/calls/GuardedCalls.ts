import { Effect } from "effect"
import * as Expect from "../judgement/Expect.ts"
import { block, control, inWords } from "../judgement/Judge.ts"
import { type Call, Session } from "../judgement/Session.ts"
import { isOfTable, makeableTypesOf } from "../profile/Groups.ts"
import type { PrincipalName } from "../profile/Principals.ts"
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

/** A call that needs a privilege. */
export interface Guarded {
  readonly entity: string
  readonly operation: Operation
  readonly call: Call
  /** The unique name in the body of a create. */
  readonly unique?: string
}

/** A resource that calls are aimed at. */
export interface Target {
  readonly entity: string
  readonly resource: Resource
  /** The resources that its body refers to. Further resources of the type can refer to them too. */
  readonly parts: Parts
}

/** Creates a resource of a group; a credential gets a worker as owner. */
export const makeTarget = Effect.fnUntraced(function* (entity: string, more?: Pick<Call, "turn">) {
  const parts = yield* makeParts(entity)
  return { entity, resource: yield* makeFrom(entity, parts, more), parts } satisfies Target
})

/**
 * Reads a target before calls are aimed at it. Blocks the walk if the specification documents a read of the group, and
 * the read does not return the target. Other groups may have no known read.
 */
export const groundOf = Effect.fnUntraced(function* ({ entity, resource }: Target) {
  if (isShown(entity)) return yield* shownState(entity, resource)
  const made = yield* control(Effect.succeed(resource.exchange))
  return { ...(yield* stateOf(entity, resource)), control: made }
})

/** Whether a read of a target is `GET` of its id. */
export const isById = ({ resource: { id } }: Target, { request }: Exchange): boolean =>
  request.url.endsWith(`/${encodeURIComponent(id)}`)

/** The types that can be created as targets. */
export const makeableTypes = Effect.map(Session, ({ profile }) => makeableTypesOf(profile))

/**
 * Whether a group's name in the profile is an entity type: in the table of §4.2, or named by a privilege. The
 * specification does not say which privilege guards the other groups.
 */
export const isEntityType = ({ principals }: Profile, entity: string): boolean =>
  isOfTable(entity) || (principals.limited ?? []).some(({ privileges }) => Object.hasOwn(privileges, entity))

/** The entity types with a known read: workers, credentials and those with a read path in the profile. */
export const readableTypes = Effect.map(Session, ({ profile }) =>
  readPathsOf(profile).flatMap(({ call, entity }) =>
    call.isUnknownPath !== true && isEntityType(profile, entity) ? [entity] : []
  )
)

/** The entity types that can be created as targets. */
export const guardedTypes = Effect.map(Session, ({ profile }) =>
  makeableTypesOf(profile).filter((entity) => isEntityType(profile, entity))
)

/**
 * Whether the specification documents the calls of a group. A missing profile entry for such a call blocks its rules.
 */
export const isShown = (entity: string): boolean => entity === "worker" || entity === "credential"

/** `GET` of a group. Credentials are listed as in §4.2: by the external id of an owner. */
export const readCall = Effect.fnUntraced(function* (entity: string) {
  const { profile } = yield* Session
  const shown = readPathsOf(profile).find((one) => one.entity === entity)?.call
  const call: Call = shown ?? { method: "GET", path: yield* pathOf(entity) }
  return { entity, operation: "READ", call } satisfies Guarded
})

/** The list of a group, read by the admin. Walks share it. */
export const listOf = Effect.fnUntraced(function* (entity: string) {
  const { share } = yield* Session
  const call = yield* readCall(entity)
  return yield* share(`list-of-${entity}`, attempt(call, "admin"))
})

/** The `POST` that creates a resource. */
export const createCall = Effect.fnUntraced(function* (entity: string, parts: Parts) {
  const unique = yield* (yield* Session).unique
  const json = yield* bodyOf(entity, unique, idsOf(parts))
  const call: Call = { method: "POST", path: yield* pathOf(entity), json }
  return { entity, operation: "CREATE", call, unique } satisfies Guarded
})

/**
 * Every PATCH and PUT that the profile has for the group, aimed at an id. The bodies contain `unique`, a name not used
 * before.
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

/** The `DELETE` that the profile has for the group, if any, aimed at an id. */
export const deleteCalls = Effect.fnUntraced(function* (entity: string, id: string) {
  const how = (yield* groupOf(entity))?.delete
  if (how?.method !== "DELETE") return []
  const call: Call = { method: "DELETE", path: fillPath(how.path, { id }) }
  return [{ entity, operation: "DELETE", call } satisfies Guarded]
})

/**
 * Blocks the walk if a read, an update or a delete among these calls found nothing although it was authorized: the
 * profile's path is then wrong. Call this function before you judge the rule.
 */
export const blockIfAstray = Effect.fnUntraced(function* (entity: string, evidence: ReadonlyArray<Exchange>) {
  const astray = new Set(evidence.filter(isAstray).map(({ request }) => request.method))
  if (astray.size === 0) return
  const target = yield* makeTarget(entity)
  const calls = [yield* readCall(entity), ...(yield* updateCalls(target))].filter(({ call }) => astray.has(call.method))
  for (const call of calls) {
    const own = yield* attempt(call, "admin")
    if (isAstray(own)) return yield* block(`prerequisite failed: ${inWords(own)}`, own)
  }
  if (!astray.has("DELETE")) return
  for (const call of yield* deleteCalls(entity, target.resource.id)) {
    yield* unlessAstray(entity, yield* attempt(call, "admin"))
  }
})

/**
 * Sends a guarded call as a principal. Registers created resources for deletion, even if the create had to be refused.
 */
export const attempt = Effect.fnUntraced(function* (
  { call, entity, operation, unique }: Guarded,
  as: PrincipalName | Exclude<Call["as"], undefined> | Required<Pick<Call, "turn">>,
  change: Partial<Call> = {}
) {
  const session = yield* Session
  const { json: _, ...bare } = call
  const by: Partial<Call> = typeof as === "object" && as !== null && "turn" in as ? as : { as }
  const sent: Call = { ...(change.raw === undefined ? call : bare), ...by, ...change }
  if (operation !== "CREATE" || unique === undefined) return yield* session.send(sent)
  const to = change.to === "second tenant" ? change.to : undefined
  yield* session.intend(entity, unique, to)
  const exchange = yield* session.send(sent)
  yield* noteMade(entity, unique, exchange, to)
  return exchange
})

/** Refused for a missing privilege. */
export const forbidden = (exchange: Exchange): Expect.Met => Expect.error(exchange, 403, "FORBIDDEN")
