import type { Profile } from "@wcs/conformance/profile/Profile"
import { at, type Json } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { TokenLifetime } from "@wcs/domain/access/TokenLifetime"
import { Effect } from "effect"
import { Base64Url } from "effect/encoding"
import { asBearer, asNobody, clientInBody, clientInHeader, refusedGrant, tokenOf, tokenPath } from "../../Callers.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
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
  Rewrite.answers(granted, (answer, request) => (isAbout(request) ? Rewrite.field(path, value)(answer) : answer))

/** Refuses clients that use a certain method. */
const refusing = (isAbout: (request: Request) => boolean, status: number, error: string) =>
  Rewrite.answers(granted, (answer, request) => (isAbout(request) ? refusedGrant(status, error)(answer) : answer))

/** The run calls with a personal token, because its OAuth client gets none. */
const callingByPersonalToken = (profile: Profile): Profile => {
  const { personalToken: token } = profile.principals
  return token === undefined ? profile : { ...profile, principals: { ...profile.principals, admin: { token } } }
}

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
        return Rewrite.field("access_token", shown)(answer)
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

/** Defects of grants and of granted tokens. */
export const oauthTokenMutants: ReadonlyArray<Mutant> = [
  mutant("client-in-the-body-is-refused", "OAU-01 status").by({
    profile: callingByPersonalToken,
    rewrite: refusing((request) => Rewrite.headerOf(request, "authorization") === undefined, 401, "invalid_client")
  }),
  mutant("client-is-only-read-from-a-header", "OAU-01 status", { seenBy: ["OAU-12", "OAU-09", "WRK-01"] }).rewrite(
    refusing((request) => Rewrite.headerOf(request, "authorization") === undefined, 400, "invalid_request")
  ),
  mutant("token-endpoint-is-down", "OAU-01 status", { alsoKills: ["OAU-02", "OAU-07"], seenBy: ["WRK-01"] }).rewrite(
    refusing(() => true, 500, "server_error")
  ),
  mutant("client-in-the-body-gets-a-token-by-another-name", "OAU-01 missing at body.access_token").by({
    profile: callingByPersonalToken,
    rewrite: Rewrite.answers(granted, (answer, request) =>
      clientInHeader(request) === undefined
        ? Rewrite.withJson(answer, { token: at(answer.json, "access_token") ?? null })
        : answer
    )
  }),
  mutant("basic-is-not-read", "OAU-02 status", { alsoKills: ["OAU-14"] }).requests({ path: tokenPath }, asNobody),
  mutant("basic-wins-over-the-body", ["OAU-07 status", "OAU-08 status"]).requests({ path: tokenPath }, (request) =>
    isByBoth(request) ? { ...request, body: "grant_type=client_credentials" } : request
  ),
  mutant("two-ways-at-once-are-a-bad-request", ["OAU-07 status", "OAU-08 status"]).answers(
    { path: tokenPath },
    (answer, request) => (isByBoth(request) ? refusedGrant(400, "invalid_request")(answer) : answer)
  ),
  mutant("basic-helps-where-the-body-fails", "OAU-08 status").instead({ path: tokenPath }, (request, serve) =>
    Effect.flatMap(serve(request), (answer) =>
      answer.status === 401 && isByBoth(request)
        ? serve({ ...request, body: "grant_type=client_credentials" })
        : Effect.succeed(answer)
    )
  ),
  mutant("access-tokens-are-opaque", "OAU-03 wrong-value at body.access_token").rewrite(disguised(signatureOf)),
  mutant("access-tokens-are-encrypted", "OAU-03 wrong-value at body.access_token").rewrite(
    disguised((token) => `${token}.${Base64Url.encode("ciphertext")}.${Base64Url.encode("tag")}`)
  ),
  mutant("access-tokens-only-look-like-jwts", "OAU-03 wrong-value at body.access_token").rewrite(
    disguised((token) => `wcs.${signatureOf(token).slice(0, 40)}.${signatureOf(token).slice(40)}`)
  ),
  mutant("access-tokens-live-a-sixtieth-of-what-is-said", "OAU-05 wrong-value at body.expires_in").by({
    rules: Seams.rules(TokenLifetime, ({ issue }) => ({
      issue: (now, lifetimeSeconds) => issue(now, lifetimeSeconds === null ? null : Math.ceil(lifetimeSeconds / 60))
    })),
    rewrite: saying("expires_in", 3600)
  }),
  mutant("access-tokens-are-not-good-at-once", "OAU-05 status", { alsoKills: ["OAU-19"] }).by({
    profile: callingByPersonalToken,
    rewrite: notGood((token, issued) => issued.at(-1) === token)
  }),
  mutant("access-tokens-are-good-for-one-call", "OAU-05 status").rewrite(goodOnce),
  mutant("new-access-token-ends-the-old-one", "OAU-19 status").rewrite(
    notGood((token, issued) => issued.at(-1) !== token)
  ),
  mutant("token-type-is-in-small-letters", "OAU-04 wrong-value at body.token_type").rewrite(
    saying("token_type", "bearer")
  ),
  mutant("grant-by-basic-says-no-token-type", "OAU-04 missing at body.token_type").rewrite(
    saying("token_type", undefined, isByBasic)
  ),
  mutant("lifetime-is-a-text", "OAU-05 wrong-type at body.expires_in", { alsoKills: ["OAU-06"] }).rewrite(
    saying("expires_in", "3600")
  ),
  mutant("lifetime-is-not-said", "OAU-05 missing at body.expires_in", { alsoKills: ["OAU-06"] }).rewrite(
    saying("expires_in", undefined)
  ),
  mutant("lifetime-is-in-milliseconds", "OAU-05 wrong-value at body.expires_in", { alsoKills: ["OAU-06"] }).rewrite(
    saying("expires_in", 3_600_000)
  ),
  mutant("lifetime-is-half-an-hour", "OAU-06 wrong-value at body.expires_in").rewrite(saying("expires_in", 1800)),
  mutant("lifetime-by-basic-is-half-an-hour", "OAU-06 wrong-value at body.expires_in").rewrite(
    saying("expires_in", 1800, isByBasic)
  ),
  mutant("refresh-token-is-handed-out", "OAU-16 unexpected at body.refresh_token").rewrite(
    saying("refresh_token", "wcs_refresh_0123456789abcdef")
  ),
  mutant("refresh-token-is-handed-out-by-basic", "OAU-16 unexpected at body.refresh_token").rewrite(
    saying("refresh_token", "wcs_refresh_0123456789abcdef", isByBasic)
  ),
  mutant("grants-say-nothing-about-caches", "OAU-24 missing at header cache-control").answers(granted, (answer) =>
    Rewrite.withHeader(answer, "cache-control", undefined)
  ),
  mutant("grants-may-be-stored", "OAU-24 wrong-value at header cache-control").answers(granted, (answer) =>
    Rewrite.withHeader(answer, "cache-control", "private, max-age=3600")
  )
]
