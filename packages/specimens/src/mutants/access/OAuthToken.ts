import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { at, type Json } from "@wcs/conformance/wire/Json"
import { TokenLifetime } from "@wcs/domain/access/TokenLifetime"
import { Effect } from "effect"
import { Base64Url } from "effect/encoding"
import { asBearer, asNobody, clientInBody, clientInHeader, refusedGrant, tokenOf, tokenPath } from "../../Callers.ts"
import type { Mutant } from "../../Mutant.ts"
import type { Serve } from "../../Serve.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"

const granted = { path: tokenPath, status: 200 }

const isByBasic = (request: Request): boolean =>
  clientInHeader(request) !== undefined && clientInBody(request) === undefined

const isByBoth = (request: Request): boolean =>
  clientInHeader(request) !== undefined && clientInBody(request) !== undefined

/** Changes a value in granted answers; undefined removes it. */
const saying = (path: string, value: Json | undefined, isAbout: (request: Request) => boolean = () => true) =>
  Rewrite.answers(granted, (answer, request) =>
    isAbout(request) ? Rewrite.mapJson((body) => Rewrite.put(body, path, value))(answer) : answer
  )

/** Refuses clients that use a certain method. */
const refusing = (isAbout: (request: Request) => boolean, status: number, error: string) =>
  Rewrite.answers(granted, (answer, request) => (isAbout(request) ? refusedGrant(status, error)(answer) : answer))

/** The run calls with a personal token, because its OAuth client gets none. */
const callingByPersonalToken = (profile: Profile): Profile => {
  const { personalToken: token } = profile.principals
  return token === undefined ? profile : { ...profile, principals: { ...profile.principals, admin: { token } } }
}

const wayMutants: ReadonlyArray<Mutant> = [
  {
    name: "client-in-the-body-is-refused",
    profile: callingByPersonalToken,
    rewrite: refusing((request) => Rewrite.headerOf(request, "authorization") === undefined, 401, "invalid_client"),
    kills: [{ rule: "OAU-01", kind: "status", at: "status" }]
  },
  {
    name: "client-in-the-body-gets-a-token-by-another-name",
    profile: callingByPersonalToken,
    rewrite: Rewrite.answers(granted, (answer, request) =>
      clientInHeader(request) === undefined
        ? Rewrite.withJson(answer, { token: at(answer.json, "access_token") ?? null })
        : answer
    ),
    kills: [{ rule: "OAU-01", kind: "missing", at: "body.access_token" }]
  },
  {
    name: "basic-is-not-read",
    rewrite: Rewrite.requests({ path: tokenPath }, asNobody),
    kills: [{ rule: "OAU-02", kind: "status", at: "status" }]
  },
  {
    name: "basic-wins-over-the-body",
    rewrite: Rewrite.requests({ path: tokenPath }, (request) =>
      isByBoth(request) ? { ...request, body: "grant_type=client_credentials" } : request
    ),
    kills: [
      { rule: "OAU-07", kind: "status", at: "status" },
      { rule: "OAU-08", kind: "status", at: "status" }
    ]
  },
  {
    name: "two-ways-at-once-are-a-bad-request",
    rewrite: Rewrite.answers({ path: tokenPath }, (answer, request) =>
      isByBoth(request) ? refusedGrant(400, "invalid_request")(answer) : answer
    ),
    kills: [
      { rule: "OAU-07", kind: "status", at: "status" },
      { rule: "OAU-08", kind: "status", at: "status" }
    ]
  },
  {
    name: "basic-helps-where-the-body-fails",
    rewrite: Rewrite.instead({ path: tokenPath }, (request, serve) =>
      Effect.flatMap(serve(request), (answer) =>
        answer.status === 401 && isByBoth(request)
          ? serve({ ...request, body: "grant_type=client_credentials" })
          : Effect.succeed(answer)
      )
    ),
    kills: [{ rule: "OAU-08", kind: "status", at: "status" }]
  }
]

/** Returns another string as the access token, and accepts it. */
const disguised =
  (disguise: (token: string) => string) =>
  (serve: Serve): Serve => {
    const tokens = new Map<string, string>()
    return (request) => {
      const token = tokens.get(tokenOf(request) ?? "")
      return Effect.map(serve(token === undefined ? request : asBearer(request, token)), (answer) => {
        const issued = at(answer.json, "access_token")
        if (typeof issued !== "string") return answer
        const shown = disguise(issued)
        tokens.set(shown, issued)
        return Rewrite.mapJson((body) => Rewrite.put(body, "access_token", shown))(answer)
      })
    }
  }

const signatureOf = (token: string): string => token.split(".").at(-1) ?? ""

/** Serves some calls as unauthenticated. `isOver` gets each token and the issued ones, oldest first. */
const notGood =
  (isOver: (token: string, issued: ReadonlyArray<string>) => boolean) =>
  (serve: Serve): Serve => {
    const issued: Array<string> = []
    return (request) => {
      const token = tokenOf(request)
      const isNobody = token !== undefined && issued.includes(token) && isOver(token, issued)
      return Effect.tap(serve(isNobody ? asNobody(request) : request), ({ json }) =>
        Effect.sync(() => {
          const fresh = at(json, "access_token")
          if (typeof fresh === "string") issued.push(fresh)
        })
      )
    }
  }

/** Tokens that are valid for one call. */
const goodOnce = (serve: Serve): Serve => {
  const used = new Set<string>()
  return notGood((token) => used.size === used.add(token).size)(serve)
}

const tokenMutants: ReadonlyArray<Mutant> = [
  {
    name: "access-tokens-are-opaque",
    rewrite: disguised(signatureOf),
    kills: [{ rule: "OAU-03", kind: "wrong-value", at: "body.access_token" }]
  },
  {
    name: "access-tokens-are-encrypted",
    rewrite: disguised((token) => `${token}.${Base64Url.encode("ciphertext")}.${Base64Url.encode("tag")}`),
    kills: [{ rule: "OAU-03", kind: "wrong-value", at: "body.access_token" }]
  },
  {
    name: "access-tokens-only-look-like-jwts",
    rewrite: disguised((token) => `wcs.${signatureOf(token).slice(0, 40)}.${signatureOf(token).slice(40)}`),
    kills: [{ rule: "OAU-03", kind: "wrong-value", at: "body.access_token" }]
  },
  {
    name: "access-tokens-live-a-sixtieth-of-what-is-said",
    rules: Seams.rules(TokenLifetime, ({ issue }) => ({
      issue: (now, lifetimeSeconds) => issue(now, lifetimeSeconds === null ? null : Math.ceil(lifetimeSeconds / 60))
    })),
    rewrite: saying("expires_in", 3600),
    kills: [{ rule: "OAU-05", kind: "wrong-value", at: "body.expires_in" }]
  },
  {
    name: "access-tokens-are-not-good-at-once",
    profile: callingByPersonalToken,
    rewrite: notGood((token, issued) => issued.at(-1) === token),
    kills: [{ rule: "OAU-05", kind: "status", at: "status" }],
    alsoKills: ["OAU-19"]
  },
  {
    name: "access-tokens-are-good-for-one-call",
    rewrite: goodOnce,
    kills: [{ rule: "OAU-05", kind: "status", at: "status" }]
  },
  {
    name: "new-access-token-ends-the-old-one",
    rewrite: notGood((token, issued) => issued.at(-1) !== token),
    kills: [{ rule: "OAU-19", kind: "status", at: "status" }]
  }
]

const answerMutants: ReadonlyArray<Mutant> = [
  {
    name: "token-type-is-in-small-letters",
    rewrite: saying("token_type", "bearer"),
    kills: [{ rule: "OAU-04", kind: "wrong-value", at: "body.token_type" }]
  },
  {
    name: "grant-by-basic-says-no-token-type",
    rewrite: saying("token_type", undefined, isByBasic),
    kills: [{ rule: "OAU-04", kind: "missing", at: "body.token_type" }]
  },
  {
    name: "lifetime-is-a-text",
    rewrite: saying("expires_in", "3600"),
    kills: [{ rule: "OAU-05", kind: "wrong-type", at: "body.expires_in" }],
    alsoKills: ["OAU-06"]
  },
  {
    name: "lifetime-is-not-said",
    rewrite: saying("expires_in", undefined),
    kills: [{ rule: "OAU-05", kind: "missing", at: "body.expires_in" }],
    alsoKills: ["OAU-06"]
  },
  {
    name: "lifetime-is-in-milliseconds",
    rewrite: saying("expires_in", 3_600_000),
    kills: [{ rule: "OAU-05", kind: "wrong-value", at: "body.expires_in" }],
    alsoKills: ["OAU-06"]
  },
  {
    name: "lifetime-is-half-an-hour",
    rewrite: saying("expires_in", 1800),
    kills: [{ rule: "OAU-06", kind: "wrong-value", at: "body.expires_in" }]
  },
  {
    name: "lifetime-by-basic-is-half-an-hour",
    rewrite: saying("expires_in", 1800, isByBasic),
    kills: [{ rule: "OAU-06", kind: "wrong-value", at: "body.expires_in" }]
  },
  {
    name: "refresh-token-is-handed-out",
    rewrite: saying("refresh_token", "wcs_refresh_0123456789abcdef"),
    kills: [{ rule: "OAU-16", kind: "unexpected", at: "body.refresh_token" }]
  },
  {
    name: "refresh-token-is-handed-out-by-basic",
    rewrite: saying("refresh_token", "wcs_refresh_0123456789abcdef", isByBasic),
    kills: [{ rule: "OAU-16", kind: "unexpected", at: "body.refresh_token" }]
  },
  {
    name: "grants-say-nothing-about-caches",
    rewrite: Rewrite.answers(granted, (answer) => Rewrite.withHeader(answer, "cache-control", undefined)),
    kills: [{ rule: "OAU-24", kind: "missing", at: "header cache-control" }]
  },
  {
    name: "grants-may-be-stored",
    rewrite: Rewrite.answers(granted, (answer) => Rewrite.withHeader(answer, "cache-control", "private, max-age=3600")),
    kills: [{ rule: "OAU-24", kind: "wrong-value", at: "header cache-control" }]
  }
]

/** Defects of grants and of granted tokens. */
export const oauthTokenMutants: ReadonlyArray<Mutant> = [...wayMutants, ...tokenMutants, ...answerMutants]
