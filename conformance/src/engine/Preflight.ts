import { Effect } from "effect"
import { statusOf } from "../wire/Exchange.ts"
import type { Session } from "./Session.ts"

/** The exchanges that are made before anything is judged stand under this walk's name. */
export const preflightWalk = "preflight"

/**
 * Whether there is a deployment to judge: one authorized read. Undefined where there is, else one sentence. An answer
 * that is wrong in any other way is for the rules to judge.
 */
export const preflight = Effect.fnUntraced(
  function* (session: Session["Service"]) {
    const exchange = yield* session.send({ method: "GET", path: "/workers?pageSize=1" })
    const { origin } = new URL(exchange.request.url)
    if (exchange.answer === null) return `${origin} did not answer (${exchange.silence})`
    return [401, 403].includes(statusOf(exchange))
      ? `${origin} refused the admin's credentials (${statusOf(exchange)})`
      : undefined
  },
  Effect.catchTag("Blocked", ({ reason }) => Effect.succeed(reason))
)
