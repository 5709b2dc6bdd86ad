import { Effect } from "effect"
import {
  hostileBodies,
  hostileHeaders,
  hostileIds,
  hostilePaths,
  hostileQueries,
  hostileTexts,
  inOne,
  wordsForIds,
  workerOf,
  wrongBodies,
  wrongTypes
} from "../../calls/HostileValues.ts"
import { lookUp } from "../../calls/Lookup.ts"
import { shownState } from "../../calls/ResourceState.ts"
import { noteMade, pathOf, read, sharedResource } from "../../calls/Resources.ts"
import { shows } from "../../calls/ShownWorkers.ts"
import { codesOf, isTableStatus } from "../../catalogue/ErrorCodes.ts"
import * as Expect from "../../judgement/Expect.ts"
import { type Control, control, judge, judgePair, observe, statusAndCode } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"

/**
 * Sends an invalid or unusual worker body and registers created workers for deletion. `isPlain` bodies reach every
 * controller; others may be refused earlier, without an envelope.
 */
const sendBody = Effect.fnUntraced(function* (bodyOf: (name: string) => string, type: string, isPlain: boolean) {
  const { intend, send, unique } = yield* Session
  const name = yield* unique
  yield* intend("worker", name)
  const raw = { body: bodyOf(name), type }
  const known = isPlain ? {} : { isUnknownPath: true as const }
  const exchange = yield* send({ method: "POST", path: yield* pathOf("worker"), raw, ...known })
  yield* noteMade("worker", name, exchange)
  return exchange
})

const json = "application/json"

const texts = Effect.gen(function* () {
  const asWorker = (text: string) => sendBody((name) => JSON.stringify(workerOf(text, name)), json, false)
  const whole = yield* asWorker(inOne(hostileTexts))
  const alone = [...(isIn(whole, 4) ? hostileTexts.mild : []), ...hostileTexts.harsh]
  return [whole, ...(yield* Effect.forEach(alone, ([, text]) => asWorker(text)))]
})

const asJson = ([, body]: readonly [what: string, body: string]) => sendBody(() => body, json, true)

/** Values of another type. A deployment should not take them for others. */
const types = Effect.fnUntraced(function* (good: Control) {
  const sent = yield* Effect.forEach(wrongTypes, asJson)
  const differences = sent.flatMap((exchange) => Expect.error(exchange, 400, ...codesOf(400)))
  yield* judgePair("ENV-06", { control: good, probe: sent }, differences)
  return sent
})

const bodies = Effect.gen(function* () {
  return [
    ...(yield* texts),
    ...(yield* Effect.forEach(wrongBodies, asJson)),
    ...(yield* Effect.forEach(hostileBodies, ([, body]) => sendBody(() => body, json, false)))
  ]
})

/**
 * All headers in one read, and each alone if that read is refused. Of two headers with one name, one is sent alone. So is
 * a malformed condition, which many servers refuse.
 */
const withHeaders = Effect.fnUntraced(function* <E, R>(
  read: (headers: Readonly<Record<string, string>>) => Effect.Effect<Exchange, E, R>
) {
  const harmless = hostileHeaders.filter(([, headers]) => headers["If-Match"] === undefined)
  const together = Object.assign({}, ...harmless.map(([, headers]) => headers))
  const whole = yield* read(together)
  const isLeftOut = (headers: Readonly<Record<string, string>>) =>
    Object.entries(headers).some(([name, value]) => together[name] !== value)
  const alone = hostileHeaders.filter(([, headers]) => !isIn(whole, 2) || isLeftOut(headers))
  return [whole, ...(yield* Effect.forEach(alone, ([, headers]) => read(headers)))]
})

/** Reads. Escapes, lengths and headers may be refused before the controller, in any shape. */
const reads = Effect.gen(function* () {
  const { send } = yield* Session
  const read = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    send({ method: "GET", path, headers, isUnknownPath: true })
  return [
    ...(yield* Effect.forEach(hostilePaths, ([, path]) => read(`/credentials/${path}`))),
    ...(yield* Effect.forEach(hostileQueries, ([, query]) => read(`/workers?${query}`))),
    ...(yield* withHeaders((headers) => read("/workers?externalId=nobody", headers)))
  ]
})

/** Reads of single workers by texts that are no ids, if the deployment has these reads: they are not documented. */
const oddIds = Effect.fnUntraced(function* (id: string) {
  const own = yield* read("worker", id)
  if (!isIn(own, 2)) return []
  const { send } = yield* Session
  const path = yield* pathOf("worker")
  const by = (isUnknownPath: boolean) => (end: string) =>
    send({ method: "GET", path: `${path}/${end}`, ...(isUnknownPath ? { isUnknownPath } : {}) })
  const words = yield* Effect.forEach(wordsForIds, by(false))
  const differences = words.flatMap((one) => Expect.error(one, 400, ...codesOf(400)))
  yield* judgePair("ENV-08", { control: yield* control(Effect.succeed(own)), probe: words }, differences)
  return [...words, ...(yield* Effect.forEach(hostileIds, by(true)))]
})

const mediaTypes = Effect.forEach(
  ["application/xml", "text/plain", "application/json; charset=utf-7", "no/such; type"],
  (type) => sendBody(() => "<worker/>", type, false)
)

const codeOf = (exchange: Exchange) => Expect.valueAt(exchange, "error.code")

/** The observed statuses outside the table, each with its code (SIL-21). */
const outsideTheTable = (exchanges: ReadonlyArray<Exchange>) =>
  exchanges.filter(
    (exchange) =>
      (isIn(exchange, 4) || isIn(exchange, 5)) && !isTableStatus(statusOf(exchange)) && statusOf(exchange) !== 401
  )

const hostile = walk({
  name: "envelopes/hostile",
  judges: ["ENV-12", "SIL-15", "SIL-21"],
  alsoJudges: ["ENV-06", "ENV-08"],
  impact: "create",
  needs: []
})(function* () {
  const { send, unique } = yield* Session
  const made = yield* sharedResource("worker", "part")
  const { control: before } = yield* shownState("worker", made)
  const further = [...(yield* types(before)), ...(yield* oddIds(made.id))]
  const unknown = yield* send({ method: "GET", path: `/${yield* unique}`, isUnknownPath: true })
  const below = yield* send({ method: "GET", path: `/workers/${made.id}/${yield* unique}`, isUnknownPath: true })
  const sent = [...(yield* bodies), ...(yield* reads), ...(yield* mediaTypes), ...further, unknown, below]
  const after = yield* lookUp(made.unique) // must still exist
  const broken = sent.flatMap((exchange) => Expect.family(exchange, 1, 2, 3, 4))
  yield* judge("ENV-12", [before.exchange, ...sent, after], [...broken, ...shows(after, made.id)])

  const path = `/credentials/cred_${yield* unique}/transfer`
  const wrongMethod = yield* send({ method: "GET", path, isUnknownPath: true })
  const [first, second] = [statusAndCode(unknown, codeOf(unknown)), statusAndCode(wrongMethod, codeOf(wrongMethod))]
  yield* observe("SIL-15", { "unknown path": first, "wrong method": second }, [unknown, wrongMethod])
  const others = outsideTheTable([...sent, wrongMethod])
  const seen = [...new Set(others.map((exchange) => statusAndCode(exchange, codeOf(exchange))))].toSorted()
  yield* observe("SIL-21", seen, others)
})

/** Inputs with which a caller must not be able to break a deployment. */
export const hostileWalks: ReadonlyArray<Walk> = [hostile]
