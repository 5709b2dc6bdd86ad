import type { Answer } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import { isCall, refused, tokenOf, tokenPath } from "../../Callers.ts"
import { longUrls } from "../../LongUrls.ts"
import type { Mutant } from "../../Mutant.ts"
import type { Serve } from "../../Serve.ts"
import { refusedAndDone, whereRefused } from "../../seams/PrivilegeSeams.ts"
import * as Rewrite from "../../seams/Rewrite.ts"

const limit = "x-ratelimit-limit"
const remaining = "x-ratelimit-remaining"
const reset = "x-ratelimit-reset"
const workerLists = { method: "GET", path: /^\/workers\?/, status: 200 }

const without =
  (...names: ReadonlyArray<string>) =>
  (answer: Answer): Answer =>
    names.reduce((told, name) => Rewrite.withHeader(told, name, undefined), answer)

/** Replaces a header of an answer. */
const changing =
  (name: string, change: (value: number, answer: Answer) => string) =>
  (answer: Answer): Answer => {
    const { [name]: value } = answer.headers
    return value === undefined ? answer : Rewrite.withHeader(answer, name, change(Number(value), answer))
  }

const headerMutants: ReadonlyArray<Mutant> = [
  {
    name: "refusals-tell-no-rate-limit",
    rewrite: Rewrite.answers({ status: [400, 403, 404, 409, 422] }, without(limit, remaining, reset)),
    kills: [{ rule: "RTL-01", kind: "missing", at: `header ${limit}` }],
    seenBy: ["RID-08"]
  },
  {
    name: "deletes-tell-no-rate-limit",
    rewrite: Rewrite.answers({ status: 204 }, without(limit, remaining, reset)),
    kills: [{ rule: "RTL-01", kind: "missing", at: `header ${limit}` }],
    seenBy: ["DEL-01"]
  },
  {
    name: "creates-do-not-tell-when-the-window-ends",
    rewrite: Rewrite.answers({ status: 201 }, without(reset)),
    kills: [{ rule: "RTL-01", kind: "missing", at: `header ${reset}` }],
    seenBy: ["CRD-01"]
  },
  {
    name: "unknown-paths-tell-no-rate-limit",
    rewrite: Rewrite.answers({ path: /^\/conf-[^/]*$/, status: 404 }, without(limit, remaining, reset)),
    kills: [{ rule: "RTL-01", kind: "missing", at: `header ${limit}` }],
    seenBy: ["SIL-15"]
  },
  {
    name: "long-urls-tell-no-rate-limit",
    rewrite: longUrls(without(limit, remaining, reset)),
    kills: [{ rule: "RTL-01", kind: "missing", at: `header ${limit}` }],
    seenBy: ["SIL-15"]
  },
  {
    name: "window-ends-at-a-date",
    rewrite: Rewrite.answers(
      {},
      changing(reset, (seconds) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toUTCString())
    ),
    kills: [
      { rule: "RTL-01", kind: "wrong-value", at: `header ${reset}` },
      { rule: "RTL-03", kind: "wrong-value", at: `header ${reset}` }
    ],
    alsoKills: ["RTL-08"]
  },
  {
    name: "remaining-calls-are-told-as-debts",
    rewrite: Rewrite.answers(
      { method: "GET", status: 200 },
      changing(remaining, (value) => `-${value}`)
    ),
    kills: [{ rule: "RTL-01", kind: "wrong-value", at: `header ${remaining}` }],
    seenBy: ["RID-04"]
  },
  {
    name: "unauthenticated-are-told-no-rate-limit",
    rewrite: Rewrite.answers({ status: 401 }, (answer, request) =>
      isCall(request) ? without(limit, remaining, reset)(answer) : answer
    ),
    kills: [{ rule: "RTL-08", kind: "missing", at: `header ${limit}` }],
    seenBy: ["AUT-06"]
  },
  {
    name: "grants-tell-no-rate-limit",
    rewrite: Rewrite.answers({ path: tokenPath, status: 200 }, without(limit, remaining, reset)),
    kills: [{ rule: "RTL-08", kind: "missing", at: `header ${limit}` }],
    seenBy: ["RID-04"]
  },
  {
    name: "refused-grants-do-not-tell-what-remains",
    rewrite: Rewrite.answers({ path: tokenPath, status: [400, 401] }, without(remaining)),
    kills: [{ rule: "RTL-08", kind: "missing", at: `header ${remaining}` }],
    seenBy: ["OAU-11"]
  }
]

const burstMutants: ReadonlyArray<Mutant> = [
  {
    name: "remaining-calls-never-fall",
    rewrite: Rewrite.answers(
      workerLists,
      changing(remaining, (value, { headers }) => headers[limit] ?? String(value))
    ),
    kills: [{ rule: "RTL-02", kind: "unchanged", at: `header ${remaining}` }]
  },
  {
    name: "used-calls-are-told-for-the-remaining",
    rewrite: Rewrite.answers(
      workerLists,
      changing(remaining, (value, { headers }) => String(Number(headers[limit]) - value))
    ),
    kills: [{ rule: "RTL-02", kind: "unchanged", at: `header ${remaining}` }]
  },
  {
    name: "more-calls-remain-than-the-limit",
    rewrite: Rewrite.answers(
      workerLists,
      changing(remaining, (value, { headers }) => String(value + Number(headers[limit])))
    ),
    kills: [{ rule: "RTL-02", kind: "wrong-value", at: `header ${remaining}` }]
  },
  {
    name: "window-ends-at-a-time-of-day",
    rewrite: Rewrite.answers(
      {},
      changing(reset, (seconds) => String(1_767_225_600 + seconds))
    ),
    kills: [{ rule: "RTL-03", kind: "wrong-value", at: `header ${reset}` }]
  },
  {
    name: "window-ends-at-a-millisecond",
    rewrite: Rewrite.answers(
      {},
      changing(reset, (seconds) => String(1_767_225_600_000 + seconds * 1000))
    ),
    kills: [{ rule: "RTL-03", kind: "wrong-value", at: `header ${reset}` }]
  }
]

const beyond = { status: 429 }
const whereLimited = whereRefused(429)

/** A caller that was refused once is always refused. */
const neverAgain = (serve: Serve): Serve => {
  const beyondIt = new Set<string>()
  return (request) => {
    const token = tokenOf(request)
    if (token !== undefined && beyondIt.has(token)) {
      const read = { ...request, method: "GET", body: "" }
      return Effect.map(serve(read), (answer) =>
        Rewrite.withHeader(refused(429, "TOO_MANY_REQUESTS")(answer), "retry-after", "1")
      )
    }
    return Effect.tap(serve(request), ({ status }) =>
      Effect.sync(() => {
        if (status === 429 && token !== undefined) beyondIt.add(token)
      })
    )
  }
}

const exhaustedMutants: ReadonlyArray<Mutant> = [
  {
    name: "limit-is-told-and-not-kept",
    rewrite: whereLimited({}, ({ asAdmin, request }) => asAdmin(request)),
    kills: [{ rule: "RTL-04", kind: "status", at: "status" }]
  },
  {
    name: "limit-is-refused-as-unavailable",
    rewrite: Rewrite.answers(beyond, refused(503, "UNAVAILABLE")),
    kills: [{ rule: "RTL-04", kind: "status", at: "status" }]
  },
  {
    name: "limit-is-refused-without-retry-after",
    rewrite: Rewrite.answers(beyond, without("retry-after")),
    kills: [{ rule: "RTL-04", kind: "missing", at: "header retry-after" }]
  },
  {
    name: "retry-after-is-a-date",
    rewrite: Rewrite.answers(beyond, (answer) =>
      Rewrite.withHeader(answer, "retry-after", "Thu, 01 Jan 2026 00:00:00 GMT")
    ),
    kills: [{ rule: "RTL-04", kind: "wrong-value", at: "header retry-after" }]
  },
  {
    name: "limit-is-refused-with-a-code-of-its-own",
    rewrite: Rewrite.answers(beyond, refused(429, "RATE_LIMITED")),
    kills: [{ rule: "RTL-04", kind: "wrong-value", at: "body.error.code" }],
    alsoKills: ["ENV-03"]
  },
  {
    name: "limit-is-refused-outside-the-envelope",
    rewrite: Rewrite.answers(beyond, (answer) =>
      Rewrite.withJson(answer, { code: "TOO_MANY_REQUESTS", message: "Slow down." })
    ),
    kills: [{ rule: "RTL-04", kind: "missing", at: "body.error.code" }],
    alsoKills: ["ENV-02"]
  },
  {
    name: "whoever-went-beyond-the-limit-is-never-let-in-again",
    rewrite: neverAgain,
    kills: [{ rule: "RTL-05", kind: "status", at: "status" }]
  },
  {
    name: "create-beyond-the-limit-is-done",
    rewrite: refusedAndDone({ method: "POST", path: /^\/workers$/ }, 429),
    kills: [{ rule: "RTL-06", kind: "changed", at: "body.data.0" }]
  }
]

/** Defects of rate limits. */
export const rateLimitMutants: ReadonlyArray<Mutant> = [...headerMutants, ...burstMutants, ...exhaustedMutants]
