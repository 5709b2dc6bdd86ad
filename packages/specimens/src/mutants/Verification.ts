import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import type { Json } from "@wcs/conformance/wire/Json"
import { Effect } from "effect"
import * as Answering from "../Answering.ts"
import type { Kill, Mutant } from "../Mutant.ts"
import { changed as changedDeliveries, saying } from "../seams/DeliverySeams.ts"
import { open, openToWhoever, refusedAndDone } from "../seams/PrivilegeSeams.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { asked, asking, verified, verifying, withField } from "../seams/VerifySeams.ts"

const statusOf = (rule: Kill["rule"]): Kill => ({ rule, kind: "status", at: "status" })

/** Changes a field of every verify answer. */
const answering = (
  name: string,
  change: (value: Json | undefined) => Json | undefined,
  isMeant: (request: Request) => boolean = () => true
) => Rewrite.answers(verified, (answer, request) => (isMeant(request) ? withField(answer, name, change) : answer))

const isForced = (request: Request): boolean => asked(request, "forceRefresh") === true

const fieldMutants: ReadonlyArray<Mutant> = [
  {
    name: "verify-does-not-say-the-eligibility",
    rewrite: answering("eligibility", () => undefined),
    kills: [{ rule: "VER-01", kind: "missing", at: "body.data.eligibility" }]
  },
  {
    name: "verify-has-no-status-detail",
    rewrite: answering("statusDetail", () => null),
    kills: [{ rule: "VER-01", kind: "wrong-type", at: "body.data.statusDetail" }]
  },
  {
    name: "forced-verify-has-no-request-id",
    rewrite: answering("requestId", () => undefined, isForced),
    kills: [{ rule: "VER-01", kind: "missing", at: "body.data.requestId" }]
  },
  {
    name: "verify-answers-are-enveloped-now-and-then",
    rewrite: Rewrite.answers(verified, (answer, request) =>
      isForced(request) ? Rewrite.mapJson((body) => Rewrite.put(body, "data", undefined))(answer) : answer
    ),
    kills: [{ rule: "VER-01", kind: "missing", at: "body.data.eligibility" }],
    alsoKills: ["VER-03", "VER-04"]
  },
  {
    name: "expiry-date-is-a-date-time",
    rewrite: answering("expiryDate", (date) => (typeof date === "string" ? `${date}T00:00:00Z` : (date ?? null))),
    kills: [{ rule: "VER-02", kind: "wrong-value", at: "body.data.expiryDate" }]
  },
  {
    name: "expiry-date-begins-with-the-day-where-it-is-fresh",
    rewrite: answering(
      "expiryDate",
      (date) => (typeof date === "string" ? date.split("-").toReversed().join("-") : (date ?? null)),
      isForced
    ),
    kills: [{ rule: "VER-02", kind: "wrong-value", at: "body.data.expiryDate" }]
  },
  {
    name: "expiry-date-is-no-day-of-the-calendar",
    rewrite: answering("expiryDate", () => "2030-02-30"),
    kills: [{ rule: "VER-02", kind: "wrong-value", at: "body.data.expiryDate" }]
  },
  {
    name: "error-message-is-an-object",
    rewrite: answering("errorMessage", () => ({ text: "" })),
    kills: [{ rule: "VER-03", kind: "wrong-type", at: "body.data.errorMessage" }]
  },
  {
    name: "no-error-is-left-out",
    rewrite: answering("errorMessage", () => undefined),
    kills: [{ rule: "VER-03", kind: "missing", at: "body.data.errorMessage" }]
  }
]

const upperCase = (value: Json | undefined): Json => String(value).toUpperCase()

const correlationMutants: ReadonlyArray<Mutant> = [
  {
    name: "forced-verify-answers-a-correlation-id-of-its-own",
    rewrite: answering("correlationId", () => "cor_00000001", isForced),
    kills: [{ rule: "VER-04", kind: "wrong-value", at: "body.data.correlationId" }]
  },
  {
    name: "correlation-id-comes-back-in-upper-case",
    rewrite: answering("correlationId", upperCase),
    kills: [{ rule: "VER-04", kind: "wrong-value", at: "body.data.correlationId" }]
  },
  {
    name: "correlation-id-is-refused-beside-force-refresh",
    rewrite: Rewrite.answers(verified, (answer, request) =>
      asked(request, "correlationId") !== undefined && asked(request, "forceRefresh") === false
        ? Answering.refusal(answer, 400, "INVALID_ARGUMENT", "It cannot be given.")
        : answer
    ),
    kills: [statusOf("VER-04"), statusOf("VER-07")]
  },
  {
    name: "generated-correlation-id-is-always-the-same",
    rewrite: answering(
      "correlationId",
      () => "cor_00000001",
      (request) => asked(request, "correlationId") === undefined
    ),
    kills: [{ rule: "VER-05", kind: "repeated", at: "body.data.correlationId" }]
  },
  {
    name: "no-correlation-id-is-generated",
    rewrite: answering(
      "correlationId",
      () => null,
      (request) => asked(request, "correlationId") === undefined
    ),
    kills: [{ rule: "VER-05", kind: "wrong-type", at: "body.data.correlationId" }],
    alsoKills: ["VER-01"]
  }
]

/** Replaces the literal inside the deployment. */
const inPlace = "the-literal"

const isLiteral = (request: Request): boolean => asked(request, "correlationId") === "string"

const refused = (answer: Answer): Answer =>
  Answering.refusal(answer, 400, "INVALID_ARGUMENT", "correlationId must not be the literal.")

const literalMutants: ReadonlyArray<Mutant> = [
  {
    name: "literal-string-is-a-correlation-id",
    rewrite: Rewrite.requests(verifying, (request) =>
      isLiteral(request) ? asking(request, "correlationId", inPlace) : request
    ),
    kills: [statusOf("VER-06")]
  },
  {
    name: "literal-string-is-taken-where-a-refresh-is-forced",
    rewrite: Rewrite.requests(verifying, (request) =>
      isLiteral(request) && isForced(request) ? asking(request, "correlationId", undefined) : request
    ),
    kills: [statusOf("VER-06")]
  },
  {
    name: "verification-begins-with-the-literal-that-is-refused",
    rewrite: Rewrite.instead(verifying, (request, serve) =>
      isLiteral(request) ? Effect.map(serve(asking(request, "correlationId", inPlace)), refused) : serve(request)
    ),
    deliveries: changedDeliveries((delivered) =>
      delivered.body.includes(inPlace) ? saying(delivered, inPlace, "string") : delivered
    ),
    kills: [{ rule: "VER-06", kind: "unexpected", at: "delivery" }]
  }
]

const refreshMutants: ReadonlyArray<Mutant> = [
  {
    name: "force-refresh-has-to-be-said",
    rewrite: Rewrite.answers(verified, (answer, request) =>
      asked(request, "forceRefresh") === undefined
        ? Answering.refusal(answer, 400, "INVALID_ARGUMENT", "forceRefresh is required.")
        : answer
    ),
    kills: [statusOf("VER-07")],
    alsoKills: ["VER-04"]
  },
  {
    name: "refresh-cannot-be-forced",
    rewrite: Rewrite.answers(verified, (answer, request) =>
      isForced(request) ? Answering.refusal(answer, 400, "BAD_REQUEST", "There is no register.") : answer
    ),
    kills: [statusOf("VER-07")],
    alsoKills: ["VER-04"]
  },
  {
    name: "force-refresh-is-whatever-is-no-falsehood",
    rewrite: Rewrite.requests(verifying, (request) =>
      typeof asked(request, "forceRefresh") === "string" ? asking(request, "forceRefresh", true) : request
    ),
    seenBy: ["VER-07"],
    kills: [statusOf("ENV-06")]
  },
  {
    name: "verify-of-an-unknown-credential-is-malformed",
    rewrite: Rewrite.answers({ ...verifying, status: 404 }, (answer) =>
      Answering.refusal(answer, 400, "INVALID_ARGUMENT", "There is no such credential.")
    ),
    kills: [statusOf("OWN-20")]
  }
]

/** A call without effect that READ on credentials allows. */
const reading = (request: Request): Request => ({
  ...request,
  method: "GET",
  url: new URL("/openapi/v1/credentials?ownerExternalId=nobody", request.url).href,
  body: ""
})

const privilegeMutants: ReadonlyArray<Mutant> = [
  {
    name: "everybody-may-verify",
    rewrite: open(verifying),
    kills: [statusOf("PRV-16"), statusOf("PRV-17")]
  },
  {
    name: "whoever-reads-credentials-may-verify",
    rewrite: openToWhoever(verifying, reading),
    kills: [statusOf("PRV-17")]
  },
  {
    name: "refused-verify-is-carried-out",
    rewrite: refusedAndDone(verifying),
    kills: [
      { rule: "PRV-16", kind: "changed", at: "body.data.attributes.lastCorrelationId" },
      { rule: "PRV-17", kind: "changed", at: "body.data.attributes.lastCorrelationId" }
    ]
  }
]

/** Defects of verification. */
export const verificationMutants: ReadonlyArray<Mutant> = [
  ...fieldMutants,
  ...correlationMutants,
  ...literalMutants,
  ...refreshMutants,
  ...privilegeMutants
]
