import { accountUrn, isEmail, normalizeEmail } from "@wcs/domain/access/Account"
import { CurrentTenant } from "@wcs/domain/access/Tenant"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { isClientId } from "@wcs/domain/token/OAuthClient"
import { Clock, Context, Effect, Metric, Option, Redacted } from "effect"
import type { HttpServerResponse } from "effect/http"
import * as LoginCookies from "../login/LoginCookies.ts"
import type { Call } from "../pipeline/Call.ts"

/**
 * The kinds of refusal: of a login or a client's secret, of a token or session, or of a call that the caller may not
 * make.
 */
type Refused = "login" | "token" | "call"

const texts: Readonly<Record<Refused, string>> = {
  login: "A login was refused.",
  token: "A token or session was refused.",
  call: "A call was refused that the caller may not make."
}

const refusals = Metric.counter("access_refusals_total", {
  description: "Refused logins, tokens, sessions and calls that the caller may not make, by what was refused",
  incremental: true
})

const counters: Readonly<Record<Refused, Metric.Counter<number>>> = {
  login: Metric.withAttributes(refusals, { refused: "login" }),
  token: Metric.withAttributes(refusals, { refused: "token" }),
  call: Metric.withAttributes(refusals, { refused: "call" })
}

const windowMillis = 60_000
/** The most warnings in a window: of a tenant, and of an address at a tenant. */
const tenantMax = 60
const addressMax = 5

/** The warnings of a tenant in the present window. */
interface Window {
  startedAt: number
  readonly warned: Set<string>
  readonly ofAddress: Map<string, number>
  /** Refusals without a warning since the last one. */
  omitted: number
}

const isLogin = ({ path, request, surface }: Call): boolean =>
  surface === "token" ||
  (surface === "outside" && request.method === "POST" && path.startsWith("/login")) ||
  /^basic /i.test(request.headers["authorization"] ?? "")

const hasToken = ({ request }: Call): boolean =>
  request.headers["authorization"] !== undefined || Redacted.value(LoginCookies.read(request, "session")) !== ""

/** Returns what a response refuses; undefined if it refuses no access, or only asks for a more recent login. */
const refusedBy = (call: Call, { headers, status }: HttpServerResponse.HttpServerResponse): Refused | undefined => {
  if (status === 403) return "call"
  if (isLogin(call)) return "login"
  const isStepUp = headers["www-authenticate"]?.includes("insufficient_user_authentication") === true
  return status === 401 && hasToken(call) && !isStepUp ? "token" : undefined
}

/** Whether a response may refuse access. */
export const isRefusal = ({ status }: HttpServerResponse.HttpServerResponse): boolean =>
  status === 401 || status === 403 || status === 429

const windowOf = (windows: Map<string, Window>, tenantId: string, now: number): Window => {
  const known = windows.get(tenantId)
  if (known === undefined) {
    const made = { startedAt: now, warned: new Set<string>(), ofAddress: new Map<string, number>(), omitted: 0 }
    windows.set(tenantId, made)
    return made
  }
  if (now < known.startedAt || now >= known.startedAt + windowMillis) {
    known.startedAt = now
    known.warned.clear()
    known.ofAddress.clear()
  }
  return known
}

/** Takes a place for a warning; false if there is none left. */
const take = ({ ofAddress, warned }: Window, address: string, key: string): boolean => {
  const count = ofAddress.get(address) ?? 0
  if (warned.has(key) || warned.size >= tenantMax || count >= addressMax) return false
  warned.add(key)
  ofAddress.set(address, count + 1)
  return true
}

/**
 * Makes the detection of attacks on access. Each refusal counts in a metric. The first of an address and account in a
 * minute leaves a warning, up to limits for each tenant and address. `omitted` is the number of the tenant's refusals
 * without a warning since its last one.
 */
export const make = Effect.gen(function* () {
  const { findAccountByEmail } = yield* AccessStore
  // Shown as 0 before the first refusal, so that the first increase is seen.
  for (const counter of Object.values(counters)) yield* Metric.update(counter, 0)
  const windows = new Map<string, Window>()

  /** Only what exists is logged. Other text may be a password that was typed into the wrong field. */
  const accountOf = (tenantId: string, { account, claimed = "" }: Call) => {
    if (account !== undefined || isClientId(claimed)) return Effect.succeed(account ?? claimed)
    return isEmail(claimed)
      ? Effect.map(findAccountByEmail(tenantId, normalizeEmail(claimed)), (found) =>
          Option.getOrUndefined(Option.map(found, ({ id }) => accountUrn(id)))
        )
      : Effect.succeed(undefined)
  }

  const warn = Effect.fnUntraced(function* (refused: Refused, call: Call) {
    const tenant = Context.getOption(call.services, CurrentTenant)
    if (Option.isNone(tenant)) return
    const { address, requestId } = call
    const tenantId = tenant.value.id
    const window = windowOf(windows, tenantId, yield* Clock.currentTimeMillis)
    if (!take(window, address, `${refused} ${address} ${call.account ?? call.claimed}`)) {
      window.omitted++
      return
    }
    const { omitted } = window
    window.omitted = 0
    const account = yield* accountOf(tenantId, call)
    yield* Effect.logWarning(texts[refused]).pipe(
      Effect.annotateLogs({ address, account, tenantId, requestId, omitted })
    )
  })

  return (call: Call, response: HttpServerResponse.HttpServerResponse): Effect.Effect<void> => {
    const refused = refusedBy(call, response)
    return refused === undefined
      ? Effect.void
      : Effect.andThen(Metric.update(counters[refused], 1), Effect.ignoreCause(warn(refused, call)))
  }
})
