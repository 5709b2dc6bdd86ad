import { createHash, createHmac, generateKeyPairSync, randomUUID, verify } from "node:crypto"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { Clock, Effect } from "effect"
import { formOf } from "./Callers.ts"
import type { Serve } from "./Serve.ts"
import type { Specimen } from "./Specimen.ts"
import * as Rewrite from "./seams/Rewrite.ts"

// A deployment with its own web login: pages with CSRF tokens, TOTP, and SAML by the HTTP-POST binding. Our
// deployment has other login pages, and no identity provider in these tests.

const totpKey = Buffer.from("a key of twenty byte")
const totpSecret = "MEQGWZLZEBXWMIDUO5SW45DZEBRHS5DF"
const password = "the password of a specimen"
const identityProvider = { entityId: "https://idp.test", url: "https://idp.test/sso", key: "${CONF_SAML_KEY}" }
const user = "ann <ann@tenant.test>"
const pages = {
  page: "/sign-in",
  code: "/sign-in/code",
  saml: "/sign-in/saml",
  consumer: "/sign-in/saml/acs",
  home: "/home"
}

const withWebLogin = (profile: Profile): Profile => ({
  ...profile,
  webLogin: {
    proof: { path: pages.home },
    totp: {
      steps: [
        { method: "GET", path: pages.page, take: { token: 'name="token" value="([^"]+)"' } },
        {
          method: "POST",
          path: pages.page,
          form: { user, password: "${CONF_WEB_PASSWORD}", token: "{{token}}" }
        },
        { method: "POST", path: pages.code, json: { code: "{{code}}" } }
      ],
      secret: "${CONF_TOTP_SECRET}"
    },
    saml: { start: pages.saml, identityProvider, user: { nameId: user } }
  },
  notOffered: (profile.notOffered ?? []).filter((need) => !need.startsWith("web login"))
})

/** Generated at the first use, because RSA keys are slow to generate. */
let keys: { readonly privateKey: string; readonly publicKey: string } | undefined
const providerKeys = () => {
  keys ??= generateKeyPairSync("rsa", {
    modulusLength: 2048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" }
  })
  return keys
}

/** The profile and secrets of a deployment with web login. */
export const told: Pick<Specimen, "profile" | "secrets"> = {
  profile: withWebLogin,
  secrets: () => ({
    "${CONF_WEB_PASSWORD}": password,
    "${CONF_TOTP_SECRET}": totpSecret,
    "${CONF_SAML_KEY}": providerKeys().privateKey
  })
}

/** The code at a time, for steps of this many seconds. */
export const codeAt = (millis: number, stepSeconds = 30): string => {
  const step = Buffer.alloc(8)
  step.writeBigUInt64BE(BigInt(Math.floor(millis / (stepSeconds * 1000))))
  const mac = createHmac("sha1", totpKey).update(step).digest()
  const offset = mac.readUInt8(19) & 15
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0")
}

/** The first element of a name in XML, with its tags. */
const elementIn = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}[ >].*?</${name}>`, "s").exec(xml)?.[0]

const textIn = (xml: string, name: string): string => (elementIn(xml, name) ?? "").replaceAll(/<[^>]*>/g, "")

/** Whether the provider signed an assertion. */
export const isSealed = (assertion: string): boolean => {
  const info = elementIn(assertion, "ds:SignedInfo")
  if (info === undefined) return false
  const canonical = info.replace("<ds:SignedInfo", '<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"')
  const signature = Buffer.from(textIn(assertion, "ds:SignatureValue"), "base64")
  return verify("sha256", Buffer.from(canonical), providerKeys().publicKey, signature)
}

/** Whether an assertion matches its signature. */
export const isWhole = (assertion: string): boolean => {
  const bare = assertion.replace(elementIn(assertion, "ds:Signature") ?? "", "")
  return createHash("sha256").update(bare).digest("base64") === textIn(assertion, "ds:DigestValue")
}

/** The decisions of a deployment with web login. */
export interface Decisions {
  readonly isCode: (code: string, now: number) => boolean
  /** Whether a code is required besides the password. */
  readonly needsCode: boolean
  /** Whether the provider issued an assertion. */
  readonly isProven: (assertion: string) => boolean
  /** Whether SAML logins succeed. */
  readonly takesSaml: boolean
  /** The AuthnRequest as sent. */
  readonly request: (xml: string) => string
  /** Whether an AuthnRequest is sent. */
  readonly asks: boolean
}

const right: Decisions = {
  isCode: (code, now) => [-30_000, 0, 30_000].some((millis) => code === codeAt(now + millis)),
  needsCode: true,
  isProven: (assertion) => isSealed(assertion) && isWhole(assertion),
  takesSaml: true,
  request: (xml) => xml,
  asks: true
}

const page = (status: number, text: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  Rewrite.withText(
    { status, headers: { "content-type": "text/html", ...headers }, text: "", json: undefined },
    `<!doctype html><title>Log in</title>${text}`
  )

const cookie = (name: string, value: string): string => `${name}=${value}; Path=/; Secure; HttpOnly`

const goTo = (location: string, ...cookies: ReadonlyArray<string>): Answer =>
  page(302, "", { location, ...(cookies.length === 0 ? {} : { "set-cookie": cookies.join(", ") }) })

const cookieOf = (request: Request, name: string): string =>
  new RegExp(`(?:^|; )${name}=([^;]+)`).exec(Rewrite.headerOf(request, "cookie") ?? "")?.[1] ?? ""

const endOf = (name: string): string => `${name}=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT`

const codeIn = ({ body }: Request): string => /"code":"(\d{6})"/.exec(body)?.[1] ?? ""

/** Serves the login pages, and passes other requests on to the API. */
export const served =
  (decided: Partial<Decisions> = {}) =>
  (serve: Serve): Serve => {
    const decisions = { ...right, ...decided }
    const [tokens, halves, sessions, asked] = [new Set(), new Set(), new Set(), new Set<string>()]
    const known = (set: Set<unknown>): string => {
      const value = randomUUID()
      set.add(value)
      return value
    }
    const enter = () => goTo(pages.home, cookie("session", known(sessions)), endOf("half"))

    const passwordPage = () => page(200, `<input name="token" value="${known(tokens)}">`)

    const enterPassword = (request: Request): Answer => {
      const form = formOf(request)
      const isRight = form?.get("password") === password && form.get("user") === user && tokens.has(form.get("token"))
      if (!isRight) return page(403, "No.")
      return decisions.needsCode ? goTo(pages.home, cookie("half", known(halves))) : enter()
    }

    const enterCode = (request: Request, now: number): Answer =>
      halves.has(cookieOf(request, "half")) && decisions.isCode(codeIn(request), now)
        ? enter()
        : page(200, "That code is wrong.")

    const ask = (origin: string): Answer => {
      const id = `_${known(asked)}`
      asked.add(id)
      const xml = decisions.request(
        `<AuthnRequest xmlns="urn:oasis:names:tc:SAML:2.0:protocol" ID='${id}' Version="2.0"` +
          ` AssertionConsumerServiceURL="${origin}${pages.consumer}"><a:Issuer` +
          ` xmlns:a="urn:oasis:names:tc:SAML:2.0:assertion">${origin}/me&amp;you</a:Issuer></AuthnRequest>`
      )
      const request = Buffer.from(xml).toString("base64")
      if (!decisions.asks) return goTo(`${identityProvider.url}?SAMLResponse=${encodeURIComponent(request)}`)
      return page(
        200,
        `<form method="post" action="${identityProvider.url}"><input type="hidden" name="SAMLRequest" value="${request}">` +
          '<input type="hidden" name="RelayState" value="here &amp; now"></form>',
        { "set-cookie": cookie("asked", id) }
      )
    }

    const consume = (request: Request, origin: string): Answer => {
      const form = formOf(request)
      const xml = Buffer.from(form?.get("SAMLResponse") ?? "", "base64").toString()
      const assertion = elementIn(xml, "saml:Assertion") ?? ""
      const id = cookieOf(request, "asked")
      const isOurs =
        asked.delete(id) && xml.includes(`InResponseTo="${id}"`) && form?.get("RelayState") === "here & now"
      const isForUs =
        textIn(assertion, "saml:Audience") === `${origin}/me&amp;you` &&
        assertion.includes(`Recipient="${origin}${pages.consumer}"`)
      const isUser = textIn(assertion, "saml:NameID") === user.replace("<", "&lt;").replace(">", "&gt;")
      return isOurs && isForUs && isUser && decisions.takesSaml && decisions.isProven(assertion)
        ? enter()
        : page(403, "No.")
    }

    const home = (request: Request): Answer =>
      sessions.has(cookieOf(request, "session")) ? page(200, "You are logged in.") : goTo(pages.page)

    return (request) => {
      const { origin, pathname } = new URL(request.url)
      const answers: Readonly<Record<string, (now: number) => Answer>> = {
        [`GET ${pages.page}`]: passwordPage,
        [`POST ${pages.page}`]: () => enterPassword(request),
        [`POST ${pages.code}`]: (now) => enterCode(request, now),
        [`GET ${pages.saml}`]: () => ask(origin),
        [`POST ${pages.consumer}`]: () => consume(request, origin),
        [`GET ${pages.home}`]: () => home(request)
      }
      const answer = answers[`${request.method} ${pathname}`]
      return answer === undefined ? serve(request) : Effect.map(Clock.currentTimeMillis, answer)
    }
  }
