import { Effect } from "effect"
import { everyCall, makeStage, type Stage } from "../../calls/EveryCall.ts"
import { attempt, type Guarded, makeableTypes, readableTypes, readCall } from "../../calls/GuardedCalls.ts"
import { makeFrom } from "../../calls/Resources.ts"
import * as Expect from "../../engine/Expect.ts"
import { apart, block, judge } from "../../engine/Judge.ts"
import { type PrincipalName, Session } from "../../engine/Session.ts"
import { differenceInShape } from "../../engine/Shape.ts"
import { type Walk, walk } from "../../engine/Walk.ts"
import { oauthPrincipal } from "../../profile/Grants.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import { isObject, type Json } from "../../wire/Json.ts"

/** Spellings of the prefix (§5.2), one for each call in turn. */
const prefixes = ["bearer", "BEARER", "BeArEr"]

/** A call and its answer. `refused` is the answer to another spelling of the prefix, if that was refused. */
interface Answered {
  readonly call: Guarded
  readonly exchange: Exchange
  readonly refused?: Exchange
}

const asUsual = (call: Guarded, as: PrincipalName) =>
  Effect.map(attempt(call, as), (exchange): Answered => ({ call, exchange }))

/**
 * Sends a call with the personal token and another spelling of the prefix. If that is refused, sends it in the usual
 * way, so that only the rule about the prefix breaks.
 */
const spelt = Effect.fnUntraced(function* (call: Guarded, token: string, place: number) {
  const headers = { Authorization: `${prefixes[place % prefixes.length]} ${token}` }
  const exchange = yield* attempt(call, "personalToken", { headers })
  if (statusOf(exchange) !== 401) return { call, exchange } satisfies Answered
  return { ...(yield* asUsual(call, "personalToken")), refused: exchange } satisfies Answered
})

/** The shape that a list or a verification in the background cannot change. */
const steadyShape = ({ entity, operation }: Guarded, json: Json | undefined): Json | undefined => {
  if (!isObject(json) || (operation !== "READ" && entity !== "credential")) return json
  return { ...json, ...(Array.isArray(json["data"]) ? { data: [] } : isObject(json["data"]) ? { data: {} } : {}) }
}

/** Two tokens get the same status and shape for one call. */
const alike = (known: Answered, other: Answered): Expect.Met => {
  const status = Expect.status(other.exchange, statusOf(known.exchange))
  if (status.length > 0) return status
  const [one, two] = [known, other].map(({ call, exchange }) => steadyShape(call, exchange.answer?.json))
  const where = differenceInShape(one, two)
  return where === undefined
    ? []
    : Expect.difference(other.exchange, "wrong-type", `body.${where}`, "as with a token from OAuth", "another shape")
}

/** Accepted as a token, with any privileges. */
const authenticated = (exchange: Exchange): Expect.Met =>
  statusOf(exchange) === 401
    ? Expect.difference(exchange, "status", "status", "any but 401", 401)
    : Expect.answered(exchange)

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
  const differences = known.flatMap((one, place) =>
    isDenied(one) ? [] : other.slice(place, place + 1).flatMap((two) => alike(one, two))
  )
  yield* judge("AUT-10", [...done, ...theirs], differences)
  yield* judge("AUT-08", theirs, theirs.flatMap(authenticated))
  // where no spelling is accepted, the token itself is refused
  const misspelt = other.flatMap(({ exchange, refused }) =>
    refused === undefined || statusOf(exchange) === 401 ? [] : [refused]
  )
  yield* judge("AUT-03", [...theirs, ...misspelt], misspelt.flatMap(authenticated))
})

/** A create without any field, which most groups refuse. */
const emptied = (call: Guarded): ReadonlyArray<Guarded> =>
  call.operation === "CREATE" ? [{ ...call, call: { ...call.call, json: {} } }] : []

/** Makes every call of two equal targets, one with each kind of token. */
const judgeGroup = Effect.fnUntraced(function* (entity: string, client: PrincipalName, token: string) {
  const first = yield* makeStage(entity)
  const second = { ...first, resource: yield* makeFrom(entity, first.parts) }
  const callsOf = (stage: Stage) => Effect.map(everyCall(stage), (calls) => [...calls.flatMap(emptied), ...calls])
  const known = yield* Effect.forEach(yield* callsOf(first), (call) => asUsual(call, client))
  const other = yield* Effect.forEach(yield* callsOf(second), (call, place) => spelt(call, token, place))
  yield* judgeBoth(client, known, other)
})

/** Lists of groups in which nothing can be created. */
const judgeList = Effect.fnUntraced(function* (entity: string, client: PrincipalName, token: string) {
  const call = yield* readCall(entity)
  yield* judgeBoth(client, [yield* asUsual(call, client)], [yield* spelt(call, token, 0)])
})

const bothKinds = walk({
  name: "places/both-kinds",
  judges: ["AUT-10"],
  alsoJudges: ["AUT-03", "AUT-08", "OAU-18"],
  impact: "mutate-own",
  needs: ["personal token", "OAuth client"]
})(function* () {
  const { bearer, profile } = yield* Session
  // every other walk uses the first client
  const client = profile.principals.secondClient === undefined ? oauthPrincipal(profile) : "secondClient"
  if (client === undefined) return yield* block("the profile has no OAuth client")
  const token = (yield* bearer("personalToken")) ?? ""
  const made = yield* makeableTypes
  for (const entity of made) yield* apart(["AUT-10"], judgeGroup(entity, client, token))
  for (const entity of yield* readableTypes) {
    if (!made.includes(entity)) yield* apart(["AUT-10"], judgeList(entity, client, token))
  }
})

/** Every call of every group, by both kinds of token. */
export const tokenWalks: ReadonlyArray<Walk> = [bothKinds]
