import type { Json } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import * as Answering from "../Answering.ts"
import { type Mutant, mutant } from "../Mutant.ts"
import { changed as changedDeliveries, saying } from "../seams/DeliverySeams.ts"
import { open, openToCallersWho, refusedAndDone } from "../seams/PrivilegeSeams.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { asked, asking, verified, verifying, withField } from "../seams/VerifySeams.ts"

/** Changes a field of every verify answer. */
const answering = (
  name: string,
  change: (value: Json | undefined) => Json | undefined,
  isMeant: (request: Request) => boolean = () => true
) => Rewrite.answers(verified, (answer, request) => (isMeant(request) ? withField(answer, name, change) : answer))

const isForced = (request: Request): boolean => asked(request, "forceRefresh") === true

const upperCase = (value: Json | undefined): Json => String(value).toUpperCase()

/** Replaces the literal inside the deployment. */
const inPlace = "the-literal"

const isLiteral = (request: Request): boolean => asked(request, "correlationId") === "string"

const refused = (answer: Answer): Answer =>
  Answering.refusal(answer, 400, "INVALID_ARGUMENT", "correlationId must not be the literal.")

/** A call without effect that READ on credentials allows. */
const reading = (request: Request): Request => ({
  ...request,
  method: "GET",
  url: new URL("/openapi/v1/credentials?ownerExternalId=nobody", request.url).href,
  body: ""
})

/** Defects of verification. */
export const verificationMutants: ReadonlyArray<Mutant> = [
  mutant("verify-does-not-say-the-eligibility", "VER-01 missing at body.data.eligibility").rewrite(
    answering("eligibility", () => undefined)
  ),
  mutant("verify-has-no-status-detail", "VER-01 wrong-type at body.data.statusDetail").rewrite(
    answering("statusDetail", () => null)
  ),
  mutant("forced-verify-has-no-request-id", "VER-01 missing at body.data.requestId").rewrite(
    answering("requestId", () => undefined, isForced)
  ),
  mutant("verify-answers-are-enveloped-now-and-then", "VER-01 missing at body.data.eligibility", {
    alsoKills: ["VER-03", "VER-04"]
  }).answers(verified, (answer, request) => (isForced(request) ? Rewrite.field("data", undefined)(answer) : answer)),
  mutant("expiry-date-is-a-date-time", "VER-02 wrong-value at body.data.expiryDate").rewrite(
    answering("expiryDate", (date) => (typeof date === "string" ? `${date}T00:00:00Z` : (date ?? null)))
  ),
  mutant("expiry-date-begins-with-the-day-where-it-is-fresh", "VER-02 wrong-value at body.data.expiryDate").rewrite(
    answering(
      "expiryDate",
      (date) => (typeof date === "string" ? date.split("-").toReversed().join("-") : (date ?? null)),
      isForced
    )
  ),
  mutant("expiry-date-is-no-day-of-the-calendar", "VER-02 wrong-value at body.data.expiryDate").rewrite(
    answering("expiryDate", () => "2030-02-30")
  ),
  mutant("error-message-is-an-object", "VER-03 wrong-type at body.data.errorMessage").rewrite(
    answering("errorMessage", () => ({ text: "" }))
  ),
  mutant("no-error-is-left-out", "VER-03 missing at body.data.errorMessage").rewrite(
    answering("errorMessage", () => undefined)
  ),
  mutant("forced-verify-answers-a-correlation-id-of-its-own", "VER-04 wrong-value at body.data.correlationId").rewrite(
    answering("correlationId", () => "cor_00000001", isForced)
  ),
  mutant("correlation-id-comes-back-in-upper-case", "VER-04 wrong-value at body.data.correlationId").rewrite(
    answering("correlationId", upperCase)
  ),
  mutant("correlation-id-is-refused-beside-force-refresh", ["VER-04 status", "VER-07 status"]).answers(
    verified,
    (answer, request) =>
      asked(request, "correlationId") !== undefined && asked(request, "forceRefresh") === false
        ? Answering.refusal(answer, 400, "INVALID_ARGUMENT", "It cannot be given.")
        : answer
  ),
  mutant("generated-correlation-id-is-always-the-same", "VER-05 repeated at body.data.correlationId").rewrite(
    answering(
      "correlationId",
      () => "cor_00000001",
      (request) => asked(request, "correlationId") === undefined
    )
  ),
  mutant("no-correlation-id-is-generated", "VER-05 wrong-type at body.data.correlationId", {
    alsoKills: ["VER-01"]
  }).rewrite(
    answering(
      "correlationId",
      () => null,
      (request) => asked(request, "correlationId") === undefined
    )
  ),
  mutant("literal-string-is-a-correlation-id", "VER-06 status", { seenBy: ["EVT-05"] }).requests(
    verifying,
    (request) => (isLiteral(request) ? asking(request, "correlationId", inPlace) : request)
  ),
  mutant("literal-string-is-taken-where-a-refresh-is-forced", "VER-06 status").requests(verifying, (request) =>
    isLiteral(request) && isForced(request) ? asking(request, "correlationId", undefined) : request
  ),
  mutant("verification-begins-with-the-literal-that-is-refused", "VER-06 unexpected at delivery").by({
    rewrite: Rewrite.instead(verifying, (request, serve) =>
      isLiteral(request) ? Effect.map(serve(asking(request, "correlationId", inPlace)), refused) : serve(request)
    ),
    deliveries: changedDeliveries((delivered) =>
      delivered.body.includes(inPlace) ? saying(delivered, inPlace, "string") : delivered
    )
  }),
  mutant("force-refresh-has-to-be-said", "VER-07 status", { alsoKills: ["VER-04"] }).answers(
    verified,
    (answer, request) =>
      asked(request, "forceRefresh") === undefined
        ? Answering.refusal(answer, 400, "INVALID_ARGUMENT", "forceRefresh is required.")
        : answer
  ),
  mutant("refresh-cannot-be-forced", "VER-07 status", { alsoKills: ["VER-04"] }).answers(verified, (answer, request) =>
    isForced(request) ? Answering.refusal(answer, 400, "BAD_REQUEST", "There is no register.") : answer
  ),
  mutant("force-refresh-is-any-truthy-value", "ENV-06 status", { seenBy: ["VER-07"] }).requests(verifying, (request) =>
    typeof asked(request, "forceRefresh") === "string" ? asking(request, "forceRefresh", true) : request
  ),
  mutant("verify-of-an-unknown-credential-is-malformed", "OWN-20 status").answers(
    { ...verifying, status: 404 },
    (answer) => Answering.refusal(answer, 400, "INVALID_ARGUMENT", "There is no such credential.")
  ),
  mutant("everybody-may-verify", ["PRV-16 status", "PRV-17 status"]).rewrite(open(verifying)),
  mutant("credential-read-also-verifies", "PRV-17 status").rewrite(openToCallersWho(verifying, reading)),
  mutant("refused-verify-is-carried-out", [
    "PRV-16 changed at body.data.attributes.lastCorrelationId",
    "PRV-17 changed at body.data.attributes.lastCorrelationId"
  ]).rewrite(refusedAndDone(verifying))
]
