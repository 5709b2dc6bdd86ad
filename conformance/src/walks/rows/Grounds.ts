import { Effect } from "effect"
import { makeStage, type Stage, stageOf } from "../../calls/EveryCall.ts"
import { createCall, groundOf } from "../../calls/GuardedCalls.ts"
import { type State, stateOf } from "../../calls/ResourceState.ts"
import { made, madeId, makeFrom, makeParts } from "../../calls/Resources.ts"
import type { Blocked } from "../../judgement/Blocked.ts"
import { type Control, control } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { holdersOf, withOnly } from "../../profile/LimitedPrincipals.ts"
import { equals } from "../../text/Json.ts"
import type { Exchange } from "../../wire/Exchange.ts"
import { sharedGround } from "../places/Trials.ts"
import type { Row, Sweep } from "./Row.ts"
import { attemptAllowed } from "./Sending.ts"

// The targets of a sweep.

/** A target, its state before the calls, and the call that made it. */
export interface SweptGround {
  readonly stage: Stage
  readonly before: State
  readonly good: Control
  /** The answers to the admin's changes of the target, by call. */
  readonly changes?: ReadonlyMap<string, Exchange>
  /** The create by the principal with CREATE alone, if the rows judge one. */
  readonly created?: Exchange
}

const lent = (entity: string): Effect.Effect<SweptGround, Blocked, Session> =>
  Effect.map(sharedGround(entity), ({ before, changes, stage }) => ({
    stage,
    before,
    good: before.control,
    changes: new Map(changes.map(({ endpoint, own }) => [endpoint, own]))
  }))

/** A target that the principal with CREATE alone makes, or the admin if that create fails. */
const makeOwn = Effect.fnUntraced(function* (entity: string, rows: ReadonlyArray<Row>) {
  const { profile } = yield* Session
  const isTried = rows.some(({ calls, is }) => !is.refuses && calls.includes("create"))
  const holder = isTried ? withOnly(holdersOf(profile), entity, "CREATE") : undefined
  const parts = yield* makeParts(entity)
  const call = yield* createCall(entity, parts)
  const created = holder === undefined ? undefined : yield* attemptAllowed(call, holder.name)
  const isMade = created !== undefined && madeId(created, call.unique) !== undefined
  const resource = yield* isMade ? made(call.unique, created) : makeFrom(entity, parts)
  const good = yield* control(Effect.succeed(resource.exchange))
  const stage: Stage = yield* stageOf({ entity, parts, resource })
  return { stage, good, before: yield* groundOf(stage), ...(created && { created }) } satisfies SweptGround
})

/** The target that all walks of a sweep use. */
export const groundFor = (
  { target }: Sweep,
  entity: string,
  rows: ReadonlyArray<Row>
): Effect.Effect<SweptGround, Blocked, Session> =>
  target === "lent"
    ? lent(entity)
    : Effect.flatMap(Session, ({ share }) => share(`own-${entity}`, makeOwn(entity, rows)))

/** A new target. If a read itself changes what reads show, they prove nothing about other calls. */
export const makeAnother = Effect.fnUntraced(function* (entity: string) {
  const stage = yield* makeStage(entity)
  const first = yield* stateOf(entity, stage.resource)
  const again = yield* stateOf(entity, stage.resource)
  const data = equals(first.steady, again.steady) ? again.data : undefined
  const good = yield* control(Effect.succeed(stage.resource.exchange))
  return { stage, before: { ...again, data }, good } satisfies SweptGround
})
