import { must, observe, should } from "./Rule.ts"

/** RTL: rate limits of the newer surface. */
export const rateLimits = [
  must("RTL-01", "§8").byEveryExchange(
    "On the newer surface, every authenticated response, errors included, has `X-RateLimit-Limit`, " +
      "`X-RateLimit-Remaining` and `X-RateLimit-Reset`. Each is a non-negative number."
  ),
  should("RTL-02", "§8").byAnswers("Within a window, `Remaining` falls over similar calls. It never exceeds `Limit`."),
  should("RTL-03", "§8").byAnswers(
    "`Reset` is the number of seconds until the limit resets. A Unix time is a warning."
  ),
  must("RTL-04", "§7.1 §8").byPair(
    "A call over the limit is 429 `TOO_MANY_REQUESTS` with `Retry-After` in seconds. The error is in the " +
      "envelope, or in the token endpoint's own shape there."
  ),
  should("RTL-05", "§8").byAnswers("Calls succeed again after `Retry-After`."),
  should("RTL-06", "§8").byAnswers("A call that is refused with 429 has no effect."),
  observe("RTL-07", "§8").recorded(
    "The number of rate limit tiers, seen as different `X-RateLimit-Limit` values by endpoint or account.",
    { beside: ["RTL-01"] }
  ),
  should("RTL-08", "§8").byEveryExchange(
    "The three headers are also on a 401 without an envelope and on responses of the token endpoint."
  )
]
