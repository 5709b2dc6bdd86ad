import { Effect } from "effect"
import { everyCall, type Stage, stageOf } from "../../calls/EveryCall.ts"
import {
  attempt,
  createCall,
  type Guarded,
  isShown,
  makeableTypes,
  readableTypes,
  readCall
} from "../../calls/GuardedCalls.ts"
import { linkBody, worker } from "../../calls/OwnershipCalls.ts"
import { itemsOf } from "../../calls/Reading.ts"
import { made, madeId, makeFrom, type Parts, type Resource, sharedParts } from "../../calls/Resources.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, judge, walkPart } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { differenceInShape } from "../../judgement/Shape.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { oauthPrincipal, type PrincipalName } from "../../profile/Principals.ts"
import { furtherTokensOf, turnsOf } from "../../profile/ValidTokens.ts"
import { isObject, type Json } from "../../text/Json.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"

/** A call and its answer. */
interface Answered {
  readonly call: Guarded
  readonly exchange: Exchange
}

const answer = (call: Guarded, as: PrincipalName) =>
  Effect.map(attempt(call, as), (exchange): Answered => ({ call, exchange }))

/** The shape that a list or a verification in the background cannot change. */
const steadyShape = ({ entity, operation }: Guarded, json: Json | undefined): Json | undefined => {
  if (!isObject(json) || (operation !== "READ" && entity !== "credential")) return json
  return { ...json, ...(Array.isArray(json["data"]) ? { data: [] } : isObject(json["data"]) ? { data: {} } : {}) }
}

/** A lookup by a name of the walk's own has a known number of items. */
const isLookup = ({ operation, unique }: Guarded): boolean => operation === "READ" && unique !== undefined

/** Two tokens get the same status and shape for one call. */
const alike = (known: Answered, other: Answered): Expect.Met => {
  const status = Expect.status(other.exchange, statusOf(known.exchange))
  if (status.length > 0) return status
  if (isLookup(known.call)) {
    const [one, two] = [known, other].map(({ exchange }) => itemsOf(exchange.answer?.json).length)
    return one === two ? [] : Expect.difference(other.exchange, "wrong-value", "body.data.length", one ?? 0, two)
  }
  const [one, two] = [known, other].map(({ call, exchange }) => steadyShape(call, exchange.answer?.json))
  const where = differenceInShape(one, two)
  return where === undefined
    ? []
    : Expect.difference(other.exchange, "wrong-type", `body.${where}`, "as with a token from OAuth", "another shape")
}

/** Judges calls made by an OAuth token and by a personal token. */
const judgeBoth = Effect.fnUntraced(function* (
  client: PrincipalName,
  known: ReadonlyArray<Answered>,
  other: ReadonlyArray<Answered>
) {
  const [done, theirs] = [known, other].map((some) => some.map(({ exchange }) => exchange))
  if (done === undefined || theirs === undefined || !done.some((exchange) => isIn(exchange, 2))) {
    return yield* block("no call was carried out", ...(done ?? []))
  }
  const isDenied = ({ exchange }: Answered) => client === "secondClient" && statusOf(exchange) === 403
  if (client === "secondClient") {
    const denied = known.filter(isDenied)
    yield* judge(
      "OAU-18",
      done,
      denied.flatMap(({ exchange }) => Expect.difference(exchange, "status", "status", "any but 403", 403))
    )
  }
  const differences = known.flatMap((one, index) =>
    isDenied(one) ? [] : other.slice(index, index + 1).flatMap((two) => alike(one, two))
  )
  yield* judge("AUT-10", [...done, ...theirs], differences)
  yield* judge("AUT-08", theirs, theirs.flatMap(Expect.authenticated))
})

/** A create without the required field, and one with the same body. */
const furtherCreates = (creating: Guarded): ReadonlyArray<Guarded> =>
  creating.entity === "worker" ? [{ ...creating, call: { ...creating.call, json: {} } }, creating] : []

/** The name of the created worker in a lookup, and the part of it that no worker has. */
const lookups = (entity: string, { unique }: Resource): ReadonlyArray<Guarded> =>
  (entity === "worker" ? [unique, unique.replace(/[^-]+$/, "")] : []).map((name) => ({
    entity,
    operation: "READ",
    unique: name,
    call: { method: "GET", path: `/workers?externalId=${encodeURIComponent(name)}` }
  }))

/** A call with the calls whose results depend on it: a repeated one, and one that the owner of the credential forbids. */
const withState = Effect.fnUntraced(function* ({ entity, next }: Stage, guarded: Guarded) {
  const { call, operation } = guarded
  const isOne = (action: string) => entity === "credential" && call.path.endsWith(`/${action}`) && "json" in call
  const other = (json: Json): Guarded => ({ ...guarded, call: { ...call, json } })
  if (isOne("link") && next !== undefined && call.path !== "/credentials/link") {
    return [other(yield* linkBody(worker(next.id))), guarded]
  }
  if (isOne("verify")) return [guarded, other({ forceRefresh: false })]
  const isRepeated = isOne("transfer") || (isShown(entity) && operation === "DELETE")
  return isRepeated ? [guarded, guarded] : [guarded]
})

/** Creates of the same body make different workers. */
const judgeCreates = Effect.fnUntraced(function* (answers: ReadonlyArray<Answered>) {
  const made = answers.filter(({ call, exchange }) => call.operation === "CREATE" && isIn(exchange, 2))
  const exchanges = made.map(({ exchange }) => exchange)
  const last = exchanges.at(-1)
  if (last === undefined) return
  const ids = exchanges.map((exchange) => Expect.valueAt(exchange, "data.id"))
  yield* judge("WRK-12", exchanges, Expect.distinct(last, "body.data.id", ids))
})

/**
 * A target that a token's create makes, with the answers to the create, to lookups of it and to further creates. The
 * admin creates it if that create fails.
 */
const createdBy = Effect.fnUntraced(function* (entity: string, parts: Parts, as: PrincipalName) {
  const call = yield* createCall(entity, parts)
  const created = yield* answer(call, as)
  const isMade = madeId(created.exchange, call.unique) !== undefined
  const resource = yield* isMade ? made(call.unique, created.exchange) : makeFrom(entity, parts)
  const further = [...lookups(entity, resource), ...furtherCreates(call)]
  const answers = [created, ...(yield* Effect.forEach(further, (one) => answer(one, as)))]
  return { answers, target: { entity, resource, parts } }
})

/** Makes every call of a target with a token. `created` are the answers about another target, which it has made. */
const ask = Effect.fnUntraced(function* (stage: Stage, created: ReadonlyArray<Answered>, as: PrincipalName) {
  const calls = (yield* everyCall(stage)).filter(({ operation }) => operation !== "CREATE")
  const more = yield* Effect.forEach(calls, (call) => withState(stage, call))
  return [...created, ...(yield* Effect.forEach(more.flat(), (call) => answer(call, as)))]
})

/** Makes every call of two equal targets, one with each kind of token. Each token uses what the other has made. */
const judgeGroup = Effect.fnUntraced(function* (entity: string, client: PrincipalName) {
  const parts = yield* sharedParts(entity)
  const first = yield* createdBy(entity, parts, client)
  const second = yield* createdBy(entity, parts, "personalToken")
  const stage = yield* stageOf(second.target)
  const known = yield* ask(stage, first.answers, client)
  const other = yield* ask({ ...stage, ...first.target }, second.answers, "personalToken")
  yield* judgeBoth(client, known, other)
  if (entity === "worker") yield* judgeCreates(other)
})

const bothKinds = walk({
  name: "places/both-kinds",
  judges: ["AUT-10"],
  alsoJudges: ["AUT-08", "OAU-18", "WRK-12"],
  impact: "mutate-own",
  needs: ["personal token", "OAuth client"]
})(function* () {
  const { profile } = yield* Session
  const client = profile.principals.secondClient === undefined ? oauthPrincipal(profile) : "secondClient"
  if (client === undefined) return yield* block("the profile has no OAuth client")
  const types = yield* makeableTypes
  for (const entity of types.filter(isShown)) yield* walkPart(["AUT-10"], judgeGroup(entity, client))
  const further = furtherTokensOf(profile).flatMap(({ as, valid }) => (valid === "AUT-14" ? [] : [as]))
  const furtherTurns = turnsOf(profile).flatMap((as, turn) => (further.includes(as) ? [turn] : []))
  for (const entity of (yield* readableTypes).filter((one) => !isShown(one))) {
    const call = yield* readCall(entity)
    // nothing else reads a group without resources of the run
    if (!types.includes(entity)) yield* Effect.forEach([0, ...furtherTurns], (turn) => attempt(call, { turn }))
  }
})

/**
 * Every call of the documented groups, by both kinds of token in the same order. In the other groups they take turns, and
 * a rule of every exchange compares their answers.
 */
export const tokenWalks: ReadonlyArray<Walk> = [bothKinds]
