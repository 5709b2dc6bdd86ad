import { Effect, Option, Redacted, Result, Terminal } from "effect"
import { Prompt } from "effect/cli"
import { makeWorker, remove } from "../calls/Resources.ts"
import { sessionOf } from "../commands/SessionOutsideRun.ts"
import { certificates } from "../commands/Target.ts"
import { sockets } from "../engine/Conformance.ts"
import { preflight } from "../engine/Preflight.ts"
import { inWords } from "../judgement/Judge.ts"
import { Session } from "../judgement/Session.ts"
import * as NodeWire from "../network/NodeWire.ts"
import { initialProfile, secretVariable } from "../profile/InitialProfile.ts"
import type { Profile } from "../profile/Profile.ts"
import type { Loaded } from "../profile/ProfileFile.ts"
import { newerRoot } from "../profile/Roots.ts"
import { isOrigin, maxText } from "../profile/Values.ts"
import { adviceOn } from "../report/Advice.ts"
import { type Exchange, isIn } from "../wire/Exchange.ts"
import { elsewhere } from "../wire/Front.ts"
import { Wire } from "../wire/Wire.ts"
import { print } from "./Output.ts"

// The first questions: the address, a client and its secret, and the delete path of workers.

/** The walk name of the questions' own calls. */
const initWalk = "init"

/** A deployment that answers, and the certificates that it needs. */
interface ReachedDeployment {
  readonly url: string
  readonly ca: string | undefined
  readonly caFile: string | undefined
}

/** Joins a fact and advice as two sentences. */
const advised = (fact: string, advice: string | undefined): string =>
  advice === undefined ? fact : `${fact}. ${advice.slice(0, 1).toUpperCase()}${advice.slice(1)}`

/** Whether an answer may be of this service: a refusal for the missing token, or JSON. */
const mayBeOurs = (exchange: Exchange): boolean =>
  [401, 403].includes(exchange.answer?.status ?? 0) || (isIn(exchange, 2) && exchange.answer?.json !== undefined)

/** Returns advice for an address that answered a call without credentials like no deployment does. */
const adviceAt = (exchange: Exchange): string | undefined => {
  if (exchange.silence !== null || isIn(exchange, 3) || isIn(exchange, 5)) return adviceOn(exchange)
  if (exchange.answer?.status === 429) return adviceOn(exchange)
  return exchange.request.url.startsWith("http:") ? "the deployment may require https://" : elsewhere
}

/** Reads workers without credentials. Returns what keeps the run from this address; undefined if nothing does. */
const obstacleAt = Effect.fnUntraced(function* (url: string) {
  const request = { method: "GET", url: `${url}${newerRoot}/workers?pageSize=1`, headers: [], body: "" }
  const { send } = yield* Wire
  const came = yield* Effect.result(send(request))
  const base = { number: 1, lastSent: 1, walk: initWalk, step: 1, kind: "call", principal: null, request } as const
  const exchange: Exchange =
    came._tag === "Success"
      ? { ...base, answer: came.success, silence: null, startedAt: 0, millis: 0 }
      : { ...base, answer: null, silence: came.failure.silence, startedAt: 0, millis: 0 }
  if (mayBeOurs(exchange)) return undefined
  return { told: advised(inWords(exchange), adviceAt(exchange)), isTls: exchange.silence === "unknown issuer" }
})

/** Returns the tenant's base URL in a text, without a final slash. Fails with a suggestion if it is no origin. */
export const tenantUrlIn = (text: string): Result.Result<string, string> => {
  if (isOrigin(text)) return Result.succeed(text.replace(/\/$/, ""))
  const meant = URL.canParse(text) && /^https?:/.test(text) ? text : `https://${text}`
  const origin = URL.canParse(meant) ? new URL(meant).origin : "null"
  const instead = isOrigin(origin) ? `did you mean ${origin}?` : "such as https://t1.example"
  return Result.fail(`The address is a URL of scheme, host and port only; ${instead}`)
}

/** Asks for a file of certificates until one can be read. Returns undefined if none is given. */
const askCertificates = Effect.gen(function* () {
  for (;;) {
    const file = yield* Prompt.String({ message: "PEM file of the certificate's issuer (empty: another address)" })
    if (file === "") return undefined
    const ca = yield* Effect.result(certificates(file))
    if (ca._tag === "Success") return { caFile: file, ca: ca.success }
    yield* print(`  ${ca.failure.message}`)
  }
})

/** Asks for the address until a deployment answers there. */
export const askDeployment = Effect.fnUntraced(function* (given: string, givenCa: Option.Option<string>) {
  let text = given
  let caFile = Option.getOrUndefined(givenCa)
  let ca = caFile === undefined ? undefined : yield* certificates(caFile)
  for (;;) {
    const url = tenantUrlIn(text)
    if (Result.isSuccess(url)) {
      const wire = NodeWire.layer({ ...(ca === undefined ? {} : { ca }), resolve: {}, secondsPerCall: 10 })
      const obstacle = yield* Effect.provide(obstacleAt(url.success), wire)
      if (obstacle === undefined) return { url: url.success, ca, caFile } satisfies ReachedDeployment
      yield* print(`  ${obstacle.told}`)
      if (obstacle.isTls) {
        const typed = yield* askCertificates
        if (typed !== undefined) {
          ;({ ca, caFile } = typed)
          continue
        }
      }
    } else yield* print(`  ${url.failure}`)
    text = yield* Prompt.String({ message: "Address of the tenant, such as https://t1.example" })
  }
})

/** Calls a deployment outside a run. */
const calling = <A, E, R>(
  target: Loaded,
  steps: Effect.Effect<A, E, R | Session>,
  record: (exchange: Exchange) => void = () => undefined
) =>
  Effect.gen(function* () {
    const { session } = yield* sessionOf(initWalk, target, record)
    return yield* Effect.provideService(steps, Session, session)
  }).pipe(Effect.scoped, Effect.provide(sockets(target)))

/** The statuses of a refusal of credentials; 400 is a token endpoint's (RFC 6749, section 5.2). */
const refusals = [400, 401, 403]

/** Why the deployment accepts no credentials of a profile, and whether they are the reason; undefined if it does. */
const refusalOf = Effect.fnUntraced(function* (target: Loaded) {
  let last: Exchange | undefined
  const told = yield* calling(target, Effect.flatMap(Session, preflight), (exchange) => {
    last = exchange
  })
  if (told === undefined) return undefined
  const advice = last === undefined ? undefined : adviceOn(last)
  return {
    told: advised(told, advice),
    isOfCredentials: refusals.includes(last?.answer?.status ?? 0)
  }
})

const tokenVariable = "CONF_TOKEN"

/**
 * Asks for the admin's secret while the deployment refuses the credentials of a profile. Returns the variable if a
 * secret was typed.
 */
export const askUntilAccepted = Effect.fnUntraced(function* (target: Loaded) {
  const { admin } = target.profile.principals
  const variable = ("oauth" in admin ? admin.oauth.clientSecret : admin.token).slice(2, -1)
  const typed = new Set<string>()
  for (;;) {
    const refusal = yield* refusalOf(target)
    if (refusal === undefined) return typed
    yield* print(`  ${refusal.told}`)
    if (!refusal.isOfCredentials) {
      if (yield* Prompt.Confirm({ message: "Try the same again?", initial: true })) continue
      return yield* Effect.fail(new Terminal.QuitError({}))
    }
    const message = `${variable}; the input is hidden (empty: try the same again)`
    const secret = Redacted.value(yield* Prompt.Hidden({ message }))
    if (secret === "") continue
    process.env[variable] = secret
    typed.add(variable)
  }
})

/** Asks for a client and its secret, or a token, until the deployment accepts them. Returns the typed variables. */
export const askAccess = Effect.fnUntraced(function* ({ ca, url }: ReachedDeployment) {
  const typed = new Set<string>()
  for (;;) {
    const id = (yield* Prompt.String({ message: "Id of an OAuth client (empty: a bearer token instead)" })).trim()
    if (id.length > maxText) {
      yield* print(`  An id has at most ${maxText} characters.`)
      continue
    }
    const variable = id === "" ? tokenVariable : secretVariable
    if ((process.env[variable] ?? "") === "") {
      const message = id === "" ? "Bearer token; the input is hidden" : "Secret of the client; the input is hidden"
      process.env[variable] = Redacted.value(yield* Prompt.Hidden({ message })).trim()
      typed.add(variable)
    }
    const usual = initialProfile(url, id)
    const admin: Profile["principals"]["admin"] = id === "" ? { token: `\${${variable}}` } : usual.principals.admin
    const profile: Profile = { ...usual, principals: { admin } }
    const refusal = yield* refusalOf({ profile, ca })
    if (refusal === undefined) return { profile, typed }
    yield* print(`  ${refusal.told}`)
    delete process.env[variable]
    typed.delete(variable)
  }
})

/** Creates a worker and deletes it. Returns why that failed, and whether the create did. */
const failureOf = (target: Loaded) =>
  calling(
    target,
    Effect.gen(function* () {
      const made = yield* Effect.result(makeWorker())
      if (made._tag === "Failure") return { isCreate: true, told: made.failure.reason }
      const deleted = yield* remove("worker", made.success.id)
      return isIn(deleted, 2)
        ? undefined
        : { isCreate: false, told: `${inWords(deleted)}; worker ${made.success.id} stays` }
    }).pipe(Effect.catchTag("Blocked", ({ reason }) => Effect.succeed({ isCreate: false, told: reason })))
  )

const readOnly = (profile: Profile): Profile => ({ ...profile, groups: {}, run: { ...profile.run, ceiling: "read" } })

/** Asks whether the run may create workers, and for their delete path until a delete succeeds. */
export const askChanges = Effect.fnUntraced(function* (profile: Profile, ca: string | undefined) {
  const may = yield* Prompt.Confirm({
    message: "May the run create workers and credentials in this tenant? It deletes what it creates",
    initial: true
  })
  let path = "/workers/{{id}}"
  while (may) {
    const changing: Profile = { ...profile, groups: { worker: { delete: { method: "DELETE", path } } } }
    const failure = yield* failureOf({ profile: changing, ca })
    if (failure === undefined) return changing
    yield* print(`  ${failure.told}`)
    if (failure.isCreate) break
    path = yield* Prompt.String({ message: "Path of DELETE for a worker (empty: create none)", default: "" })
    if (path === "") break
  }
  yield* print("  The run only reads.")
  return readOnly(profile)
})
