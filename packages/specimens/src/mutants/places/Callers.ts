import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import { asBearer, byAccepted, clientOfToken, isPersonal, refused, tokenOf } from "../../Callers.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
import * as Rewrite from "../../seams/Rewrite.ts"
import * as Tenants from "../../seams/TenantSeams.ts"

// Defects at a single call for a single caller, away from the calls that other mutants break.

const isAt =
  (method: string, path: RegExp) =>
  (request: Request): boolean =>
    request.method === method && path.test(Rewrite.pathOf(request))

const authorizationOf = (request: Request): string => Rewrite.headerOf(request, "authorization") ?? ""

/** A call that treats some callers like an accepted one. */
const openTo = (
  method: string,
  path: RegExp,
  isTaken: (request: Request, accepted: ReadonlyArray<string>) => boolean
) =>
  byAccepted((request, accepted, serve) => {
    const [token] = accepted
    const isOpen = isAt(method, path)(request) && !accepted.includes(tokenOf(request) ?? "")
    return serve(isOpen && token !== undefined && isTaken(request, accepted) ? asBearer(request, token) : request)
  })

const isNobodys = (request: Request): boolean => authorizationOf(request) === ""
const isOfAnyScheme = (request: Request): boolean =>
  !/^Bearer /.test(authorizationOf(request)) && /\S{20,}$/.test(authorizationOf(request))
const isEndedToken = (request: Request): boolean => isPersonal(tokenOf(request))

/** A token with the claims of an accepted one, under another signature. */
const isForged = (request: Request, accepted: ReadonlyArray<string>): boolean => {
  const client = clientOfToken(tokenOf(request))
  return client !== undefined && accepted.some((one) => clientOfToken(one) === client)
}

const anybody = (name: string, method: string, path: RegExp): Mutant =>
  mutant(name, "AUT-01 status").rewrite(openTo(method, path, isNobodys))

/** A refusal like every 401 of our deployment. */
const unauthorized = (answer: Answer): Answer =>
  Rewrite.withJson({ ...answer, status: 401 }, { message: "Unauthorized to perform this action" })

/** Refuses the calls of personal tokens. */
const notForPersonal = (
  method: string,
  path: RegExp,
  refuse: (answer: Answer) => Answer,
  isAbout = (_: Request): boolean => true
) =>
  Rewrite.answers({ method, path }, (answer, request) =>
    isPersonal(tokenOf(request)) && answer.status < 300 && isAbout(request) ? refuse(answer) : answer
  )

/** Serves a call of the other tenant's admin on this host as the admin's own. */
const openToForeigners = (method: string, path: RegExp) =>
  Tenants.byHost((request, acceptedAt, serve) => {
    const own = Tenants.asOwn(request, acceptedAt)
    const isForeign = isAt(method, path)(request) && tokenOf(request) === acceptedAt(Tenants.elsewhere(request))
    return serve(isForeign && own !== undefined ? own : request)
  })

/** Carries out a call of another tenant on this tenant's resource. */
const reachedFromElsewhere = (method: string, path: RegExp) =>
  Tenants.byHost((request, acceptedAt, serve) =>
    Effect.flatMap(serve(request), (answer) => {
      const here = Tenants.asOwn(Tenants.elsewhere(request), acceptedAt)
      return isAt(method, path)(request) && answer.status === 404 && here !== undefined
        ? serve(here)
        : Effect.succeed(answer)
    })
  )

/** Defects of one call for one caller. */
export const placeCallerMutants: ReadonlyArray<Mutant> = [
  anybody("anybody-reads-an-exemption", "GET", /^\/exemptions\/[^/?]+$/),
  anybody("anybody-creates-applicants", "POST", /^\/applicants$/),
  anybody("anybody-verifies-credentials", "POST", /^\/credentials\/[^/]+\/verify$/),
  anybody("anybody-rotates-secrets", "POST", /^\/webhooks\/[^/]+\/rotate$/),
  anybody("anybody-replaces-screening-packages", "PUT", /^\/screening-packages\//),
  mutant("any-scheme-deletes-fetch-requests", "AUT-02 status").rewrite(
    openTo("DELETE", /^\/fetch-requests\//, isOfAnyScheme)
  ),
  mutant("forged-tokens-change-webhooks", "AUT-04 status").rewrite(openTo("PATCH", /^\/webhooks\//, isForged)),
  mutant("ended-tokens-read-a-recruitment-check", ["AUT-05 status", "AUT-12 status"]).rewrite(
    openTo("GET", /^\/recruitment-checks\/[^/?]+$/, isEndedToken)
  ),
  mutant("ended-tokens-transfer-in-bulk", ["AUT-05 status", "AUT-12 status"]).rewrite(
    openTo("POST", /^\/credentials\/transfer$/, isEndedToken)
  ),
  mutant("longer-personal-tokens-are-taken", "AUT-04 status").rewrite(
    byAccepted((request, accepted, serve) => {
      const known = accepted.find((one) => isPersonal(one) && tokenOf(request)?.startsWith(one) === true)
      return serve(known === undefined ? request : asBearer(request, known))
    })
  ),
  mutant("tokens-of-every-tenant-read-exemptions", "TRN-10 status").rewrite(
    openToForeigners("GET", /^\/exemptions\/[^/?]+$/)
  ),
  mutant("tokens-of-every-tenant-replace-applicants", "TRN-10 status").rewrite(
    openToForeigners("PUT", /^\/applicants\//)
  ),
  mutant("secrets-are-rotated-in-every-tenant", "TRN-05 status").rewrite(
    reachedFromElsewhere("POST", /^\/webhooks\/[^/]+\/rotate$/)
  ),
  mutant("exemptions-are-read-in-every-tenant", "TRN-05 status").rewrite(
    reachedFromElsewhere("GET", /^\/exemptions\/[^/?]+$/)
  ),
  mutant("personal-tokens-do-not-replace-applicants", "AUT-10 status").rewrite(
    notForPersonal("PUT", /^\/applicants\//, refused(403, "FORBIDDEN"))
  ),
  mutant("personal-tokens-do-not-rotate-secrets", ["AUT-08 status", "AUT-10 status"]).rewrite(
    notForPersonal("POST", /^\/webhooks\/[^/]+\/rotate$/, unauthorized)
  ),
  mutant("prefix-in-capitals-creates-no-exemptions", "AUT-03 status").rewrite(
    notForPersonal("POST", /^\/exemptions$/, unauthorized, (request) => !authorizationOf(request).startsWith("Bearer "))
  )
]
