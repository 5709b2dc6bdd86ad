import { Effect } from "effect"
import type { Exchange } from "./Exchange.ts"
import * as Expect from "./Expect.ts"
import { at, type Json } from "./Json.ts"
import { block, control } from "./Judge.ts"
import { lookUp } from "./Lookup.ts"
import { idOf, slotsOf } from "./Reading.ts"
import { type Resource, read } from "./Resources.ts"
import type { Made } from "./Session.ts"
import { shownIn } from "./ShownWorkers.ts"

/** A resource as it is now, and the exchange that showed it. */
export interface State {
  readonly exchange: Exchange
  /** Undefined where it was not shown. */
  readonly data: Json | undefined
}

/** Reads a resource: a worker by its external id, the one read of it that the specification shows. */
export const stateOf = Effect.fnUntraced(function* (
  type: Made["type"],
  { id, unique }: Pick<Resource, "id" | "unique">
) {
  const exchange = type === "worker" ? yield* lookUp(unique) : yield* read(type, id)
  const data = type === "worker" ? shownIn(exchange, id) : at(exchange.answer?.json, "data")
  return { exchange, data } satisfies State
})

/** The same of something that has to be there: the walk is blocked where it is not shown. */
export const shownState = Effect.fnUntraced(function* (type: Made["type"], resource: Pick<Resource, "id" | "unique">) {
  const state = yield* stateOf(type, resource)
  if (idOf(state.data) === resource.id) return { ...state, control: yield* control(Effect.succeed(state.exchange)) }
  return yield* block(`prerequisite failed: a read does not show the ${type} that was made`, state.exchange)
})

/** What nothing but a call changes: a verification that runs meanwhile leaves a credential its id and owners alone. */
const steady = (type: Made["type"], { data }: State): Json =>
  type !== "credential" || data === undefined
    ? (data ?? null)
    : { id: idOf(data) ?? null, owners: { ...slotsOf(data) } as Json }

/** A resource is as it was, and shows nothing of what was refused: names that stood nowhere before. */
export const isUntouched = (
  type: Made["type"],
  before: State,
  after: State,
  refused: ReadonlyArray<string>
): Expect.Met => [
  ...Expect.accepted(after.exchange),
  ...Expect.same(after.exchange, "body.data", steady(type, before), steady(type, after)),
  ...refused
    .filter((name) => JSON.stringify(after.data ?? null).includes(name))
    .flatMap((name) => Expect.difference(after.exchange, "changed", "body.data", "nothing of the refused body", name))
]
