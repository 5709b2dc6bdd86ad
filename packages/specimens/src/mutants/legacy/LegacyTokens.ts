import { isObject, type Json } from "@wcs/conformance/text/Json"
import { jwtOf } from "@wcs/conformance/wire/Jwt"
import { TokenLifetime } from "@wcs/domain/access/TokenLifetime"
import { Base64Url } from "effect/encoding"
import { type Mutant, mutant } from "../../Mutant.ts"
import * as Legacy from "../../seams/LegacySeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"

const byBasic = (place: string, value: Parameters<typeof Legacy.showing>[2]) =>
  Legacy.showing(Legacy.me, place, value, Legacy.isByBasic)

const issued = (place: string, value: Parameters<typeof Legacy.showing>[2]) =>
  Legacy.showing(Legacy.tokenPath, place, value)

/** A token with a changed payload and an invalid signature. */
const saying = (change: (payload: Readonly<Record<string, Json>>) => Json) =>
  issued("token", (token) => {
    const [header = "", , signature = ""] = String(token).split(".")
    return [header, Base64Url.encode(JSON.stringify(change(jwtOf(String(token))?.payload ?? {}))), signature].join(".")
  })

const inMillis = (seconds: Json | undefined): number => Number(seconds) * 1000
const aMinuteLater = (seconds: Json | undefined): number => Number(seconds) + 60

const readToken = { method: "GET", path: Legacy.tokenPath.path }

/** Defects of the current user and of tokens on the legacy surface. */
export const legacyTokenMutants: ReadonlyArray<Mutant> = [
  mutant("legacy-user-id-is-a-text", "LEG-01 wrong-type at body.id").rewrite(Legacy.showing(Legacy.me, "id", String)),
  mutant("legacy-user-has-names-in-camel-case", "LEG-01 missing at body.first_name").answers(
    { ...Legacy.me, status: 200 },
    (answer) => Rewrite.withText(answer, answer.text.replace('"first_name"', '"firstName"'))
  ),
  mutant("legacy-user-is-wrapped-in-data", "LEG-01 missing at body.email", { alsoKills: ["LEG-02", "LEG-27"] }).answers(
    { ...Legacy.me, status: 200 },
    Rewrite.mapJson((data) => ({ data }))
  ),
  mutant("legacy-user-is-not-shown-by-basic", "LEG-01 status").rewrite(
    Legacy.refusing(Legacy.me, 401, Legacy.isByBasic)
  ),
  mutant("legacy-organization-is-complete-with-basic", "LEG-02 unexpected at body.organization.abn").rewrite(
    byBasic("organization", (shown) => ({ ...(isObject(shown) ? shown : {}), abn: "", is_active: true }))
  ),
  mutant("legacy-organization-has-no-name-with-basic", "LEG-02 missing at body.organization.name").rewrite(
    byBasic("organization.name", undefined)
  ),
  mutant("legacy-email-is-another-address", "LEG-27 wrong-value at body.email").rewrite(
    byBasic("email", (shown) => `contact+${shown}`)
  ),
  mutant("legacy-email-is-masked", "LEG-27 wrong-value at body.email").rewrite(
    byBasic("email", (shown) => String(shown).replace(/^.*@/, "***@"))
  ),
  mutant("legacy-token-stands-under-another-name", "LEG-05 missing at body.token", { alsoKills: ["LEG-06"] }).answers(
    { ...Legacy.tokenPath, status: 200 },
    (answer) => Rewrite.withText(answer, answer.text.replace('"token"', '"access_token"'))
  ),
  mutant("legacy-token-asks-for-a-body", "LEG-05 status").answers(Legacy.tokenPath, (answer, { body }) =>
    body === "" ? Legacy.refusal(answer, 400, "grant_type") : answer
  ),
  mutant("legacy-token-says-no-expiry", "LEG-05 missing at body.exp", {
    alsoKills: ["LEG-07", "LEG-08", "LEG-29"]
  }).rewrite(issued("exp", undefined)),
  mutant("legacy-token-is-opaque", "LEG-06 wrong-value at body.token").rewrite(
    issued("token", "0123456789abcdef0123456789abcdef")
  ),
  mutant("legacy-token-has-its-scheme-before-it", "LEG-06 wrong-value at body.token").rewrite(
    issued("token", (token) => `Bearer ${token}`)
  ),
  mutant("legacy-token-times-are-milliseconds", "LEG-07 wrong-type at body.iat", {
    alsoKills: ["LEG-08", "LEG-29"]
  }).rewrite(Rewrite.all(issued("iat", inMillis), issued("exp", inMillis))),
  mutant("legacy-token-has-no-expiry-in-it", "LEG-07 wrong-type at body.token.payload.exp", {
    alsoKills: ["LEG-29"]
  }).rewrite(saying(({ exp: _, ...payload }) => payload)),
  mutant("legacy-token-says-its-times-the-wrong-way-round", "LEG-07 wrong-value at body.token.payload.exp", {
    alsoKills: ["LEG-29"]
  }).rewrite(saying(({ exp = null, iat = null, ...payload }) => ({ ...payload, exp: iat, iat: exp }))),
  mutant("legacy-token-lives-29-days", "LEG-08 wrong-value at body.exp").rules(
    Seams.rules(TokenLifetime, ({ issue }) => ({
      issue: (now, seconds) => issue(now, seconds === null ? null : Math.min(seconds, 29 * 24 * 3600))
    }))
  ),
  mutant("legacy-token-lives-30-hours", "LEG-08 wrong-value at body.exp").rules(
    Seams.rules(TokenLifetime, ({ issue }) => ({
      issue: (now, seconds) => issue(now, seconds === null ? null : Math.min(seconds, 30 * 3600))
    }))
  ),
  mutant("legacy-answer-has-other-times-than-its-token", "LEG-29 wrong-value at body.iat").rewrite(
    Rewrite.all(issued("iat", aMinuteLater), issued("exp", aMinuteLater))
  ),
  mutant("legacy-token-is-issued-in-local-time", "LEG-29 wrong-value at header date").answers(
    { ...Legacy.tokenPath, status: 200 },
    (answer) => Rewrite.withHeader(answer, "date", new Date(Date.now() + 10 * 3_600_000).toUTCString())
  ),
  mutant("legacy-token-path-has-another-method", "LEG-09 status").rewrite(Legacy.refusing(readToken, 405)),
  mutant("legacy-token-is-issued-by-reading", "LEG-09 status").requests(readToken, (request) => ({
    ...request,
    method: "POST"
  })),
  mutant("legacy-token-of-nobody-is-forbidden", "LEG-10 status").answers(
    { ...Legacy.tokenPath, status: 404 },
    (answer) => Legacy.refusal(answer, 403, "authorization")
  ),
  mutant("legacy-token-path-takes-any-id", "LEG-10 status").rewrite(
    Legacy.byGiven((request, _given, serve) =>
      Legacy.tokenPath.path.test(Rewrite.pathOf(request)) && request.method === "POST"
        ? Legacy.servedToEveryone(request, serve)
        : serve(request)
    )
  )
]
