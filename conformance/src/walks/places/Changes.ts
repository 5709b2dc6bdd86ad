import { Effect } from "effect"
import { readOne } from "../../calls/EveryCall.ts"
import { attempt, isById, makeableTypes } from "../../calls/GuardedCalls.ts"
import { carries } from "../../calls/Reading.ts"
import { comparablePart, type State } from "../../calls/ResourceState.ts"
import { codesOf } from "../../catalogue/ErrorCodes.ts"
import * as Expect from "../../judgement/Expect.ts"
import { control, ifAsked, judge, judgePair, walkPart } from "../../judgement/Judge.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { isIn, statusOf } from "../../wire/Exchange.ts"
import { type Change, type Ground, sharedGround } from "./Trials.ts"

/** A PUT, the same again, and one without a field. If that is refused, no read shows its name. */
const judgePut = Effect.fnUntraced(function* ({ own, put }: Change, { data, exchange }: State) {
  if (put === undefined) return
  const done = yield* control(Effect.succeed(own))
  yield* judge("ENV-16", [own, put.again], Expect.status(put.again, statusOf(own)))
  const { lacking, name } = put
  const isRefused = isIn(lacking, 4)
  const differences = isRefused ? Expect.error(lacking, 400, ...codesOf(400)) : Expect.family(lacking, 2, 4)
  const stored =
    isRefused && carries(data, name) ? Expect.difference(exchange, "changed", "body.data", "no value", name) : []
  yield* judgePair("ENV-05", { control: done, probe: lacking, after: exchange }, [...differences, ...stored])
})

/** Two reads of one resource, if the deployment has a read by id that is not documented. */
const judgeReads = Effect.fnUntraced(function* ({ before, stage }: Ground) {
  const reading = yield* readOne(stage)
  if (reading === undefined || isById(stage, before.exchange)) return
  const known = yield* attempt(reading, "admin")
  if (!isIn(known, 2)) return
  const again = yield* attempt(reading, "admin")
  yield* judge("ENV-17", [known, again], Expect.same(again, "body", comparablePart(known), comparablePart(again)))
})

const changes = walk({
  name: "places/changes",
  judges: [],
  alsoJudges: ["ENV-05", "ENV-16", "ENV-17"],
  impact: "mutate-own",
  needs: []
})(function* () {
  for (const entity of yield* makeableTypes) {
    const steps = Effect.gen(function* () {
      const ground = yield* sharedGround(entity)
      yield* Effect.forEach(ground.changes, (change) => judgePut(change, ground.changed))
      yield* ifAsked(["ENV-17"], judgeReads(ground))
    })
    yield* walkPart([], steps)
  }
})

/** The changes of a target of each group, and its reads. */
export const changeWalks: ReadonlyArray<Walk> = [changes]
