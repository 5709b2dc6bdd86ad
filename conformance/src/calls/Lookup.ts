import { Effect } from "effect"
import * as Expect from "../judgement/Expect.ts"
import { block, control } from "../judgement/Judge.ts"
import { type Call, Session } from "../judgement/Session.ts"
import type { PrincipalName } from "../profile/Principals.ts"
import { type Exchange, statusOf } from "../wire/Exchange.ts"
import { carries, idOf, itemsOf } from "./Reading.ts"
import { noteMade, pathOf } from "./Resources.ts"
import { lagOfWorkers } from "./Settling.ts"
import { shownIn } from "./ShownWorkers.ts"

const lookUpPath = (externalId: string): string => `/workers?externalId=${encodeURIComponent(externalId)}`

/** Looks up a worker by the name of its create. */
export const lookUp = Effect.fnUntraced(function* (
  externalId: string,
  more: Pick<Call, "as" | "headers" | "to" | "turn"> = {}
) {
  const { send } = yield* Session
  return yield* send({ method: "GET", path: lookUpPath(externalId), turn: "any", ...more })
})

/** Expects that a lookup succeeds and finds nothing. */
export const foundNothing = (lookup: Exchange): Expect.Met => Expect.value(lookup, "data", [])

/** Looks up an existing worker as the control. Without it, an empty lookup proves nothing. */
export const seen = Effect.fnUntraced(function* (externalId: string, more: Pick<Call, "as" | "to"> = {}) {
  const found = yield* control(lookUp(externalId, more))
  if (itemsOf(found.exchange.answer?.json).length > 0) return found
  return yield* notShown(found.exchange)
})

/** Returns a worker that walks share, and a lookup that shows it. */
export const sharedWorkerShown = Effect.gen(function* () {
  const { last, made: own } = yield* lagOfWorkers
  const reading = yield* control(Effect.succeed(last))
  return shownIn(last, own.id) === undefined ? yield* notShown(last) : { own, reading }
})

/** Blocks the walk because the lookup of workers does not show a created one. */
export const notShown = (lookup: Exchange) =>
  block("prerequisite failed: a lookup does not find the created worker (WRK-05)", lookup)

/** Sends a create that must not create a worker, and looks for the worker. */
export const makeNone = Effect.fnUntraced(function* (unique: string, call: Omit<Call, "method" | "path">) {
  const session = yield* Session
  yield* session.intend("worker", unique)
  const probe = yield* session.send({ method: "POST", path: yield* pathOf("worker"), ...call })
  yield* noteMade("worker", unique, probe)
  return { probe, after: yield* lookFor(unique) }
})

/** Looks for a worker that must not exist, and marks it for deletion. */
const lookFor = Effect.fnUntraced(function* (unique: string) {
  const session = yield* Session
  const after = yield* lookUp(unique)
  // a broken lookup may return any worker: delete only those with the name
  const id = idOf(itemsOf(after.answer?.json).find((item) => carries(item, unique)))
  if (id !== undefined) yield* session.made({ type: "worker", id }, unique)
  else if (foundNothing(after).length === 0) yield* session.refused("worker", unique)
  return after
})

/** Sends an authorized read, as a principal or with a token. Walks share the admin's. */
export const readWorkers = Effect.fnUntraced(function* (as?: PrincipalName | { readonly token: string }) {
  const { send, share } = yield* Session
  const call = { method: "GET", path: "/workers?pageSize=1" } as const
  if (as === undefined)
    return yield* share(
      "read-of-workers",
      Effect.flatMap(Session, (shared) => shared.send(call))
    )
  return yield* send({ ...call, as: typeof as === "object" ? { authorization: `Bearer ${as.token}` } : as })
})

/** Expects that a read returned a list. */
export const opened = (exchange: Exchange): Expect.Met => {
  const status = Expect.status(exchange, 200)
  return status.length > 0 ? status : Expect.type(exchange, "data", "list")
}

/**
 * Sends a read with an invented token, once for all walks. Blocks the walk if it is not refused, because then other results prove nothing.
 */
export const refuseInvented = Effect.fnUntraced(function* () {
  const { share } = yield* Session
  const invented = yield* share("invented-token", readWorkers({ token: inventedToken }))
  if (statusOf(invented) === 401) return invented
  return yield* block("prerequisite failed: an invented token does not get a 401", invented)
})

/** An invented bearer token. */
export const inventedToken = "conformance-no-such-token"
