import { Clock, Effect, Ref } from "effect"
import { Blocked } from "../judgement/Blocked.ts"
import type { Call } from "../judgement/Session.ts"
import type { Limits } from "../profile/Limits.ts"
import { legacyRoot, newerRoot, tokenPath } from "../profile/Roots.ts"
import { readable } from "../text/Handle.ts"
import { type Exchange, type Kind, nextNumber, type Request, statusOf } from "../wire/Exchange.ts"
import type { Handles } from "../wire/Handles.ts"
import { isLost, isUnreached } from "../wire/Lost.ts"
import * as Pace from "../wire/Pace.ts"
import * as Throttle from "../wire/Throttle.ts"
import { Wire } from "../wire/Wire.ts"
import { requestsLack } from "./Selection.ts"

/** A call with everything but its sender. */
export interface Ready {
  readonly request: Request
  readonly kind: Kind
  readonly principal: string | null
  readonly isUnpaced: boolean
  /** Sent even after the run's requests are used up, because a run must clean up. */
  readonly isOwed: boolean
}

const contentOf = ({ form, json, raw }: Call): { readonly body: string; readonly type: string } | undefined => {
  if (raw !== undefined) return raw
  if (form !== undefined) {
    return { body: readable(new URLSearchParams(form).toString()), type: "application/x-www-form-urlencoded" }
  }
  return json === undefined ? undefined : { body: JSON.stringify(json), type: "application/json" }
}

const kindOf = (call: Call): Kind => {
  if (call.to === "plain") return "plain"
  if (call.surface !== undefined) return call.surface
  if (call.isUnknownPath === true) return "unknown path"
  return call.path.split("?")[0] === tokenPath ? "token" : "call"
}

/** The request of a call. Headers of the call replace the usual ones. */
export const requestOf = (call: Call, origin: string, authorization: string | undefined): Request => {
  const content = contentOf(call)
  const headers: Array<readonly [string, string]> = [["Accept", "application/json"]]
  if (authorization !== undefined) headers.push(["Authorization", authorization])
  if (content !== undefined && content.type !== "") headers.push(["Content-Type", content.type])
  const own = Object.entries(call.headers ?? {})
  const names = new Set(own.map(([name]) => name.toLowerCase()))
  return {
    method: call.method,
    url: readable(
      call.surface === "web" ? call.path : `${origin}${call.surface === "legacy" ? legacyRoot : newerRoot}${call.path}`
    ),
    headers: [...headers.filter(([name]) => !names.has(name.toLowerCase())), ...own],
    body: content?.body ?? ""
  }
}

/** A call as it will be sent. */
export const ready = (call: Call, origin: string, authorization: string | undefined): Ready => ({
  request: requestOf(call, origin, authorization),
  kind: kindOf(call),
  principal: typeof call.as === "string" ? call.as : call.as === undefined ? "admin" : null,
  isUnpaced: call.isUnpaced === true,
  isOwed: false
})

/** Calls that may share a limit, as far as a client can tell. */
const budgetOf = ({ kind, principal, request }: Ready): string => {
  const path = (request.url.split("?")[0] ?? "").split("/").slice(5) // behind the scheme, the host and the root
  const shape = path.map((part, index) =>
    index === 1 && path.length > 1 && !["link", "transfer"].includes(part) ? "{id}" : part
  )
  return [kind === "legacy" || kind === "web" ? kind : principal, request.method, ...shape].join(" ")
}

/** The key of calls that share one rate limit, for the detection of a limit that never ends. */
const limitOf = ({ kind, principal, request }: Ready): string => [kind, principal, request.method].join(" ")

/** The shortest wait after a 429 in seconds, longer each time: a `Retry-After` of 0 may not be true. */
const backOffSeconds = (attempt: number): number => Math.min(0.1 * 2 ** (attempt - 1), 5)

/** The maximum number of attempts for a call refused with 429: other calls that waited for the limit may be first. */
const maxAttempts = 24

/** The wait before a call is resent after a lost answer. */
const millisAfterLoss = [100, 1000]

/** The wait before a call is resent that was refused in front of the deployment with 503: a limiter may refuse many. */
const millisAfterRefusal = [250, 500, 1000, 2000, 4000]

/** Whether a call is idempotent for the run: it reads, deletes the run's own resources, or obtains a token. */
const isRepeatable = ({ isOwed, request }: Ready): boolean => isOwed || ["GET", "HEAD"].includes(request.method)

/**
 * The pauses before repetitions of a call whose answer was lost. A call that did not reach the deployment can always be
 * repeated; behind a gateway that lost the answer, only one that is idempotent.
 */
const pausesAfter = (call: Ready, exchange: Exchange): ReadonlyArray<number> => {
  if (isUnreached(exchange) && statusOf(exchange) === 503) return millisAfterRefusal
  const isUnsent = isUnreached(exchange) && ![502, 504].includes(statusOf(exchange))
  return isUnsent || isRepeatable(call) ? millisAfterLoss : []
}

/** The maximum number of characters of answers that a run keeps. All are judged and reported at the end. */
const maxKeptChars = 32 * 1024 * 1024

/**
 * Sends requests, and numbers and records their exchanges. Obeys the limits of the deployment and of the run. `record`
 * is called for every exchange, repeated ones included. Only the wire gets values instead of handles.
 */
export const make = Effect.fnUntraced(function* (
  limits: Limits,
  { answered, filled }: Pick<Handles, "answered" | "filled">,
  record: (exchange: Exchange) => Effect.Effect<void>,
  numbers: Ref.Ref<number> = Ref.makeUnsafe(0)
) {
  const wire = yield* Wire
  const pace = Pace.make(limits.secondsToWait)
  /** Limits that outlasted a whole wait and have allowed no call since: further calls do not wait for them. */
  const endless = new Set<string>()
  /** Kinds of calls that did not reach the deployment in every attempt: further ones are sent once. */
  const barred = new Set<string>()
  const throttle = Throttle.make(limits.requestsPerSecond)
  const sent = yield* Ref.make(0)
  let keptChars = 0

  const once = Effect.fnUntraced(function* (walk: string, step: number, { isOwed, kind, principal, request }: Ready) {
    const isAllowed = yield* Ref.modify(sent, (count) =>
      isOwed || count < limits.requests ? [true, count + 1] : [false, count]
    )
    if (!isAllowed) {
      const reason = `the run has used all of its ${limits.requests} requests`
      return yield* new Blocked({ reason, exchanges: [], lacks: [requestsLack] })
    }
    if (!isOwed && keptChars > maxKeptChars) {
      return yield* new Blocked({
        reason: `the run already keeps ${maxKeptChars} characters of answers`,
        exchanges: []
      })
    }
    yield* throttle.turn
    const number = yield* nextNumber(numbers)
    const startedAt = yield* Clock.currentTimeMillis
    const came = yield* wire.send(filled(request)).pipe(
      Effect.map((answer) => ({ answer, silence: null })),
      Effect.catchTag("NoAnswer", ({ silence }) => Effect.succeed({ answer: null, silence }))
    )
    keptChars += came.answer?.text.length ?? 0
    const millis = (yield* Clock.currentTimeMillis) - startedAt
    const lastSent = yield* Ref.get(numbers)
    const made: Exchange = { number, lastSent, walk, step, kind, principal, request, ...came, startedAt, millis }
    const exchange = made.answer === null ? made : { ...made, answer: answered(made, made.answer) }
    if (isUnreached(exchange) && statusOf(exchange) === 503) throttle.refused()
    else throttle.passed()
    yield* record(exchange)
    return exchange
  })

  /** Resends a repeatable call if its answer is lost. */
  const sendUntilAnswered = Effect.fnUntraced(function* (walk: string, step: number, call: Ready) {
    let exchange = yield* once(walk, step, call)
    const way = budgetOf(call)
    for (const millis of barred.has(way) ? [] : pausesAfter(call, exchange)) {
      if (!isLost(exchange)) break
      yield* Effect.sleep(millis)
      exchange = yield* once(walk, step, call)
    }
    if (isUnreached(exchange)) barred.add(way)
    else barred.delete(way)
    return exchange
  })

  /**
   * Sends one call; `step` is its position in the walk. Blocks the walk if a rate limit refuses the call for longer than
   * the run may wait.
   */
  return Effect.fnUntraced(function* (walk: string, step: number, call: Ready) {
    if (call.isUnpaced || call.kind === "plain") return yield* once(walk, step, call)
    const budget = budgetOf(call)
    yield* pace.before(budget)
    const limit = limitOf(call)
    let exchange = yield* sendUntilAnswered(walk, step, call)
    let waited = 0
    for (let attempt = 1; statusOf(exchange) === 429 && attempt < maxAttempts; attempt += 1) {
      pace.after(budget, exchange)
      const seconds = Math.max(Pace.retryAfterSeconds(exchange) ?? 0, backOffSeconds(attempt))
      if (endless.has(limit) || waited + seconds > limits.secondsToWait) break
      waited += seconds
      yield* Effect.sleep(seconds * 1000)
      exchange = yield* sendUntilAnswered(walk, step, call)
    }
    pace.after(budget, exchange)
    if (statusOf(exchange) !== 429) {
      endless.delete(limit)
      return exchange
    }
    // codes and passwords that are tried too often are refused on the pages of a web login: their walks judge that
    if (call.kind === "web") return exchange
    endless.add(limit)
    return yield* new Blocked({ reason: refusedFor(exchange, waited), exchanges: [exchange.number] })
  })
})

/** A 429 is the answer to the run's pace, not to the call: no rule may take it for another refusal. */
const refusedFor = ({ request }: Exchange, seconds: number): string => {
  const { pathname } = new URL(request.url)
  const within = seconds === 0 ? "in time" : `within ${Math.ceil(seconds)} s`
  return `the rate limit did not end ${within}: ${request.method} ${pathname} answered 429`
}

/** Sends one call of a walk. */
export type Send = Effect.Success<ReturnType<typeof make>>
