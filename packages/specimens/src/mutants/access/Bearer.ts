import { at, parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
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
import { type Mutant, mutant } from "../../Mutant.ts"
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

const open = (name: string, method: string, path: RegExp): Mutant =>
  mutant(name, "AUT-01 status").rewrite(openTo(isNobodys(method, path)))

const credentialPath = /^\/credentials\/cred_[^/]+$/

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

const saying = (path: string, text: string) => Rewrite.field(path, text)
const message = "Unauthorized to perform this action"

/** Defects of bearer authentication: missing and invalid tokens, and the answers to them. */
export const bearerMutants: ReadonlyArray<Mutant> = [
  open("anybody-lists-applicants", "GET", /^\/applicants/),
  open("anybody-creates-workers", "POST", /^\/workers$/),
  open("anybody-links-credentials", "POST", /^\/credentials\/cred_[^/]+\/link$/),
  open("anybody-transfers-in-bulk", "POST", /^\/credentials\/transfer$/),
  open("anybody-links-in-bulk", "POST", /^\/credentials\/link$/),
  open("anybody-reads-a-credential", "GET", credentialPath),
  open("anybody-replaces-workers", "PUT", /^\/workers\//),
  open("anybody-changes-credentials", "PATCH", credentialPath),
  open("anybody-deletes-credentials", "DELETE", credentialPath),
  mutant("nobodys-create-is-refused-when-it-is-done", "AUT-01 changed at body.data").rewrite(
    doneForNobody(isNobodys("POST", /^\/workers$/))
  ),
  mutant("nobodys-transfer-is-refused-when-it-is-done", "AUT-01 changed at body.data").rewrite(
    doneForNobody(isNobodys("POST", /^\/credentials\/cred_[^/]+\/transfer$/))
  ),
  mutant("nobodys-change-is-refused-when-it-is-done", "AUT-01 changed at body.data").rewrite(
    doneForNobody(isNobodys("PATCH", /^\/workers\//))
  ),
  mutant("nobody-is-forbidden", "AUT-01 status").rewrite(refusals(isUnsigned, refused(403, "FORBIDDEN"))),
  mutant("scheme-is-not-looked-at", "AUT-02 status").rewrite(readAs((header) => header.replace(/^\S+ +/, "Bearer "))),
  mutant("bare-token-is-taken", "AUT-02 status").rewrite(
    readAs((header) => (/^\S{20,}$/.test(header) ? `Bearer ${header}` : undefined))
  ),
  mutant("token-behind-basic-is-taken", "AUT-02 status").rewrite(
    readAs((header) => header.replace(/^Basic +/, "Bearer "))
  ),
  mutant("client-by-basic-opens-the-surface", "AUT-02 status").rewrite(opensByBasic),
  mutant("prefix-is-compared-letter-by-letter", "AUT-03 status").rewrite(
    readAs((header) => (/^Bearer /.test(header) ? undefined : ""))
  ),
  mutant("prefix-has-two-spellings", "AUT-03 status").rewrite(
    readAs((header) => (/^[Bb]earer /.test(header) ? undefined : ""))
  ),
  mutant("unsigned-tokens-are-believed", "AUT-04 status").rewrite(
    takenFor((token, accepted) => algorithmOf(token) === "none" && share(1)(token, accepted))
  ),
  mutant("signatures-are-not-looked-at", "AUT-04 status").rewrite(takenFor(share(0, 1))),
  mutant("payloads-are-not-signed", "AUT-04 status").rewrite(takenFor(share(0, 2))),
  mutant("signatures-are-compared-as-far-as-they-go", "AUT-04 status").rewrite(
    takenFor((token, accepted) => share(0, 1)(token, accepted) && accepted.startsWith(token))
  ),
  mutant("tokens-need-no-signature", "AUT-04 status").rewrite(
    takenFor((token, accepted) => token === partsOf(accepted).slice(0, 2).join("."))
  ),
  mutant("personal-tokens-are-compared-at-their-ends", "AUT-04 status").rewrite(
    takenFor(
      (token, accepted) =>
        isPersonal(token) && token.slice(0, 16) === accepted.slice(0, 16) && token.slice(-8) === accepted.slice(-8)
    )
  ),
  mutant("what-is-no-token-is-a-bad-request", "AUT-04 status").rewrite(
    refusals((request) => /^[a-z]+$/.test(tokenOf(request) ?? ""), refused(400, "BAD_REQUEST"))
  ),
  mutant("empty-bearer-is-a-bad-request", "AUT-04 status").rewrite(
    refusals((request) => authorizationOf(request) === "Bearer", refused(400, "BAD_REQUEST"))
  ),
  mutant("unknown-algorithm-is-a-failure", "AUT-04 status").rewrite(
    refusals((request) => algorithmOf(tokenOf(request) ?? "") === "none", refused(500, "INTERNAL"))
  ),
  mutant("tokens-do-not-expire", "AUT-05 status").rules(
    Seams.rules(TokenLifetime, ({ isRevoked }) => ({
      isExpired: () => false,
      isLive: (validity) => !isRevoked(validity)
    }))
  ),
  mutant("clocks-may-differ-by-ten-minutes", "AUT-05 status").rules(
    Seams.rules(TokenLifetime, ({ isExpired, isLive }) => ({
      isExpired: (validity, now) => isExpired(validity, now - 600_000),
      isLive: (validity, now) => isLive(validity, now - 600_000)
    }))
  ),
  mutant("dead-personal-tokens-are-forbidden", ["AUT-05 status", "AUT-12 status"]).rewrite(
    refusals((request) => isPersonal(tokenOf(request)), refused(403, "FORBIDDEN"))
  ),
  mutant("nobody-is-asked-to-log-in", "AUT-06 missing at body").rewrite(
    refusals(isUnsigned, saying("message", "Please log in."))
  ),
  mutant("bad-tokens-are-told-why", "AUT-06 missing at body").rewrite(
    refusals((request) => jwtOf(tokenOf(request) ?? "") !== undefined, saying("message", "bad signature"))
  ),
  mutant("unauthorized-is-empty", "AUT-06 missing at body").rewrite(
    refusals(isUnsigned, (answer) => Rewrite.withText(answer, ""))
  ),
  mutant("unauthorized-stands-in-the-envelope", "AUT-07 unexpected at body.error.code").rewrite(
    refusals(isUnsigned, (answer) => saying("error.message", message)(refused(401, "UNAUTHORIZED")(answer)))
  ),
  mutant("bad-tokens-have-a-code", "AUT-07 unexpected at body.code").rewrite(
    refusals((request) => !isUnsigned(request), saying("code", "INVALID_TOKEN"))
  )
]
