import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { TokenLifetime } from "@wcs/domain/access/TokenLifetime"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { isClientId } from "@wcs/domain/token/OAuthClient"
import { Effect, Option } from "effect"
import {
  type Client,
  clientInBody,
  clientInHeader,
  formOf,
  refused,
  refusedGrant,
  tokenPath,
  withClient,
  withFields
} from "../../Callers.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
import type { Serve } from "../../Serve.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"

const grantOf = (request: Request): string | undefined => formOf(request)?.get("grant_type") ?? undefined

/** Changes the responses that have this status, for the requests that `isAbout` selects. */
const refusals = (status: number, isAbout: (request: Request) => boolean, change: (answer: Answer) => Answer) =>
  Rewrite.answers({ path: tokenPath, status }, (answer, request) => (isAbout(request) ? change(answer) : answer))

/** Treats the selected token requests as requests for the client credentials grant. */
const readAs = (isAbout: (request: Request) => boolean) =>
  Rewrite.requests({ path: tokenPath }, (request) =>
    isAbout(request) ? withFields(request, { grant_type: "client_credentials" }) : request
  )

const isUntyped = (request: Request): boolean => formOf(request) !== undefined && grantOf(request) === undefined

const clientOf = (request: Request): Client | undefined => clientInBody(request) ?? clientInHeader(request)

/** Whether the client's id cannot exist. */
const isForeign = (request: Request): boolean => {
  const client = clientOf(request)
  return client !== undefined && !isClientId(client.id)
}

/** Whether the client's id can exist. */
const isOurs = (request: Request): boolean => clientOf(request) !== undefined && !isForeign(request)

const isInBody = (request: Request): boolean => clientInBody(request) !== undefined
const isInHeader = (request: Request): boolean => clientInHeader(request) !== undefined

/** Compares secrets without their last character. */
const comparedTooShortly = (serve: Serve): Serve => {
  const secrets = new Map<string, string>()
  const corrected = (request: Request): Request => {
    const client = clientOf(request)
    const secret = client === undefined ? undefined : secrets.get(client.id)
    return client !== undefined && secret !== undefined && secret.slice(0, -1) === client.secret.slice(0, -1)
      ? withClient(request, { ...client, secret })
      : request
  }
  return Rewrite.instead({ path: tokenPath }, (request, served) => {
    const sent = corrected(request)
    return Effect.tap(served(sent), ({ status }) =>
      Effect.sync(() => {
        const client = clientOf(sent)
        if (status === 200 && client !== undefined) secrets.set(client.id, client.secret)
      })
    )
  })(serve)
}

const challenge = (value: string | undefined) => (answer: Answer) =>
  Rewrite.withHeader(answer, "www-authenticate", value)

// Few rules judge requests with both authentication methods, so a defect of these requests breaks no other rule.
const isByBoth = (request: Request): boolean => isInBody(request) && isInHeader(request)

/** Defects of refusals of the token endpoint. */
export const oauthRefusalMutants: ReadonlyArray<Mutant> = [
  mutant("grant-type-may-be-left-out", "OAU-09 status").rewrite(readAs(isUntyped)),
  mutant("missing-grant-type-is-an-invalid-request", "OAU-09 wrong-value at body.error").rewrite(
    refusals(400, isUntyped, refusedGrant(400, "invalid_request"))
  ),
  mutant("password-grant-is-carried-out", "OAU-10 status").rewrite(
    readAs((request) => grantOf(request) === "password")
  ),
  mutant("authorization-code-is-no-grant-of-this-client", "OAU-10 wrong-value at body.error").rewrite(
    refusals(400, (request) => grantOf(request) === "authorization_code", refusedGrant(400, "unauthorized_client"))
  ),
  mutant("refresh-token-is-looked-for", "OAU-10 wrong-value at body.error").rewrite(
    refusals(400, (request) => grantOf(request) === "refresh_token", refusedGrant(400, "invalid_grant"))
  ),
  mutant("other-grants-are-unauthorized", "OAU-10 status", { alsoKills: ["OAU-14"] }).rewrite(
    refusals(400, (request) => grantOf(request) !== undefined, refusedGrant(401, "unsupported_grant_type"))
  ),
  mutant("grants-are-read-from-json", "OAU-20 status").requests({ path: tokenPath, body: /^\{/ }, (request) => ({
    ...Rewrite.withRequestHeader(request, "Content-Type", "application/x-www-form-urlencoded"),
    body: new URLSearchParams(JSON.parse(request.body)).toString()
  })),
  mutant("json-is-refused-in-the-envelope", "OAU-20 wrong-type at body.error", { alsoKills: ["OAU-15"] }).rewrite(
    refusals(400, (request) => formOf(request) === undefined, refused(415, "UNSUPPORTED_MEDIA_TYPE"))
  ),
  mutant("client-id-of-another-form-is-a-bad-request", "OAU-11 status").rewrite(
    refusals(401, (request) => isForeign(request) && isInBody(request), refusedGrant(400, "invalid_request"))
  ),
  mutant("unknown-client-by-basic-has-an-error-of-its-own", "OAU-11 wrong-value at body.error").rewrite(
    refusals(401, (request) => isForeign(request) && isInHeader(request), refusedGrant(401, "unknown_client"))
  ),
  mutant("client-ids-are-compared-but-for-the-last-character", "OAU-11 status", { alsoKills: ["OAU-14"] }).stores(
    Seams.store(AccessStore, ({ findClient, listClients, listTenants }) => ({
      findClient: Effect.fnUntraced(function* (tenantId, clientId) {
        const found = yield* findClient(tenantId, clientId)
        if (Option.isSome(found)) return found
        const clients = (yield* Effect.forEach(yield* listTenants, ({ id }) => listClients(id))).flat()
        const near = clients.find((client) => client.clientId.slice(0, -1) === clientId.slice(0, -1))
        return near === undefined ? found : yield* findClient(near.tenantId, near.clientId)
      })
    }))
  ),
  mutant("secrets-are-compared-but-for-the-last-character", "OAU-12 status", { alsoKills: ["OAU-08"] }).rewrite(
    comparedTooShortly
  ),
  mutant("wrong-secret-in-the-body-is-an-invalid-grant", ["OAU-12 status", "OAU-13 status"], {
    alsoKills: ["OAU-11"]
  }).rewrite(refusals(401, (request) => isOurs(request) && !isInHeader(request), refusedGrant(400, "invalid_grant"))),
  mutant(
    "wrong-secret-by-basic-is-an-unauthorized-client",
    ["OAU-12 wrong-value at body.error", "OAU-13 wrong-value at body.error"],
    { alsoKills: ["OAU-11"] }
  ).rewrite(
    refusals(401, (request) => isOurs(request) && !isInBody(request), refusedGrant(401, "unauthorized_client"))
  ),
  mutant("revoked-clients-go-on", "OAU-13 status").stores(
    Seams.store(AccessStore, ({ findClient }) => ({
      findClient: (...key) =>
        Effect.map(
          findClient(...key),
          Option.map(({ account, client }) => ({ account, client: { ...client, revokedAt: null } }))
        )
    }))
  ),
  mutant("revocations-are-forgotten", ["OAU-13 status", "AUT-12 status"]).rules(
    Seams.rules(TokenLifetime, ({ isExpired }) => ({
      isRevoked: () => false,
      isLive: (validity, now) => !isExpired(validity, now)
    }))
  ),
  mutant("basic-is-not-challenged", "OAU-14 missing at header www-authenticate").rewrite(
    refusals(401, isInHeader, challenge(undefined))
  ),
  mutant("wrong-secret-by-basic-is-not-challenged", "OAU-14 missing at header www-authenticate").rewrite(
    refusals(401, (request) => isInHeader(request) && isOurs(request), challenge(undefined))
  ),
  mutant("challenge-names-another-realm", "OAU-14 wrong-value at header www-authenticate").rewrite(
    refusals(401, isInHeader, challenge('Basic realm="wcs"'))
  ),
  mutant("challenge-is-for-a-bearer", "OAU-14 wrong-value at header www-authenticate").rewrite(
    refusals(401, isInHeader, challenge('Bearer realm="service-oauth"'))
  ),
  mutant("token-error-stands-in-the-envelope", "OAU-15 wrong-type at body.error", { seenBy: ["OAU-08"] }).rewrite(
    refusals(401, isByBoth, refused(401, "UNAUTHORIZED"))
  ),
  mutant("token-error-is-a-page", "OAU-15 not-json at body", { seenBy: ["OAU-08"] }).rewrite(
    refusals(401, isByBoth, (answer) =>
      Rewrite.withHeader(Rewrite.withText(answer, "<h1>Unauthorized</h1>"), "content-type", "text/html")
    )
  ),
  mutant("token-errors-are-not-described", "OAU-15 missing at body.error_description", { seenBy: ["OAU-09"] }).rewrite(
    refusals(400, (request) => formOf(request) !== undefined, Rewrite.field("error_description", undefined))
  ),
  mutant("token-errors-are-described-by-a-list", "OAU-15 wrong-type at body.error_description", {
    seenBy: ["OAU-11"]
  }).rewrite(refusals(401, isInBody, Rewrite.field("error_description", ["client_id"])))
]
