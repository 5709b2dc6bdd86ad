import { Clock, Effect } from "effect"
import type { Session } from "../judgement/Session.ts"
import { statusOf } from "../wire/Exchange.ts"
import { insteadOf } from "../wire/Front.ts"
import type { Suite } from "./Suite.ts"

/** The walk under which exchanges before the run are recorded. */
export const preflightWalk = "preflight"

/**
 * Sends one authorized read. Returns undefined if there is a deployment to judge, else the reason. The rules judge all
 * other errors in the response.
 */
export const preflight = Effect.fnUntraced(
  function* (session: Session["Service"]) {
    const exchange = yield* session.send({ method: "GET", path: "/workers?pageSize=1" })
    const { origin } = new URL(exchange.request.url)
    if (exchange.answer === null) return `${origin} did not answer (${exchange.silence})`
    const front = insteadOf(exchange)
    if (front !== undefined) return `${origin}: ${front.cause} (${statusOf(exchange)})`
    return [401, 403].includes(statusOf(exchange))
      ? `${origin} refused the admin's credentials (${statusOf(exchange)})`
      : undefined
  },
  Effect.catchTag("Blocked", ({ reason }) => Effect.succeed(reason))
)

/** The pause in seconds between attempts to reach a deployment that is not ready. */
const pauseSeconds = 1

/** Whether a deployment answered and refused the credentials: waiting changes nothing. */
const isRefusal = (sentence: string): boolean =>
  /refused the admin's credentials|answered (400|401|403)\b/.test(sentence)

/** Repeats the preflight until there is a deployment to judge, for at most these seconds. */
export const readyWithin = Effect.fnUntraced(function* (
  session: Session["Service"],
  seconds: number,
  attempt: Suite["preflight"] = preflight
) {
  const deadline = (yield* Clock.currentTimeMillis) + seconds * 1000
  let sentence = yield* attempt(session)
  while (sentence !== undefined && !isRefusal(sentence) && (yield* Clock.currentTimeMillis) < deadline) {
    yield* Effect.sleep(pauseSeconds * 1000)
    sentence = yield* attempt(session)
  }
  return sentence
})
