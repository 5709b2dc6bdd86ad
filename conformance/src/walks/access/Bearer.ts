import { Effect } from "effect"
import {
  deleteCalls,
  type Guarded,
  groundOf,
  makeableTypes,
  makeTarget,
  updateCalls
} from "../../calls/GuardedCalls.ts"
import { bulkLink, bulkTransfer, link, readSlots, transfer, unlink, worker } from "../../calls/OwnershipCalls.ts"
import { readPathsOf } from "../../calls/ReadPaths.ts"
import { isUntouched, stateOf } from "../../calls/ResourceState.ts"
import { bodyOf, groupOf, isAstray, makeCredential, makeWorker, pathOf } from "../../calls/Resources.ts"
import * as Expect from "../../engine/Expect.ts"
import { apart, block, blockRule, control, inWords, judge, judgePair, observe } from "../../engine/Judge.ts"
import { foundNothing, makeNone, opened, readWorkers, seen } from "../../engine/Lookup.ts"
import { type Call, Session } from "../../engine/Session.ts"
import { type Walk, walk } from "../../engine/Walk.ts"
import { basicHeaders } from "../../profile/ClientForms.ts"
import { goodClient, grantTo, requireClient, revealed, tokenIn } from "../../profile/Grants.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import { isObject, type Json } from "../../wire/Json.ts"
import { forgeriesOf, jwtOf } from "../../wire/Jwt.ts"

/** Refused as unauthenticated. */
const unauthorized = (exchange: Exchange): Expect.Met => Expect.status(exchange, 401)

const message = "Unauthorized to perform this action"

/** The place of the text is open (SIL-10), and so is the format of the body. */
const saysSo = (exchange: Exchange): Expect.Met =>
  exchange.answer?.text.includes(message) === true
    ? []
    : Expect.difference(exchange, "missing", "body", message, exchange.answer?.text.slice(0, 200) ?? null)

/** No error code; null counts as none. */
const noCode = (exchange: Exchange): Expect.Met =>
  ["error.code", "code"].flatMap((path) =>
    (Expect.valueAt(exchange, path) ?? null) === null ? [] : Expect.absent(exchange, path)
  )

/** Judges the texts of 401 answers. The rules that expect a 401 judge the other answers. */
const judgeTexts = Effect.fnUntraced(function* (refusals: ReadonlyArray<Exchange>) {
  const seen = refusals.filter((exchange) => statusOf(exchange) === 401)
  if (seen.length === 0) return yield* block("no call was answered 401", ...refusals)
  yield* judge("AUT-06", seen, seen.flatMap(saysSo))
  yield* judge("AUT-07", seen, seen.flatMap(noCode))
  return seen
})

const keysOf = (json: Json | undefined): Json => (isObject(json) ? Object.keys(json).sort() : null)

/** Reads of groups without credentials. Groups that do not exist for the admin are skipped. */
const absent = walk({
  name: "bearer/absent",
  judges: ["AUT-01", "AUT-06", "AUT-07", "SIL-10"],
  impact: "read",
  needs: []
})(function* () {
  const { profile, send } = yield* Session
  const refusals: Array<Exchange> = []
  for (const { call, entity } of readPathsOf(profile)) {
    const allowed = yield* send(call)
    const isTold = call.isUnknownPath !== true && entity !== "worker" && entity !== "credential"
    if (isTold && isAstray(allowed)) yield* blockRule("AUT-01", `prerequisite failed: ${inWords(allowed)}`, [allowed])
    if (!isIn(allowed, 2) && entity !== "worker" && entity !== "credential") continue
    const good = yield* control(Effect.succeed(allowed))
    const refused = yield* send({ ...call, as: null })
    refusals.push(refused)
    yield* judgePair("AUT-01", { control: good, probe: refused }, unauthorized(refused))
  }
  const [first] = yield* judgeTexts(refusals)
  const { headers, json } = first?.answer ?? {}
  const observed = { keys: keysOf(json), "www-authenticate": headers?.["www-authenticate"] ?? null }
  yield* observe("SIL-10", observed, refusals.slice(0, 1))
})

/** Writes without credentials. */
const absentOnWrites = walk({ name: "bearer/absent-on-writes", judges: ["AUT-01"], impact: "create", needs: [] })(
  function* () {
    const { profile, unique } = yield* Session
    const own = yield* makeWorker()
    const good = yield* control(Effect.succeed(own.exchange))
    yield* seen(own.unique)
    const name = yield* unique
    const { after, probe } = yield* makeNone(name, { as: null, json: yield* bodyOf("worker", name) })
    yield* judgePair("AUT-01", { control: good, probe, after }, [...unauthorized(probe), ...foundNothing(after)])

    if ((yield* groupOf("credential"))?.create === undefined) return
    const [from, to] = [worker(own.id), worker((yield* makeWorker()).id)]
    const { id } = yield* makeCredential({ worker: own.id })
    const linked = yield* control(link(id, from))
    const before = yield* readSlots(id)
    const nobody = { as: null }
    const batch = { from, to, credentialIds: [id] }
    const probes = [
      yield* link(id, from, nobody),
      yield* unlink(id, from, nobody),
      yield* transfer(id, from, to, nobody),
      yield* bulkTransfer(batch, nobody),
      ...(profile.ownership?.bulkLink === undefined ? [] : [yield* bulkLink(batch, nobody)])
    ]
    const slots = yield* readSlots(id)
    yield* judgePair("AUT-01", { control: linked, probe: probes, after: [before.exchange, slots.exchange] }, [
      ...probes.flatMap(unauthorized),
      ...Expect.same(slots.exchange, "body.data.attributes.owners.worker", from.id, slots.slots.worker ?? null)
    ])
  }
)

/** Reads, changes and deletes of one resource without valid credentials. */
const judgeChanges = Effect.fnUntraced(function* (entity: string) {
  const { send } = yield* Session
  const target = yield* makeTarget(entity)
  const { id } = target.resource
  const before = yield* groundOf(target)
  const changes: ReadonlyArray<Guarded> = [...(yield* updateCalls(target)), ...(yield* deleteCalls(entity, id))]
  const path = `${yield* pathOf(entity)}/${encodeURIComponent(id)}`
  const reading: ReadonlyArray<Call> = entity === "credential" ? [{ method: "GET", path }] : []
  const calls = [...reading, ...changes.map(({ call }) => call)]
  if (calls.length === 0) return
  const probe = yield* Effect.forEach(calls, (call) => send({ ...call, as: null }))
  const after = yield* stateOf(entity, target.resource)
  const names = changes.flatMap(({ unique }) => unique ?? [])
  yield* judgePair("AUT-01", { control: before.control, probe, after: after.exchange }, [
    ...probe.flatMap(unauthorized),
    ...(before.data === undefined ? [] : isUntouched(before, after, names))
  ])
})

/** Unknown callers cannot read, change or delete existing resources by the documented calls. */
const absentOnChanges = walk({ name: "bearer/absent-on-changes", judges: ["AUT-01"], impact: "mutate-own", needs: [] })(
  function* () {
    for (const entity of yield* makeableTypes) yield* apart(["AUT-01"], judgeChanges(entity))
  }
)

/** The admin's token with other schemes than Bearer, and a client's raw id and secret. */
const prefix = walk({ name: "bearer/prefix", judges: ["AUT-02", "AUT-03"], impact: "read", needs: [] })(function* () {
  const { bearer, profile, send } = yield* Session
  const token = (yield* bearer("admin")) ?? ""
  const ask = (authorization: string) => send({ method: "GET", path: "/workers?pageSize=1", as: { authorization } })
  const good = yield* control(ask(`Bearer ${token}`))
  const client = goodClient(profile)
  const basic = client === undefined ? [] : basicHeaders(yield* revealed(client)).slice(0, 1)
  const refused = yield* Effect.forEach([token, `Basic ${token}`, `Token ${token}`, ...basic], ask)
  yield* judgePair("AUT-02", { control: good, probe: refused }, refused.flatMap(unauthorized))
  const accepted = yield* Effect.forEach(["bearer", "BEARER", "BeArEr"], (word) => ask(`${word} ${token}`))
  yield* judge("AUT-03", [good.exchange, ...accepted], accepted.flatMap(opened))
})

/** Noise, and forgeries of valid tokens: of a JWT and of an opaque one, where both exist. */
const malformed = walk({ name: "bearer/malformed", judges: ["AUT-04", "AUT-06", "AUT-07"], impact: "read", needs: [] })(
  function* () {
    const { bearer, send } = yield* Session
    const ask = (authorization: string) => send({ method: "GET", path: "/workers?pageSize=1", as: { authorization } })
    const good = yield* control(readWorkers({ token: (yield* bearer("admin")) ?? "" }))
    const noise = yield* Effect.forEach(["Bearer", "Bearer conformance", "Bearer con.form.ance"], ask)
    yield* judgePair("AUT-04", { control: good, probe: noise }, noise.flatMap(unauthorized))
    yield* judgeTexts(noise)
    for (const token of yield* ofEachKind) {
      const accepted = yield* control(readWorkers({ token }))
      const refused = yield* Effect.forEach(forgeriesOf(token), (forgery) => ask(`Bearer ${forgery.token}`))
      yield* judgePair("AUT-04", { control: accepted, probe: refused }, refused.flatMap(unauthorized))
      yield* judgeTexts(refused)
    }
  }
)

/** A valid JWT and a valid opaque token, as far as the profile has them. */
const ofEachKind = Effect.gen(function* () {
  const { bearer } = yield* Session
  const tokens = [yield* bearer("admin"), yield* bearer("secondClient"), yield* bearer("personalToken")].filter(
    (token) => token !== undefined
  )
  const isJwt = (token: string) => jwtOf(token) !== undefined
  return [tokens.find(isJwt), tokens.find((token) => !isJwt(token))].filter((token) => token !== undefined)
})

const expired = walk({ name: "bearer/expired", judges: ["AUT-05"], impact: "read", needs: ["expired token"] })(
  function* () {
    const { profile } = yield* Session
    if (profile.principals.expiredToken === undefined) return yield* judgeShortLived
    const good = yield* control(readWorkers())
    const refused = yield* readWorkers("expiredToken")
    yield* judgePair("AUT-05", { control: good, probe: refused }, unauthorized(refused))
  }
)

/** Without an expired token in the profile, a new token is used before and after its expiry. */
const judgeShortLived = Effect.gen(function* () {
  const { wait } = yield* Session
  const { exchange } = (yield* grantTo(yield* requireClient())).good
  const token = tokenIn(exchange) ?? ""
  const good = yield* control(readWorkers({ token }))
  const seconds = Expect.valueAt(exchange, "expires_in")
  if (typeof seconds !== "number" || !(yield* wait(seconds + 1))) {
    return yield* block("the token lives longer than the profile says", exchange)
  }
  const refused = yield* readWorkers({ token })
  yield* judgePair("AUT-05", { control: good, probe: refused }, unauthorized(refused))
})

/** AUT: bearer authentication on the newer surface. */
export const bearerWalks: ReadonlyArray<Walk> = [absent, absentOnWrites, absentOnChanges, prefix, malformed, expired]
