import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { refused } from "../../Callers.ts"
import { otherTenantHost } from "../../Deployment.ts"
import type { Deliver } from "../../Hub.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
import { idOf, signatureHeader, signedAs } from "../../seams/DeliverySeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"

// Defects of the answers to a single call, which the rules about every exchange find.

const echo = "x-client-request-id"
const own = "x-request-id"

const inbound = (request: Request): string => Rewrite.headerOf(request, own) ?? ""

const without = (name: string) => (answer: Answer) => Rewrite.withHeader(answer, name, undefined)

const isUuid = (request: Request): boolean => /^[0-9a-f]{8}-/.test(inbound(request))
const isUlid = (request: Request): boolean => /^01[0-9A-Z]{24}$/.test(inbound(request))

const onlyIf =
  (isAbout: (request: Request) => boolean, change: (answer: Answer, request: Request) => Answer) =>
  (answer: Answer, request: Request) =>
    isAbout(request) ? change(answer, request) : answer

/** Sends a delivery again without its signature. */
const unsignedAgain =
  () =>
  (deliver: Deliver): Deliver => {
    const sent = new Set<string>()
    return (delivered) => {
      const key = `${delivered.url} ${idOf(delivered)}`
      const isAgain = sent.has(key)
      sent.add(key)
      return deliver(isAgain ? signedAs(delivered, undefined) : delivered)
    }
  }

/** Defects of single answers: ids, headers, texts, tokens and deliveries. */
export const placeAnswerMutants: ReadonlyArray<Mutant> = [
  mutant("deletes-adopt-the-callers-id", `RID-03 wrong-value at header ${own}`, { seenBy: ["DEL-03"] }).answers(
    { method: "DELETE", path: /^\/exemptions\//, status: 204 },
    onlyIf(
      (request) => inbound(request) !== "",
      (answer, request) => Rewrite.withHeader(answer, own, inbound(request))
    )
  ),
  mutant("creates-echo-no-uuid", `RID-04 missing at header ${echo}`, { seenBy: ["ENV-11"] }).answers(
    { method: "POST", path: /^\/applicants$/, status: 201 },
    onlyIf(isUuid, without(echo))
  ),
  mutant("creates-echo-no-ulid", `RID-05 missing at header ${echo}`, {
    seenBy: ["ENV-05", "ENV-11", "ENV-12"]
  }).answers({ method: "POST", path: /^\/exemptions$/, status: 201 }, onlyIf(isUlid, without(echo))),
  mutant("creates-echo-any-id", `RID-06 unexpected at header ${echo}`, {
    seenBy: ["ENV-05", "ENV-11", "ENV-12"]
  }).answers(
    { method: "POST", path: /^\/webhooks$/, status: 201 },
    onlyIf(
      (request) => inbound(request).startsWith("conformance"),
      (answer, request) => Rewrite.withHeader(answer, echo, inbound(request))
    )
  ),
  mutant("conflicts-echo-no-id", `RID-08 missing at header ${echo}`, {
    seenBy: ["OWN-04", "BLK-05", "OWN-08"]
  }).answers({ method: "POST", path: /^\/credentials\/[^/]+\/(link|transfer)$/, status: 409 }, without(echo)),
  mutant("unauthorized-has-a-code-for-exemptions", "AUT-07 unexpected at body.error.code", {
    seenBy: ["AUT-01"]
  }).answers({ method: "PUT", path: /^\/exemptions\//, status: 401 }, (answer) =>
    Rewrite.field("error.message", "Unauthorized to perform this action")(refused(401, "UNAUTHORIZED")(answer))
  ),
  mutant("unauthorized-is-told-otherwise-for-batches", "AUT-06 missing at body", { seenBy: ["AUT-01"] }).answers(
    { method: "POST", path: /^\/credentials\/transfer$/, status: 401 },
    Rewrite.field("message", "Log in.")
  ),
  mutant("refused-rotations-name-no-account", "PRV-10 wrong-value at body.error.message", {
    seenBy: ["PRV-16"]
  }).answers({ method: "POST", path: /\/rotate$/, status: 403 }, Rewrite.field("error.message", "Not allowed.")),
  mutant("tokens-of-the-second-tenant-may-be-stored", "OAU-24 missing at header cache-control", {
    seenBy: ["TRN-06"]
  }).answers(
    { method: "POST", path: /^\/oauth\/token$/, status: 200 },
    onlyIf(({ url }) => new URL(url).hostname === otherTenantHost, without("cache-control"))
  ),
  mutant("exemptions-are-deleted-without-limits", "RTL-01 missing at header x-ratelimit-limit", {
    seenBy: ["DEL-03"]
  }).answers({ method: "DELETE", path: /^\/exemptions\//, status: 204 }, without("x-ratelimit-limit")),
  mutant("a-create-leads-to-another-worker", "WRK-02 wrong-value at header location").answers(
    { method: "POST", path: /^\/workers$/, status: 201 },
    (answer) => Rewrite.withHeader(answer, "location", "/openapi/v1/workers/wkr_0000000000000000")
  ),
  mutant("an-applicant-is-made-with-another-place", "ENV-11 wrong-value at header location").answers(
    { method: "POST", path: /^\/applicants$/, status: 201 },
    (answer) => Rewrite.withHeader(answer, "location", "/openapi/v1/applicants/app_0000000000000000")
  ),
  mutant("retries-are-not-signed", `EVT-07 missing at header ${signatureHeader}`, { seenBy: ["EVT-05"] }).deliveries(
    unsignedAgain
  )
]
