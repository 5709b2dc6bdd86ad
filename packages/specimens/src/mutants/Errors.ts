import type { Json } from "@wcs/conformance/text/Json"
import type { Answer } from "@wcs/conformance/wire/Exchange"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import { ErrorCodes } from "@wcs/domain/service/Refusals"
import { Effect } from "effect"
import * as Answering from "../Answering.ts"
import { type Mutant, mutant } from "../Mutant.ts"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import * as Seams from "../seams/Seams.ts"

const makeWorker = { method: "POST", path: /^\/workers$/ }
const forbidden = { status: 403 }
const wrongType = { ...makeWorker, status: 415 }

/** Replaces the value at a place of an error body. */
const saying = (place: string, value: Json | undefined) => Rewrite.field(place, value)

/** A well-formed answer to an internal failure. */
const brokenDown = (answer: Answer): Answer => Answering.refusal(answer, 500, "INTERNAL", "Internal error.")

/** Lookups find nothing after a query contained an injection. */
const injectable = (serve: Serve): Serve => {
  let isEmpty = false
  return Rewrite.all(
    Rewrite.requests({ ...makeWorker, body: /' OR '1'='1/ }, (request) => {
      isEmpty = true
      return request
    }),
    Rewrite.answers({ method: "GET", path: /^\/workers\?externalId=/, status: 200 }, (answer) =>
      isEmpty ? saying("data", [])(answer) : answer
    )
  )(serve)
}

const reset = Effect.fail(new NoAnswer({ silence: "reset", detail: "the process ended" }))

/** Fails on unknown paths, with the answer from `tell`. */
const failing = (tell: (answer: Answer) => Answer) =>
  Rewrite.answers({ method: "GET", path: /^\/conf-[^/?]+$/ }, (answer) => tell(brokenDown(answer)))

/** Internal details in failures. */
const disclosures: ReadonlyArray<readonly [name: string, place: string, text: string]> = [
  [
    "failures-show-their-stack",
    "error.message",
    "Cannot read properties of undefined (reading 'id')\n    at findWorker (/opt/wcs/dist/workers.js:41:17)"
  ],
  ["failures-show-their-trace-beside-the-message", "error.trace", "Traceback (most recent call last): KeyError"],
  ["failures-show-their-query", "error.message", "Failed: SELECT id, fields FROM workers WHERE tenant_id = $1"],
  ["failures-show-the-state-of-the-database", "error.message", "The write failed with SQLSTATE 40001."],
  ["failures-show-a-file", "error.message", "Cannot open /var/lib/wcs/master.key"],
  ["failures-show-a-host", "error.message", "connect ECONNREFUSED 10.0.3.17:5432"],
  ["failures-show-a-name-inside", "error.message", "No answer from postgres.default.svc in 5 seconds."]
]

const disclosureMutants = disclosures.map(
  ([name, place, text]): Mutant =>
    mutant(name, "ENV-18 disclosed at body", { seenBy: ["ENV-12"] }).rewrite(failing(saying(place, text)))
)

/** Defects of errors, and ways to cause failures. */
export const errorMutants: ReadonlyArray<Mutant> = [
  // Errors with an incomplete envelope.
  mutant("errors-have-no-message", "ENV-02 missing at body.error.message", { seenBy: ["AUT-09"] }).answers(
    forbidden,
    saying("error.message", undefined)
  ),
  mutant("errors-have-a-message-in-each-language", "ENV-02 wrong-type at body.error.message", {
    seenBy: ["AUT-09"]
  }).answers(forbidden, saying("error.message", { en: "Forbidden.", de: "Verboten." })),
  mutant("errors-have-no-code", "ENV-02 missing at body.error.code", { seenBy: ["AUT-09"] }).answers(
    forbidden,
    saying("error.code", undefined)
  ),
  mutant("errors-have-a-number-for-a-code", "ENV-02 wrong-type at body.error.code", { seenBy: ["AUT-09"] }).answers(
    forbidden,
    saying("error.code", 403)
  ),
  mutant("errors-are-texts", "ENV-02 wrong-type at body.error", { seenBy: ["AUT-09"] }).answers(
    forbidden,
    saying("error", "Forbidden")
  ),
  mutant("unknown-ids-are-told-as-a-problem", [
    "ENV-02 missing at body.error",
    "ENV-09 missing at body.error.code"
  ]).answers({ method: "GET", path: /^\/credentials\/cred_[^/]+$/, status: 404 }, (answer) =>
    Rewrite.withHeader(
      Rewrite.withJson(answer, { type: "about:blank", title: "Not Found", status: 404 }),
      "content-type",
      "application/problem+json"
    )
  ),
  mutant("errors-outside-the-table-are-texts", "ENV-02 wrong-type at body.error", { seenBy: ["TRN-08"] }).answers(
    wrongType,
    saying("error", "Unsupported Media Type")
  ),
  mutant("errors-have-codes-of-their-own", "ENV-03 wrong-value at body.error.code", { seenBy: ["AUT-09"] }).answers(
    forbidden,
    saying("error.code", "ACCESS_DENIED")
  ),
  mutant("errors-have-codes-in-small-letters", "ENV-03 wrong-value at body.error.code", { seenBy: ["AUT-09"] }).answers(
    forbidden,
    saying("error.code", "forbidden")
  ),
  mutant("errors-have-the-code-of-another-status", "ENV-03 wrong-value at status", { seenBy: ["AUT-09"] }).answers(
    forbidden,
    saying("error.code", "UNPROCESSABLE")
  ),
  mutant("errors-outside-the-table-have-a-code-from-it", "ENV-03 wrong-value at status", {
    seenBy: ["TRN-08"]
  }).answers(wrongType, saying("error.code", "INVALID_ARGUMENT")),
  mutant("link-conflict-stands-at-400", "ENV-03 wrong-value at status", { alsoKills: ["OWN-04"] }).rules(
    Seams.rules(ErrorCodes, ({ statusOf }) => ({
      statusOf: (code) => (code === "ALREADY_LINKED" ? 400 : statusOf(code))
    }))
  ),
  // Damage from hostile calls.
  mutant("null-for-a-body-breaks-it-down", "ENV-12 status").answers({ ...makeWorker, body: /^null$/ }, brokenDown),
  mutant("null-characters-break-it-down", "ENV-12 status").answers({ ...makeWorker, body: /\\u0000/ }, brokenDown),
  mutant("paths-that-are-no-text-break-it-down", "ENV-12 status").answers(
    { method: "GET", path: /^\/credentials\/%ff/ },
    brokenDown
  ),
  mutant("names-that-are-said-twice-break-it-down", "ENV-12 status").answers(
    { method: "GET", path: /externalId=[^&]*&externalId=/ },
    brokenDown
  ),
  mutant("odd-ranges-are-503", "ENV-12 status").instead({ method: "GET" }, (request, serve) =>
    Effect.map(serve(request), (answer) =>
      Rewrite.headerOf(request, "range") === undefined
        ? answer
        : Answering.refusal(answer, 503, "UNAVAILABLE", "The service is busy.")
    )
  ),
  mutant("odd-media-types-break-it-down", "ENV-12 status").answers(wrongType, brokenDown),
  mutant("deep-bodies-end-the-process", "ENV-12 no-answer at status").instead(
    { ...makeWorker, body: /\[{100}/ },
    () => reset
  ),
  mutant("texts-reach-the-database-as-queries", "ENV-12 missing at body.data").rewrite(injectable),
  mutant("null-for-a-body-breaks-it-down-without-an-envelope", ["ENV-12 status", "ENV-15 missing at body.error"], {
    alsoKills: ["ENV-02"]
  }).answers({ ...makeWorker, body: /^null$/ }, (answer) => ({
    ...Rewrite.withJson(answer, { message: "Internal server error" }),
    status: 500
  })),
  mutant("failures-are-pages", "ENV-15 not-json at body", { seenBy: ["ENV-12"] }).rewrite(
    failing((answer) =>
      Rewrite.withHeader(
        Rewrite.withText(answer, "<html><body><h1>Internal Server Error</h1></body></html>"),
        "content-type",
        "text/html"
      )
    )
  ),
  mutant("failures-have-no-message", "ENV-15 missing at body.error.message", { seenBy: ["ENV-12"] }).rewrite(
    failing(saying("error.message", undefined))
  ),
  mutant("failures-have-a-code-of-their-own", "ENV-15 wrong-value at body.error.code", { seenBy: ["ENV-12"] }).rewrite(
    failing(saying("error.code", "SERVER_ERROR"))
  ),
  ...disclosureMutants
]
