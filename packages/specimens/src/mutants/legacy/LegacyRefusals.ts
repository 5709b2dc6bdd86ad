import type { Json } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { jwtOf } from "@wcs/conformance/wire/Jwt"
import { PrivilegeRules } from "@wcs/domain/access/Privilege"
import { TokenLifetime } from "@wcs/domain/access/TokenLifetime"
import { Effect, Result } from "effect"
import { tokenOf } from "../../Callers.ts"
import { otherTenantHost } from "../../Deployment.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
import * as Legacy from "../../seams/LegacySeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"

const legacy401 = { path: Legacy.legacyPath, status: 401 } as const

const isUnversioned = ({ url }: Request): boolean => !/\/api\/v\d/.test(url)

/** The expiry of a request's token, in Unix seconds. */
const endOf = (request: Request): number => Number(jwtOf(tokenOf(request) ?? "")?.payload["exp"])

const isExpired = (request: Request): boolean => endOf(request) * 1000 <= Date.now()

/** Accepts any bearer token for some calls. */
const acceptingBearer = (where: Rewrite.Where, body: Json) =>
  Rewrite.answers({ ...where, status: 401 }, (answer, request) =>
    Legacy.isByBearer(request) ? Rewrite.jsonAnswer(200, body) : answer
  )

/** A user with all fields of §2.1. */
const anyUser = {
  ...{ id: 1, email: "", first_name: "", surname: "", is_verified: true },
  organization: { id: 1, name: "", abn: "", is_active: true }
}

const isByNobody = (request: Request): boolean => Rewrite.headerOf(request, "authorization") === undefined

const isOf = (what: string) => (request: Request) => Legacy.userOf(request)?.includes(what) === true

const isElsewhere = ({ url }: Request): boolean => url.includes(otherTenantHost)

const isPlain = ({ url }: Request): boolean => url.startsWith("http:")

/** Defects of refusals on the legacy surface. */
export const legacyRefusalMutants: ReadonlyArray<Mutant> = [
  mutant("legacy-surface-has-a-version-in-its-path", "TRN-03 status", { alsoKills: ["LEG-16"] }).rewrite(
    Legacy.refusing({ path: Legacy.legacyPath }, 404, isUnversioned)
  ),
  mutant("legacy-surface-sends-callers-to-a-version", "TRN-03 status", { alsoKills: ["LEG-16"] }).answers(
    { path: Legacy.legacyPath },
    (answer, { url }) => Rewrite.withHeader({ ...answer, status: 308 }, "location", url.replace("/api/", "/api/v1/"))
  ),
  mutant("legacy-surface-is-served-by-plain-http", "TRN-01 status").instead(
    { path: Legacy.legacyPath },
    (request, serve) => serve(isPlain(request) ? { ...request, url: request.url.replace(/^http:/, "https:") } : request)
  ),
  mutant("legacy-surface-refuses-plain-http-with-the-user", "TRN-01 disclosed at body").instead(
    { path: Legacy.legacyPath },
    (request, serve) =>
      isPlain(request)
        ? Effect.map(serve({ ...request, url: request.url.replace(/^http:/, "https:") }), (answer) =>
            answer.status < 300 ? { ...answer, status: 403 } : answer
          )
        : serve(request)
  ),
  mutant("legacy-401-has-no-field", ["LEG-16 missing at body.field", "LEG-26 missing at body.field"], {
    alsoKills: ["LEG-17", "LEG-19"]
  }).answers(legacy401, Rewrite.field("field", undefined)),
  mutant(
    "legacy-401-has-its-status-as-a-text",
    ["LEG-16 wrong-value at body.status", "LEG-26 wrong-value at body.status"],
    { alsoKills: ["LEG-17", "LEG-19"] }
  ).answers(legacy401, Rewrite.field("status", "401")),
  mutant("legacy-401-blames-the-token", "LEG-16 wrong-value at body.field", {
    alsoKills: ["LEG-17", "LEG-19"]
  }).answers(legacy401, Rewrite.field("field", "token")),
  mutant("legacy-invented-tokens-are-forbidden", "LEG-16 status", {
    alsoKills: ["LEG-18", "LEG-17", "LEG-19"]
  }).answers(legacy401, (answer) => Legacy.refusal(answer, 403)),
  mutant("legacy-signatures-are-not-looked-at", "LEG-16 status").rewrite(
    Legacy.byGiven((request, given, serve) => {
      const payload = tokenOf(request)?.split(".")[1]
      const meant = given(Legacy.emailOf("legacy")).find((token) => token.split(".")[1] === payload)
      return serve(payload === undefined || meant === undefined ? request : Legacy.as(request, `Bearer ${meant}`))
    })
  ),
  mutant("legacy-signatures-are-not-looked-at-for-constituents", "LEG-16 status").rewrite(
    acceptingBearer(Legacy.constituents, { data: [] })
  ),
  mutant("legacy-scans-take-any-token", "LEG-16 status", { alsoKills: ["LEG-17", "LEG-19", "LEG-31"] }).rewrite(
    acceptingBearer(Legacy.scan, { status: "queued" })
  ),
  mutant("legacy-401-of-nobody-is-empty", "LEG-26 not-json at body", { seenBy: ["LEG-18"] }).answers(
    legacy401,
    (answer, request) =>
      Rewrite.headerOf(request, "authorization") === undefined ? Rewrite.withText(answer, "") : answer
  ),
  mutant("legacy-401-of-a-wrong-password-is-an-error-of-oauth", "LEG-26 missing at body.status", {
    seenBy: ["LEG-18"]
  }).answers(legacy401, (answer, request) =>
    Legacy.isByBasic(request)
      ? Rewrite.withJson(answer, { error: "invalid_client", error_description: "The login was refused." })
      : answer
  ),
  mutant("legacy-tokens-do-not-end", "LEG-17 status").rules(
    Seams.rules(TokenLifetime, ({ isRevoked }) => ({
      isExpired: () => false,
      isLive: (validity) => !isRevoked(validity)
    }))
  ),
  mutant("legacy-expired-tokens-are-told-their-end", "LEG-17 wrong-value at body.field").answers(
    legacy401,
    (answer, request) => (isExpired(request) ? Legacy.refusal(answer, 401, "exp") : answer)
  ),
  mutant("legacy-expired-tokens-are-forbidden", "LEG-17 status").answers(legacy401, (answer, request) =>
    isExpired(request) ? Legacy.refusal(answer, 403, "authorization") : answer
  ),
  mutant("legacy-expired-tokens-read-constituents", "LEG-17 status").rewrite(
    acceptingBearer(Legacy.constituents, { data: [] })
  ),
  mutant("legacy-revoked-tokens-go-on", ["LEG-19 status", "LEG-31 status"]).rules(
    Seams.rules(TokenLifetime, ({ isExpired: hasExpired }) => ({
      isRevoked: () => false,
      isLive: (validity, now) => !hasExpired(validity, now)
    }))
  ),
  mutant("legacy-revoked-tokens-are-forbidden", "LEG-19 status", { alsoKills: ["LEG-16", "LEG-17"] }).answers(
    legacy401,
    (answer, request) => (Legacy.isByBearer(request) ? Legacy.refusal(answer, 403, "authorization") : answer)
  ),
  mutant("legacy-revoked-tokens-open-users-me", ["LEG-19 status", "LEG-31 status"]).answers(
    { ...Legacy.me, status: 401 },
    (answer, request) => (Legacy.isByBearer(request) ? Rewrite.jsonAnswer(200, anyUser) : answer)
  ),
  mutant("legacy-revoked-tokens-read-constituents", ["LEG-19 status", "LEG-31 status"]).rewrite(
    acceptingBearer(Legacy.constituents, { data: [] })
  ),
  mutant("legacy-revoked-tokens-get-a-new-token", "LEG-31 status").rewrite(
    acceptingBearer(Legacy.tokenPath, { token: "a.b.c", iat: 1_700_000_000, exp: 1_702_592_000 })
  ),
  mutant("legacy-revoked-tokens-submit-scans", "LEG-31 status", { alsoKills: ["LEG-16", "LEG-17", "LEG-19"] }).rewrite(
    acceptingBearer(Legacy.scan, { status: "queued" })
  ),
  mutant("legacy-nobody-is-forbidden", "LEG-18 status").answers(legacy401, (answer, request) =>
    isByNobody(request) ? Legacy.refusal(answer, 403) : answer
  ),
  mutant("legacy-nobody-reads-constituents", "LEG-18 status").answers(
    { ...Legacy.constituents, status: 401 },
    (answer, request) => (isByNobody(request) ? Rewrite.jsonAnswer(200, { data: [] }) : answer)
  ),
  mutant("legacy-nobody-submits-scans", "LEG-18 status").answers({ ...Legacy.scan, status: 401 }, (answer, request) =>
    isByNobody(request) ? Rewrite.jsonAnswer(200, { status: "queued" }) : answer
  ),
  mutant("legacy-wrong-password-is-a-bad-request", "LEG-18 status").answers(legacy401, (answer, request) =>
    Legacy.isByBasic(request) ? Legacy.refusal(answer, 400, "password") : answer
  ),
  mutant("legacy-wrong-password-finds-no-token-path", "LEG-18 status").answers(
    { ...Legacy.tokenPath, status: 401 },
    (answer) => Legacy.refusal(answer, 404)
  ),
  mutant("legacy-wrong-password-opens-users-me", ["LEG-30 status", "LEG-18 status"]).rewrite(
    Legacy.acceptedByName(Legacy.me)
  ),
  mutant("legacy-wrong-password-gets-a-token", ["LEG-30 status", "LEG-18 status"]).rewrite(
    Legacy.acceptedByName(Legacy.tokenPath)
  ),
  mutant("legacy-empty-password-opens-users-me", "LEG-30 status").rewrite(
    Legacy.acceptedByName(Legacy.me, (password) => password === "")
  ),
  mutant("legacy-empty-password-gets-a-token", "LEG-30 status").rewrite(
    Legacy.acceptedByName(Legacy.tokenPath, (password) => password === "")
  ),
  mutant("legacy-calls-ask-for-no-privilege", "LEG-20 status").rules(
    Seams.rules(PrivilegeRules, () => ({ authorize: () => Result.void }))
  ),
  mutant("legacy-calls-without-permission-are-unauthorized", "LEG-20 status").answers(
    { ...Legacy.constituents, status: 403 },
    (answer) => Legacy.refusal(answer, 401)
  ),
  mutant("legacy-calls-without-permission-find-nothing", "LEG-20 status").answers(
    { ...Legacy.constituents, status: 403 },
    (answer) => Rewrite.withJson({ ...answer, status: 200 }, { data: [] })
  ),
  mutant("legacy-lowest-role-gets-no-token", "LEG-28 status").rewrite(
    Legacy.refusing(Legacy.tokenPath, 403, isOf("without_permission"))
  ),
  mutant("legacy-user-has-a-list-of-organizations", "LEG-28 wrong-type at body.organization", {
    alsoKills: ["LEG-01", "LEG-04"]
  }).rewrite(Legacy.showing(Legacy.me, "organization", (one) => [one ?? null], Legacy.isByBearer)),
  mutant("legacy-records-of-another-organization-are-not-found", "LEG-21 status").answers(
    { ...Legacy.constituent, status: 403 },
    (answer) => Legacy.refusal(answer, 404)
  ),
  mutant("legacy-records-of-another-organization-are-shown", "LEG-21 status").answers(
    { ...Legacy.constituent, status: 403 },
    (answer, request) =>
      isElsewhere(request)
        ? Rewrite.withJson({ ...answer, status: 200 }, { id: 1, first_name: "Ann", surname: "Example" })
        : answer
  ),
  mutant("legacy-records-of-another-organization-are-unauthorized", "LEG-21 status").answers(
    { ...Legacy.constituent, status: 403 },
    (answer) => Legacy.refusal(answer, 401)
  ),
  mutant("legacy-unverified-users-submit-scans", "LEG-22 status").answers({ ...Legacy.scan, status: 403 }, (answer) =>
    Rewrite.withJson({ ...answer, status: 200 }, { status: "queued" })
  ),
  mutant("legacy-unverified-users-read-their-organization", "LEG-22 status").answers(
    { ...Legacy.organization, status: 403 },
    (answer) => Rewrite.withJson({ ...answer, status: 200 }, { id: 1, name: "acme", abn: "", is_active: true })
  ),
  mutant("legacy-unverified-users-get-no-token-and-are-not-told-why", "LEG-22 status").rewrite(
    Legacy.refusing(Legacy.tokenPath, 401, isOf("unverified"))
  ),
  mutant("legacy-unverified-users-cannot-log-in", "LEG-22 status").rewrite(
    Legacy.refusing(Legacy.me, 401, isOf("unverified"))
  ),
  mutant("legacy-unverified-users-are-unknown", "LEG-22 status").rewrite(
    Legacy.refusing(Legacy.me, 404, isOf("unverified"))
  ),
  mutant("legacy-unverified-users-find-no-constituents", "LEG-22 status").answers(
    { ...Legacy.constituents, status: 403 },
    (answer) => Rewrite.withJson({ ...answer, status: 200 }, { data: [] })
  )
]
