import { Effect } from "effect"
import { block, refused } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { fill, type Values } from "../../profile/Template.ts"
import type { WebStep } from "../../profile/WebLogin.ts"
import { isObject, type Json } from "../../text/Json.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { unescaped } from "../../wire/Markup.ts"

/** The maximum number of redirects that are followed after one request. */
const maxRedirects = 5

/** Set-Cookie headers are joined by commas, and dates contain commas too: a cookie starts with its name. */
const betweenCookies = /,\s*(?=[^\s;,=]+=)/

const isOver = (attributes: string, now: number): boolean => {
  const [, maxAge] = /;\s*max-age=(-?\d+)/i.exec(attributes) ?? []
  const [, expires = ""] = /;\s*expires=([^;]+)/i.exec(attributes) ?? []
  return maxAge === undefined ? Date.parse(expires) <= now : Number(maxAge) <= 0
}

/** The target of a redirect; undefined if the answer is none. */
export const redirectOf = ({ answer, request }: Exchange): string | undefined => {
  const location = answer?.headers["location"]
  if (answer === null || answer.status < 300 || answer.status > 399 || location === undefined) return undefined
  return URL.canParse(location, request.url) ? new URL(location, request.url).href : undefined
}

/** A request of a visitor. */
export interface Visit extends Pick<WebStep, "form" | "json" | "headers"> {
  readonly method: WebStep["method"]
  readonly path: string
  /** The URL of the page with the form; by default a page of the same host. */
  readonly from?: string
}

/** A browser without script: returns cookies to the hosts that set them, and sends the origin of forms. */
export const make = () => {
  const jars = new Map<string, Map<string, string>>()

  const keep = ({ answer, request, startedAt }: Exchange) => {
    const { host } = new URL(request.url)
    const jar = jars.get(host) ?? new Map<string, string>()
    jars.set(host, jar)
    for (const cookie of (answer?.headers["set-cookie"] ?? "").split(betweenCookies)) {
      const [, name = "", value = "", attributes = ""] = /^\s*([^\s;=]+)=([^;]*)(.*)$/s.exec(cookie) ?? []
      if (value === "" || isOver(attributes, startedAt)) jar.delete(name)
      else jar.set(name, value)
    }
  }

  const headersOf = ({ from, json, method }: Visit, url: URL): Readonly<Record<string, string>> => {
    const cookies = [...(jars.get(url.host) ?? [])].map((pair) => pair.join("=")).join("; ")
    const sender = new URL(from ?? url.href).origin
    return {
      ...(json === undefined ? { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" } : {}),
      ...(cookies === "" ? {} : { Cookie: cookies }),
      ...(method === "GET" ? {} : { Origin: sender }),
      "Sec-Fetch-Site": method === "GET" ? "none" : sender === url.origin ? "same-origin" : "cross-site"
    }
  }

  /** Sends a request without following redirects. */
  const open = Effect.fnUntraced(function* (visit: Visit) {
    const { profile, send } = yield* Session
    const { form, headers = {}, json, method, path } = visit
    if (!URL.canParse(path, profile.newer.tenantBaseUrl)) return yield* block(`${path} is not a URL`)
    const url = new URL(path, profile.newer.tenantBaseUrl)
    const body = { ...(form === undefined ? {} : { form }), ...(json === undefined ? {} : { json }) }
    const sent = { ...headersOf(visit, url), ...headers }
    const exchange = yield* send({ surface: "web", as: null, method, path: url.href, ...body, headers: sent })
    keep(exchange)
    return exchange
  })

  /** Sends a request and follows redirects like a browser, up to one that `isLast` accepts. Returns every exchange. */
  const follow = Effect.fnUntraced(function* (visit: Visit, isLast: (address: string) => boolean = () => false) {
    const exchanges = [yield* open(visit)]
    for (let redirects = 0; redirects < maxRedirects; redirects += 1) {
      const [next] = exchanges.slice(-1).map(redirectOf)
      if (next === undefined || isLast(next)) break
      exchanges.push(yield* open({ method: "GET", path: next }))
    }
    return exchanges
  })

  return { open, follow }
}

export type Visitor = ReturnType<typeof make>

const revealedIn = (value: Json, reveal: (text: string) => string): Json => {
  if (typeof value === "string") return reveal(value)
  if (Array.isArray(value)) return value.map((item) => revealedIn(item, reveal))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, revealedIn(inner, reveal)]))
}

const textsIn = (value: Json): Readonly<Record<string, string>> =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, String(inner)])) : {}

/** The values that a step takes from its answers, by name. The last answer with the value counts. */
const takenFrom = (
  { take = {} }: WebStep,
  exchanges: ReadonlyArray<Exchange>
): ReadonlyArray<readonly [string, string | undefined]> =>
  Object.entries(take).map(([name, pattern]) => {
    const found = exchanges.map(({ answer }) => new RegExp(pattern).exec(answer?.text ?? "")?.[1])
    const value = found.findLast((one) => one !== undefined)
    return [name, value === undefined ? undefined : unescaped(value)]
  })

const isRefused = (exchange: Exchange): boolean => !isIn(exchange, 2) && !isIn(exchange, 3)

/**
 * Runs the steps of a login with `values` in their templates. Returns the exchanges of the last step, with any answer.
 * Blocks the walk if an earlier step is refused or a value is missing.
 */
export const makeSteps = Effect.fnUntraced(function* (
  { follow }: Visitor,
  steps: ReadonlyArray<WebStep>,
  values: Values
) {
  const { reveal } = yield* Session
  let known = values
  let last: ReadonlyArray<Exchange> = []
  for (const step of steps) {
    const refusal = last.find(isRefused)
    if (refusal !== undefined) return yield* refused(refusal)
    const { form, headers, json, method, path } = step
    last = yield* follow({
      method,
      path: String(fill(path, known)),
      ...(form === undefined ? {} : { form: textsIn(revealedIn(fill(form, known), reveal)) }),
      ...(json === undefined ? {} : { json: revealedIn(fill(json, known), reveal) }),
      ...(headers === undefined ? {} : { headers })
    })
    const taken = takenFrom(step, last)
    const [missing] = taken.find(([, value]) => value === undefined) ?? []
    if (missing !== undefined) {
      return yield* block(`prerequisite failed: no answer of the login matches take.${missing}`, ...last)
    }
    known = { ...known, ...Object.fromEntries(taken) }
  }
  return last
})
