import { Effect } from "effect"
import {
  attempt,
  createCall,
  forbidden,
  type Guarded,
  guardedTypes,
  isShown,
  makeTarget,
  type Target
} from "../../calls/GuardedCalls.ts"
import { lend, type Parts, read } from "../../calls/Resources.ts"
import { listPathOf, straysIn } from "../../calls/Strays.ts"
import type { Blocked } from "../../judgement/Blocked.ts"
import * as Expect from "../../judgement/Expect.ts"
import { apart, control, judgePair } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { type Holder, nearest } from "../../profile/LimitedPrincipals.ts"
import type { Exchange } from "../../wire/Exchange.ts"
import {
  asEach,
  holders,
  invalid,
  judgeAlone,
  judgeMessages,
  judgeMissing,
  judgeUnchanged,
  leaveOut,
  twinsOf
} from "../answer/Refusing.ts"
import { alteredIds } from "./UnknownIds.ts"

/** No refused create made a resource. Deletes those that were made anyway. */
const judgeNoneMade = Effect.fnUntraced(function* (
  pair: Parameters<typeof judgeUnchanged>[0],
  call: Guarded,
  parts: Parts,
  own: string
) {
  const session = yield* Session
  const strays = straysIn(pair.after, call, parts, own)
  const wrong = [...Expect.status(pair.after, 200), ...Expect.type(pair.after, "data", "list")]
  const made = strays.length === 0 ? [] : Expect.difference(pair.after, "changed", "body.data", "nothing more", strays)
  yield* judgeUnchanged(pair, [...wrong, ...made])
  yield* Effect.forEach(strays, (id) => session.made({ type: call.entity, id }, call.unique ?? id))
})

/** Makes and judges every CREATE of one entity type that must be refused. A target shows that its body is right. */
export const refuseCreates = Effect.fnUntraced(function* (
  { entity, parts, resource }: Target,
  them: ReadonlyArray<Holder>,
  first: Holder
) {
  const { profile, send } = yield* Session
  const made = yield* control(Effect.succeed(resource.exchange))
  const call = yield* createCall(entity, parts)
  const refused = yield* asEach(them, (as) => attempt(call, as))
  const probe = refused.map(({ exchange }) => exchange)
  yield* judgePair("PRV-02", { control: made, probe }, probe.flatMap(forbidden))
  yield* judgeAlone(entity, refused, made)
  yield* judgeMessages(refused, "CREATE")
  const callers = yield* twinsOf(entity, "CREATE", first)
  const bad = yield* Effect.forEach(invalid, (change, place) =>
    attempt(call, callers[place % callers.length] ?? first.name, change)
  )
  yield* judgePair("PRV-07", { control: made, probe: bad }, bad.flatMap(forbidden))
  const path = listPathOf(profile, call, parts)
  const own = resource.id
  if (path !== undefined) {
    const after = yield* send({ method: "GET", path })
    yield* judgeNoneMade({ control: made, probe: [...probe, ...bad], after }, call, parts, own)
  }
  const [other] = alteredIds(own, 1)
  if (entity === "credential" && other !== undefined) yield* judgeMissing(yield* control(read(entity, own)), other)
})

const creating = walk({
  name: "privileges/create",
  judges: ["PRV-02"],
  alsoJudges: ["PRV-05", "PRV-07", "PRV-08", "PRV-09", "PRV-10"],
  impact: "create",
  needs: ["limited tokens", "credential body"]
})(function* () {
  // another walk makes the creates of other entity types
  for (const entity of (yield* guardedTypes).filter(isShown)) {
    const them = nearest(yield* holders, entity, "CREATE")
    const [first] = them
    if (first === undefined) yield* leaveOut(["PRV-02"], "CREATE", entity)
    else {
      const lent = Effect.map(lend(entity, "part"), (resource): Target => ({ entity, resource, parts: {} }))
      // the list of a credential's owner must show no other credential
      const made: Effect.Effect<Target, Blocked, Session> = entity === "worker" ? lent : makeTarget(entity)
      yield* apart(
        ["PRV-02"],
        Effect.flatMap(made, (target) => refuseCreates(target, them, first))
      )
    }
  }
})

/** Principals that must not create. */
export const refusedCreateWalks: ReadonlyArray<Walk> = [creating]
