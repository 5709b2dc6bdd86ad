import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import { isCall, refused, refusedGrant } from "../Callers.ts"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import * as Tenants from "../seams/TenantSeams.ts"
import { type Variant, variant } from "../Variant.ts"

/** Recognizes tokens of another tenant and refuses them with another status than 401. */
const foreignersAre = (refusal: (answer: Answer) => Answer) =>
  Rewrite.instead({}, (request, serve: Serve) =>
    Effect.gen(function* () {
      const answer = yield* serve(request)
      const isNewer = isCall(request) && new URL(request.url).pathname.startsWith("/openapi/v1/")
      const isTls = request.url.startsWith("https:")
      if (answer.status !== 401 || !isNewer || !isTls) return answer
      if (Rewrite.headerOf(request, "authorization") === undefined) return answer
      const home = Tenants.elsewhere({ ...request, method: "GET", body: "" })
      const list = `${new URL(home.url).origin}/openapi/v1/workers?pageSize=1`
      return (yield* serve({ ...home, url: list })).status === 401 ? answer : refusal(answer)
    })
  )

/** A token of another tenant is forbidden. */
export const foreignersAreForbidden = foreignersAre(refused(403, "FORBIDDEN"))

const misdirected = (answer: Answer): Answer =>
  Rewrite.withHeader(Rewrite.withText({ ...answer, status: 421 }, "Misdirected request."), "content-type", "text/plain")

/** Refuses clients of another tenant differently from unknown ones. */
const foreignClientsAre = (refusal: (answer: Answer) => Answer) =>
  Rewrite.instead({}, (request: Request, serve: Serve) =>
    Effect.gen(function* () {
      const answer = yield* serve(request)
      if (answer.status !== 401 || !Tenants.isGrant(request, "either")) return answer
      return (yield* serve(Tenants.elsewhere(request))).status === 200 ? refusal(answer) : answer
    })
  )

/** Refusals of tokens, clients and resources of another tenant. */
export const tenantVariants: ReadonlyArray<Variant> = [
  variant("foreign-tokens-and-clients-are-not-found", ["TRN-06", "TRN-10"]).rewrite(
    Rewrite.all(foreignersAre(refused(404, "NOT_FOUND")), foreignClientsAre(refusedGrant(404, "invalid_client")))
  ),
  variant("foreign-tokens-are-misdirected", ["TRN-06", "TRN-10", "SIL-21"]).rewrite(
    Rewrite.all(foreignersAre(misdirected), foreignClientsAre(refusedGrant(403, "unauthorized_client")))
  ),
  variant("deletes-of-nothing-are-no-ops", ["TRN-05"]).answers({ method: "DELETE", status: 404 }, (answer) =>
    Rewrite.withText({ ...answer, status: 204 }, "")
  )
]
