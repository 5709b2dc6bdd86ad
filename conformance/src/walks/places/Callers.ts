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
import { idOf, itemsOf } from "../../calls/Reading.ts"
import { isUntouched, type State, stateOf } from "../../calls/ResourceState.ts"
import { madeId } from "../../calls/Resources.ts"
import * as Expect from "../../engine/Expect.ts"
import { apart, type Control, control, judgeNoAccess, judgePair } from "../../engine/Judge.ts"
import { readWorkers } from "../../engine/Lookup.ts"
import { type Call, Session } from "../../engine/Session.ts"
import { type Walk, walk } from "../../engine/Walk.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import { at } from "../../wire/Json.ts"
import { forgeriesOf } from "../../wire/Jwt.ts"
import { originOf } from "../../wire/Sending.ts"
import { lookAfter, straysIn } from "../resource/RefusedCreates.ts"

/** Callers that must be refused at every call, and the rule that says so. */
interface Stranger {
  readonly rule: "AUT-01" | "AUT-02" | "AUT-04" | "AUT-05" | "AUT-12" | "TRN-05" | "TRN-10"
  /** One for each call in turn, so that every form is tried somewhere. */
  readonly forms: ReadonlyArray<Exclude<Call["as"], undefined>>
  readonly to?: Call["to"]
}

/** No 2xx that shows or makes something. A list without items and a delete that finds nothing are allowed. */
const opensNothing = (exchange: Exchange): Expect.Met => {
  const { json, text = "" } = exchange.answer ?? {}
  const isData = itemsOf(json).length > 0 || idOf(at(json, "data")) !== undefined
  return isIn(exchange, 2) && isData && text !== ""
    ? Expect.difference(exchange, "status", "status", "no 2xx with data", statusOf(exchange))
    : []
}

const nobody: Stranger = { rule: "AUT-01", forms: [null] }

/** Callers with invalid tokens, as far as the profile has them. */
const invalidTokens = Effect.gen(function* () {
  const { bearer, profile } = yield* Session
  const { expiredToken, revokedToken } = profile.principals
  const token = (yield* bearer("admin")) ?? ""
  const as = (authorization: string) => ({ authorization })
  const all: ReadonlyArray<Stranger | undefined> = [
    { rule: "AUT-02", forms: [as(token), as(`Basic ${token}`), as(`Token ${token}`)] },
    { rule: "AUT-04", forms: forgeriesOf(token).map((forgery) => as(`Bearer ${forgery.token}`)) },
    expiredToken === undefined ? undefined : { rule: "AUT-05", forms: ["expiredToken"] },
    revokedToken === undefined ? undefined : { rule: "AUT-12", forms: ["revokedToken.revoked"] }
  ]
  return all.filter((stranger) => stranger !== undefined)
})

/** The other tenant's admin, on this tenant's host and on the own one. */
const foreigners: ReadonlyArray<Stranger> = [
  { rule: "TRN-10", forms: ["secondTenant.admin"] },
  { rule: "TRN-05", forms: ["secondTenant.admin"], to: "second tenant" }
]

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
  /** The target of the call; empty for a list without one. */
  readonly id: string
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

/** Calls that may succeed without effect for another tenant: a delete that finds nothing, and a batch. */
const mayFindNothing = ({ call }: Made): boolean =>
  call.operation === "DELETE" || /^\/credentials\/(link|transfer)$/.test(call.call.path)

/** A list on the own host: it shows only the caller's resources. */
const isOwnList = ({ call: { call, operation }, id }: Made): boolean =>
  operation === "READ" && !call.path.includes(encodeURIComponent(id))

const showsNo = ({ exchange, id }: Made): Expect.Met => {
  const isShown = itemsOf(exchange.answer?.json).some((item) => idOf(item) === id)
  return [
    ...Expect.family(exchange, 2, 4),
    ...(isShown ? Expect.difference(exchange, "disclosed", "body.data", "no data of the other tenant", id) : [])
  ]
}

const refusalOf = (made: Made): Expect.Met => {
  const { exchange, stranger } = made
  if (stranger.rule === "TRN-10") return opensNothing(exchange)
  if (stranger.rule === "TRN-05")
    return isOwnList(made) ? showsNo(made) : Expect.family(exchange, 4, ...(mayFindNothing(made) ? [2] : []))
  return Expect.status(exchange, 401)
}

/** The calls that a stranger makes. Another tenant creates its own resources. */
const callsFor = Effect.fnUntraced(function* (target: Stage, { to }: Stranger) {
  const calls = yield* everyCall(target)
  return to === undefined ? calls : calls.filter(({ operation }) => operation !== "CREATE")
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
  const { before, target } = ground
  const made: Array<Made> = []
  for (const stranger of them) {
    for (const [place, call] of (yield* callsFor(target, stranger)).entries()) {
      const { forms, to } = stranger
      const as = forms[place % forms.length] ?? null
      made.push({
        stranger,
        call,
        id: target.resource.id,
        exchange: yield* attempt(call, as, to === undefined ? {} : { to })
      })
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
    yield* stranger.rule === "TRN-10"
      ? judgeNoAccess(stranger.rule, pair, [...differences, ...more])
      : judgePair(stranger.rule, pair, [...differences, ...more])
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
const judgeGroup = Effect.fnUntraced(function* (entity: string, isForeign: boolean) {
  const target = yield* makeStage(entity)
  const first = yield* judgeStrangers({ target, before: yield* groundOf(target), made: new Set() }, [nobody], true)
  const next = yield* judgeStrangers(first, yield* invalidTokens, false)
  if (isForeign) yield* judgeStrangers(next, foreigners, false)
})

/** Lists of groups in which nothing can be created, as each stranger. */
const judgeList = Effect.fnUntraced(function* (entity: string, isForeign: boolean) {
  const call = yield* readCall(entity)
  const good = yield* control(attempt(call, "admin"))
  const them = [nobody, ...(yield* invalidTokens), ...(isForeign ? foreigners.slice(0, 1) : [])]
  for (const stranger of them) {
    const exchange = yield* attempt(call, stranger.forms[0] ?? null)
    const pair = { control: good, probe: exchange }
    const differences = refusalOf({ stranger, call, exchange, id: "" })
    yield* stranger.rule === "TRN-10"
      ? judgeNoAccess(stranger.rule, pair, differences)
      : judgePair(stranger.rule, pair, differences)
  }
})

const strangers = walk({
  name: "places/strangers",
  judges: ["AUT-01"],
  alsoJudges: ["AUT-02", "AUT-04", "AUT-05", "AUT-12", "TRN-05", "TRN-10"],
  impact: "mutate-own",
  needs: []
})(function* () {
  const { profile } = yield* Session
  const isForeign =
    profile.secondTenant !== undefined && originOf(profile, {}) !== originOf(profile, { to: "second tenant" })
  yield* control(readWorkers())
  const made = yield* makeableTypes
  for (const entity of made) yield* apart(["AUT-01"], judgeGroup(entity, isForeign))
  for (const entity of yield* readableTypes) {
    if (!made.includes(entity)) yield* apart(["AUT-01"], judgeList(entity, isForeign))
  }
})

/** Every call of every group, by callers that must be refused. */
export const callerWalks: ReadonlyArray<Walk> = [strangers]
