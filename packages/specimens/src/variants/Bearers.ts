import { createHmac } from "node:crypto"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { at, parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import * as Enrolment from "../Enrolment.ts"
import * as ExternalProvider from "../ExternalProvider.ts"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { type Variant, variant } from "../Variant.ts"

const unauthorized = "Unauthorized to perform this action"

/** Every 401 of the newer surface in another form, except at the token endpoint (SIL-10). */
const unauthorizedAs = (type: string, text: (answer: Answer) => string, challenge: string | undefined) =>
  Rewrite.answers({ status: 401, path: /^\/(?!oauth\/|api\/)/ }, (answer) =>
    Rewrite.withHeader(
      Rewrite.withHeader(Rewrite.withText(answer, text(answer)), "content-type", type),
      "www-authenticate",
      challenge
    )
  )

const inHtml = `<!doctype html><html><head><title>401</title></head><body><h1>${unauthorized}.</h1></body></html>`

const encoded = (text: string): string => Buffer.from(text).toString("base64url")

/** A personal token as a signed JWT with a reference to the token. */
const jwtOf = (token: string): string => {
  const head = encoded(JSON.stringify({ alg: "HS256", typ: "JWT" }))
  const body = encoded(JSON.stringify({ sub: "user", jti: token }))
  const signature = createHmac("sha256", "specimen").update(`${head}.${body}`).digest("base64url")
  return `${head}.${body}.${signature}`
}

const isPersonal = (secret: string): boolean => secret.startsWith("wcs_pat_")

/** The personal token behind a JWT; the input itself if it is not such a JWT or has no valid signature. */
const personalOf = (bearer: string): string => {
  const body = parse(Buffer.from(bearer.split(".")[1] ?? "", "base64url").toString())
  const token = String(at(body, "jti") ?? "")
  return isPersonal(token) ? (jwtOf(token) === bearer ? token : "forged") : isPersonal(bearer) ? "opaque" : bearer
}

const takesJwts = Rewrite.requests({}, (request) => {
  const authorization = Rewrite.headerOf(request, "authorization")
  const [, word = "", bearer = ""] = /^(bearer +)(\S+)$/i.exec(authorization ?? "") ?? []
  return bearer === "" ? request : Rewrite.withRequestHeader(request, "Authorization", `${word}${personalOf(bearer)}`)
})

/** Another notation of accounts in refusals. */
const accountsAsPaths = (text: string): string => text.replaceAll("urn:wcs:account:", "arn:acme:iam::account/")

const withOtherUrns = (profile: Profile): Profile => {
  const { limited = [], ...others } = profile.principals
  const renamed = limited.map((one) =>
    one.accountUrn === undefined ? one : { ...one, accountUrn: accountsAsPaths(one.accountUrn) }
  )
  return { ...profile, principals: { ...others, limited: renamed } }
}

const owning = /^\/credentials\/(?:[^/]+\/(?:link|unlink|transfer)|link|transfer)$/

/** Ownership calls also need CREATE, which an empty create tests (SIL-13). */
const ownersNeedCreate = Rewrite.instead(
  { method: "POST", path: owning },
  Effect.fnUntraced(function* (request: Request, serve: Serve) {
    const url = `${new URL(request.url).origin}/openapi/v1/credentials`
    const asked = yield* serve({ ...request, url, body: "{}" })
    return asked.status === 403 ? asked : yield* serve(request)
  })
)

/** Tokens and the answers to unknown callers. */
export const bearerVariants: ReadonlyArray<Variant> = [
  variant("unauthorized-in-plain-text", ["SIL-10"]).rewrite(
    Rewrite.all(
      unauthorizedAs("text/plain", () => unauthorized, undefined),
      Rewrite.answers({ status: 401 }, (answer) => Rewrite.withHeader(answer, "x-request-id", undefined))
    )
  ),
  variant("unauthorized-in-html", ["SIL-10"]).rewrite(
    unauthorizedAs("text/html", () => inHtml, 'Bearer error="invalid_token"')
  ),
  variant("unauthorized-as-oauth-says-it", ["SIL-10"]).rewrite(
    unauthorizedAs(
      "application/json",
      () => JSON.stringify({ error: "invalid_token", error_description: unauthorized, status: 401 }),
      `Bearer realm="x", error="invalid_token", error_description="${unauthorized}"`
    )
  ),
  variant("unauthorized-with-an-id", ["SIL-10"]).rewrite(
    unauthorizedAs(
      "application/json",
      ({ headers }) =>
        JSON.stringify({ error: { code: null, message: unauthorized, requestId: headers["x-request-id"] ?? "" } }),
      undefined
    )
  ),
  variant("personal-tokens-are-jwts", ["AUT-04", "AUT-08"]).by({
    rewrite: takesJwts,
    secret: (secret) => (isPersonal(secret) ? jwtOf(secret) : secret)
  }),
  variant("users-can-have-a-second-factor", ["AUT-15"]).by({
    ...Enrolment.told,
    rewrite: Enrolment.knowing(
      Rewrite.answers({}, (answer, request) =>
        Enrolment.isEnrolled(request) ? Rewrite.withHeader(answer, "x-second-factor", "enrolled") : answer
      )
    )
  }),
  variant("wired-to-an-external-identity-provider", ["AUT-14"]).by({
    ...ExternalProvider.told,
    rewrite: ExternalProvider.accepting
  }),
  variant("owners-need-create-and-update", ["SIL-13"]).rewrite(ownersNeedCreate),
  variant("accounts-have-other-urns", ["PRV-10"]).by({
    rewrite: Rewrite.answers({ status: 403 }, (answer) => Rewrite.withText(answer, accountsAsPaths(answer.text))),
    profile: withOtherUrns
  })
]
