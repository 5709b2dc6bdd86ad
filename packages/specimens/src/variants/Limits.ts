import type { Answer } from "@wcs/conformance/wire/Exchange"
import { Clock, Effect } from "effect"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { type Variant, variant } from "../Variant.ts"

const withLimits = (answer: Answer, limit: number, remaining: number, reset: string): Answer =>
  Object.entries({
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": reset
  }).reduce<Answer>((told, [name, value]) => Rewrite.withHeader(told, name, value), answer)

/** A number of calls per bearer and window; more are refused. */
const limitedTo =
  (limit: number, windowMillis: number) =>
  (serve: Serve): Serve => {
    const used = new Map<string, number>()
    return Effect.fnUntraced(function* (request) {
      const now = yield* Clock.currentTimeMillis
      const window = Math.floor(now / windowMillis)
      const bearer = Rewrite.headerOf(request, "authorization") ?? ""
      const key = `${window} ${bearer}`
      const count = (used.get(key) ?? 0) + 1
      used.set(key, count)
      const seconds = ((window + 1) * windowMillis - now) / 1000
      const answer = yield* serve(
        count > limit ? { ...request, method: "GET", url: refusedUrl(request.url), body: "" } : request
      )
      if (count <= limit || answer.status === 401) {
        // the smaller limit of the deployment itself is shown
        const own = Number(answer.headers["x-ratelimit-limit"])
        return own < limit ? answer : withLimits(answer, limit, Math.max(0, limit - count), seconds.toFixed(3))
      }
      const requestId = answer.headers["x-request-id"] ?? ""
      const error = { code: "TOO_MANY_REQUESTS", message: "Slow down.", requestId }
      const refused = { ...Rewrite.withJson(answer, { error }), status: 429 }
      return withLimits(
        Rewrite.withHeader(refused, "retry-after", String(Math.ceil(seconds))),
        limit,
        0,
        seconds.toFixed(3)
      )
    })
  }

/** A refused call must have no effect but identify its caller, so it becomes a read without a match. */
const refusedUrl = (url: string): string => `${new URL(url).origin}/openapi/v1/workers?externalId=`

/** Rate limits and their headers. */
export const limitVariants: ReadonlyArray<Variant> = [
  variant("limits-of-a-moment", ["RTL-02", "RTL-03", "RTL-05", "SIL-11"]).rewrite(limitedTo(100, 250))
]
