import { isEmail } from "@wcs/domain/access/Account"
import { isClientId } from "@wcs/domain/access/OAuthClient"
import { CurrentTenant } from "@wcs/domain/access/Tenant"
import { Clock, Context, Effect, Metric, Option } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { Call } from "../pipeline/Call.ts"

/** What was refused: a login or a client's secret, a token or session, or a call without the privilege. */
type Refused = "login" | "token" | "privilege"

const texts: Readonly<Record<Refused, string>> = {
  login: "A login was refused.",
  token: "A token was refused.",
  privilege: "A call was refused because the caller lacks a privilege."
}

const refusals = Metric.counter("access_refusals_total", {
  description: "Refused logins, tokens and calls without the privilege, by what was refused",
  incremental: true
})

const counters: Readonly<Record<Refused, Metric.Counter<number>>> = {
  login: Metric.withAttributes(refusals, { refused: "login" }),
  token: Metric.withAttributes(refusals, { refused: "token" }),
  privilege: Metric.withAttributes(refusals, { refused: "privilege" })
}

const windowMillis = 60_000
/** The most warnings in a window. */
const warningsMax = 60

/** The account that a caller claims; undefined if the text has no form of an account, since it may be a secret. */
export const claimed = (text: string): string | undefined => (isClientId(text) || isEmail(text) ? text : undefined)

/** Returns what a response refuses; undefined if it refuses no access, or only asks for a more recent login. */
const refusedBy = ({ request, surface }: Call, { headers, status }: HttpServerResponse.HttpServerResponse) => {
  if (status === 403) return "privilege"
  if (status !== 401 || headers["www-authenticate"]?.includes("insufficient_user_authentication")) return undefined
  const { authorization = "" } = request.headers
  if (surface === "outside" || surface === "token" || /^basic /i.test(authorization)) return "login"
  return authorization === "" ? undefined : "token"
}

/**
 * Makes the detection of attacks on access. Each refusal counts in a metric. The first of an address and account in a
 * minute leaves a warning, up to a limit for all; `omitted` is the number without one since the last warning.
 */
export const make = () => {
  const warned = new Set<string>()
  let startedAt = 0
  let omitted = 0

  const warn = Effect.fnUntraced(function* (refused: Refused, { account, address, requestId, services }: Call) {
    const now = yield* Clock.currentTimeMillis
    if (now < startedAt || now >= startedAt + windowMillis) {
      startedAt = now
      warned.clear()
    }
    const key = `${refused} ${address} ${account}`
    if (warned.has(key) || warned.size >= warningsMax) {
      omitted++
      return
    }
    warned.add(key)
    const tenantId = Option.map(Context.getOption(services, CurrentTenant), ({ id }) => id)
    const facts = { address, account, tenantId: Option.getOrUndefined(tenantId), requestId, omitted }
    omitted = 0
    yield* Effect.logWarning(texts[refused]).pipe(Effect.annotateLogs(facts))
  })

  return (call: Call, response: HttpServerResponse.HttpServerResponse): Effect.Effect<void> => {
    const refused = refusedBy(call, response)
    return refused === undefined
      ? Effect.void
      : Effect.andThen(Metric.update(counters[refused], 1), Effect.ignoreCause(warn(refused, call)))
  }
}
