import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { AccessStore } from "@wcs/domain/access/AccessStore"
import { isClientId } from "@wcs/domain/access/OAuthClient"
import { TokenLifetime } from "@wcs/domain/access/TokenLifetime"
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
import type { Mutant } from "../../Mutant.ts"
import type { Serve } from "../../Serve.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"

const grantOf = (request: Request): string | undefined => formOf(request)?.get("grant_type") ?? undefined

/** Changes the refusals with a status for some requests. */
const refusals = (status: number, isAbout: (request: Request) => boolean, change: (answer: Answer) => Answer) =>
  Rewrite.answers({ path: tokenPath, status }, (answer, request) => (isAbout(request) ? change(answer) : answer))

/** Reads some token requests as requests for another grant. */
const readAs = (isAbout: (request: Request) => boolean) =>
  Rewrite.requests({ path: tokenPath }, (request) =>
    isAbout(request) ? withFields(request, { grant_type: "client_credentials" }) : request
  )

const isUntyped = (request: Request): boolean => formOf(request) !== undefined && grantOf(request) === undefined

const grantMutants: ReadonlyArray<Mutant> = [
  {
    name: "grant-type-may-be-left-out",
    rewrite: readAs(isUntyped),
    kills: [{ rule: "OAU-09", kind: "status", at: "status" }]
  },
  {
    name: "missing-grant-type-is-an-invalid-request",
    rewrite: refusals(400, isUntyped, refusedGrant(400, "invalid_request")),
    kills: [{ rule: "OAU-09", kind: "wrong-value", at: "body.error" }]
  },
  {
    name: "password-grant-is-carried-out",
    rewrite: readAs((request) => grantOf(request) === "password"),
    kills: [{ rule: "OAU-10", kind: "status", at: "status" }]
  },
  {
    name: "authorization-code-is-no-grant-of-this-client",
    rewrite: refusals(
      400,
      (request) => grantOf(request) === "authorization_code",
      refusedGrant(400, "unauthorized_client")
    ),
    kills: [{ rule: "OAU-10", kind: "wrong-value", at: "body.error" }]
  },
  {
    name: "refresh-token-is-looked-for",
    rewrite: refusals(400, (request) => grantOf(request) === "refresh_token", refusedGrant(400, "invalid_grant")),
    kills: [{ rule: "OAU-10", kind: "wrong-value", at: "body.error" }]
  },
  {
    name: "other-grants-are-unauthorized",
    rewrite: refusals(400, (request) => grantOf(request) !== undefined, refusedGrant(401, "unsupported_grant_type")),
    kills: [{ rule: "OAU-10", kind: "status", at: "status" }]
  },
  {
    name: "grants-are-read-from-json",
    rewrite: Rewrite.requests({ path: tokenPath, body: /^\{/ }, (request) => ({
      ...Rewrite.withRequestHeader(request, "Content-Type", "application/x-www-form-urlencoded"),
      body: new URLSearchParams(JSON.parse(request.body)).toString()
    })),
    kills: [{ rule: "OAU-20", kind: "status", at: "status" }]
  },
  {
    name: "json-is-refused-in-the-envelope",
    rewrite: refusals(400, (request) => formOf(request) === undefined, refused(415, "UNSUPPORTED_MEDIA_TYPE")),
    kills: [{ rule: "OAU-20", kind: "wrong-type", at: "body.error" }],
    alsoKills: ["OAU-15"]
  }
]

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

const clientMutants: ReadonlyArray<Mutant> = [
  {
    name: "client-id-of-another-form-is-a-bad-request",
    rewrite: refusals(401, (request) => isForeign(request) && isInBody(request), refusedGrant(400, "invalid_request")),
    kills: [{ rule: "OAU-11", kind: "status", at: "status" }]
  },
  {
    name: "unknown-client-by-basic-has-an-error-of-its-own",
    rewrite: refusals(401, (request) => isForeign(request) && isInHeader(request), refusedGrant(401, "unknown_client")),
    kills: [{ rule: "OAU-11", kind: "wrong-value", at: "body.error" }]
  },
  {
    name: "client-ids-are-compared-but-for-the-last-character",
    stores: Seams.store(AccessStore, ({ findClient, listClients, listTenants }) => ({
      findClient: Effect.fnUntraced(function* (clientId) {
        const found = yield* findClient(clientId)
        if (Option.isSome(found)) return found
        const clients = (yield* Effect.forEach(yield* listTenants, ({ id }) => listClients(id))).flat()
        const near = clients.find((client) => client.clientId.slice(0, -1) === clientId.slice(0, -1))
        return near === undefined ? found : yield* findClient(near.clientId)
      })
    })),
    kills: [{ rule: "OAU-11", kind: "status", at: "status" }],
    alsoKills: ["OAU-14"]
  },
  {
    name: "secrets-are-compared-but-for-the-last-character",
    rewrite: comparedTooShortly,
    kills: [{ rule: "OAU-12", kind: "status", at: "status" }],
    alsoKills: ["OAU-08"]
  },
  {
    name: "wrong-secret-in-the-body-is-an-invalid-grant",
    rewrite: refusals(401, (request) => isOurs(request) && !isInHeader(request), refusedGrant(400, "invalid_grant")),
    kills: [
      { rule: "OAU-12", kind: "status", at: "status" },
      { rule: "OAU-13", kind: "status", at: "status" }
    ],
    alsoKills: ["OAU-11"]
  },
  {
    name: "wrong-secret-by-basic-is-an-unauthorized-client",
    rewrite: refusals(
      401,
      (request) => isOurs(request) && !isInBody(request),
      refusedGrant(401, "unauthorized_client")
    ),
    kills: [
      { rule: "OAU-12", kind: "wrong-value", at: "body.error" },
      { rule: "OAU-13", kind: "wrong-value", at: "body.error" }
    ],
    alsoKills: ["OAU-11"]
  },
  {
    name: "revoked-clients-go-on",
    stores: Seams.store(AccessStore, ({ findClient }) => ({
      findClient: (clientId) =>
        Effect.map(
          findClient(clientId),
          Option.map(({ account, client }) => ({ account, client: { ...client, revokedAt: null } }))
        )
    })),
    kills: [{ rule: "OAU-13", kind: "status", at: "status" }]
  },
  {
    name: "revocations-are-forgotten",
    rules: Seams.rules(TokenLifetime, ({ isExpired }) => ({
      isRevoked: () => false,
      isLive: (validity, now) => !isExpired(validity, now)
    })),
    kills: [
      { rule: "OAU-13", kind: "status", at: "status" },
      { rule: "AUT-12", kind: "status", at: "status" }
    ]
  }
]

const challenge = (value: string | undefined) => (answer: Answer) =>
  Rewrite.withHeader(answer, "www-authenticate", value)

const challengeMutants: ReadonlyArray<Mutant> = [
  {
    name: "basic-is-not-challenged",
    rewrite: refusals(401, isInHeader, challenge(undefined)),
    kills: [{ rule: "OAU-14", kind: "missing", at: "header www-authenticate" }]
  },
  {
    name: "wrong-secret-by-basic-is-not-challenged",
    rewrite: refusals(401, (request) => isInHeader(request) && isOurs(request), challenge(undefined)),
    kills: [{ rule: "OAU-14", kind: "missing", at: "header www-authenticate" }]
  },
  {
    name: "challenge-names-another-realm",
    rewrite: refusals(401, isInHeader, challenge('Basic realm="wcs"')),
    kills: [{ rule: "OAU-14", kind: "wrong-value", at: "header www-authenticate" }]
  },
  {
    name: "challenge-is-for-a-bearer",
    rewrite: refusals(401, isInHeader, challenge('Bearer realm="service-oauth"')),
    kills: [{ rule: "OAU-14", kind: "wrong-value", at: "header www-authenticate" }]
  }
]

// Few rules judge requests with both authentication methods, so a defect of these requests breaks no other rule.
const isByBoth = (request: Request): boolean => isInBody(request) && isInHeader(request)

const shapeMutants: ReadonlyArray<Mutant> = [
  {
    name: "token-error-stands-in-the-envelope",
    rewrite: refusals(401, isByBoth, refused(401, "UNAUTHORIZED")),
    kills: [{ rule: "OAU-15", kind: "wrong-type", at: "body.error" }],
    seenBy: ["OAU-08"]
  },
  {
    name: "token-error-is-a-page",
    rewrite: refusals(401, isByBoth, (answer) =>
      Rewrite.withHeader(Rewrite.withText(answer, "<h1>Unauthorized</h1>"), "content-type", "text/html")
    ),
    kills: [{ rule: "OAU-15", kind: "not-json", at: "body" }],
    seenBy: ["OAU-08"]
  },
  {
    name: "token-errors-are-not-described",
    rewrite: refusals(
      400,
      (request) => formOf(request) !== undefined,
      Rewrite.mapJson((body) => Rewrite.put(body, "error_description", undefined))
    ),
    kills: [{ rule: "OAU-15", kind: "missing", at: "body.error_description" }],
    seenBy: ["OAU-09"]
  },
  {
    name: "token-errors-are-described-by-a-list",
    rewrite: refusals(
      401,
      isInBody,
      Rewrite.mapJson((body) => Rewrite.put(body, "error_description", ["client_id"]))
    ),
    kills: [{ rule: "OAU-15", kind: "wrong-type", at: "body.error_description" }],
    seenBy: ["OAU-11"]
  }
]

/** Defects of refusals of the token endpoint. */
export const oauthRefusalMutants: ReadonlyArray<Mutant> = [
  ...grantMutants,
  ...clientMutants,
  ...challengeMutants,
  ...shapeMutants
]
