import type { Request } from "@wcs/conformance/wire/Exchange"
import type { Json } from "@wcs/conformance/wire/Json"
import { jwtOf } from "@wcs/conformance/wire/Jwt"
import { PrivilegeRules } from "@wcs/domain/access/Privilege"
import { TokenLifetime } from "@wcs/domain/access/TokenLifetime"
import { Effect, Result } from "effect"
import { tokenOf } from "../../Callers.ts"
import { otherTenantHost } from "../../Deployment.ts"
import type { Mutant } from "../../Mutant.ts"
import * as Legacy from "../../seams/LegacySeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"

const legacy401 = { path: Legacy.legacyPath, status: 401 } as const

const isUnversioned = ({ url }: Request): boolean => !/\/api\/v\d/.test(url)

const rootMutants: ReadonlyArray<Mutant> = [
  {
    name: "legacy-surface-has-a-version-in-its-path",
    rewrite: Legacy.refusing({ path: Legacy.legacyPath }, 404, isUnversioned),
    kills: [{ rule: "TRN-03", kind: "status", at: "status" }],
    alsoKills: ["LEG-16"]
  },
  {
    name: "legacy-surface-sends-callers-to-a-version",
    rewrite: Rewrite.answers({ path: Legacy.legacyPath }, (answer, { url }) =>
      Rewrite.withHeader({ ...answer, status: 308 }, "location", url.replace("/api/", "/api/v1/"))
    ),
    kills: [{ rule: "TRN-03", kind: "status", at: "status" }],
    alsoKills: ["LEG-16"]
  }
]

/** The expiry of a request's token, in Unix seconds. */
const endOf = (request: Request): number => Number(jwtOf(tokenOf(request) ?? "")?.payload["exp"])

const isExpired = (request: Request): boolean => endOf(request) * 1000 <= Date.now()

/** Accepts any bearer token for some calls. */
const acceptingBearer = (where: Rewrite.Where, body: Json) =>
  Rewrite.answers({ ...where, status: 401 }, (answer, request) =>
    Legacy.isByBearer(request) ? Rewrite.jsonAnswer(200, body) : answer
  )

const bodyMutants: ReadonlyArray<Mutant> = [
  {
    name: "legacy-401-has-no-field",
    rewrite: Rewrite.answers(
      legacy401,
      Rewrite.mapJson((body) => Rewrite.put(body, "field", undefined))
    ),
    kills: [
      { rule: "LEG-16", kind: "missing", at: "body.field" },
      { rule: "LEG-26", kind: "missing", at: "body.field" }
    ]
  },
  {
    name: "legacy-401-has-its-status-as-a-text",
    rewrite: Rewrite.answers(
      legacy401,
      Rewrite.mapJson((body) => Rewrite.put(body, "status", "401"))
    ),
    kills: [
      { rule: "LEG-16", kind: "wrong-value", at: "body.status" },
      { rule: "LEG-26", kind: "wrong-value", at: "body.status" }
    ]
  },
  {
    name: "legacy-401-blames-the-token",
    rewrite: Rewrite.answers(
      legacy401,
      Rewrite.mapJson((body) => Rewrite.put(body, "field", "token"))
    ),
    kills: [{ rule: "LEG-16", kind: "wrong-value", at: "body.field" }]
  },
  {
    name: "legacy-invented-tokens-are-forbidden",
    rewrite: Rewrite.answers(legacy401, (answer) => Legacy.refusal(answer, 403)),
    kills: [{ rule: "LEG-16", kind: "status", at: "status" }]
  },
  {
    name: "legacy-signatures-are-not-looked-at",
    rewrite: Legacy.byGiven((request, given, serve) => {
      const payload = tokenOf(request)?.split(".")[1]
      const meant = given(Legacy.emailOf("legacy")).find((token) => token.split(".")[1] === payload)
      return serve(payload === undefined || meant === undefined ? request : Legacy.as(request, `Bearer ${meant}`))
    }),
    kills: [{ rule: "LEG-16", kind: "status", at: "status" }]
  },
  {
    name: "legacy-signatures-are-not-looked-at-for-constituents",
    rewrite: acceptingBearer(Legacy.constituents, { data: [] }),
    kills: [{ rule: "LEG-16", kind: "status", at: "status" }]
  },
  {
    name: "legacy-401-of-nobody-is-empty",
    rewrite: Rewrite.answers(legacy401, (answer, request) =>
      Rewrite.headerOf(request, "authorization") === undefined ? Rewrite.withText(answer, "") : answer
    ),
    kills: [{ rule: "LEG-26", kind: "not-json", at: "body" }],
    seenBy: ["LEG-18"]
  },
  {
    name: "legacy-401-of-a-wrong-password-is-an-error-of-oauth",
    rewrite: Rewrite.answers(legacy401, (answer, request) =>
      Legacy.isByBasic(request)
        ? Rewrite.withJson(answer, { error: "invalid_client", error_description: "The login was refused." })
        : answer
    ),
    kills: [{ rule: "LEG-26", kind: "missing", at: "body.status" }],
    seenBy: ["LEG-18"]
  }
]

const endMutants: ReadonlyArray<Mutant> = [
  {
    name: "legacy-tokens-do-not-end",
    rules: Seams.rules(TokenLifetime, ({ isRevoked }) => ({
      isExpired: () => false,
      isLive: (validity) => !isRevoked(validity)
    })),
    kills: [{ rule: "LEG-17", kind: "status", at: "status" }]
  },
  {
    name: "legacy-expired-tokens-are-told-their-end",
    rewrite: Rewrite.answers(legacy401, (answer, request) =>
      isExpired(request) ? Legacy.refusal(answer, 401, "exp") : answer
    ),
    kills: [{ rule: "LEG-17", kind: "wrong-value", at: "body.field" }]
  },
  {
    name: "legacy-expired-tokens-are-forbidden",
    rewrite: Rewrite.answers(legacy401, (answer, request) =>
      isExpired(request) ? Legacy.refusal(answer, 403, "authorization") : answer
    ),
    kills: [{ rule: "LEG-17", kind: "status", at: "status" }]
  },
  {
    name: "legacy-expired-tokens-read-constituents",
    rewrite: acceptingBearer(Legacy.constituents, { data: [] }),
    kills: [{ rule: "LEG-17", kind: "status", at: "status" }]
  },
  {
    name: "legacy-revoked-tokens-go-on",
    rules: Seams.rules(TokenLifetime, ({ isExpired: hasExpired }) => ({
      isRevoked: () => false,
      isLive: (validity, now) => !hasExpired(validity, now)
    })),
    kills: [
      { rule: "LEG-19", kind: "status", at: "status" },
      { rule: "LEG-31", kind: "status", at: "status" }
    ]
  },
  {
    name: "legacy-revoked-tokens-are-forbidden",
    rewrite: Rewrite.answers(legacy401, (answer, request) =>
      Legacy.isByBearer(request) ? Legacy.refusal(answer, 403, "authorization") : answer
    ),
    kills: [{ rule: "LEG-19", kind: "status", at: "status" }]
  },
  {
    name: "legacy-revoked-tokens-open-users-me",
    rewrite: Rewrite.answers({ ...Legacy.me, status: 401 }, (answer, request) =>
      Legacy.isByBearer(request) ? Rewrite.jsonAnswer(200, { id: 1, email: "", first_name: "", surname: "" }) : answer
    ),
    kills: [
      { rule: "LEG-19", kind: "status", at: "status" },
      { rule: "LEG-31", kind: "status", at: "status" }
    ]
  },
  {
    name: "legacy-revoked-tokens-read-constituents",
    rewrite: acceptingBearer(Legacy.constituents, { data: [] }),
    kills: [
      { rule: "LEG-19", kind: "status", at: "status" },
      { rule: "LEG-31", kind: "status", at: "status" }
    ]
  },
  {
    name: "legacy-revoked-tokens-get-a-new-token",
    rewrite: acceptingBearer(Legacy.tokenPath, { token: "a.b.c", iat: 1_700_000_000, exp: 1_702_592_000 }),
    kills: [{ rule: "LEG-31", kind: "status", at: "status" }]
  },
  {
    name: "legacy-revoked-tokens-submit-scans",
    rewrite: acceptingBearer(Legacy.scan, { status: "queued" }),
    kills: [{ rule: "LEG-31", kind: "status", at: "status" }]
  }
]

const isByNobody = (request: Request): boolean => Rewrite.headerOf(request, "authorization") === undefined

const loginMutants: ReadonlyArray<Mutant> = [
  {
    name: "legacy-nobody-is-forbidden",
    rewrite: Rewrite.answers(legacy401, (answer, request) =>
      isByNobody(request) ? Legacy.refusal(answer, 403) : answer
    ),
    kills: [{ rule: "LEG-18", kind: "status", at: "status" }]
  },
  {
    name: "legacy-nobody-reads-constituents",
    rewrite: Rewrite.answers({ ...Legacy.constituents, status: 401 }, (answer, request) =>
      isByNobody(request) ? Rewrite.jsonAnswer(200, { data: [] }) : answer
    ),
    kills: [{ rule: "LEG-18", kind: "status", at: "status" }]
  },
  {
    name: "legacy-nobody-submits-scans",
    rewrite: Rewrite.answers({ ...Legacy.scan, status: 401 }, (answer, request) =>
      isByNobody(request) ? Rewrite.jsonAnswer(200, { status: "queued" }) : answer
    ),
    kills: [{ rule: "LEG-18", kind: "status", at: "status" }]
  },
  {
    name: "legacy-wrong-password-is-a-bad-request",
    rewrite: Rewrite.answers(legacy401, (answer, request) =>
      Legacy.isByBasic(request) ? Legacy.refusal(answer, 400, "password") : answer
    ),
    kills: [{ rule: "LEG-18", kind: "status", at: "status" }]
  },
  {
    name: "legacy-wrong-password-finds-no-token-path",
    rewrite: Rewrite.answers({ ...Legacy.tokenPath, status: 401 }, (answer) => Legacy.refusal(answer, 404)),
    kills: [{ rule: "LEG-18", kind: "status", at: "status" }]
  },
  {
    name: "legacy-wrong-password-opens-users-me",
    rewrite: Legacy.acceptedByName(Legacy.me),
    kills: [
      { rule: "LEG-30", kind: "status", at: "status" },
      { rule: "LEG-18", kind: "status", at: "status" }
    ]
  },
  {
    name: "legacy-wrong-password-gets-a-token",
    rewrite: Legacy.acceptedByName(Legacy.tokenPath),
    kills: [
      { rule: "LEG-30", kind: "status", at: "status" },
      { rule: "LEG-18", kind: "status", at: "status" }
    ]
  },
  {
    name: "legacy-empty-password-opens-users-me",
    rewrite: Legacy.acceptedByName(Legacy.me, (password) => password === ""),
    kills: [{ rule: "LEG-30", kind: "status", at: "status" }]
  },
  {
    name: "legacy-empty-password-gets-a-token",
    rewrite: Legacy.acceptedByName(Legacy.tokenPath, (password) => password === ""),
    kills: [{ rule: "LEG-30", kind: "status", at: "status" }]
  }
]

const isOf = (what: string) => (request: Request) => Legacy.userOf(request)?.includes(what) === true

const permissionMutants: ReadonlyArray<Mutant> = [
  {
    name: "legacy-calls-ask-for-no-privilege",
    rules: Seams.rules(PrivilegeRules, () => ({ authorize: () => Result.void })),
    kills: [{ rule: "LEG-20", kind: "status", at: "status" }]
  },
  {
    name: "legacy-calls-without-permission-are-unauthorized",
    rewrite: Rewrite.answers({ ...Legacy.constituents, status: 403 }, (answer) => Legacy.refusal(answer, 401)),
    kills: [{ rule: "LEG-20", kind: "status", at: "status" }]
  },
  {
    name: "legacy-calls-without-permission-find-nothing",
    rewrite: Rewrite.answers({ ...Legacy.constituents, status: 403 }, (answer) =>
      Rewrite.withJson({ ...answer, status: 200 }, { data: [] })
    ),
    kills: [{ rule: "LEG-20", kind: "status", at: "status" }]
  },
  {
    name: "legacy-lowest-role-gets-no-token",
    rewrite: Legacy.refusing(Legacy.tokenPath, 403, isOf("without_permission")),
    kills: [{ rule: "LEG-28", kind: "status", at: "status" }]
  },
  {
    name: "legacy-user-has-a-list-of-organizations",
    rewrite: Legacy.showing(Legacy.me, "organization", (one) => [one ?? null], Legacy.isByBearer),
    kills: [{ rule: "LEG-28", kind: "wrong-type", at: "body.organization" }]
  }
]

const isElsewhere = ({ url }: Request): boolean => url.includes(otherTenantHost)

const organizationMutants: ReadonlyArray<Mutant> = [
  {
    name: "legacy-records-of-another-organization-are-not-found",
    rewrite: Rewrite.answers({ ...Legacy.constituent, status: 403 }, (answer) => Legacy.refusal(answer, 404)),
    kills: [{ rule: "LEG-21", kind: "status", at: "status" }]
  },
  {
    name: "legacy-records-of-another-organization-are-shown",
    rewrite: Rewrite.answers({ ...Legacy.constituent, status: 403 }, (answer, request) =>
      isElsewhere(request)
        ? Rewrite.withJson({ ...answer, status: 200 }, { id: 1, first_name: "Ann", surname: "Example" })
        : answer
    ),
    kills: [{ rule: "LEG-21", kind: "status", at: "status" }]
  },
  {
    name: "legacy-records-of-another-organization-are-unauthorized",
    rewrite: Rewrite.answers({ ...Legacy.constituent, status: 403 }, (answer) => Legacy.refusal(answer, 401)),
    kills: [{ rule: "LEG-21", kind: "status", at: "status" }]
  }
]

const verificationMutants: ReadonlyArray<Mutant> = [
  {
    name: "legacy-unverified-users-submit-scans",
    rewrite: Rewrite.answers({ ...Legacy.scan, status: 403 }, (answer) =>
      Rewrite.withJson({ ...answer, status: 200 }, { status: "queued" })
    ),
    kills: [{ rule: "LEG-22", kind: "status", at: "status" }]
  },
  {
    name: "legacy-unverified-users-read-their-organization",
    rewrite: Rewrite.answers({ ...Legacy.organization, status: 403 }, (answer) =>
      Rewrite.withJson({ ...answer, status: 200 }, { id: 1, name: "acme", abn: "", is_active: true })
    ),
    kills: [{ rule: "LEG-22", kind: "status", at: "status" }]
  },
  {
    name: "legacy-unverified-users-get-no-token-and-are-not-told-why",
    rewrite: Legacy.refusing(Legacy.tokenPath, 401, isOf("unverified")),
    kills: [{ rule: "LEG-22", kind: "status", at: "status" }]
  },
  {
    name: "legacy-unverified-users-find-no-constituents",
    rewrite: Rewrite.answers({ ...Legacy.constituents, status: 403 }, (answer) =>
      Rewrite.withJson({ ...answer, status: 200 }, { data: [] })
    ),
    kills: [{ rule: "LEG-22", kind: "status", at: "status" }]
  }
]

const isPlain = ({ url }: Request): boolean => url.startsWith("http:")

const plainMutants: ReadonlyArray<Mutant> = [
  {
    name: "legacy-surface-is-served-by-plain-http",
    rewrite: Rewrite.instead({ path: Legacy.legacyPath }, (request, serve) =>
      serve(isPlain(request) ? { ...request, url: request.url.replace(/^http:/, "https:") } : request)
    ),
    kills: [{ rule: "TRN-01", kind: "status", at: "status" }]
  },
  {
    name: "legacy-surface-refuses-plain-http-with-the-user",
    rewrite: Rewrite.instead({ path: Legacy.legacyPath }, (request, serve) =>
      isPlain(request)
        ? Effect.map(serve({ ...request, url: request.url.replace(/^http:/, "https:") }), (answer) =>
            answer.status < 300 ? { ...answer, status: 403 } : answer
          )
        : serve(request)
    ),
    kills: [{ rule: "TRN-01", kind: "disclosed", at: "body" }]
  }
]

/** Defects of refusals on the legacy surface. */
export const legacyRefusalMutants: ReadonlyArray<Mutant> = [
  ...rootMutants,
  ...plainMutants,
  ...bodyMutants,
  ...endMutants,
  ...loginMutants,
  ...permissionMutants,
  ...organizationMutants,
  ...verificationMutants
]
