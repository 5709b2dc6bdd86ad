import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { at, parse } from "@wcs/conformance/wire/Json"
import { jwtOf } from "@wcs/conformance/wire/Jwt"
import { TokenLifetime } from "@wcs/domain/access/TokenLifetime"
import { Effect, Result } from "effect"
import { Base64Url } from "effect/encoding"
import {
  type Accepted,
  asBearer,
  byAccepted,
  clientInHeader,
  isCall,
  isPersonal,
  refused,
  tokenOf
} from "../../Callers.ts"
import type { Mutant } from "../../Mutant.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Seams from "../../seams/Seams.ts"

const authorizationOf = (request: Request): string => Rewrite.headerOf(request, "authorization") ?? ""

/** Whether a call of the newer surface has no credentials. */
const isNobodys = (method: string, path: RegExp) => (request: Request) =>
  authorizationOf(request) === "" && request.method === method && path.test(Rewrite.pathOf(request))

/** The request with an accepted token, if there is one. */
const asSomebody = (request: Request, [token]: Accepted): Request =>
  token === undefined ? request : asBearer(request, token)

const openTo = (isAbout: (request: Request) => boolean) =>
  byAccepted((request, accepted, serve) => serve(isAbout(request) ? asSomebody(request, accepted) : request))

const doneForNobody = (isAbout: (request: Request) => boolean) =>
  byAccepted((request, accepted, serve) =>
    isAbout(request) ? Effect.andThen(serve(asSomebody(request, accepted)), serve(request)) : serve(request)
  )

/** Changes the 401 answers to some requests. */
const refusals = (isAbout: (request: Request) => boolean, change: (answer: Answer) => Answer) =>
  Rewrite.answers({ status: 401 }, (answer, request) => (isCall(request) && isAbout(request) ? change(answer) : answer))

const isUnsigned = (request: Request): boolean => authorizationOf(request) === ""

const open = (name: string, method: string, path: RegExp): Mutant => ({
  name,
  rewrite: openTo(isNobodys(method, path)),
  kills: [{ rule: "AUT-01", kind: "status", at: "status" }]
})

const credentialPath = /^\/credentials\/cred_[^/]+$/

const absentMutants: ReadonlyArray<Mutant> = [
  open("anybody-lists-applicants", "GET", /^\/applicants/),
  open("anybody-creates-workers", "POST", /^\/workers$/),
  open("anybody-links-credentials", "POST", /^\/credentials\/cred_[^/]+\/link$/),
  open("anybody-transfers-in-bulk", "POST", /^\/credentials\/transfer$/),
  open("anybody-links-in-bulk", "POST", /^\/credentials\/link$/),
  open("anybody-reads-a-credential", "GET", credentialPath),
  open("anybody-replaces-workers", "PUT", /^\/workers\//),
  open("anybody-changes-credentials", "PATCH", credentialPath),
  open("anybody-deletes-credentials", "DELETE", credentialPath),
  {
    name: "nobodys-create-is-refused-when-it-is-done",
    rewrite: doneForNobody(isNobodys("POST", /^\/workers$/)),
    kills: [{ rule: "AUT-01", kind: "wrong-value", at: "body.data" }]
  },
  {
    name: "nobodys-transfer-is-refused-when-it-is-done",
    rewrite: doneForNobody(isNobodys("POST", /^\/credentials\/cred_[^/]+\/transfer$/)),
    kills: [{ rule: "AUT-01", kind: "changed", at: "body.data.attributes.owners.worker" }]
  },
  {
    name: "nobodys-change-is-refused-when-it-is-done",
    rewrite: doneForNobody(isNobodys("PATCH", /^\/workers\//)),
    kills: [{ rule: "AUT-01", kind: "changed", at: "body.data" }]
  },
  {
    name: "nobody-is-forbidden",
    rewrite: refusals(isUnsigned, refused(403, "FORBIDDEN")),
    kills: [{ rule: "AUT-01", kind: "status", at: "status" }]
  }
]

/** Reads `Authorization` headers in another way; undefined leaves one as it is. */
const readAs = (read: (authorization: string) => string | undefined) =>
  Rewrite.requests({}, (request) => {
    const header = isCall(request) ? read(authorizationOf(request)) : undefined
    return header === undefined ? request : Rewrite.withRequestHeader(request, "Authorization", header)
  })

/** A client's id and secret work like its token. */
const opensByBasic = Rewrite.instead({}, (request, serve) => {
  const client = isCall(request) ? clientInHeader(request) : undefined
  if (client === undefined) return serve(request)
  const grant: Request = {
    method: "POST",
    url: new URL("/openapi/v1/oauth/token", request.url).href,
    headers: [
      ["Authorization", authorizationOf(request)],
      ["Content-Type", "application/x-www-form-urlencoded"]
    ],
    body: "grant_type=client_credentials"
  }
  return Effect.flatMap(serve(grant), ({ json }) => {
    const token = at(json, "access_token")
    return serve(typeof token === "string" ? asBearer(request, token) : request)
  })
})

const prefixMutants: ReadonlyArray<Mutant> = [
  {
    name: "scheme-is-not-looked-at",
    rewrite: readAs((header) => header.replace(/^\S+ +/, "Bearer ")),
    kills: [{ rule: "AUT-02", kind: "status", at: "status" }]
  },
  {
    name: "bare-token-is-taken",
    rewrite: readAs((header) => (/^\S{20,}$/.test(header) ? `Bearer ${header}` : undefined)),
    kills: [{ rule: "AUT-02", kind: "status", at: "status" }]
  },
  {
    name: "token-behind-basic-is-taken",
    rewrite: readAs((header) => header.replace(/^Basic +/, "Bearer ")),
    kills: [{ rule: "AUT-02", kind: "status", at: "status" }]
  },
  {
    name: "client-by-basic-opens-the-surface",
    rewrite: opensByBasic,
    kills: [{ rule: "AUT-02", kind: "status", at: "status" }]
  },
  {
    name: "prefix-is-compared-letter-by-letter",
    rewrite: readAs((header) => (/^Bearer /.test(header) ? undefined : "")),
    kills: [{ rule: "AUT-03", kind: "status", at: "status" }]
  },
  {
    name: "prefix-has-two-spellings",
    rewrite: readAs((header) => (/^[Bb]earer /.test(header) ? undefined : "")),
    kills: [{ rule: "AUT-03", kind: "status", at: "status" }]
  }
]

const partsOf = (token: string): ReadonlyArray<string> => token.split(".")

const algorithmOf = (token: string): unknown => {
  const header = Base64Url.decodeString(partsOf(token)[0] ?? "")
  return Result.isSuccess(header) ? at(parse(header.success), "alg") : undefined
}

/** Accepts a token that resembles an accepted one. */
const takenFor = (isLike: (token: string, accepted: string) => boolean) =>
  byAccepted((request, accepted, serve) => {
    const token = tokenOf(request)
    const known = token === undefined ? undefined : accepted.find((one) => isLike(token, one))
    return serve(known === undefined ? request : asBearer(request, known))
  })

/** Whether two tokens have the same number of parts and these in common. */
const share =
  (...places: ReadonlyArray<number>) =>
  (token: string, accepted: string) =>
    partsOf(accepted).length === 3 &&
    partsOf(token).length === 3 &&
    places.every((place) => partsOf(token)[place] === partsOf(accepted)[place])

const forgedMutants: ReadonlyArray<Mutant> = [
  {
    name: "unsigned-tokens-are-believed",
    rewrite: takenFor((token, accepted) => algorithmOf(token) === "none" && share(1)(token, accepted)),
    kills: [{ rule: "AUT-04", kind: "status", at: "status" }]
  },
  {
    name: "signatures-are-not-looked-at",
    rewrite: takenFor(share(0, 1)),
    kills: [{ rule: "AUT-04", kind: "status", at: "status" }]
  },
  {
    name: "payloads-are-not-signed",
    rewrite: takenFor(share(0, 2)),
    kills: [{ rule: "AUT-04", kind: "status", at: "status" }]
  },
  {
    name: "signatures-are-compared-as-far-as-they-go",
    rewrite: takenFor((token, accepted) => share(0, 1)(token, accepted) && accepted.startsWith(token)),
    kills: [{ rule: "AUT-04", kind: "status", at: "status" }]
  },
  {
    name: "tokens-need-no-signature",
    rewrite: takenFor((token, accepted) => token === partsOf(accepted).slice(0, 2).join(".")),
    kills: [{ rule: "AUT-04", kind: "status", at: "status" }]
  },
  {
    name: "personal-tokens-are-compared-at-their-ends",
    rewrite: takenFor(
      (token, accepted) =>
        isPersonal(token) && token.slice(0, 16) === accepted.slice(0, 16) && token.slice(-8) === accepted.slice(-8)
    ),
    kills: [{ rule: "AUT-04", kind: "status", at: "status" }]
  },
  {
    name: "what-is-no-token-is-a-bad-request",
    rewrite: refusals((request) => /^[a-z]+$/.test(tokenOf(request) ?? ""), refused(400, "BAD_REQUEST")),
    kills: [{ rule: "AUT-04", kind: "status", at: "status" }]
  },
  {
    name: "empty-bearer-is-a-bad-request",
    rewrite: refusals((request) => authorizationOf(request) === "Bearer", refused(400, "BAD_REQUEST")),
    kills: [{ rule: "AUT-04", kind: "status", at: "status" }]
  },
  {
    name: "unknown-algorithm-is-a-failure",
    rewrite: refusals((request) => algorithmOf(tokenOf(request) ?? "") === "none", refused(500, "INTERNAL")),
    kills: [{ rule: "AUT-04", kind: "status", at: "status" }]
  }
]

const expiredMutants: ReadonlyArray<Mutant> = [
  {
    name: "tokens-do-not-expire",
    rules: Seams.rules(TokenLifetime, ({ isRevoked }) => ({
      isExpired: () => false,
      isLive: (validity) => !isRevoked(validity)
    })),
    kills: [{ rule: "AUT-05", kind: "status", at: "status" }]
  },
  {
    name: "clocks-may-differ-by-ten-minutes",
    rules: Seams.rules(TokenLifetime, ({ isExpired, isLive }) => ({
      isExpired: (validity, now) => isExpired(validity, now - 600_000),
      isLive: (validity, now) => isLive(validity, now - 600_000)
    })),
    kills: [{ rule: "AUT-05", kind: "status", at: "status" }]
  },
  {
    name: "dead-personal-tokens-are-forbidden",
    rewrite: refusals((request) => isPersonal(tokenOf(request)), refused(403, "FORBIDDEN")),
    kills: [
      { rule: "AUT-05", kind: "status", at: "status" },
      { rule: "AUT-12", kind: "status", at: "status" }
    ]
  }
]

const saying = (path: string, text: string) => Rewrite.mapJson((body) => Rewrite.put(body, path, text))
const message = "Unauthorized to perform this action"

const textMutants: ReadonlyArray<Mutant> = [
  {
    name: "nobody-is-asked-to-log-in",
    rewrite: refusals(isUnsigned, saying("message", "Please log in.")),
    kills: [{ rule: "AUT-06", kind: "missing", at: "body" }]
  },
  {
    name: "bad-tokens-are-told-why",
    rewrite: refusals((request) => jwtOf(tokenOf(request) ?? "") !== undefined, saying("message", "bad signature")),
    kills: [{ rule: "AUT-06", kind: "missing", at: "body" }]
  },
  {
    name: "unauthorized-is-empty",
    rewrite: refusals(isUnsigned, (answer) => Rewrite.withText(answer, "")),
    kills: [{ rule: "AUT-06", kind: "missing", at: "body" }]
  },
  {
    name: "unauthorized-stands-in-the-envelope",
    rewrite: refusals(isUnsigned, (answer) => saying("error.message", message)(refused(401, "UNAUTHORIZED")(answer))),
    kills: [{ rule: "AUT-07", kind: "unexpected", at: "body.error.code" }]
  },
  {
    name: "bad-tokens-have-a-code",
    rewrite: refusals((request) => !isUnsigned(request), saying("code", "INVALID_TOKEN")),
    kills: [{ rule: "AUT-07", kind: "unexpected", at: "body.code" }]
  }
]

/** Defects of bearer authentication: missing and invalid tokens, and the answers to them. */
export const bearerMutants: ReadonlyArray<Mutant> = [
  ...absentMutants,
  ...prefixMutants,
  ...forgedMutants,
  ...expiredMutants,
  ...textMutants
]
