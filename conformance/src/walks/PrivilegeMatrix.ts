import { Effect } from "effect"
import * as Expect from "../Expect.ts"
import {
  allCalls,
  attempt,
  forbidden,
  type Guarded,
  type GuardedType,
  makeableTypes,
  makeTarget
} from "../GuardedCalls.ts"
import { block, blockRule, type Control, judgePair } from "../Judge.ts"
import { type Holder, holdersOf, strangers, withOnly } from "../LimitedPrincipals.ts"
import type { Operation } from "../Profile.ts"
import { idOf } from "../Reading.ts"
import { shownState, stateOf } from "../ResourceState.ts"
import { groupOf } from "../Resources.ts"
import { Session } from "../Session.ts"
import { type Walk, walk } from "../Walk.ts"

/** DELETE comes last: then the target is gone. */
const operations: ReadonlyArray<Operation> = ["READ", "CREATE", "UPDATE", "DELETE"]

/** A target, and the proof that the admin may make and read one. */
const ground = Effect.fnUntraced(function* (entity: GuardedType) {
  const target = yield* makeTarget(entity)
  const { control: shown } = yield* shownState(entity, target.resource)
  return { target, shown }
})

/** Every principal that may do nothing on an entity type, and every call of that type. */
const otherTypes = (entity: GuardedType) =>
  walk(
    {
      name: `privileges/nothing-on-${entity}`,
      judges: ["PRV-06"],
      blast: "mutate-own",
      needs: entity === "worker" ? ["limited tokens"] : ["limited tokens", "credential body"]
    },
    Effect.gen(function* () {
      const { profile } = yield* Session
      const them = strangers(holdersOf(profile), entity).filter(({ limited }) =>
        Object.values(limited.privileges).some((granted) => granted.length > 0)
      )
      if (them.length === 0) {
        return yield* block(`no limited principal of the profile has privileges, but none on ${entity}`)
      }
      const { shown, target } = yield* ground(entity)
      const calls = yield* allCalls(target)
      const probes = yield* Effect.forEach(
        them.flatMap(({ name }) => calls.map((call) => ({ name, call }))),
        ({ call, name }) => attempt(call, name)
      )
      const after = yield* stateOf(entity, target.resource)
      yield* judgePair("PRV-06", { control: shown, probe: probes, after: after.exchange }, [
        ...probes.flatMap(forbidden),
        ...Expect.accepted(after.exchange),
        ...Expect.same(after.exchange, "body.data.id", target.resource.id, idOf(after.data))
      ])
    })
  )

/** Asks one principal, which has one privilege alone, for all four operations. */
const judgeOne = Effect.fnUntraced(function* (
  shown: Control,
  calls: ReadonlyArray<Guarded>,
  holder: Holder,
  operation: Operation
) {
  const isOwn = (call: Guarded) => call.operation === operation
  const others = calls.filter((call) => !isOwn(call))
  const refused = yield* Effect.forEach(others, (call) => attempt(call, holder.name))
  const allowed = yield* Effect.forEach(calls.filter(isOwn), (call) => attempt(call, holder.name))
  yield* judgePair("PRV-05", { control: shown, probe: [...allowed, ...refused] }, [
    ...allowed.flatMap(Expect.accepted),
    ...refused.flatMap(forbidden)
  ])
})

const single = walk(
  {
    name: "privileges/one-alone",
    judges: ["PRV-05"],
    blast: "mutate-own",
    needs: ["limited tokens", "write paths", "delete paths", "credential body"]
  },
  Effect.gen(function* () {
    const { profile } = yield* Session
    const all = holdersOf(profile)
    for (const entity of yield* makeableTypes) {
      const { shown, target } = yield* ground(entity)
      const calls = yield* allCalls(target)
      for (const operation of operations) {
        const holder = withOnly(all, entity, operation)
        const shows = calls.some((call) => call.operation === operation)
        const isOwnAction = operation === "DELETE" && (yield* groupOf(entity))?.delete?.method === "POST"
        if (isOwnAction) continue // which privilege guards such a POST is not said
        if (holder === undefined) {
          yield* blockRule("PRV-05", `no limited principal of the profile has ${operation} alone on ${entity}`)
        } else if (!shows) {
          yield* blockRule("PRV-05", `the profile shows no call for ${operation} on ${entity}`)
        } else {
          yield* judgeOne(shown, calls, holder, operation)
        }
      }
    }
  })
)

/** What a privilege reaches, and what it does not. */
export const matrixWalks: ReadonlyArray<Walk> = [otherTypes("worker"), otherTypes("credential"), single]
