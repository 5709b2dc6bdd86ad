import { Effect } from "effect"
import { attempt, createCall, type Guarded, isShown, makeableTypes } from "../../calls/GuardedCalls.ts"
import { inOne, oddTexts } from "../../calls/HostileValues.ts"
import { idOf } from "../../calls/Reading.ts"
import { type Parts, sharedParts } from "../../calls/Resources.ts"
import { codesOf } from "../../catalogue/ErrorCodes.ts"
import * as Expect from "../../judgement/Expect.ts"
import {
  block,
  type Control,
  control,
  ifAsked,
  judge,
  judgePair,
  unlessRefused,
  walkPart
} from "../../judgement/Judge.ts"
import { type Call, Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import type { Json } from "../../text/Json.ts"
import { wellFormed } from "../../wire/CallersId.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { leavesOf, without, withValue } from "../../wire/JsonChange.ts"
import { listPathOf, lookForStrays } from "../resource/Strays.ts"

/**
 * The fields that are left out, one in each create. Not the owners of a credential: one of them may be required, as a
 * rule and not as a field.
 */
const omittedIn = (entity: string, body: Json, parts: Parts): ReadonlyArray<string> => {
  const ids = Object.values(parts).map(({ id }) => id)
  const isOwner = (value: Json) => entity === "credential" && ids.some((id) => id === value)
  return leavesOf(body).flatMap(([position, value]) => (position === "" || isOwner(value) ? [] : [position]))
}

/** A create may succeed without a field. If it is refused, the field was required. */
const badIfRefused = (exchange: Exchange): Expect.Met =>
  isIn(exchange, 4) ? Expect.error(exchange, 400, ...codesOf(400)) : Expect.family(exchange, 2, 4)

/** Two creates of a group. An idempotency key changes nothing (WRK-13). */
const judgeTwo = Effect.fnUntraced(function* (first: Exchange, second: Exchange) {
  const differences = [first, second].flatMap((exchange) => {
    const wrong = Expect.status(exchange, 201)
    if (wrong.length > 0) return wrong
    return [
      ...Expect.header(exchange, "location", (position) => position !== "", "the resource's URL"),
      ...Expect.type(exchange, "data.id", "non-empty string")
    ]
  })
  const ids = [first, second].flatMap((exchange) => idOf(Expect.valueAt(exchange, "data")) ?? [])
  yield* judge("ENV-11", [first, second], [...differences, ...Expect.distinct(second, "body.data.id", ids)])
})

const ruleOfCreates = (entity: string) => (entity === "credential" ? "CRD-01" : "ENV-11")

/** Creates of a group with server-generated ids: the rules about workers and credentials are others. */
const isOther = (entity: string): boolean => !isShown(entity) && entity !== "complianceCheck"

/** A create with a field less, and its answer. */
interface Omitted {
  readonly call: Guarded
  readonly probe: Exchange
}

const omit = Effect.fnUntraced(function* (entity: string, parts: Parts, position: string) {
  const call = yield* createCall(entity, parts)
  const headers = { "X-Request-Id": wellFormed(call.unique) }
  const probe = yield* attempt(call, "admin", { json: without(call.call.json as Json, position), headers })
  return { call, probe } satisfies Omitted
})

/** Judges creates with one field less. The last refused one that has a name has made nothing. */
const judgeOmitted = Effect.fnUntraced(function* (
  entity: string,
  parts: Parts,
  sent: ReadonlyArray<Omitted>,
  good: Control
) {
  const { profile } = yield* Session
  if (sent.length === 0) return
  const isNamed = ({ call: { unique }, probe }: Omitted) =>
    isIn(probe, 4) && unique !== undefined && probe.request.body.includes(unique)
  // a credential is recognized by an owner without others
  const last = entity === "credential" ? undefined : sent.findLast(isNamed)?.call
  const path = last && listPathOf(profile, last, parts)
  const nothing = { list: [], strays: [] }
  const isLookedFor = last !== undefined && path !== undefined
  const { list, strays } = isLookedFor ? yield* lookForStrays(last, { entity, parts }, path) : nothing
  const probe = sent.map((one) => one.probe)
  yield* judgePair("ENV-05", { control: good, probe, after: list }, [...probe.flatMap(badIfRefused), ...strays])
})

/** The same create again. It may be refused as a second of its kind, but then it always is. */
const createAgain = Effect.fnUntraced(function* (whole: Guarded, change: Partial<Call>) {
  const second = yield* attempt(whole, "admin", change)
  if (!isIn(second, 4)) return second
  const third = yield* attempt(whole, "admin", change)
  if (isIn(third, 2)) yield* judge(ruleOfCreates(whole.entity), [second, third], Expect.status(second, 201))
  return third
})

/** Two creates, with one that is refused in between, which changes nothing for the next one. Then further such ones. */
const judgeFields = Effect.fnUntraced(function* (entity: string, parts: Parts) {
  const { isAsked, unique } = yield* Session
  const whole = yield* createCall(entity, parts)
  const headers = { "Idempotency-Key": yield* unique }
  const first = yield* unlessRefused(yield* attempt(whole, "admin", { headers }))
  const made = yield* control(Effect.succeed(first))
  const all =
    isAsked("ENV-05") || isAsked(ruleOfCreates(entity)) ? omittedIn(entity, whole.call.json as Json, parts) : []
  const isCode = entity === "complianceCheck"
  const before = yield* Effect.forEach(isCode ? [] : all.slice(0, 1), (position) => omit(entity, parts, position))
  // a code is taken after the first create
  const again = yield* isCode ? attempt(whole, "admin", { headers }) : createAgain(whole, { headers })
  if (isOther(entity)) {
    const next = isIn(again, 2) ? again : yield* attempt(yield* createCall(entity, parts), "admin", { headers })
    yield* judgeTwo(first, next)
  } else if (entity === "credential" && isIn(again, 2)) {
    const ids = [first, again].map((exchange) => Expect.valueAt(exchange, "data.id"))
    yield* judge("WRK-13", [first, again], Expect.distinct(again, "body.data.id", ids))
  }
  const after = yield* Effect.forEach(isCode ? all : all.slice(1), (position) => omit(entity, parts, position))
  yield* judgeOmitted(entity, parts, [...before, ...after], made)
})

/**
 * Creates with an odd text in each of some fields that take a name. With `isNamed`, the body has an id: the resource has
 * another.
 */
const createWith = Effect.fnUntraced(function* (
  entity: string,
  parts: Parts,
  positions: ReadonlyArray<string>,
  texts: ReadonlyArray<string>,
  isNamed = false
) {
  const rounds = Array.from({ length: Math.ceil(texts.length / positions.length) }, (_, round) =>
    texts.slice(round * positions.length, (round + 1) * positions.length)
  )
  return yield* Effect.forEach(
    rounds,
    Effect.fnUntraced(function* (some) {
      const odd = yield* createCall(entity, parts)
      const json = positions.reduce((body, position, index) => {
        const text = some[index]
        return text === undefined ? body : withValue(body, position, `${odd.unique} ${text}`)
      }, odd.call.json as Json)
      const named = isNamed ? withValue(json, "id", odd.unique) : json
      // a firewall may refuse such texts, in any shape
      const exchange = yield* attempt(odd, "admin", { json: named, isUnknownPath: true })
      const ids = [odd.unique, idOf(Expect.valueAt(exchange, "data")) ?? ""]
      if (isNamed && isIn(exchange, 2))
        yield* judge("ENV-11", [exchange], Expect.distinct(exchange, "body.data.id", ids))
      return exchange
    })
  )
})

/**
 * Creates with odd texts: accepted or refused. Each text is sent once, and alone if it is refused among others. The
 * groups take turns with the harsh ones.
 */
const judgeTexts = Effect.fnUntraced(function* (entity: string, parts: Parts, turn: number) {
  const { call, unique = "" } = yield* createCall(entity, parts)
  const positions = leavesOf((call.json ?? {}) as Json).flatMap(([position, value]) =>
    typeof value === "string" && value.includes(unique) && !value.includes("://") ? [position] : []
  )
  if (positions.length === 0) return
  const whole = yield* createWith(entity, parts, positions, [inOne(oddTexts)], isOther(entity))
  const isRefused = whole.some((exchange) => isIn(exchange, 4))
  const harsh = oddTexts.harsh.filter((_, index) => index === turn % (2 * oddTexts.harsh.length))
  const alone = [...(isRefused ? oddTexts.mild : []), ...harsh].map(([, text]) => text)
  const sent = [...whole, ...(yield* createWith(entity, parts, positions, alone))]
  yield* judge(
    "ENV-12",
    sent,
    sent.flatMap((exchange) => Expect.family(exchange, 2, 4))
  )
})

const fields = walk({
  name: "places/fields",
  judges: ["ENV-11"],
  alsoJudges: ["CRD-01", "ENV-05", "ENV-12", "WRK-13"],
  impact: "create",
  needs: ["another group's body"]
})(function* () {
  // other walks do the same with workers
  const types = (yield* makeableTypes).filter((entity) => entity !== "worker")
  if (!types.some(isOther)) return yield* block("the profile has no create body for a group with server-generated ids")
  for (const [turn, entity] of types.entries()) {
    const steps = Effect.gen(function* () {
      const parts = yield* sharedParts(entity)
      yield* ifAsked(["CRD-01", "ENV-05", "ENV-11", "WRK-13"], judgeFields(entity, parts))
      yield* ifAsked(["ENV-11", "ENV-12"], judgeTexts(entity, parts, turn))
    })
    yield* walkPart(isOther(entity) ? ["ENV-11"] : [], steps)
  }
})

/** Creates of every group: twice, with a field less, and with odd texts. */
export const fieldWalks: ReadonlyArray<Walk> = [fields]
