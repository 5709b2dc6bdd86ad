import { Effect } from "effect"
import type { whereOf } from "../../calls/CleanUp.ts"
import { makeStage, type Stage } from "../../calls/EveryCall.ts"
import { attempt, type Guarded, groundOf, isShown, updateCalls } from "../../calls/GuardedCalls.ts"
import { workerField } from "../../calls/Reading.ts"
import { isUntouched, type State, stateOf } from "../../calls/ResourceState.ts"
import type { Blocked } from "../../judgement/Blocked.ts"
import type * as Expect from "../../judgement/Expect.ts"
import { type Control, control } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { equals, type Json, parse } from "../../text/Json.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { leavesOf, without } from "../../wire/JsonChange.ts"
import { isListed, listPathOf, lookForStrays, lookIfGone } from "../resource/Strays.ts"

/** A target, its admin, and its state before calls that must not change it. */
export interface Ground {
  readonly stage: Stage
  readonly admin: ReturnType<typeof whereOf>
  readonly before: State & { readonly control: Control }
}

/**
 * The admin's answers to a change of a target; for a PUT also to the same change again, and to one with another name and
 * without its first field.
 */
export interface Change {
  readonly endpoint: string
  readonly own: Exchange
  readonly put: { readonly again: Exchange; readonly lacking: Exchange; readonly name: string } | undefined
}

/** A target of the first tenant after every change that its admin can make. */
export interface Changed extends Ground {
  readonly changes: ReadonlyArray<Change>
  /** What a read showed after the changes. */
  readonly changed: State
}

/** The same for every target. */
const endpointOf = ({ call: { method, path } }: Guarded, id: string): string =>
  `${method} ${path.replace(encodeURIComponent(id), "{id}")}`

/** The same change with another name and without its first field. */
const attemptLacking = Effect.fnUntraced(function* ({ call }: Guarded, stage: Stage) {
  const other = (yield* updateCalls(stage)).find(
    (one) => one.call.method === call.method && one.call.path === call.path
  )
  const json = (other?.call.json ?? {}) as Json
  const [[first] = [""]] = leavesOf(json)
  const body = leavesOf(json).length > 1 ? without(json, first) : {}
  const { send } = yield* Session
  return { lacking: yield* send({ ...call, json: body, turn: 0 }), name: other?.unique ?? "" }
})

const makeChange = Effect.fnUntraced(function* (call: Guarded, stage: Stage) {
  const own = yield* attempt(call, { turn: 1 })
  const isPut = call.call.method === "PUT"
  if (!isPut && isIn(own, 2)) yield* attempt(call, { turn: 0 })
  const put =
    isPut && isIn(own, 2)
      ? { again: yield* attempt(call, { turn: 1 }), ...(yield* attemptLacking(call, stage)) }
      : undefined
  return { endpoint: endpointOf(call, stage.resource.id), own, put } satisfies Change
})

/** The target with the name by which a list shows it now: a change may have given it another. */
const listedBy = Effect.fnUntraced(function* (stage: Stage, names: ReadonlyArray<string>) {
  // workers are read by name, and credentials are listed by their owner
  for (const unique of stage.entity === "worker" || stage.entity === "credential" ? [] : names) {
    const named: Stage = { ...stage, resource: { ...stage.resource, unique } }
    const listed = yield* isListed(named)
    if (listed === undefined || listed.has) return named
  }
  return isShown(stage.entity) ? stage : { ...stage, isUnlisted: true }
})

/** The external id that the last change gave a worker. Other resources are read by their ids. */
const presentName = ({ entity, resource: { unique } }: Stage, changes: ReadonlyArray<Change>): string => {
  const sent = changes.flatMap(({ own, put }) => [own, ...(put === undefined ? [] : [put.again, put.lacking])])
  const names = sent.map((one) =>
    isIn(one, 2) ? workerField(parse(one.request.body), "source.externalId") : undefined
  )
  const last = names.findLast((name) => typeof name === "string")
  return entity === "worker" && typeof last === "string" ? last : unique
}

export const makeGround = Effect.fnUntraced(function* (entity: string) {
  const stage = yield* makeStage(entity, { turn: 0 })
  const updates = yield* updateCalls(stage)
  const changes = yield* Effect.forEach(updates, (call) => makeChange(call, stage))
  const state = yield* stateOf(entity, { ...stage.resource, unique: presentName(stage, changes) }, { turn: 0 })
  const good = yield* control(Effect.succeed(stage.resource.exchange))
  if (state.data !== undefined || !isShown(entity)) {
    const taken = changes.flatMap(({ put }) => (put !== undefined && isIn(put.lacking, 2) ? [put.name] : []))
    // the latest name first
    const names = [...taken, ...updates.map(({ unique }) => unique).toReversed(), stage.resource.unique]
    const renamed = { ...stage, resource: { ...stage.resource, unique: presentName(stage, changes) } }
    const named = yield* listedBy(renamed, names)
    const known: Changed = { stage: named, admin: {}, before: { ...state, control: good }, changes, changed: state }
    return known
  }
  // a change may have given a worker another name
  const other = yield* makeStage(entity)
  const known: Changed = { stage: other, admin: {}, before: yield* groundOf(other), changes, changed: state }
  return known
})

/** A target that several walks use at the same time. */
export const sharedGround = (entity: string): Effect.Effect<Changed, Blocked, Session> =>
  Effect.flatMap(Session, ({ share }) => share(`${entity}-ground`, makeGround(entity)))

/** The result of reads after calls that must not change a target. */
export interface After {
  readonly state: State
  readonly reads: ReadonlyArray<Exchange>
  /** The differences in the target. Empty if no read showed it before. */
  readonly kept: Expect.Met
  /** The difference in the list that would show it. */
  readonly gone: Expect.Met
  /** The differences in the lists that would show a resource of a refused create. */
  readonly strays: Expect.Met
}

/** Calls that were made and must not have changed the target. */
export interface Tried {
  /** The names in the bodies of refused changes. */
  readonly names: ReadonlyArray<string>
  /** The refused creates whose resources are looked for. */
  readonly creates: ReadonlyArray<Guarded>
  /** Whether a call could have deleted the target. */
  readonly deletes?: boolean
  readonly judge: (after: After) => Effect.Effect<void, Blocked, Session>
}

/** Makes the calls of one rule. */
export type Trial<G extends Ground = Ground> = (ground: G) => Effect.Effect<Tried, Blocked, Session>

export const namesOf = (calls: ReadonlyArray<Guarded>): ReadonlyArray<string> =>
  calls.flatMap(({ operation, unique }) => (operation === "UPDATE" && unique !== undefined ? [unique] : []))

/** Looks for resources that refused creates made: once in each list that would show some. */
const strayed = Effect.fnUntraced(function* ({ admin, stage }: Ground, creates: ReadonlyArray<Guarded>) {
  const { profile } = yield* Session
  const paths = new Map(creates.map((call) => [listPathOf(profile, call, stage.parts), call]))
  paths.delete(undefined)
  return yield* Effect.forEach(paths, ([path = "", call]) =>
    lookForStrays(call, { ...stage, own: stage.resource.id }, path, admin)
  )
})

const lookAt = Effect.fnUntraced(function* (
  ground: Ground,
  tried: ReadonlyArray<Tried>,
  makeAnother: Effect.Effect<Ground, Blocked, Session>
) {
  const { admin, before, stage } = ground
  const state = yield* stateOf(stage.entity, stage.resource, { turn: 1, ...admin })
  const names = tried.flatMap((one) => one.names)
  const kept = before.data === undefined ? [] : isUntouched(before, state, names)
  const lists = yield* strayed(
    ground,
    tried.flatMap(({ creates }) => creates)
  )
  const another = Effect.map(makeAnother, (one) => one.stage)
  // the list of a worker was read above
  const isAsked =
    tried.some(({ deletes }) => deletes === true) && stage.entity !== "worker" && stage.isUnlisted !== true
  const { gone, reads } = isAsked ? yield* lookIfGone(stage, another, admin) : { gone: [], reads: [] }
  return {
    state,
    reads: [state.exchange, ...lists.map(({ list }) => list), ...reads],
    kept: [...kept, ...gone],
    gone,
    strays: lists.flatMap(({ strays }) => strays)
  } satisfies After
})

/** Reads a target again. If the read itself changes what reads show, they prove nothing about other calls. */
const readAgain = Effect.fnUntraced(function* <G extends Ground>(ground: G) {
  const { admin, before, stage } = ground
  const again = yield* stateOf(stage.entity, stage.resource, admin)
  const data = equals(before.steady, again.steady) ? again.data : undefined
  const known: G = { ...ground, before: { ...again, data, control: before.control } }
  return known
})

/**
 * Makes the calls of all trials on one target, and reads it once. If it was changed, repeats each trial on a new target,
 * so that a change counts against the calls that made it. Returns whether the first target is unchanged.
 */
export const judgeTrials = Effect.fnUntraced(function* <G extends Ground>(
  ground: G,
  makeAnother: Effect.Effect<G, Blocked, Session>,
  trials: ReadonlyArray<Trial<G>>
) {
  if (trials.length === 0) return true
  const tried = yield* Effect.forEach(trials, (trial) => trial(ground))
  const after = yield* lookAt(ground, tried, makeAnother)
  const isKept = after.kept.length === 0 && after.strays.length === 0
  // only one trial can have deleted the target
  const isKnown = tried.filter(({ deletes }) => deletes === true).length === 1
  const seenBy = ({ deletes }: Tried): After =>
    isKept ? after : { ...after, kept: deletes === true && isKnown ? after.gone : [], strays: [] }
  yield* Effect.forEach(tried, (one) => one.judge(seenBy(one)), { discard: true })
  if (isKept) return true
  for (const trial of trials) {
    const own = yield* makeAnother
    const known = yield* readAgain(own)
    const one = yield* trial(known)
    yield* one.judge(yield* lookAt(known, [one], makeAnother))
  }
  return false
})
