import { Effect } from "effect"
import { listOf } from "../../calls/GuardedCalls.ts"
import { logIn, readConstituents, readMe, readOrganization, requireUser } from "../../calls/LegacyCalls.ts"
import {
  foundNothing,
  inventedToken,
  lookUp,
  makeNone,
  opened,
  readWorkers,
  seen,
  sharedWorkerShown
} from "../../calls/Lookup.ts"
import { manner, turnedAway } from "../../calls/PlainHttp.ts"
import { bodyOf, sharedResource } from "../../calls/Resources.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, judge, judgePair, lackNeed, observe, statusAndCode } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { oauthPrincipal } from "../../profile/Principals.ts"
import { equals, type Json } from "../../text/Json.ts"
import { wellFormed } from "../../wire/CallersId.ts"
import { type Exchange, statusOf } from "../../wire/Exchange.ts"
import { formOf } from "../../wire/FormEncoding.ts"

const root = walk({ name: "transport/root", judges: ["TRN-04"], impact: "read", needs: [] })(function* () {
  const [workers, credentials] = [yield* readWorkers(), yield* listOf("credential")]
  yield* judge("TRN-04", [workers, credentials], [workers, credentials].flatMap(opened))
})

/**
 * The token for plain HTTP, which a network observer may read: preferably an OAuth client's, because it expires soon.
 */
const plainCaller = Effect.gen(function* () {
  const { bearer, profile } = yield* Session
  if (profile.newer.plainHttpUrl?.startsWith("http://") !== true) {
    return yield* block("plainHttpUrl has to begin with http://")
  }
  const as = oauthPrincipal(profile) ?? "admin"
  return { as, token: (yield* bearer(as)) ?? "" }
})

/** The reads of the legacy surface beside the caller's own. */
const furtherReads = [readOrganization, readConstituents]

const plain = walk({
  name: "transport/plain-http",
  judges: ["TRN-01", "TRN-02", "SIL-03"],
  impact: "create",
  logsIn: true,
  needs: ["plain-HTTP address"]
})(function* () {
  const { unique } = yield* Session
  const { as, token } = yield* plainCaller
  const own = yield* sharedResource("worker", "part")
  const reading = yield* seen(own.unique, { as })
  const asked = yield* lookUp(own.unique, { as, to: "plain" })
  if (asked.silence === "unknown host") return yield* block("the host of plainHttpUrl is unknown", asked)
  const name = yield* unique
  const { after, probe } = yield* makeNone(name, { as, to: "plain", json: yield* bodyOf("worker", name) })
  const differences = [...turnedAway(asked, token, [own.id]), ...turnedAway(probe, token), ...foundNothing(after)]
  yield* judgePair("TRN-02", { control: reading, probe: [asked, probe], after }, differences)

  // A 401 may come from the legacy surface itself. Any other refusal comes from a proxy in front of it.
  const authorization = `Bearer ${inventedToken}`
  const legacy = yield* readMe({ authorization }, { to: "plain" })
  const others = yield* Effect.forEach(furtherReads, (read) => read({ authorization }, { to: "plain" }))
  yield* observe("SIL-03", { newer: manner(asked), legacy: manner(legacy) }, [asked, legacy])
  const all = [legacy, ...others]
  if (all.some((one) => statusOf(one) === 401)) return yield* plainLegacy(all)
  const shown = all.flatMap((one) => turnedAway(one, inventedToken))
  yield* judgePair("TRN-01", { control: reading, probe: all, after: asked }, shown)
})

/** Judges TRN-01 after a 401, which the legacy surface may have sent. The probe has a token that is valid over TLS. */
const plainLegacy = Effect.fnUntraced(function* (legacy: ReadonlyArray<Exchange>) {
  const { profile } = yield* Session
  if (profile.legacy?.user === undefined) {
    return yield* lackNeed("TRN-01", "legacy user", "the 401 may be the legacy surface's own", legacy)
  }
  const { bearer, token } = yield* logIn(yield* requireUser())
  const good = yield* control(readMe(bearer))
  const reads = [readMe, ...furtherReads].filter((_, index) => {
    const asked = legacy[index]
    return asked !== undefined && statusOf(asked) === 401
  })
  const probe = yield* Effect.forEach(reads, (read) => read(bearer, { to: "plain" }))
  const email = Expect.valueAt(good.exchange, "email")
  const guarded = typeof email === "string" ? [email] : []
  yield* judgePair("TRN-01", { control: good, probe: [...legacy, ...probe] }, [
    ...legacy.flatMap((one) => turnedAway(one, inventedToken)),
    ...probe.flatMap((one) => turnedAway(one, token, guarded))
  ])
})

/** A body as forms, one for each notation of nested names. */
const formsOf = (body: Json): ReadonlyArray<Readonly<Record<string, string>>> => {
  const brackets = formOf(body, "brackets")
  const dots = formOf(body, "dots")
  return equals(brackets, dots) ? [brackets] : [brackets, dots]
}

const formCreate = walk({ name: "transport/form-create", judges: ["TRN-08", "SIL-21"], impact: "create", needs: [] })(
  function* () {
    const { unique } = yield* Session
    const { own, reading } = yield* sharedWorkerShown
    const asJson = yield* control(Effect.succeed(own.exchange))
    const name = yield* unique
    const probes: Array<Exchange> = []
    for (const form of formsOf(yield* bodyOf("worker", name))) {
      const { after, probe } = yield* makeNone(name, { form })
      const differences = [...Expect.rejected(probe), ...foundNothing(after)]
      yield* judgePair("TRN-08", { control: asJson, probe, after: [after, reading.exchange] }, differences)
      probes.push(probe)
    }
    const said = probes.map((probe) => statusAndCode(probe, Expect.valueAt(probe, "error.code")))
    yield* observe("SIL-21", { "a form as the body of a create": [...new Set(said)] }, probes)
  }
)

/** A query length that most deployments refuse. */
const longQuery = 10_000

/**
 * An unknown path, a wrong method on a known path, and a long URL. Also sent without credentials: a 401 proves that the
 * other answer comes from behind authentication (RTL-01).
 */
const unknown = walk({ name: "transport/unknown-path", judges: ["SIL-15", "SIL-21"], impact: "read", needs: [] })(
  function* () {
    const { send, unique } = yield* Session
    const both = (path: string) => {
      const headers = { "X-Request-Id": wellFormed(path) }
      const call = { method: "GET", path, isUnknownPath: true, headers } as const
      return Effect.tap(send(call), () => send({ ...call, as: null }))
    }
    const path = yield* both(`/${yield* unique}`)
    const method = yield* both("/oauth/token")
    const long = yield* both(`/${yield* unique}?query=${"a".repeat(longQuery)}`)
    const said = (exchange: Exchange) => statusAndCode(exchange, Expect.valueAt(exchange, "error.code"))
    yield* observe("SIL-15", { "unknown path": said(path), "wrong method": said(method) }, [path, method])
    yield* observe("SIL-21", { [`a query of ${longQuery} characters`]: said(long) }, [long])
  }
)

/** TRN: transport and surfaces. */
export const transportWalks: ReadonlyArray<Walk> = [root, plain, formCreate, unknown]
