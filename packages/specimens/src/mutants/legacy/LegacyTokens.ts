import { isObject, type Json } from "@wcs/conformance/wire/Json"
import { jwtOf } from "@wcs/conformance/wire/Jwt"
import { TokenLifetime } from "@wcs/domain/access/TokenLifetime"
import { Base64Url } from "effect/encoding"
import type { Mutant } from "../../Mutant.ts"
import * as Legacy from "../../seams/LegacySeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"

const byBasic = (place: string, value: Parameters<typeof Legacy.showing>[2]) =>
  Legacy.showing(Legacy.me, place, value, Legacy.isByBasic)

const userMutants: ReadonlyArray<Mutant> = [
  {
    name: "legacy-user-id-is-a-text",
    rewrite: Legacy.showing(Legacy.me, "id", String),
    kills: [{ rule: "LEG-01", kind: "wrong-type", at: "body.id" }]
  },
  {
    name: "legacy-user-has-names-in-camel-case",
    rewrite: Rewrite.answers({ ...Legacy.me, status: 200 }, (answer) =>
      Rewrite.withText(answer, answer.text.replace('"first_name"', '"firstName"'))
    ),
    kills: [{ rule: "LEG-01", kind: "missing", at: "body.first_name" }]
  },
  {
    name: "legacy-user-is-wrapped-in-data",
    rewrite: Rewrite.answers(
      { ...Legacy.me, status: 200 },
      Rewrite.mapJson((data) => ({ data }))
    ),
    kills: [{ rule: "LEG-01", kind: "missing", at: "body.email" }],
    alsoKills: ["LEG-02", "LEG-27"]
  },
  {
    name: "legacy-user-is-not-shown-by-basic",
    rewrite: Legacy.refusing(Legacy.me, 401, Legacy.isByBasic),
    kills: [{ rule: "LEG-01", kind: "status", at: "status" }]
  },
  {
    name: "legacy-organization-is-complete-with-basic",
    rewrite: byBasic("organization", (shown) => ({ ...(isObject(shown) ? shown : {}), abn: "", is_active: true })),
    kills: [{ rule: "LEG-02", kind: "unexpected", at: "body.organization.abn" }]
  },
  {
    name: "legacy-organization-has-no-name-with-basic",
    rewrite: byBasic("organization.name", undefined),
    kills: [{ rule: "LEG-02", kind: "missing", at: "body.organization.name" }]
  },
  {
    name: "legacy-email-is-another-address",
    rewrite: byBasic("email", (shown) => `contact+${shown}`),
    kills: [{ rule: "LEG-27", kind: "wrong-value", at: "body.email" }]
  },
  {
    name: "legacy-email-is-masked",
    rewrite: byBasic("email", (shown) => String(shown).replace(/^.*@/, "***@")),
    kills: [{ rule: "LEG-27", kind: "wrong-value", at: "body.email" }]
  }
]

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

const tokenMutants: ReadonlyArray<Mutant> = [
  {
    name: "legacy-token-stands-under-another-name",
    rewrite: Rewrite.answers({ ...Legacy.tokenPath, status: 200 }, (answer) =>
      Rewrite.withText(answer, answer.text.replace('"token"', '"access_token"'))
    ),
    kills: [{ rule: "LEG-05", kind: "missing", at: "body.token" }],
    alsoKills: ["LEG-06"]
  },
  {
    name: "legacy-token-asks-for-a-body",
    rewrite: Rewrite.answers(Legacy.tokenPath, (answer, { body }) =>
      body === "" ? Legacy.refusal(answer, 400, "grant_type") : answer
    ),
    kills: [{ rule: "LEG-05", kind: "status", at: "status" }]
  },
  {
    name: "legacy-token-says-no-expiry",
    rewrite: issued("exp", undefined),
    kills: [{ rule: "LEG-05", kind: "missing", at: "body.exp" }],
    alsoKills: ["LEG-07", "LEG-08", "LEG-29"]
  },
  {
    name: "legacy-token-is-opaque",
    rewrite: issued("token", "0123456789abcdef0123456789abcdef"),
    kills: [{ rule: "LEG-06", kind: "wrong-value", at: "body.token" }]
  },
  {
    name: "legacy-token-has-its-scheme-before-it",
    rewrite: issued("token", (token) => `Bearer ${token}`),
    kills: [{ rule: "LEG-06", kind: "wrong-value", at: "body.token" }]
  },
  {
    name: "legacy-token-times-are-milliseconds",
    rewrite: Rewrite.all(issued("iat", inMillis), issued("exp", inMillis)),
    kills: [{ rule: "LEG-07", kind: "wrong-type", at: "body.iat" }],
    alsoKills: ["LEG-08", "LEG-29"]
  },
  {
    name: "legacy-token-has-no-expiry-in-it",
    rewrite: saying(({ exp: _, ...payload }) => payload),
    kills: [{ rule: "LEG-07", kind: "wrong-type", at: "body.token.payload.exp" }],
    alsoKills: ["LEG-29"]
  },
  {
    name: "legacy-token-says-its-times-the-wrong-way-round",
    rewrite: saying(({ exp = null, iat = null, ...payload }) => ({ ...payload, exp: iat, iat: exp })),
    kills: [{ rule: "LEG-07", kind: "wrong-value", at: "body.token.payload.exp" }],
    alsoKills: ["LEG-29"]
  },
  {
    name: "legacy-token-lives-29-days",
    rules: Seams.rules(TokenLifetime, ({ issue }) => ({
      issue: (now, seconds) => issue(now, seconds === null ? null : Math.min(seconds, 29 * 24 * 3600))
    })),
    kills: [{ rule: "LEG-08", kind: "wrong-value", at: "body.exp" }]
  },
  {
    name: "legacy-token-lives-30-hours",
    rules: Seams.rules(TokenLifetime, ({ issue }) => ({
      issue: (now, seconds) => issue(now, seconds === null ? null : Math.min(seconds, 30 * 3600))
    })),
    kills: [{ rule: "LEG-08", kind: "wrong-value", at: "body.exp" }]
  },
  {
    name: "legacy-answer-has-other-times-than-its-token",
    rewrite: Rewrite.all(issued("iat", aMinuteLater), issued("exp", aMinuteLater)),
    kills: [{ rule: "LEG-29", kind: "wrong-value", at: "body.iat" }]
  },
  {
    name: "legacy-token-is-issued-in-local-time",
    rewrite: Rewrite.answers({ ...Legacy.tokenPath, status: 200 }, (answer) =>
      Rewrite.withHeader(answer, "date", new Date(Date.now() + 10 * 3_600_000).toUTCString())
    ),
    kills: [{ rule: "LEG-29", kind: "wrong-value", at: "header date" }]
  }
]

const readToken = { method: "GET", path: Legacy.tokenPath.path }

const pathMutants: ReadonlyArray<Mutant> = [
  {
    name: "legacy-token-path-has-another-method",
    rewrite: Legacy.refusing(readToken, 405),
    kills: [{ rule: "LEG-09", kind: "status", at: "status" }]
  },
  {
    name: "legacy-token-is-issued-by-reading",
    rewrite: Rewrite.requests(readToken, (request) => ({ ...request, method: "POST" })),
    kills: [{ rule: "LEG-09", kind: "status", at: "status" }]
  },
  {
    name: "legacy-token-of-nobody-is-forbidden",
    rewrite: Rewrite.answers({ ...Legacy.tokenPath, status: 404 }, (answer) =>
      Legacy.refusal(answer, 403, "authorization")
    ),
    kills: [{ rule: "LEG-10", kind: "status", at: "status" }]
  },
  {
    name: "legacy-token-path-takes-any-id",
    rewrite: Legacy.byGiven((request, _given, serve) =>
      Legacy.tokenPath.path.test(Rewrite.pathOf(request)) && request.method === "POST"
        ? Legacy.servedToWhoeverAsks(request, serve)
        : serve(request)
    ),
    kills: [{ rule: "LEG-10", kind: "status", at: "status" }]
  }
]

/** Defects of the current user and of tokens on the legacy surface. */
export const legacyTokenMutants: ReadonlyArray<Mutant> = [...userMutants, ...tokenMutants, ...pathMutants]
