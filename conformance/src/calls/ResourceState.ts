import { Effect } from "effect"
import * as Expect from "../engine/Expect.ts"
import { block, control } from "../engine/Judge.ts"
import { lookUp } from "../engine/Lookup.ts"
import { Session } from "../engine/Session.ts"
import { findPathOf } from "../profile/Groups.ts"
import type { Change } from "../profile/Profile.ts"
import { type Exchange, isIn, statusOf } from "../wire/Exchange.ts"
import { at, isObject, type Json } from "../wire/Json.ts"
import { idOf, slotsOf } from "./Reading.ts"
import { groupOf, type Resource, read } from "./Resources.ts"
import { shownIn } from "./ShownWorkers.ts"

/** A resource as it is now, and the exchange that showed it. */
export interface State {
  readonly exchange: Exchange
  /** Undefined where it was not shown. */
  readonly data: Json | undefined
  /** What nothing but a call changes of it. */
  readonly steady: Json
}

/** The places that a template writes. */
const writtenBy = (template: Json, place = ""): ReadonlyArray<string> =>
  isObject(template)
    ? Object.entries(template).flatMap(([key, one]) => writtenBy(one, place === "" ? key : `${place}.${key}`))
    : [place]

/**
 * What nothing but a call changes: a verification that runs meanwhile leaves a credential its id and owners alone, and of
 * what is in a group that the specification does not show only what the profile's changes write is known to stay.
 */
const steadyOf = (type: string, changes: ReadonlyArray<Change>, data: Json | undefined): Json => {
  if (type === "worker" || data === undefined) return data ?? null
  const id = idOf(data) ?? null
  if (type === "credential") return { id, owners: { ...slotsOf(data) } as Json }
  const places = changes.flatMap(({ body }) => writtenBy(body))
  return { id, ...Object.fromEntries(places.map((place) => [place, at(data, place) ?? null])) }
}

/** A worker is looked up: no other read of it is shown. What no read by its id shows, a list of the profile's may. */
const shownBy = Effect.fnUntraced(function* (type: string, { id, unique }: Pick<Resource, "id" | "unique">) {
  if (type === "worker") {
    const found = yield* lookUp(unique)
    return { exchange: found, data: shownIn(found, id) }
  }
  const { profile, send } = yield* Session
  const one = yield* read(type, id)
  const path = type === "credential" ? undefined : findPathOf(profile, type, unique)
  if (isIn(one, 2) || path === undefined) return { exchange: one, data: at(one.answer?.json, "data") }
  const list = yield* send({ method: "GET", path })
  const item = shownIn(list, id)
  return item === undefined ? { exchange: one, data: at(one.answer?.json, "data") } : { exchange: list, data: item }
})

/** Reads a resource. */
export const stateOf = Effect.fnUntraced(function* (type: string, resource: Pick<Resource, "id" | "unique">) {
  const { exchange, data } = yield* shownBy(type, resource)
  const changes = (yield* groupOf(type))?.update ?? []
  return { exchange, data, steady: steadyOf(type, changes, data) } satisfies State
})

/** The same of something that has to be there: the walk is blocked where it is not shown. */
export const shownState = Effect.fnUntraced(function* (type: string, resource: Pick<Resource, "id" | "unique">) {
  const state = yield* stateOf(type, resource)
  if (idOf(state.data) === resource.id) return { ...state, control: yield* control(Effect.succeed(state.exchange)) }
  return yield* block(`prerequisite failed: a read does not show the ${type} that was made`, state.exchange)
})

/** A resource is as it was, and shows nothing of what was refused: names that stood nowhere before. */
export const isUntouched = (before: State, after: State, refused: ReadonlyArray<string>): Expect.Met => [
  ...Expect.accepted(after.exchange),
  ...Expect.same(after.exchange, "body.data", before.steady, after.steady),
  ...refused
    .filter((name) => JSON.stringify(after.data ?? null).includes(name))
    .flatMap((name) => Expect.difference(after.exchange, "changed", "body.data", "nothing of the refused body", name))
]

/** What two reads have to agree in: the resource, or the refusal, but not what is of each request alone. */
export const told = (shown: Exchange): Json => [
  statusOf(shown),
  Expect.valueAt(shown, "data") ?? null,
  Expect.valueAt(shown, "error.code") ?? null
]
