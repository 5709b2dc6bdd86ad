import { Effect } from "effect"
import { neighboursOf, wrong } from "../../calls/Grants.ts"
import {
  basicOf,
  bearerOf,
  type Caller,
  call,
  errorKeys,
  fields,
  idIn,
  isNone,
  logIn,
  logInUser,
  readConstituents,
  readMe,
  readMine,
  readOrganization,
  refusedAs,
  requireUser,
  revealed,
  scan,
  tokenIn,
  tokenPathOf,
  unauthorized
} from "../../calls/LegacyCalls.ts"
import { inventedToken } from "../../calls/Lookup.ts"
import { turnedAway } from "../../calls/PlainHttp.ts"
import { sharedResource } from "../../calls/Resources.ts"
import * as Expect from "../../judgement/Expect.ts"
import {
  block,
  blockRule,
  type Control,
  control,
  judge,
  judgeNoAccess,
  judgePair,
  observe,
  statusAndCode
} from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import type { Login } from "../../profile/LegacySurface.ts"
import { oauthPrincipal } from "../../profile/Principals.ts"
import { fillPath } from "../../profile/Template.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import { forgeriesOf } from "../../wire/Jwt.ts"
import type { SecretShape } from "../../wire/SecretShape.ts"
import { isNamed } from "./LegacyTokens.ts"

/** Answers of a missing or redirected surface. */
const elsewhere = ["3xx", "404", "405", "410", "501"] as const

/** The reads that take a bearer token. */
const reads = [readMe, readOrganization, readConstituents]

/** The paths of §4.1 without a version, with an invented token. */
const invented = walk({
  name: "legacy/invented-token",
  judges: ["TRN-03", "LEG-16"],
  impact: "read",
  needs: ["legacy surface"]
})(function* () {
  const refused = yield* Effect.forEach(reads, (read) => read(bearerOf(inventedToken)))
  const differences = refused.flatMap(unauthorized)
  yield* judge("LEG-16", refused, differences)
  const nothing = refused.flatMap((one) => isNone(one, ...elsewhere))
  // another service may answer here: only the legacy surface's own refusal identifies it
  yield* nothing.length > 0 || differences.length === 0
    ? judge("TRN-03", refused, nothing)
    : blockRule("TRN-03", "the service at /api does not look like the legacy surface", refused)
})

/** Whether a JWT was past its `exp` when the deployment answered, by the answer's `Date`. */
const hasExpired = ({ jwt }: SecretShape, { answer }: Exchange): boolean =>
  typeof jwt?.exp === "number" && jwt.exp * 1000 <= Date.parse(answer?.headers["date"] ?? "")

/** A valid token of the newer surface, which this one must not know. */
const newerToken = Effect.gen(function* () {
  const { bearer, profile } = yield* Session
  return (yield* bearer(oauthPrincipal(profile) ?? "admin")) ?? inventedToken
})

const forged = walk({
  name: "legacy/forged-token",
  judges: ["LEG-16"],
  impact: "read",
  logsIn: true,
  needs: ["legacy user"]
})(function* () {
  const { bearer, token } = yield* logInUser()
  const { exchange: good } = yield* control(readMine(bearer))
  const { derive } = yield* Session
  const newer = yield* newerToken
  const forged = [newer, ...(yield* derive("forgery", token, forgeriesOf))].map(bearerOf)
  const refused = yield* Effect.forEach(forged, (forgery) => Effect.forEach(reads, (read) => read(forgery)))
  yield* judge("LEG-16", [good, ...refused.flat()], refused.flat().flatMap(unauthorized))
})

/** Calls with an expired or revoked token of the profile, and one with a valid token as the control. */
const ended = Effect.fnUntraced(function* (name: "expiredToken" | "revokedToken") {
  const { profile, reveal } = yield* Session
  const reference = profile.legacy?.[name]
  if (reference === undefined) return yield* block(`the profile has no legacy.${name}`)
  const { bearer, id } = yield* logInUser()
  const good = yield* control(readMine(bearer))
  const token = reveal(reference)
  const over = bearerOf(token)
  const probe = yield* Effect.forEach(reads, (read) => read(over))
  return { good, id, over, probe, token, differences: probe.flatMap(unauthorized) }
})

const expired = walk({
  name: "legacy/expired-token",
  judges: ["LEG-17"],
  impact: "read",
  logsIn: true,
  needs: ["legacy user", "expired legacy token"]
})(function* () {
  const { profile } = yield* Session
  const { differences, good, probe } = yield* profile.legacy?.expiredToken === undefined
    ? expiring
    : ended("expiredToken")
  yield* judgePair("LEG-17", { control: good, probe }, differences)
})

/** Without an expired token in the profile, a new token is used before and after its expiry. */
const expiring = Effect.gen(function* () {
  const { wait } = yield* Session
  const { bearer, issued } = yield* logInUser()
  const good = yield* control(readMe(bearer))
  const [iat, exp] = ["iat", "exp"].map((name) => Expect.valueAt(issued.exchange, name))
  if (typeof iat !== "number" || typeof exp !== "number" || !(yield* wait(exp - iat + 1))) {
    return yield* block("the token lives longer than the profile says", issued.exchange)
  }
  const probe = yield* Effect.forEach(reads, (read) => read(bearer))
  return { good, probe, differences: probe.flatMap(unauthorized) }
})

const revoked = walk({
  name: "legacy/revoked-token",
  judges: ["LEG-19", "LEG-31"],
  impact: "read",
  logsIn: true,
  needs: ["legacy user", "revoked legacy token"]
})(function* () {
  const { shapeOf } = yield* Session
  const { differences, good, id, over, probe, token } = yield* ended("revokedToken")
  // an expired token is refused for that, revoked or not
  if (hasExpired(shapeOf(token), good.exchange)) return yield* block("legacy.revokedToken has expired", good.exchange)
  yield* judgePair("LEG-19", { control: good, probe }, differences)
  const more = [...probe, yield* call("POST", tokenPathOf(id), over)]
  yield* judgeNoAccess("LEG-31", { control: good, probe: more }, more.flatMap(Expect.notAccepted))
})

/** A scan cannot be undone, so a separate walk sends those that must be refused. */
const refusedScans = walk({
  name: "legacy/refused-scans",
  judges: [],
  alsoJudges: ["LEG-16", "LEG-17", "LEG-18", "LEG-19", "LEG-31", "TRN-01"],
  impact: "irreversible",
  logsIn: true,
  needs: ["legacy user", "scan body"]
})(function* () {
  const { derive, profile } = yield* Session
  const { bearer, token } = yield* logInUser()
  const good = yield* control(scan(bearer))
  if (profile.legacy?.plainHttpUrl !== undefined || profile.newer.plainHttpUrl !== undefined) {
    // a 401 may be the surface's own: only a valid token can tell
    const asked = yield* scan(bearerOf(inventedToken), {}, { to: "plain" })
    const probe = statusOf(asked) === 401 ? yield* scan(bearer, {}, { to: "plain" }) : asked
    yield* judgePair("TRN-01", { control: good, probe }, turnedAway(probe, token))
  }
  const forgeries = yield* derive("forgery", token, forgeriesOf)
  yield* judgeStrangers(good, scan, [inventedToken, yield* newerToken, ...forgeries])
})

/** A wrong password: with one character changed, and empty, which some directories treat as an anonymous login. */
const logins = walk({
  name: "legacy/wrong-login",
  judges: ["LEG-18", "LEG-30"],
  impact: "read",
  logsIn: true,
  needs: ["legacy user"]
})(function* () {
  const user = yield* requireUser()
  const { id, issued, me } = yield* logInUser()
  const exchange = (as: Caller) => call("POST", tokenPathOf(id), as)
  const nobodys = [yield* exchange(null), ...(yield* Effect.forEach(reads, (read) => read(null)))]
  const { exchanges, shown } = yield* loggedInWrongly(user, id)
  const probe = [...nobodys, ...shown.slice(0, 1), ...exchanges.slice(0, 1)]
  const differences = probe.flatMap((one) => Expect.status(one, 401))
  yield* judgePair("LEG-18", { control: me, probe }, differences)
  yield* judgeNoAccess("LEG-30", { control: me, probe: shown }, shown.flatMap(Expect.notAccepted))
  yield* judgeNoAccess("LEG-30", { control: issued, probe: exchanges }, exchanges.flatMap(Expect.notAccepted))
})

/** Wrong passwords: with the last character changed, longer, shorter, in the other letter case, and empty. */
const loggedInWrongly = Effect.fnUntraced(function* ({ password, username }: Login, id: number) {
  const passwords = [yield* wrong(password), ...(yield* neighboursOf(password)), ""]
  const logins = passwords.map((one) => basicOf({ username, password: one }))
  return {
    shown: yield* Effect.forEach(logins, (as) => readMe(as)),
    exchanges: yield* Effect.forEach(logins, (as) => call("POST", tokenPathOf(id), as))
  }
})

/** A wrong password opens nothing for this user either. */
const judgeWrong = Effect.fnUntraced(function* ({ password, username }: Login, id: number, good: Control) {
  const other = basicOf({ username, password: yield* wrong(password) })
  const probe = [yield* readMe(other), yield* call("POST", tokenPathOf(id), other)]
  yield* judgeNoAccess("LEG-30", { control: good, probe }, probe.flatMap(Expect.notAccepted))
})

/** Reads and refused calls of a user with the lowest role. */
const permission = walk({
  name: "legacy/without-permission",
  judges: ["LEG-20", "LEG-28", "SIL-18", "SIL-24"],
  alsoJudges: ["LEG-14", "LEG-15", "LEG-27", "LEG-30"],
  impact: "create",
  logsIn: true,
  needs: ["legacy user", "legacy user without permission"]
})(function* () {
  const { profile } = yield* Session
  const given = profile.legacy?.withoutPermission
  if (given === undefined) return yield* block("the profile has no legacy user without permission")
  const all = yield* logInUser()
  const login = yield* revealed(given.user)
  const basic = basicOf(login)
  const least = yield* whoMay(basic)
  yield* judge("LEG-27", [least.me.exchange], yield* isNamed(least.me.exchange, login.username))
  const own = yield* readOrganization(least.bearer)
  yield* judge("LEG-15", [own], isNone(own, "401"))
  const opened = yield* Effect.forEach([readOrganization, readConstituents], (read) => read(basic))
  const differences = yield* Effect.forEach(opened, (one) => refusedAs(one, 401, 403))
  yield* judgePair("LEG-14", { control: least.me, probe: opened }, differences.flat())
  yield* judgeWrong(login, least.id, least.me)
  const { body, method, path } = given.call
  const make = (as: Caller) => call(method, path, as, body === undefined ? {} : { json: body })
  // no control for calls with effects: the token's validity must suffice
  const good = method === "GET" ? yield* control(make(all.bearer)) : least.me
  const probe = yield* make(least.bearer)
  yield* judgePair("LEG-20", { control: good, probe, after: least.me.exchange }, Expect.status(probe, 403))
  yield* observe("SIL-18", errorKeys([probe]), [probe])
  const anothers = yield* call("POST", tokenPathOf(least.id), all.basic)
  yield* observe("SIL-24", { "token path of another user": statusAndCode(anothers, undefined) }, [anothers])
})

/** Judges LEG-28 while obtaining a token. Leaves out users without a token. */
const whoMay = Effect.fnUntraced(function* (basic: Exclude<Caller, null>) {
  const named = yield* readMe(basic)
  const id = idIn(named)
  if (id === undefined) {
    yield* judge("LEG-28", [named], Expect.type(named, "id", "integer"))
    return yield* block("prerequisite failed: users/me shows no integer id", named)
  }
  const issued = yield* call("POST", tokenPathOf(id), basic)
  const refused = Expect.accepted(issued)
  const bearer = bearerOf(tokenIn(issued) ?? "")
  if (refused.length > 0) yield* judge("LEG-28", [named, issued], refused)
  yield* control(Effect.succeed(issued))
  const shown = yield* readMe(bearer)
  const hidden = Expect.status(shown, 200)
  const one = fields(shown, { organization: "object" })
  yield* judge("LEG-28", [named, issued, shown], hidden.length > 0 ? hidden : one)
  return { id, bearer, me: yield* control(Effect.succeed(shown)) }
})

/** Resources that a user of one organization may read, and a user of another must not. */
const organizations = walk({
  name: "legacy/other-organization",
  judges: ["LEG-21", "SIL-18"],
  alsoJudges: ["LEG-16", "LEG-17", "LEG-18", "LEG-19", "LEG-31"],
  impact: "create",
  logsIn: true,
  needs: ["legacy user", "second organization's resource"]
})(function* () {
  const { profile } = yield* Session
  const given = profile.legacy?.otherOrganization
  if (given === undefined) return yield* block("the profile has no resource of a second organization")
  const { bearer } = yield* logInUser()
  const path = given.path.includes("{{worker}}")
    ? fillPath(given.path, { worker: (yield* sharedResource("worker", "part")).id })
    : given.path
  if (given.user === undefined) {
    const good = yield* control(readMe(bearer))
    yield* judgeStrangers(good, (as) => call("GET", path, as), [inventedToken])
    return yield* judgeOther(good, yield* call("GET", path, bearer))
  }
  const other = yield* logIn(yield* revealed(given.user), { to: "second tenant" })
  yield* control(readMe(other.bearer, { to: "second tenant" }))
  const good = yield* control(call("GET", path, bearer))
  yield* judgeStrangers(good, (as) => call("GET", path, as), [inventedToken])
  return yield* judgeOther(good, yield* call("GET", path, other.bearer, { to: "second tenant" }))
})

/** A call by nobody, and with tokens that are no longer or never valid. */
const judgeStrangers = Effect.fnUntraced(function* (
  good: Control,
  calling: (as: Caller) => ReturnType<typeof call>,
  invalid: ReadonlyArray<string>
) {
  const { profile, reveal, shapeOf } = yield* Session
  const { expiredToken, revokedToken } = profile.legacy ?? {}
  const nobodys = yield* calling(null)
  yield* judgePair("LEG-18", { control: good, probe: nobodys }, Expect.status(nobodys, 401))
  const refused = yield* Effect.forEach(invalid, (token) => calling(bearerOf(token)))
  yield* judge("LEG-16", [good.exchange, ...refused], refused.flatMap(unauthorized))
  if (expiredToken !== undefined) {
    const probe = yield* calling(bearerOf(reveal(expiredToken)))
    yield* judgePair("LEG-17", { control: good, probe }, unauthorized(probe))
  }
  if (revokedToken === undefined || hasExpired(shapeOf(reveal(revokedToken)), good.exchange)) return
  const probe = yield* calling(bearerOf(reveal(revokedToken)))
  yield* judgePair("LEG-19", { control: good, probe }, unauthorized(probe))
  yield* judgeNoAccess("LEG-31", { control: good, probe }, Expect.notAccepted(probe))
})

const judgeOther = Effect.fnUntraced(function* (good: Effect.Success<ReturnType<typeof control>>, probe: Exchange) {
  yield* judgePair("LEG-21", { control: good, probe }, Expect.status(probe, 403))
  yield* observe("SIL-18", errorKeys([probe]), [probe])
})

/** An unverified account gets 403 before it can read or submit anything (§5.1, item 6). */
const unverified = walk({
  name: "legacy/unverified",
  judges: ["LEG-22", "SIL-24"],
  alsoJudges: ["LEG-30"],
  impact: "irreversible",
  logsIn: true,
  needs: ["legacy user", "unverified legacy user"]
})(function* () {
  const { profile } = yield* Session
  const login = profile.legacy?.unverified
  if (login === undefined) return yield* block("the profile has no unverified legacy user")
  const all = yield* logInUser()
  const good = yield* control(readOrganization(all.bearer))
  const given = yield* revealed(login)
  const { id, probe, way } = yield* stoppedAt(basicOf(given))
  if (id !== undefined) yield* judgeWrong(given, id, good)
  const evidence = [...way, ...probe]
  const [last] = way.toReversed()
  const stopped = last !== undefined && probe.length === 0 ? Expect.status(last, 403) : []
  const differences = yield* Effect.forEach(probe, (one) => refusedAs(one, 403))
  yield* judgePair("LEG-22", { control: good, probe: evidence }, [...stopped, ...differences.flat()])
  const said = evidence.map((one) => [callOf(one), statusAndCode(one, undefined)] as const)
  yield* observe("SIL-24", { "before verification": Object.fromEntries(said) }, evidence)
})

const callOf = ({ request }: Exchange): string => `${request.method} ${new URL(request.url).pathname}`

/** The calls open to an unverified account: obtaining a token, and with it those that must be refused. */
const stoppedAt = Effect.fnUntraced(function* (basic: Exclude<Caller, null>) {
  const me = yield* readMe(basic)
  // a refusal with another status breaks the rule as well
  if (me.answer !== null && !isIn(me, 2)) return { way: [me], probe: [], id: undefined }
  const id = idIn((yield* control(Effect.succeed(me))).exchange)
  if (id === undefined) return yield* block("prerequisite failed: users/me shows no integer id", me)
  const issued = yield* call("POST", tokenPathOf(id), basic)
  const token = tokenIn(issued)
  if (!isIn(issued, 2) || token === undefined) return { way: [me, issued], probe: [], id }
  const calls = [readOrganization, readConstituents, scan]
  return { way: [me, issued], probe: yield* Effect.forEach(calls, (made) => made(bearerOf(token))), id }
})

/** LEG: refusals of the legacy surface. */
export const legacyRefusalWalks: ReadonlyArray<Walk> = [
  invented,
  forged,
  expired,
  revoked,
  refusedScans,
  logins,
  organizations,
  unverified,
  permission // last: it asks for another user's token, which may end the shared one (LEG-24)
]
