import { Clock, Effect, Schema } from "effect"
import * as Expect from "../../judgement/Expect.ts"
import { block, judge, refused } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import type { Profile } from "../../profile/Profile.ts"
import type { SamlLogin } from "../../profile/WebLogin.ts"
import { type Exchange, statusOf } from "../../wire/Exchange.ts"
import * as Totp from "../../wire/Totp.ts"
import * as Saml from "./Saml.ts"
import * as Visitor from "./Visitor.ts"

type WebLogin = NonNullable<Profile["webLogin"]>

/** Reads the page that only logged-in users may read. */
const prove = ({ open }: Visitor.Visitor, { proof }: WebLogin) => open({ method: "GET", ...proof })

/** The profile's webLogin. Blocks the walk if its proof page does not require a login. */
const webLogin = Effect.gen(function* () {
  const { profile } = yield* Session
  if (profile.webLogin === undefined) return yield* block("the profile has no webLogin")
  const stranger = yield* prove(Visitor.make(), profile.webLogin)
  if (stranger.answer === null) return yield* refused(stranger)
  return Expect.notAccepted(stranger).length > 0
    ? yield* block("webLogin.proof returns 2xx without a login, so it proves nothing", stranger)
    : profile.webLogin
})

/** The last requests of a login, and the read of the proof page after it. */
interface Attempt {
  readonly last: ReadonlyArray<Exchange>
  readonly proof: Exchange
}

const exchangesOf = ({ last, proof }: Attempt): ReadonlyArray<Exchange> => [...last, proof]

/** Blocks the walk after a 429 or no response: the deployment did not check the code or the SAML response. */
const attempted = Effect.fnUntraced(function* (
  visitor: Visitor.Visitor,
  login: WebLogin,
  last: ReadonlyArray<Exchange>
) {
  const unjudged = last.find((exchange) => exchange.answer === null || statusOf(exchange) === 429)
  return unjudged === undefined
    ? ({ last, proof: yield* prove(visitor, login) } satisfies Attempt)
    : yield* refused(unjudged)
})

/** Returns the differences if the login did not fail. */
const isOut = ({ proof }: Attempt): Expect.Met => [...Expect.answered(proof), ...Expect.notAccepted(proof)]

const isIn = ({ proof }: Attempt): Expect.Met => Expect.accepted(proof)

/** Logs in with a code. Without a code, stops before the step that sends the code. */
const logInWith = Effect.fnUntraced(function* (login: WebLogin, code: string | undefined) {
  const steps = login.totp?.steps ?? []
  const visitor = Visitor.make()
  const made = code === undefined && steps.length > 1 ? steps.slice(0, -1) : steps
  return yield* attempted(visitor, login, yield* Visitor.makeSteps(visitor, made, { code }))
})

/** Computes codes from the clock and the user's secret. Records never show them. */
const codeBy = Effect.fnUntraced(function* (login: WebLogin, what: keyof typeof codes) {
  const { reveal, recordValue } = yield* Session
  const now = yield* Clock.currentTimeMillis
  const code = yield* recordValue(what, Schema.String, ({ open }) => {
    const key = Totp.keyOf(open(reveal(login.totp?.secret ?? "")))
    return key === undefined ? "" : codes[what](key, now)
  })
  return code === "" ? yield* block("webLogin.totp.secret is not valid base32") : code
})

const codes = { "a wrong code": Totp.wrongAt, "a code of an hour ago": Totp.oldAt, "the code": Totp.codeAt }

/**
 * Wrong codes come first and the right one last, because failures may lock the user. If an earlier login has used the
 * right code, the walk waits for the next code.
 */
const totp = walk({ name: "login/totp", judges: ["AUT-17"], impact: "read", needs: ["web login with TOTP"] })(
  function* () {
    const { wait } = yield* Session
    const login = yield* webLogin
    const without = yield* logInWith(login, undefined)
    const wrong = yield* logInWith(login, yield* codeBy(login, "a wrong code"))
    const old = yield* logInWith(login, yield* codeBy(login, "a code of an hour ago"))
    const first = yield* logInWith(login, yield* codeBy(login, "the code"))
    const isAgain = isIn(first).length > 0
    if (isAgain && !(yield* wait(Totp.stepSeconds))) {
      return yield* block(
        "a code was refused, and run.secondsToWait is too short to wait for the next one",
        ...exchangesOf(first)
      )
    }
    const right = isAgain ? yield* logInWith(login, yield* codeBy(login, "the code")) : first
    const out = [without, wrong, old]
    yield* judge("AUT-17", [...out, first, right].flatMap(exchangesOf), [...out.flatMap(isOut), ...isIn(right)])
  }
)

const atRequest = "SAMLRequest"

/** The defects of the message that the deployment sends to the identity provider. */
const faultsIn = (begun: Exchange, brought: Saml.Brought, { identityProvider }: SamlLogin): Expect.Met => {
  const { consumerUrl, id, issuer, namespace, version } = Saml.partsOf(brought.xml ?? "")
  const differs = (where: string, expected: string, actual: string | undefined) =>
    Expect.difference(begun, actual === undefined ? "missing" : "wrong-value", `${atRequest}${where}`, expected, actual)
  const isGood = (url: string | undefined): boolean => url !== undefined && URL.canParse(url)
  return [
    ...(brought.url === identityProvider.url.replace(/[?#].*$/s, "")
      ? []
      : differs(" address", identityProvider.url, brought.url)),
    ...(namespace === Saml.protocolNamespace ? [] : differs("", "a samlp:AuthnRequest", namespace)),
    ...(version === "2.0" ? [] : differs(" Version", "2.0", version)),
    ...((id ?? "") === "" ? differs(" ID", "an id", id) : []),
    ...((issuer ?? "") === "" ? differs(" Issuer", "the entity id of the deployment", issuer) : []),
    ...(isGood(consumerUrl) ? [] : differs(" AssertionConsumerServiceURL", "a URL", consumerUrl))
  ]
}

/** A started SAML login. */
interface Begun {
  readonly visitor: Visitor.Visitor
  readonly exchanges: ReadonlyArray<Exchange>
  readonly brought: Saml.Brought | undefined
  readonly faults: Expect.Met
}

const begin = Effect.fnUntraced(function* (saml: SamlLogin) {
  const visitor = Visitor.make()
  const exchanges = yield* visitor.follow({ method: "GET", path: saml.start }, Saml.bringsRequest)
  const begun = exchanges.slice(-1)
  const [brought] = begun.flatMap((exchange) => Saml.broughtBy(exchange) ?? [])
  const faults = begun.flatMap((exchange) =>
    brought === undefined
      ? [
          ...Expect.answered(exchange),
          ...Expect.difference(exchange, "missing", atRequest, "a redirect or a form with a SAMLRequest", null)
        ]
      : faultsIn(exchange, brought, saml)
  )
  return { visitor, exchanges, brought, faults } satisfies Begun
})

/** The responses of the identity provider: how each is signed, and how it differs from the one that is asked for. */
const responses = {
  honest: { signed: "honest", age: 0, request: "" },
  altered: { signed: "altered", age: 0, request: "" },
  unsigned: { signed: "unsigned", age: 0, request: "" },
  expired: { signed: "honest", age: 24 * 3_600_000, request: "" },
  "answer to another request": { signed: "honest", age: 0, request: "-of-another" }
} as const

/** Posts a response of the identity provider for a started login. */
const finish = Effect.fnUntraced(function* (
  login: WebLogin,
  saml: SamlLogin,
  { brought, visitor }: Begun,
  as: keyof typeof responses
) {
  const { reveal, recordValue } = yield* Session
  const { consumerUrl = "", id = "", issuer = "" } = Saml.partsOf(brought?.xml ?? "")
  const { age, request, signed } = responses[as]
  const now = (yield* Clock.currentTimeMillis) - age
  const asked = { id: `${id}${request}`, issuer, consumerUrl }
  const response = yield* recordValue(`an ${as} response`, Schema.String, ({ open }) => {
    const key = Saml.keyIn(open(reveal(saml.identityProvider.key)))
    return key === undefined ? "" : Saml.responseOf({ request: asked, login: saml, now }, key, signed)
  })
  if (response === "") return yield* block("webLogin.saml.identityProvider.key is not an RSA private key in PEM")
  const relayState = brought?.relayState
  const form = { SAMLResponse: response, ...(relayState === undefined ? {} : { RelayState: relayState }) }
  const { url } = saml.identityProvider
  return yield* attempted(visitor, login, yield* visitor.follow({ method: "POST", path: consumerUrl, form, from: url }))
})

/** The suite is the identity provider. It sends forged responses first and the valid one last. */
const saml = walk({ name: "login/saml", judges: ["AUT-16"], impact: "read", needs: ["web login by SAML"] })(
  function* () {
    const login = yield* webLogin
    const { saml } = login
    if (saml === undefined) return yield* block("the profile has no webLogin.saml")
    const out: Array<Attempt> = []
    for (const as of ["altered", "unsigned", "expired", "answer to another request"] as const) {
      const begun = yield* begin(saml)
      if (begun.faults.length > 0) return yield* judge("AUT-16", begun.exchanges, begun.faults)
      out.push(yield* finish(login, saml, begun, as))
    }
    const begun = yield* begin(saml)
    if (begun.faults.length > 0) return yield* judge("AUT-16", begun.exchanges, begun.faults)
    const honest = yield* finish(login, saml, begun, "honest")
    const evidence = [...begun.exchanges, ...[...out, honest].flatMap(exchangesOf)]
    yield* judge("AUT-16", evidence, [...out.flatMap(isOut), ...isIn(honest)])
  }
)

/** AUT-16, AUT-17: logins to the web application. */
export const webLoginWalks: ReadonlyArray<Walk> = [totp, saml]
