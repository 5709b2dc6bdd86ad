import type { Answer } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import { isCall, refused, tokenOf, tokenPath } from "../../Callers.ts"
import { longUrls } from "../../LongUrls.ts"
import { type Mutant, mutant } from "../../Mutant.ts"
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

/** Defects of rate limits. */
export const rateLimitMutants: ReadonlyArray<Mutant> = [
  mutant("refusals-tell-no-rate-limit", `RTL-01 missing at header ${limit}`, { seenBy: ["RID-08"] }).answers(
    { status: [400, 403, 404, 409, 422] },
    without(limit, remaining, reset)
  ),
  mutant("deletes-tell-no-rate-limit", `RTL-01 missing at header ${limit}`, { seenBy: ["DEL-01"] }).answers(
    { status: 204 },
    without(limit, remaining, reset)
  ),
  mutant("creates-do-not-tell-when-the-window-ends", `RTL-01 missing at header ${reset}`, {
    seenBy: ["CRD-01"]
  }).answers({ status: 201 }, without(reset)),
  mutant("unknown-paths-tell-no-rate-limit", `RTL-01 missing at header ${limit}`, { seenBy: ["SIL-15"] }).answers(
    { path: /^\/conf-[^/]*$/, status: 404 },
    without(limit, remaining, reset)
  ),
  mutant("long-urls-tell-no-rate-limit", `RTL-01 missing at header ${limit}`, { seenBy: ["SIL-15"] }).rewrite(
    longUrls(without(limit, remaining, reset))
  ),
  mutant("window-ends-at-a-date", [`RTL-01 wrong-value at header ${reset}`, `RTL-03 wrong-value at header ${reset}`], {
    alsoKills: ["RTL-08"]
  }).answers(
    {},
    changing(reset, (seconds) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toUTCString())
  ),
  mutant("remaining-calls-are-told-as-debts", `RTL-01 wrong-value at header ${remaining}`, {
    seenBy: ["RID-04"]
  }).answers(
    { method: "GET", status: 200 },
    changing(remaining, (value) => `-${value}`)
  ),
  mutant("unauthenticated-are-told-no-rate-limit", `RTL-08 missing at header ${limit}`, { seenBy: ["AUT-06"] }).answers(
    { status: 401 },
    (answer, request) => (isCall(request) ? without(limit, remaining, reset)(answer) : answer)
  ),
  mutant("grants-tell-no-rate-limit", `RTL-08 missing at header ${limit}`, { seenBy: ["RID-04"] }).answers(
    { path: tokenPath, status: 200 },
    without(limit, remaining, reset)
  ),
  mutant("refused-grants-do-not-tell-what-remains", `RTL-08 missing at header ${remaining}`, {
    seenBy: ["OAU-11"]
  }).answers({ path: tokenPath, status: [400, 401] }, without(remaining)),
  mutant("remaining-calls-never-fall", `RTL-02 unchanged at header ${remaining}`).answers(
    workerLists,
    changing(remaining, (value, { headers }) => headers[limit] ?? String(value))
  ),
  mutant("used-calls-are-told-for-the-remaining", `RTL-02 unchanged at header ${remaining}`).answers(
    workerLists,
    changing(remaining, (value, { headers }) => String(Number(headers[limit]) - value))
  ),
  mutant("more-calls-remain-than-the-limit", `RTL-02 wrong-value at header ${remaining}`).answers(
    workerLists,
    changing(remaining, (value, { headers }) => String(value + Number(headers[limit])))
  ),
  mutant("window-ends-at-a-time-of-day", `RTL-03 wrong-value at header ${reset}`).answers(
    {},
    changing(reset, (seconds) => String(1_767_225_600 + seconds))
  ),
  mutant("window-ends-at-a-millisecond", `RTL-03 wrong-value at header ${reset}`).answers(
    {},
    changing(reset, (seconds) => String(1_767_225_600_000 + seconds * 1000))
  ),
  mutant("limit-is-told-and-not-kept", "RTL-04 status").rewrite(
    whereLimited({}, ({ asAdmin, request }) => asAdmin(request))
  ),
  mutant("limit-is-refused-as-unavailable", "RTL-04 status").answers(beyond, refused(503, "UNAVAILABLE")),
  mutant("limit-is-refused-without-retry-after", "RTL-04 missing at header retry-after").answers(
    beyond,
    without("retry-after")
  ),
  mutant("retry-after-is-a-date", "RTL-04 wrong-value at header retry-after").answers(beyond, (answer) =>
    Rewrite.withHeader(answer, "retry-after", "Thu, 01 Jan 2026 00:00:00 GMT")
  ),
  mutant("limit-is-refused-with-a-code-of-its-own", "RTL-04 wrong-value at body.error.code", {
    alsoKills: ["ENV-03"]
  }).answers(beyond, refused(429, "RATE_LIMITED")),
  mutant("limit-is-refused-outside-the-envelope", "RTL-04 missing at body.error.code", {
    alsoKills: ["ENV-02"]
  }).answers(beyond, (answer) => Rewrite.withJson(answer, { code: "TOO_MANY_REQUESTS", message: "Slow down." })),
  mutant("limit-never-recovers", "RTL-05 status").rewrite(neverAgain),
  mutant("create-beyond-the-limit-is-done", "RTL-06 changed at body.data.0").rewrite(
    refusedAndDone({ method: "POST", path: /^\/workers$/ }, 429)
  )
]
