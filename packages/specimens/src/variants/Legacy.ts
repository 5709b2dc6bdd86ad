import type { Profile } from "@wcs/conformance/profile/Profile"
import { at } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { TokenLifetime } from "@wcs/domain/access/TokenLifetime"
import { Effect } from "effect"
import { clientInHeader, tokenOf } from "../Callers.ts"
import { tenantHost } from "../Deployment.ts"
import * as Legacy from "../seams/LegacySeams.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import * as Seams from "../seams/Seams.ts"
import { type Variant, variant } from "../Variant.ts"

const errors = [400, 403, 404, 413, 415] as const

const telling =
  (legacy: Partial<NonNullable<Profile["legacy"]>>) =>
  (profile: Profile): Profile =>
    profile.legacy === undefined ? profile : { ...profile, legacy: { ...profile.legacy, ...legacy } }

/** A scan tests missing permissions, because no user may read constituents here. */
const scanIsForbidden = (profile: Profile): Profile => {
  const { scan, withoutPermission } = profile.legacy ?? {}
  if (scan === undefined || withoutPermission === undefined) return profile
  const call = { method: "POST", path: "/scan", body: scan } as const
  return telling({ withoutPermission: { ...withoutPermission, call }, otherOrganization: { path: "/people/1" } })(
    profile
  )
}

const forbidden = (answer: Answer): Answer => Legacy.refusal(answer, 403, "authorization")

/** SIL-19: scans are accepted without a body, and nobody may read the people of the organization. */
const nothingToRead = Rewrite.all(
  Rewrite.answers({ ...Legacy.scan, status: 200 }, (answer) => ({ ...Rewrite.withText(answer, ""), status: 202 })),
  Rewrite.answers({ ...Legacy.constituents, status: 200 }, forbidden),
  Rewrite.answers({ method: "GET", path: /^\/api\/people\// }, forbidden)
)

/** Errors other than 401 as plain text, or without a body (SIL-18). */
const plainErrors = Rewrite.answers({ path: Legacy.legacyPath, status: errors }, (answer) =>
  Rewrite.withHeader(Rewrite.withText(answer, answer.status === 404 ? "" : "No."), "content-type", "text/plain")
)

/** A 401 with more fields than required and without a challenge. */
const wordyUnauthorized = Rewrite.answers({ path: Legacy.legacyPath, status: 401 }, (answer) =>
  Rewrite.withHeader(
    Rewrite.mapJson((body) => Rewrite.put(Rewrite.put(body, "message", "Sitzung abgelaufen"), "trace", "f00"))(answer),
    "www-authenticate",
    undefined
  )
)

/** A wrong scheme is forbidden (LEG-14); the token path also accepts Bearer (SIL-24). */
const otherSchemes = Rewrite.all(
  ...[Legacy.organization, Legacy.constituents, Legacy.scan].map((where) =>
    Rewrite.answers({ ...where, status: 401 }, (answer, request) =>
      Legacy.isByBasic(request) ? forbidden(answer) : answer
    )
  ),
  Rewrite.instead(Legacy.tokenPath, (request, serve) =>
    Effect.gen(function* () {
      const answer = yield* serve(request)
      const token = tokenOf(request)
      if (token === undefined || answer.status !== 401) return answer
      const me = yield* serve({ ...request, method: "GET", url: request.url.replace(/\/users\/.*$/, "/users/me") })
      return me.status === 200
        ? Rewrite.withJson({ ...answer, status: 200 }, { token, iat: 1_700_000_000, exp: 1_702_592_000 })
        : answer
    })
  )
)

/** Tokens cannot be revoked early, so the profile has no revoked one. */
const withoutRevocation = ({ legacy, notOffered = [], ...profile }: Profile): Profile => {
  const { revokedToken: _, ...others } = legacy ?? { baseUrl: profile.newer.tenantBaseUrl }
  return { ...profile, legacy: others, notOffered: [...notOffered, "revoked legacy token"] }
}

/** The profile has no scan, and an empty scan is refused before authentication. */
const withoutScan = ({ legacy, notOffered = [], ...profile }: Profile): Profile => {
  const { scan: _, ...others } = legacy ?? { baseUrl: profile.newer.tenantBaseUrl }
  return { ...profile, legacy: others, notOffered: [...notOffered, "scan body"] }
}

const hasNoPassword = (request: Request): boolean => clientInHeader(request)?.secret === ""

const isUnverified = (request: Request): boolean => Legacy.userOf(request)?.includes("unverified") === true

const tokensAreMade = Rewrite.answers({ ...Legacy.tokenPath, status: 200 }, (answer) =>
  Rewrite.withHeader(
    Rewrite.field("token_type", "Bearer")({ ...answer, status: 201 }),
    "date",
    new Date().toUTCString()
  )
)

/** A new token ends the previous one (LEG-24). */
const oneTokenEach = Legacy.byGiven((request, given, serve) => {
  const token = tokenOf(request)
  const users = [Legacy.emailOf("legacy"), Legacy.emailOf("legacy_without_permission")]
  const isOver = users.some((user) =>
    given(user)
      .slice(0, -1)
      .includes(token ?? "")
  )
  return serve(isOver ? Legacy.as(request, "Bearer over") : request)
})

/** The email in another letter case, and more fields with Basic. */
const moreOfOneself = Rewrite.answers({ ...Legacy.me, status: 200 }, (answer) => {
  const email = String(at(answer.json, "email"))
  const named = Rewrite.put(answer.json ?? null, "email", `${email.slice(0, 1).toUpperCase()}${email.slice(1)}`)
  return Rewrite.withJson(answer, Rewrite.put(Rewrite.put(named, "is_verified", true), "roles", ["admin"]))
})

const legacyHost = "legacy.specimen.test"

/** The legacy surface on its own host, and not on the tenant's. */
const atItsOwnHost = Rewrite.instead({ path: Legacy.legacyPath }, (request, serve) => {
  const { hostname } = new URL(request.url)
  if (hostname === legacyHost) return serve({ ...request, url: request.url.replace(legacyHost, tenantHost) })
  return hostname === tenantHost && request.url.startsWith("https:")
    ? Effect.succeed(Rewrite.jsonAnswer(404, { error: "not here" }))
    : serve(request)
})

/** The legacy surface, where the specification is silent. */
export const legacyVariants: ReadonlyArray<Variant> = [
  variant("legacy-has-nothing-to-read", ["SIL-19"], { offersLess: "legacy surface" }).by({
    rewrite: nothingToRead,
    profile: scanIsForbidden
  }),
  variant("legacy-errors-are-plain", ["SIL-18"]).rewrite(Rewrite.all(plainErrors, wordyUnauthorized)),
  variant("legacy-schemes-are-refused-otherwise", ["LEG-14", "SIL-24"]).rewrite(otherSchemes),
  variant("legacy-token-exchange-asks-for-verification", ["SIL-24"]).rewrite(
    Rewrite.all(Legacy.refusing(Legacy.tokenPath, 403, isUnverified), tokensAreMade)
  ),
  variant("legacy-users-me-asks-for-verification", ["SIL-24"]).rewrite(
    Rewrite.all(Legacy.refusing(Legacy.me, 403, isUnverified), moreOfOneself)
  ),
  variant("legacy-user-has-one-token", ["LEG-24"]).rewrite(oneTokenEach),
  variant("legacy-tokens-live-a-day", ["LEG-08"]).by({
    rules: Seams.rules(TokenLifetime, ({ issue }) => ({
      issue: (now, seconds) => issue(now, seconds === null ? null : Math.min(seconds, 86_400))
    })),
    profile: telling({ tokenLifetimeSeconds: 86_400 })
  }),
  variant("legacy-tokens-cannot-be-revoked", ["LEG-19", "LEG-31"], { offersLess: "legacy surface" }).by({
    profile: withoutRevocation
  }),
  variant("legacy-token-path-does-not-exist-for-bearer", ["SIL-24", "LEG-31"]).rewrite(
    Legacy.refusing(Legacy.tokenPath, 404, Legacy.isByBearer)
  ),
  variant("legacy-login-without-a-password-is-a-bad-request", ["LEG-30"]).rewrite(
    Legacy.refusing({ path: Legacy.legacyPath }, 400, hasNoPassword)
  ),
  variant("legacy-scans-are-validated-first", ["LEG-14", "LEG-22", "SIL-24"], { offersLess: "legacy surface" }).by({
    rewrite: Legacy.refusing(Legacy.scan, 400, ({ body }) => body === "{}"),
    profile: withoutScan
  }),
  variant("legacy-surface-has-a-host-of-its-own", ["TRN-03"]).by({
    rewrite: atItsOwnHost,
    profile: telling({ baseUrl: `https://${legacyHost}` })
  })
]
