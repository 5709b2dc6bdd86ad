import { parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import * as Rewrite from "../seams/Rewrite.ts"
import { type Variant, variant } from "../Variant.ts"
import { foreignersAreForbidden } from "./Tenants.ts"

const ownership = /^\/credentials\/[^/]+\/(?:link|unlink|transfer)$/
const unlinking = { method: "POST", path: /^\/credentials\/[^/]+\/unlink$/ }

/** The same refusal with another status and one of its codes. */
const refusedAs =
  (status: number, code: string) =>
  (answer: Answer): Answer => ({
    ...Rewrite.field("error.code", code)(answer),
    status
  })

/** Changes refusals of JSON bodies: broken JSON is 400 everywhere (ENV-04). */
const ofJson =
  (change: (answer: Answer) => Answer) =>
  (answer: Answer, request: Request): Answer =>
    parse(request.body) === undefined ? answer : change(answer)

const tooLarge = (answer: Answer): Answer => ({
  status: 413,
  headers: { ...answer.headers, "content-type": "text/html" },
  text: "<html><body><h1>413 Request Entity Too Large</h1></body></html>",
  json: undefined
})

/** Other statuses and codes where the specification only requires a rejection. */
export const refusalVariants: ReadonlyArray<Variant> = [
  variant("refusals-are-bad-requests", ["OWN-06", "OWN-12", "OWN-16", "ENV-08", "TRN-08"]).rewrite(
    Rewrite.all(
      Rewrite.answers({ ...unlinking, status: [409, 422] }, refusedAs(400, "BAD_REQUEST")),
      Rewrite.answers({ method: "POST", path: ownership, status: 422 }, refusedAs(400, "BAD_REQUEST")),
      Rewrite.answers({ status: 415 }, refusedAs(400, "BAD_REQUEST")),
      Rewrite.answers({ method: "GET", path: /^\/credentials\//, status: 400 }, refusedAs(400, "INVALID_URN"))
    )
  ),
  variant("refusals-are-unprocessable", ["OWN-06", "OWN-12", "OWN-16", "BLK-09"]).rewrite(
    Rewrite.all(
      Rewrite.answers({ ...unlinking, status: 422 }, refusedAs(409, "OWNER_MISMATCH")),
      Rewrite.answers({ method: "POST", path: ownership, status: 400 }, ofJson(refusedAs(422, "UNPROCESSABLE"))),
      Rewrite.answers(
        { method: "POST", path: /^\/credentials\/(?:link|transfer)$/, status: 400 },
        ofJson(refusedAs(422, "UNPROCESSABLE"))
      )
    )
  ),
  variant("refusals-are-not-found", ["OWN-16", "BLK-09", "TRN-06"]).rewrite(
    Rewrite.all(
      Rewrite.answers({ method: "POST", path: ownership, status: [400, 422] }, ofJson(refusedAs(404, "NOT_FOUND"))),
      Rewrite.answers({ method: "POST", path: /^\/credentials\/(?:link|transfer)$/, status: 400 }, ofJson(tooLarge)),
      foreignersAreForbidden
    )
  )
]
