import { Effect } from "effect"
import * as Expect from "../judgement/Expect.ts"
import { block, control } from "../judgement/Judge.ts"
import { type Call, Session } from "../judgement/Session.ts"
import { findPathOf } from "../profile/Groups.ts"
import type { Change } from "../profile/Profile.ts"
import { at, isObject, type Json } from "../text/Json.ts"
import { type Exchange, isIn, statusOf } from "../wire/Exchange.ts"
import { lookUp } from "./Lookup.ts"
import { carries, idOf, slotsOf } from "./Reading.ts"
import { groupOf, type Resource, read } from "./Resources.ts"
import { shownIn } from "./ShownWorkers.ts"

/** The current state of a resource, and the exchange that showed it. */
export interface State {
  readonly exchange: Exchange
  /** Undefined if the exchange did not show the resource. */
  readonly data: Json | undefined
  /** The part that only a call changes. */
  readonly steady: Json
}

/** The positions that a template writes. */
const writtenBy = (template: Json, position = ""): ReadonlyArray<string> =>
  isObject(template)
    ? Object.entries(template).flatMap(([key, one]) => writtenBy(one, position === "" ? key : `${position}.${key}`))
    : [position]

/**
 * The part that only a call changes. Of a credential: its id and owners, because a verification may run meanwhile. Of
 * an undocumented group: the values that the profile's changes write.
 */
const steadyOf = (type: string, changes: ReadonlyArray<Change>, data: Json | undefined): Json => {
  if (type === "worker" || data === undefined) return data ?? null
  const id = idOf(data) ?? null
  if (type === "credential") return { id, owners: { ...slotsOf(data) } as Json }
  const positions = changes.flatMap(({ body }) => writtenBy(body))
  return { id, ...Object.fromEntries(positions.map((position) => [position, at(data, position) ?? null])) }
}

/**
 * A worker is looked up, because no other read of it is documented. A resource without a read by id may be in a list of
 * the profile.
 */
const shownBy = Effect.fnUntraced(function* (
  type: string,
  { id, unique }: Pick<Resource, "id" | "unique">,
  more: Pick<Call, "as" | "headers" | "to" | "turn">
) {
  if (type === "worker") {
    const found = yield* lookUp(unique, more)
    return { exchange: found, data: shownIn(found, id) }
  }
  const { profile, send } = yield* Session
  const one = yield* read(type, id, more)
  const path = type === "credential" ? undefined : findPathOf(profile, type, unique)
  if (isIn(one, 2) || path === undefined) return { exchange: one, data: at(one.answer?.json, "data") }
  const list = yield* send({ method: "GET", path, ...more })
  const item = shownIn(list, id)
  return item === undefined ? { exchange: one, data: at(one.answer?.json, "data") } : { exchange: list, data: item }
})

/** Reads a resource: by default as the admin, on the tenant's host. */
export const stateOf = Effect.fnUntraced(function* (
  type: string,
  resource: Pick<Resource, "id" | "unique">,
  more: Pick<Call, "as" | "headers" | "to" | "turn"> = {}
) {
  const { exchange, data } = yield* shownBy(type, resource, more)
  const changes = (yield* groupOf(type))?.update ?? []
  return { exchange, data, steady: steadyOf(type, changes, data) } satisfies State
})

/** Like `stateOf`, but blocks the walk if the resource is not shown. */
export const shownState = Effect.fnUntraced(function* (type: string, resource: Pick<Resource, "id" | "unique">) {
  const state = yield* stateOf(type, resource)
  if (idOf(state.data) === resource.id) return { ...state, control: yield* control(Effect.succeed(state.exchange)) }
  return yield* block(`prerequisite failed: a read does not show the ${type} that was created`, state.exchange)
})

/** The resource is unchanged and shows no name from the refused bodies. These names were not used before. */
export const isUntouched = (before: State, after: State, refused: ReadonlyArray<string>): Expect.Met => [
  ...Expect.accepted(after.exchange),
  ...Expect.same(after.exchange, "body.data", before.steady, after.steady),
  ...refused
    .filter((name) => carries(after.data, name))
    .flatMap((name) => Expect.difference(after.exchange, "changed", "body.data", "no value of the refused body", name))
]

/** The part in which two reads must agree: the status, the resource or the error code, but no per-request values. */
export const comparablePart = (shown: Exchange): Json => [
  statusOf(shown),
  Expect.valueAt(shown, "data") ?? null,
  Expect.valueAt(shown, "error.code") ?? null
]
