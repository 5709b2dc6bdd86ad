import { Effect } from "effect"
import { readOne, type Stage } from "../../calls/EveryCall.ts"
import { attempt, deleteCalls, isById, makeableTypes, updateCalls } from "../../calls/GuardedCalls.ts"
import { comparablePart } from "../../calls/ResourceState.ts"
import { codesOf } from "../../catalogue/ErrorCodes.ts"
import { errorEnvelope } from "../../exchanges/Envelope.ts"
import * as Expect from "../../judgement/Expect.ts"
import { type Control, control, judge, judgePair, walkPart } from "../../judgement/Judge.ts"
import { type Call, Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { isExistingOwner } from "../../profile/ExistingOwners.ts"
import { isObject, type Json } from "../../text/Json.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import { formOf } from "../../wire/FormEncoding.ts"
import { nobodysId } from "../resource/UnknownIds.ts"
import { attemptInTurn, furtherRules } from "./FurtherTokens.ts"
import {
  type After,
  type Changed,
  endpointOf,
  type Ground,
  judgeTrials,
  makeGround,
  namesOf,
  sharedGround,
  type Trial
} from "./Trials.ts"

/**
 * A success of each change. Only changes need such a control, because their paths come from the profile. The
 * specification documents the other paths, so the created target is their control.
 */
const controlsOf = Effect.fnUntraced(function* ({ changes }: Changed) {
  const good = new Map<string, Control>()
  for (const { endpoint, own, put } of changes) {
    const done = yield* control(Effect.succeed(own))
    good.set(endpoint, done)
    if (put === undefined) continue
    yield* judge("ENV-16", [own, put.again], Expect.status(put.again, statusOf(own)))
    const differences = isIn(put.empty, 4)
      ? Expect.error(put.empty, 400, ...codesOf(400))
      : Expect.family(put.empty, 2, 4)
    yield* judgePair("ENV-05", { control: done, probe: put.empty }, differences)
  }
  return good
})

/** A success of each change, by endpoint. */
type Good = Effect.Success<ReturnType<typeof controlsOf>>

/** A way of sending a body that every call must refuse. */
interface Wrong {
  readonly rule: "ENV-04" | "TRN-08"
  /** The call with another body. `index` alternates the forms among the calls. */
  readonly change: (json: Json, index: number) => NonNullable<Call["raw"]>
  /** Shifts the callers, so that a call has another one for each way. */
  readonly shift: number
  readonly isRefused: (exchange: Exchange) => Expect.Met
}

/** Cut off, and with a key without quotes. */
const broken = [(text: string) => text.slice(0, -1), (text: string) => text.replace(/^\{"(\w+)"/, "{$1")]

const brokenJson: Wrong = {
  rule: "ENV-04",
  shift: 0,
  change: (json, index) => ({
    body: broken[index % broken.length]?.(JSON.stringify(json)) ?? "{",
    type: "application/json"
  }),
  isRefused: (exchange) => {
    const wrong = Expect.error(exchange, 400, ...codesOf(400))
    return wrong.length > 0 ? wrong : errorEnvelope(exchange)
  }
}

/** Forms have no common notation for lists. A batch without its ids concerns all credentials of an owner. */
const withoutLists = (json: Json): Json =>
  isObject(json) ? Object.fromEntries(Object.entries(json).filter(([, value]) => !Array.isArray(value))) : json

/** `isListed`: the lists of a batch are sent, because its owner may have credentials of others. */
const form = (isListed: boolean): Wrong => ({
  rule: "TRN-08",
  shift: 2,
  change: (json, index) => ({
    body: new URLSearchParams(
      formOf(isListed ? json : withoutLists(json), index % 2 === 0 ? "brackets" : "dots")
    ).toString(),
    type: "application/x-www-form-urlencoded"
  }),
  isRefused: Expect.rejected
})

/** Sends every body of a target in a wrong way. */
const sentAs =
  (good: Good, { change, isRefused, rule, shift }: Wrong): Trial<Changed> =>
  ({ before: { control: made }, bodied, stage }) =>
    Effect.gen(function* () {
      const sent = yield* Effect.forEach(bodied, (call, index) =>
        Effect.map(
          attemptInTurn(call, index + shift, made, { raw: change((call.call.json ?? null) as Json, index) }),
          (probe) => ({ call, probe })
        )
      )
      return {
        names: namesOf(bodied),
        creates: sent.flatMap(({ call, probe }) => (call.operation === "CREATE" && isIn(probe, 4) ? [call] : [])),
        judge: Effect.fnUntraced(function* ({ kept, reads, strays }) {
          for (const { call, probe } of sent) {
            const own = good.get(endpointOf(call, stage.resource.id)) ?? made
            const changes = call.operation === "CREATE" ? strays : kept
            yield* judgePair(rule, { control: own, probe, after: reads }, [...isRefused(probe), ...changes])
          }
        })
      }
    })

const sentAsForm =
  (good: Good): Trial<Changed> =>
  (ground) =>
    Effect.flatMap(Session, ({ profile }) =>
      sentAs(good, form(isExistingOwner(profile, ground.stage.parts["worker"]?.id ?? "")))(ground)
    )

/** `GET` of an id that nothing has, if the deployment has a read by id. */
const judgeUnknownRead = Effect.fnUntraced(function* ({ before, stage }: Ground, nobody: string) {
  const reading = yield* readOne(stage)
  const probing = yield* readOne({ ...stage, resource: { ...stage.resource, id: nobody } })
  if (reading === undefined || probing === undefined) return
  const isKnown = isById(stage, before.exchange) && isIn(before.exchange, 2)
  const known = isKnown ? before.exchange : yield* attempt(reading, "admin")
  // the specification documents this read for credentials alone
  if (!isIn(known, 2)) return
  if (!isKnown) {
    const again = yield* attempt(reading, "admin")
    yield* judge("ENV-17", [known, again], Expect.same(again, "body", comparablePart(known), comparablePart(again)))
  }
  const own = yield* control(Effect.succeed(known))
  const probes = yield* Effect.forEach([0, 2], (turn) => attemptInTurn(probing, turn, own))
  const differences = probes.flatMap((probe) => Expect.error(probe, 404, "NOT_FOUND"))
  const isWarning = probes.every((probe) => statusOf(probe) === 400) // where ids contain a checksum
  yield* judgePair("ENV-09", { control: own, probe: probes }, differences, isWarning ? "warn" : "fail")
})

/** Changes of an id that nothing has. */
const judgeUnknownChanges = Effect.fnUntraced(function* (good: Good, stage: Stage, nobody: string) {
  for (const call of yield* updateCalls(stage, nobody)) {
    const own = good.get(endpointOf(call, nobody))
    if (own === undefined) continue
    const probe = yield* attemptInTurn(call, 0, own)
    const isWarning = statusOf(probe) === 400 // where ids contain a checksum
    yield* judgePair(
      "ENV-09",
      { control: own, probe },
      Expect.error(probe, 404, "NOT_FOUND"),
      isWarning ? "warn" : "fail"
    )
  }
})

/** Reads, changes and deletes of an id that nothing has. A delete that finds nothing may be a no-op. */
const sentToNobody =
  (good: Good): Trial<Changed> =>
  (ground) =>
    Effect.gen(function* () {
      const { before, stage } = ground
      const nobody = stage.entity === "complianceCheck" ? undefined : nobodysId(stage.resource.id)
      if (nobody === undefined) return { names: [], creates: [], judge: () => Effect.void }
      yield* judgeUnknownRead(ground, nobody)
      const gone = yield* Effect.forEach(yield* deleteCalls(stage.entity, nobody), (call) =>
        attemptInTurn(call, 3, before.control)
      )
      yield* judgeUnknownChanges(good, stage, nobody)
      return {
        names: [],
        creates: [],
        deletes: gone.length > 0,
        judge: ({ kept, reads }: After) =>
          gone.length === 0 || before.data === undefined
            ? Effect.void
            : judgePair("ENV-09", { control: before.control, probe: gone, after: reads }, kept)
      }
    })

const bodies = walk({
  name: "places/bodies",
  judges: ["ENV-04", "TRN-08"],
  alsoJudges: ["AUT-11", "AUT-12", "AUT-15", "ENV-05", "ENV-09", "ENV-16", "ENV-17"],
  impact: "mutate-own",
  needs: []
})(function* () {
  for (const entity of yield* makeableTypes) {
    const steps = Effect.gen(function* () {
      const ground = yield* sharedGround(entity)
      const good = yield* controlsOf(ground)
      const all = [
        { rules: ["ENV-04"], trial: sentAs(good, brokenJson) },
        { rules: ["TRN-08"], trial: sentAsForm(good) },
        { rules: ["ENV-09", "ENV-17"], trial: sentToNobody(good) }
      ] as const
      const { isAsked } = yield* Session
      const trials = all.flatMap(({ rules, trial }) => ([...rules, ...furtherRules].some(isAsked) ? [trial] : []))
      yield* judgeTrials(ground, makeGround(entity), trials)
    })
    yield* walkPart(["ENV-04", "TRN-08"], steps)
  }
})

/** Bodies that every call must refuse. */
export const bodyWalks: ReadonlyArray<Walk> = [bodies]
