import { Effect } from "effect"
import { everyCall, makeStage, type Stage } from "../../calls/EveryCall.ts"
import {
  attempt,
  type Guarded,
  groundOf,
  makeableTypes,
  readableTypes,
  readCall,
  type Target
} from "../../calls/GuardedCalls.ts"
import { isUntouched, type State, stateOf } from "../../calls/ResourceState.ts"
import { madeId } from "../../calls/Resources.ts"
import * as Expect from "../../engine/Expect.ts"
import { apart, type Control, control, judgePair } from "../../engine/Judge.ts"
import { readWorkers } from "../../engine/Lookup.ts"
import { type Call, type PrincipalName, Session } from "../../engine/Session.ts"
import { type Walk, walk } from "../../engine/Walk.ts"
import { oauthPrincipal } from "../../profile/Grants.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import { forgeriesOf } from "../../wire/Jwt.ts"
import { turnedAway } from "../../wire/PlainHttp.ts"
import { lookAfter, straysIn } from "../resource/RefusedCreates.ts"

/** Callers that must be refused at every call, and the rule that says so. */
interface Stranger {
  readonly rule: "AUT-01" | "AUT-02" | "AUT-04" | "AUT-05" | "AUT-12" | "TRN-02"
  /** One for each call in turn, so that every form is tried somewhere. */
  readonly forms: ReadonlyArray<Exclude<Call["as"], undefined>>
  readonly to?: "plain"
  /** Over plain HTTP: a valid caller, whose token no answer must pass on. It is sent only if nobody gets a 401. */
  readonly valid?: { readonly as: PrincipalName; readonly token: string }
}

const nobody: Stranger = { rule: "AUT-01", forms: [null] }

/** Callers with invalid tokens, as far as the profile has them and their rules are selected. */
const invalidTokens = Effect.gen(function* () {
  const { bearer, isAsked, profile } = yield* Session
  const { expiredToken, revokedToken } = profile.principals
  const token = (yield* bearer("admin")) ?? ""
  const as = (authorization: string) => ({ authorization })
  const all: ReadonlyArray<Stranger | undefined> = [
    { rule: "AUT-02", forms: [as(token), as(`Basic ${token}`), as(`Token ${token}`)] },
    { rule: "AUT-04", forms: forgeriesOf(token).map((forgery) => as(`Bearer ${forgery.token}`)) },
    expiredToken === undefined ? undefined : { rule: "AUT-05", forms: ["expiredToken"] },
    revokedToken === undefined ? undefined : { rule: "AUT-12", forms: ["revokedToken.revoked"] }
  ]
  return all.filter((stranger) => stranger !== undefined).filter(({ rule }) => isAsked(rule))
})

/**
 * Callers over plain HTTP; none if nothing listens there, because then each call has the same result. A 401 may be the
 * surface's own; only a valid token can tell. Prefers an OAuth token, which expires soon: a network observer may read
 * it.
 */
const overPlainHttp = Effect.gen(function* () {
  const { bearer, isAsked, profile, send } = yield* Session
  if (!isAsked("TRN-02") || profile.newer.plainHttpUrl?.startsWith("http://") !== true) return []
  const reached = yield* send({ method: "GET", path: "/workers?pageSize=1", as: null, to: "plain" })
  if (reached.answer === null) return []
  const as = oauthPrincipal(profile) ?? "admin"
  const valid = { as, token: (yield* bearer(as)) ?? "" }
  return [{ rule: "TRN-02", forms: [null], to: "plain", valid } satisfies Stranger]
})

/** A target, and its state before calls that must be refused. */
interface Ground {
  readonly target: Stage
  readonly before: State & { readonly control: Control }
  /** The resources that earlier strangers made. */
  readonly made: ReadonlySet<string>
}

/** A call and the exchange in which a stranger made it. */
interface Made {
  readonly stranger: Stranger
  readonly call: Guarded
  readonly exchange: Exchange
}

/** Looks for resources that refused creates made, and deletes them. */
const strayed = Effect.fnUntraced(function* ({ made: known, target }: Ground, made: ReadonlyArray<Made>) {
  const session = yield* Session
  const { entity, parts, resource } = target
  const creates = made.filter(({ call, exchange }) => call.operation === "CREATE" && isIn(exchange, 4))
  return yield* Effect.forEach(
    creates,
    Effect.fnUntraced(function* ({ call }) {
      const list = yield* lookAfter(call, parts)
      const strays = list === undefined ? [] : straysIn(list, call, parts, resource.id).filter((id) => !known.has(id))
      yield* Effect.forEach(strays, (id) => session.made({ type: entity, id }, call.unique ?? id))
      return list === undefined || strays.length === 0
        ? []
        : Expect.difference(list, "changed", "body.data", "nothing more", strays)
    })
  )
})

/** Refused with a 401; over plain HTTP in any way. */
const refusalOf = ({ exchange, stranger: { rule, valid } }: Made): Expect.Met =>
  rule === "TRN-02" ? turnedAway(exchange, valid?.token ?? "") : Expect.status(exchange, 401)

/** Makes a call as a stranger. */
const askAs = Effect.fnUntraced(function* ({ forms, to, valid }: Stranger, call: Guarded, place: number) {
  const change = to === undefined ? {} : { to }
  const exchange = yield* attempt(call, forms[place % forms.length] ?? null, change)
  return valid === undefined || statusOf(exchange) !== 401 ? exchange : yield* attempt(call, valid.as, change)
})

/** Calls that the deployment has: a read of one resource is documented only for credentials. */
const offered = Effect.fnUntraced(function* ({ entity, resource }: Target, made: ReadonlyArray<Made>) {
  const isItemRead = ({ call }: Made) =>
    entity !== "credential" && call.operation === "READ" && call.call.path.includes(encodeURIComponent(resource.id))
  const doubted = made.filter((one) => isItemRead(one) && refusalOf(one).length > 0)
  const [first] = doubted
  if (first === undefined || isIn(yield* attempt(first.call, "admin"), 2)) return made
  return made.filter((one) => !doubted.includes(one))
})

/** Makes every call of a target as strangers, and judges the answers and the state after them. */
const judgeStrangers = Effect.fnUntraced(function* (
  ground: Ground,
  them: ReadonlyArray<Stranger>,
  looksForCreates: boolean
) {
  if (them.length === 0) return ground
  const { before, target } = ground
  const made: Array<Made> = []
  for (const stranger of them) {
    for (const [place, call] of (yield* everyCall(target)).entries()) {
      made.push({ stranger, call, exchange: yield* askAs(stranger, call, place) })
    }
  }
  const after = yield* stateOf(target.entity, target.resource)
  const strays = looksForCreates ? (yield* strayed(ground, made)).flat() : []
  const judged = yield* offered(target, made)
  const found = them.map((stranger) => {
    const own = judged.filter((one) => one.stranger === stranger)
    const names = own.flatMap(({ call }) => (call.operation === "UPDATE" ? (call.unique ?? []) : []))
    const shown = before.data === undefined ? [] : showsNone(after, names)
    return { stranger, probe: own.map(({ exchange }) => exchange), differences: [...own.flatMap(refusalOf), ...shown] }
  })
  // a change that shows no caller counts against the callers that were not refused, or else against all callers
  const isOpen = found.some(({ differences }) => differences.length > 0)
  const kept = before.data === undefined ? [] : isUntouched(before, after, [])
  for (const { differences, probe, stranger } of found) {
    const more = isOpen && differences.length === 0 ? [] : [...kept, ...strays]
    const pair = { control: before.control, probe, after: after.exchange }
    yield* judgePair(stranger.rule, pair, [...differences, ...more])
  }
  const ids = made.flatMap(({ call, exchange }) => (call.operation === "CREATE" ? (madeId(exchange) ?? []) : []))
  const next: Ground = {
    target,
    before: { ...after, control: before.control },
    made: new Set([...ground.made, ...ids])
  }
  return next
})

/** The resource shows no name from refused bodies. */
const showsNone = (after: State, names: ReadonlyArray<string>): Expect.Met =>
  names
    .filter((name) => JSON.stringify(after.data ?? null).includes(name))
    .flatMap((name) => Expect.difference(after.exchange, "changed", "body.data", "no value of the refused body", name))

/** Makes every call of one group as each stranger. */
const judgeGroup = Effect.fnUntraced(function* (entity: string, plain: ReadonlyArray<Stranger>) {
  const target = yield* makeStage(entity)
  const { isAsked } = yield* Session
  const nobodies = [nobody].filter(({ rule }) => isAsked(rule))
  const first = yield* judgeStrangers({ target, before: yield* groundOf(target), made: new Set() }, nobodies, true)
  const next = yield* judgeStrangers(first, yield* invalidTokens, false)
  yield* judgeStrangers(next, plain, false)
})

/** Lists of groups in which nothing can be created, as each stranger. */
const judgeList = Effect.fnUntraced(function* (entity: string, plain: ReadonlyArray<Stranger>) {
  const call = yield* readCall(entity)
  const good = yield* control(attempt(call, "admin"))
  for (const stranger of [nobody, ...(yield* invalidTokens), ...plain]) {
    const exchange = yield* askAs(stranger, call, 0)
    yield* judgePair(stranger.rule, { control: good, probe: exchange }, refusalOf({ stranger, call, exchange }))
  }
})

const strangers = walk({
  name: "places/strangers",
  judges: ["AUT-01"],
  alsoJudges: ["AUT-02", "AUT-04", "AUT-05", "AUT-12", "TRN-02"],
  impact: "mutate-own",
  needs: []
})(function* () {
  yield* control(readWorkers())
  const plain = yield* overPlainHttp
  const made = yield* makeableTypes
  for (const entity of made) yield* apart(["AUT-01"], judgeGroup(entity, plain))
  for (const entity of yield* readableTypes) {
    if (!made.includes(entity)) yield* apart(["AUT-01"], judgeList(entity, plain))
  }
})

/** Every call of every group, by callers that must be refused. */
export const callerWalks: ReadonlyArray<Walk> = [strangers]
