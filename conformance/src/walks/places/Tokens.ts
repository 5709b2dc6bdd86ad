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
import { isObject, type Json } from "../../text/Json.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import { authenticated, speltAs } from "./FurtherTokens.ts"

/** A call and its answer. `refused` is the answer to another spelling of the prefix, if that was refused. */
interface Answered {
  readonly call: Guarded
  readonly exchange: Exchange
  readonly refused?: Exchange
}

/**
 * Sends a call with a token and another spelling of the prefix. If that is refused, sends it in the usual way, so that
 * only the rule about the prefix breaks.
 */
const spelt = Effect.fnUntraced(function* (call: Guarded, as: PrincipalName, shift: number) {
  const exchange = yield* attempt(call, as, yield* speltAs(call, as, shift))
  if (statusOf(exchange) !== 401) return { call, exchange } satisfies Answered
  return { call, exchange: yield* attempt(call, as), refused: exchange } satisfies Answered
})

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
  yield* judge("AUT-08", theirs, theirs.flatMap(authenticated))
  // where no spelling is accepted, the token itself is refused
  const misspelt = [...known, ...other].flatMap(({ exchange, refused }) =>
    refused === undefined || statusOf(exchange) === 401 ? [] : [refused]
  )
  yield* judge("AUT-03", [...done, ...theirs, ...misspelt], misspelt.flatMap(authenticated))
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
const createdBy = Effect.fnUntraced(function* (entity: string, parts: Parts, as: PrincipalName, shift: number) {
  const call = yield* createCall(entity, parts)
  const created: Answered = yield* spelt(call, as, shift)
  const isMade = madeId(created.exchange, call.unique) !== undefined
  const resource = yield* isMade ? made(call.unique, created.exchange) : makeFrom(entity, parts)
  const further = [...lookups(entity, resource), ...furtherCreates(call)]
  const answers: ReadonlyArray<Answered> = [
    created,
    ...(yield* Effect.forEach(further, (one) => spelt(one, as, shift)))
  ]
  return { answers, target: { entity, resource, parts } }
})

/** Makes every call of a target with a token. `created` are the answers about another target, which it has made. */
const ask = Effect.fnUntraced(function* (
  stage: Stage,
  created: ReadonlyArray<Answered>,
  as: PrincipalName,
  shift: number
) {
  const calls = (yield* everyCall(stage)).filter(({ operation }) => operation !== "CREATE")
  const more = yield* Effect.forEach(calls, (call) => withState(stage, call))
  const answers: ReadonlyArray<Answered> = yield* Effect.forEach(more.flat(), (call) => spelt(call, as, shift))
  return [...created, ...answers]
})

/** Makes every call of two equal targets, one with each kind of token. Each token uses what the other has made. */
const judgeGroup = Effect.fnUntraced(function* (entity: string, client: PrincipalName) {
  const parts = yield* sharedParts(entity)
  const first = yield* createdBy(entity, parts, client, 1)
  const second = yield* createdBy(entity, parts, "personalToken", 0)
  const stage = yield* stageOf(second.target)
  const known = yield* ask(stage, first.answers, client, 1)
  const other = yield* ask({ ...stage, ...first.target }, second.answers, "personalToken", 0)
  yield* judgeBoth(client, known, other)
  if (entity === "worker") yield* judgeCreates(other)
})

/** Lists of groups in which nothing can be created. */
const judgeList = Effect.fnUntraced(function* (entity: string, client: PrincipalName) {
  const call = yield* readCall(entity)
  yield* judgeBoth(client, [yield* spelt(call, client, 1)], [yield* spelt(call, "personalToken", 0)])
})

const bothKinds = walk({
  name: "places/both-kinds",
  judges: ["AUT-10"],
  alsoJudges: ["AUT-03", "AUT-08", "OAU-18", "WRK-12"],
  impact: "mutate-own",
  needs: ["personal token", "OAuth client"]
})(function* () {
  const { profile } = yield* Session
  // every other walk uses the first client
  const client = profile.principals.secondClient === undefined ? oauthPrincipal(profile) : "secondClient"
  if (client === undefined) return yield* block("the profile has no OAuth client")
  const made = yield* makeableTypes
  for (const entity of made) yield* walkPart(["AUT-10"], judgeGroup(entity, client))
  for (const entity of yield* readableTypes) {
    if (!made.includes(entity)) yield* walkPart(["AUT-10"], judgeList(entity, client))
  }
})

/** Every call of every group, by both kinds of token. */
export const tokenWalks: ReadonlyArray<Walk> = [bothKinds]
