import { Effect } from "effect"
import { carries, idOf, itemsOf } from "../calls/Reading.ts"
import { noteMade, pathOf } from "../calls/Resources.ts"
import { type Exchange, statusOf } from "../wire/Exchange.ts"
import { whereOf } from "./CleanUp.ts"
import * as Expect from "./Expect.ts"
import { block, control } from "./Judge.ts"
import { type Call, type Made, type PrincipalName, Session } from "./Session.ts"

const lookUpPath = (externalId: string): string => `/workers?externalId=${encodeURIComponent(externalId)}`

/** The lookup of a worker by the name that it was made, or was to be made, under. */
export const lookUp = Effect.fnUntraced(function* (externalId: string, more: Pick<Call, "as" | "to"> = {}) {
  const { send } = yield* Session
  return yield* send({ method: "GET", path: lookUpPath(externalId), ...more })
})

/** Nothing was made under a name: the lookup is answered, and finds nothing. */
export const foundNothing = (lookup: Exchange): Expect.Met => Expect.value(lookup, "data", [])

/** A lookup that finds what is there: without it, one that finds nothing says nothing. */
export const seen = Effect.fnUntraced(function* (externalId: string, more: Pick<Call, "as" | "to"> = {}) {
  const found = yield* control(lookUp(externalId, more))
  if (itemsOf(found.exchange.answer?.json).length > 0) return found
  return yield* block("prerequisite failed: a lookup does not find the worker that was made", found.exchange)
})

/** Sends a worker in a way that must make none, and looks whether it did. `call` says the way. */
export const makeNone = Effect.fnUntraced(function* (unique: string, call: Omit<Call, "method" | "path">) {
  const session = yield* Session
  yield* session.intend("worker", unique)
  const probe = yield* session.send({ method: "POST", path: yield* pathOf("worker"), ...call })
  yield* noteMade("worker", unique, probe)
  return { probe, after: yield* lookFor(unique) }
})

/** Sends a worker that neither tenant must get, and looks for it on both hosts. */
export const makeNowhere = Effect.fnUntraced(function* (unique: string, call: Omit<Call, "method" | "path">) {
  const { intend, send } = yield* Session
  const places = [undefined, "second tenant"] as const
  yield* Effect.forEach(places, (to) => intend("worker", unique, to))
  const probe = yield* send({ method: "POST", path: yield* pathOf("worker"), ...call })
  return { probe, after: yield* Effect.forEach(places, (to) => lookFor(unique, to)) }
})

/** Looks for a worker that must not have been made, and sees to it that it is deleted. */
const lookFor = Effect.fnUntraced(function* (unique: string, to?: Made["to"]) {
  const session = yield* Session
  const after = yield* lookUp(unique, whereOf({ to }))
  // a lookup that does not look may show anybody: only what has the name is deleted
  const id = idOf(itemsOf(after.answer?.json).find((item) => carries(item, unique)))
  if (id !== undefined) yield* session.made({ type: "worker", id, ...(to && { to }) }, unique)
  else if (foundNothing(after).length === 0) yield* session.refused("worker", unique, to)
  return after
})

/** An authorized read, by a principal or with a token of its own. */
export const readWorkers = Effect.fnUntraced(function* (as?: PrincipalName | { readonly token: string }) {
  const { send } = yield* Session
  const caller = typeof as === "object" ? { authorization: `Bearer ${as.token}` } : (as ?? "admin")
  return yield* send({ method: "GET", path: "/workers?pageSize=1", as: caller })
})

/** The read was carried out: a list came back, whatever is in it. */
export const opened = (exchange: Exchange): Expect.Met => {
  const status = Expect.status(exchange, 200)
  return status.length > 0 ? status : Expect.type(exchange, "data", "list")
}

/** A read with a token that nobody was given: blocks the walk where it is not refused, since then nothing else shows. */
export const refuseInvented = Effect.fnUntraced(function* () {
  const invented = yield* readWorkers({ token: inventedToken })
  if (statusOf(invented) === 401) return invented
  return yield* block("prerequisite failed: a token that nobody was given is not answered 401", invented)
})

/** A bearer token that nobody was given. */
export const inventedToken = "conformance-no-such-token"
