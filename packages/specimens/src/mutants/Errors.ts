import type { Answer } from "@wcs/conformance/wire/Exchange"
import type { Json } from "@wcs/conformance/wire/Json"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import { ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { Effect } from "effect"
import * as Answering from "../Answering.ts"
import type { Mutant } from "../Mutant.ts"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import * as Seams from "../seams/Seams.ts"

const makeWorker = { method: "POST", path: /^\/workers$/ }
const forbidden = { status: 403 }
const wrongType = { ...makeWorker, status: 415 }

/** Replaces the value at a place of an error body. */
const saying = (place: string, value: Json | undefined) => Rewrite.mapJson((body) => Rewrite.put(body, place, value))

/** Errors with an incomplete envelope. */
const envelopeMutants: ReadonlyArray<Mutant> = [
  {
    name: "errors-have-no-message",
    rewrite: Rewrite.answers(forbidden, saying("error.message", undefined)),
    kills: [{ rule: "ENV-02", kind: "missing", at: "body.error.message" }],
    seenBy: ["AUT-09"]
  },
  {
    name: "errors-have-a-message-in-each-language",
    rewrite: Rewrite.answers(forbidden, saying("error.message", { en: "Forbidden.", de: "Verboten." })),
    kills: [{ rule: "ENV-02", kind: "wrong-type", at: "body.error.message" }],
    seenBy: ["AUT-09"]
  },
  {
    name: "errors-have-no-code",
    rewrite: Rewrite.answers(forbidden, saying("error.code", undefined)),
    kills: [{ rule: "ENV-02", kind: "missing", at: "body.error.code" }],
    seenBy: ["AUT-09"]
  },
  {
    name: "errors-have-a-number-for-a-code",
    rewrite: Rewrite.answers(forbidden, saying("error.code", 403)),
    kills: [{ rule: "ENV-02", kind: "wrong-type", at: "body.error.code" }],
    seenBy: ["AUT-09"]
  },
  {
    name: "errors-are-texts",
    rewrite: Rewrite.answers(forbidden, saying("error", "Forbidden")),
    kills: [{ rule: "ENV-02", kind: "wrong-type", at: "body.error" }],
    seenBy: ["AUT-09"]
  },
  {
    name: "unknown-ids-are-told-as-a-problem",
    rewrite: Rewrite.answers({ method: "GET", path: /^\/credentials\/cred_[^/]+$/, status: 404 }, (answer) =>
      Rewrite.withHeader(
        Rewrite.withJson(answer, { type: "about:blank", title: "Not Found", status: 404 }),
        "content-type",
        "application/problem+json"
      )
    ),
    kills: [
      { rule: "ENV-02", kind: "missing", at: "body.error" },
      { rule: "ENV-09", kind: "missing", at: "body.error.code" }
    ]
  },
  {
    name: "errors-outside-the-table-are-texts",
    rewrite: Rewrite.answers(wrongType, saying("error", "Unsupported Media Type")),
    kills: [{ rule: "ENV-02", kind: "wrong-type", at: "body.error" }],
    seenBy: ["TRN-08"]
  }
]

const codeMutants: ReadonlyArray<Mutant> = [
  {
    name: "errors-have-codes-of-their-own",
    rewrite: Rewrite.answers(forbidden, saying("error.code", "ACCESS_DENIED")),
    kills: [{ rule: "ENV-03", kind: "wrong-value", at: "body.error.code" }],
    seenBy: ["AUT-09"]
  },
  {
    name: "errors-have-codes-in-small-letters",
    rewrite: Rewrite.answers(forbidden, saying("error.code", "forbidden")),
    kills: [{ rule: "ENV-03", kind: "wrong-value", at: "body.error.code" }],
    seenBy: ["AUT-09"]
  },
  {
    name: "errors-have-the-code-of-another-status",
    rewrite: Rewrite.answers(forbidden, saying("error.code", "UNPROCESSABLE")),
    kills: [{ rule: "ENV-03", kind: "wrong-value", at: "status" }],
    seenBy: ["AUT-09"]
  },
  {
    name: "errors-outside-the-table-have-a-code-from-it",
    rewrite: Rewrite.answers(wrongType, saying("error.code", "INVALID_ARGUMENT")),
    kills: [{ rule: "ENV-03", kind: "wrong-value", at: "status" }],
    seenBy: ["TRN-08"]
  },
  {
    name: "link-conflict-stands-at-400",
    rules: Seams.rules(ErrorCodes, ({ statusOf }) => ({
      statusOf: (code) => (code === "ALREADY_LINKED" ? 400 : statusOf(code))
    })),
    kills: [{ rule: "ENV-03", kind: "wrong-value", at: "status" }],
    alsoKills: ["OWN-04"]
  }
]

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

/** Damage from hostile calls. */
const hostileMutants: ReadonlyArray<Mutant> = [
  {
    name: "null-for-a-body-breaks-it-down",
    rewrite: Rewrite.answers({ ...makeWorker, body: /^null$/ }, brokenDown),
    kills: [{ rule: "ENV-12", kind: "status", at: "status" }]
  },
  {
    name: "null-characters-break-it-down",
    rewrite: Rewrite.answers({ ...makeWorker, body: /\\u0000/ }, brokenDown),
    kills: [{ rule: "ENV-12", kind: "status", at: "status" }]
  },
  {
    name: "paths-that-are-no-text-break-it-down",
    rewrite: Rewrite.answers({ method: "GET", path: /^\/credentials\/%ff/ }, brokenDown),
    kills: [{ rule: "ENV-12", kind: "status", at: "status" }]
  },
  {
    name: "names-that-are-said-twice-break-it-down",
    rewrite: Rewrite.answers({ method: "GET", path: /externalId=[^&]*&externalId=/ }, brokenDown),
    kills: [{ rule: "ENV-12", kind: "status", at: "status" }]
  },
  {
    name: "odd-ranges-are-503",
    rewrite: Rewrite.instead({ method: "GET" }, (request, serve) =>
      Effect.map(serve(request), (answer) =>
        Rewrite.headerOf(request, "range") === undefined
          ? answer
          : Answering.refusal(answer, 503, "UNAVAILABLE", "The service is busy.")
      )
    ),
    kills: [{ rule: "ENV-12", kind: "status", at: "status" }]
  },
  {
    name: "odd-media-types-break-it-down",
    rewrite: Rewrite.answers(wrongType, brokenDown),
    kills: [{ rule: "ENV-12", kind: "status", at: "status" }]
  },
  {
    name: "deep-bodies-end-the-process",
    rewrite: Rewrite.instead({ ...makeWorker, body: /\[{100}/ }, () => reset),
    kills: [{ rule: "ENV-12", kind: "no-answer", at: "status" }]
  },
  {
    name: "texts-reach-the-database-as-queries",
    rewrite: injectable,
    kills: [{ rule: "ENV-12", kind: "missing", at: "body.data" }]
  },
  {
    name: "null-for-a-body-breaks-it-down-without-an-envelope",
    rewrite: Rewrite.answers({ ...makeWorker, body: /^null$/ }, (answer) => ({
      ...Rewrite.withJson(answer, { message: "Internal server error" }),
      status: 500
    })),
    kills: [
      { rule: "ENV-12", kind: "status", at: "status" },
      { rule: "ENV-15", kind: "missing", at: "body.error" }
    ],
    alsoKills: ["ENV-02"]
  }
]

/** Fails on unknown paths, with the answer from `tell`. */
const failing = (tell: (answer: Answer) => Answer) =>
  Rewrite.answers({ method: "GET", path: /^\/conf-[^/?]+$/ }, (answer) => tell(brokenDown(answer)))

const failureMutants: ReadonlyArray<Mutant> = [
  {
    name: "failures-are-pages",
    rewrite: failing((answer) =>
      Rewrite.withHeader(
        Rewrite.withText(answer, "<html><body><h1>Internal Server Error</h1></body></html>"),
        "content-type",
        "text/html"
      )
    ),
    kills: [{ rule: "ENV-15", kind: "not-json", at: "body" }],
    seenBy: ["ENV-12"]
  },
  {
    name: "failures-have-no-message",
    rewrite: failing(saying("error.message", undefined)),
    kills: [{ rule: "ENV-15", kind: "missing", at: "body.error.message" }],
    seenBy: ["ENV-12"]
  },
  {
    name: "failures-have-a-code-of-their-own",
    rewrite: failing(saying("error.code", "SERVER_ERROR")),
    kills: [{ rule: "ENV-15", kind: "wrong-value", at: "body.error.code" }],
    seenBy: ["ENV-12"]
  }
]

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
  ([name, place, text]): Mutant => ({
    name,
    rewrite: failing(saying(place, text)),
    kills: [{ rule: "ENV-18", kind: "disclosed", at: "body" }],
    seenBy: ["ENV-12"]
  })
)

/** Defects of errors, and ways to cause failures. */
export const errorMutants: ReadonlyArray<Mutant> = [
  ...envelopeMutants,
  ...codeMutants,
  ...hostileMutants,
  ...failureMutants,
  ...disclosureMutants
]
