import { Effect } from "effect"
import { lookUp, notShown } from "../../calls/Lookup.ts"
import { idOf, itemsOf } from "../../calls/Reading.ts"
import { bodyOf, create, groupOf, madeId, makeCredential } from "../../calls/Resources.ts"
import { breachOf, isLate, lagOfWorkers, late, unlessBlind } from "../../calls/Settling.ts"
import { externalIdOf, shownIn, shows, showsNothing } from "../../calls/ShownWorkers.ts"
import * as Expect from "../../judgement/Expect.ts"
import { control, judge, judgePair, observe, walkPart } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { at, isObject, type Json } from "../../text/Json.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { createdId, withField } from "./WorkerBodies.ts"

/** Every worker in a lookup has exactly the requested external id. */
const exactly = (exchange: Exchange, asked: string, stranger: string): Expect.Met =>
  itemsOf(exchange.answer?.json).flatMap((item, index) => {
    const externalId = externalIdOf(item)
    const isOther = externalId === undefined ? idOf(item) === stranger : externalId !== asked
    return isOther
      ? Expect.difference(
          exchange,
          "unexpected",
          `body.data.${index}`,
          `only workers with the external id ${asked}`,
          externalId
        )
      : []
  })

/** A lookup of a similar external id succeeds without showing the worker of another. */
const nearMiss = (exchange: Exchange, asked: string, stranger: string): Expect.Met => [
  ...Expect.status(exchange, 200),
  ...(isIn(exchange, 2) ? Expect.type(exchange, "data", "list") : []),
  ...exactly(exchange, asked, stranger)
]

/** Ids that a deployment must not take for another: with blanks, wildcards and characters that look alike. */
const oddNeighbours = (name: string): ReadonlyArray<string> => [
  ` ${name}`,
  `${name} `,
  name.replaceAll("-", "."),
  `${name.slice(0, 16)}zzzz`,
  `${name.slice(0, -1)}_`,
  `${name.slice(0, -1)}*`,
  `${name.slice(0, -1)}${String.fromCodePoint((name.codePointAt(name.length - 1) ?? 48) + 0xfee0)}`
]

const shapeOf = (worker: Json | undefined): Json => ({
  fields:
    at(worker, "source") === undefined && isObject(at(worker, "attributes")) ? "under attributes" : "on the worker",
  names: isObject(worker) ? Object.keys(worker).toSorted() : []
})

const lookingUp = walk({
  name: "workers/lookup",
  judges: ["WRK-05", "WRK-06", "WRK-07", "WRK-14", "WRK-16", "ENV-17", "SIL-22"],
  impact: "create",
  needs: []
})(function* () {
  const { unique } = yield* Session
  const lag = yield* lagOfWorkers
  const { data, exchange, id, unique: name } = lag.made
  yield* judge("WRK-05", [exchange, lag.first, lag.last], isLate(lag) ? late(lag) : shows(lag.last, id), breachOf(lag))
  const exact = yield* control(Effect.succeed(lag.last))
  const found = shownIn(exact.exchange, id)
  if (found === undefined) return yield* notShown(exact.exchange)
  const again = yield* lookUp(name)
  yield* judge(
    "ENV-17",
    [exact.exchange, again],
    [...Expect.accepted(again), ...Expect.same(again, "body.data.0", found, shownIn(again, id))]
  )
  yield* judge(
    "WRK-14",
    [exchange, exact.exchange],
    [
      ...Expect.same(exchange, "body.data.source.externalId", name, externalIdOf(data)),
      ...Expect.same(exact.exchange, "body.data.0.source.externalId", name, externalIdOf(found))
    ]
  )
  yield* observe("SIL-22", { create: shapeOf(data), lookup: shapeOf(found) }, [exchange, exact.exchange])

  const parts = [name.slice(0, -1), name.slice(1), name.slice(2, -1), `${name}x`, `x${name}`]
  const near = yield* Effect.forEach(parts, (part) => lookUp(part))
  const patterns = [`${name.slice(0, -2)}%`, ...oddNeighbours(name)]
  const odd = yield* Effect.forEach(patterns, (pattern) => lookUp(pattern))
  yield* judgePair("WRK-06", { control: exact, probe: [...near, ...odd] }, [
    ...exactly(exact.exchange, name, ""),
    ...parts.flatMap((part, index) => near.slice(index, index + 1).flatMap((one) => nearMiss(one, part, id))),
    ...odd.flatMap((one) => Expect.family(one, 2, 4)), // a deployment may refuse these characters
    ...patterns.flatMap((pattern, index) => odd.slice(index, index + 1).flatMap((one) => exactly(one, pattern, id)))
  ])
  const upper = yield* lookUp(name.toUpperCase())
  yield* judgePair("WRK-16", { control: exact, probe: upper }, nearMiss(upper, name.toUpperCase(), id))
  const nobody = yield* lookUp(yield* unique)
  yield* judgePair("WRK-07", { control: exact, probe: nobody }, showsNothing(nobody))
})

/** An external id, and another that deployments easily confuse with it. */
type Twins = readonly [one: string, other: string]

/** Ends of external ids, in pairs: blanks, escapes, zeros, markup, wildcards, other scripts. One id can have them all. */
const twinEnds: ReadonlyArray<Twins> = [
  ["a  b", "a b"],
  [`x/y?z=1&w=%25+#"'\\`, `x/y?z=1&w=%+#"'\\`],
  ["0007", "007"],
  ["<b>&lt;", "<b><"],
  ["5%_*", "5%__"],
  ["\u03a9\u{1f469}\u200d\u{1f467}", "\u03a9\u{1f469}\u{1f467}"]
]

/** An external id with all these ends, and those in which one end is the other of its pair. */
const manyTwins = (name: string): readonly [one: string, others: ReadonlyArray<string>] => {
  const idOf = (ends: ReadonlyArray<string>): string => [name, ...ends].join("-")
  const ones = twinEnds.map(([one]) => one)
  return [idOf(ones), twinEnds.map(([, other], nth) => idOf(ones.with(nth, other)))]
}

/** The credential of a worker is found by the worker's external id. */
const judgeOwner = Effect.fnUntraced(function* ({
  externalId,
  id
}: {
  readonly externalId: string
  readonly id: string
}) {
  const { send } = yield* Session
  yield* unlessBlind
  const credential = yield* makeCredential({ worker: id })
  const list = yield* send({
    method: "GET",
    path: `/credentials?ownerExternalId=${encodeURIComponent(externalId)}`
  })
  yield* judge("CRD-06", [credential.exchange, list], shows(list, credential.id))
})

/** A worker with an external id of the walk's own; undefined if the deployment refuses such an id. */
const makeNamed = Effect.fnUntraced(function* (externalId: string) {
  const unique = yield* (yield* Session).unique
  const body = withField("source.externalId", externalId)(yield* bodyOf("worker", unique))
  const exchange = yield* create("worker", unique, body)
  const id = createdId(exchange)
  return id === undefined ? undefined : { externalId, exchange, id }
})

/** The lookup of an id that no worker has does not find one with a similar id. A deployment may refuse the lookup. */
const judgeStranger = Effect.fnUntraced(function* (first: Exchange, externalId: string) {
  const found = yield* lookUp(externalId)
  const good = yield* control(Effect.succeed(first))
  const differences = [...Expect.family(found, 2, 4), ...exactly(found, externalId, createdId(first) ?? "")]
  yield* judgePair("WRK-06", { control: good, probe: found }, differences)
})

/**
 * A deployment stores and finds an accepted id exactly as sent, and does not confuse it with a similar one. `strangers`
 * are similar ids that no worker gets. Returns whether the deployment accepted an id.
 */
const judgeTwins = Effect.fnUntraced(function* (
  externalIds: ReadonlyArray<string>,
  strangers: ReadonlyArray<string>,
  isOwner: boolean
) {
  const made = (yield* Effect.forEach(externalIds, makeNamed)).filter((one) => one !== undefined)
  // a create may answer with somebody else's worker
  const own = made.filter(({ exchange }) => madeId(exchange) !== undefined)
  if (isOwner) yield* Effect.forEach(own.slice(0, 1), judgeOwner)
  for (const { exchange, externalId, id } of made) {
    const found = yield* lookUp(externalId)
    const shown = externalIdOf(Expect.valueAt(exchange, "data"))
    yield* judge("WRK-14", [exchange], Expect.same(exchange, "body.data.source.externalId", externalId, shown))
    yield* judge("WRK-05", [exchange, found], shows(found, id))
    const good = yield* control(Effect.succeed(found))
    yield* judgePair("WRK-06", { control: good, probe: found }, exactly(found, externalId, ""))
  }
  const [first] = made
  if (first !== undefined) yield* Effect.forEach(strangers, (stranger) => judgeStranger(first.exchange, stranger))
  return first !== undefined
})

const twins = walk({
  name: "workers/odd-external-ids",
  judges: [],
  alsoJudges: ["CRD-06", "WRK-05", "WRK-06", "WRK-14"],
  impact: "create",
  needs: []
})(function* () {
  const name = yield* (yield* Session).unique
  const owns = (yield* groupOf("credential"))?.create !== undefined
  const part = (...twins: Parameters<typeof judgeTwins>) => walkPart(["WRK-05"], Effect.asVoid(judgeTwins(...twins)))
  const [one, other] = [`${name}-Caf\u00e9`, `${name}-Cafe\u0301`]
  yield* lookUp(one) // a deployment that keeps the result does not find the worker that is created next
  // both Unicode forms must be stored as sent
  yield* part([one, other], [], false)
  yield* part([` ${name}-p`], [`${name}-p `], owns)
  yield* part([`${name}-${"long".repeat(70)}`], [`${name}-${"long".repeat(70)}.`], false)
  const [many, others] = manyTwins(name)
  const steps = Effect.gen(function* () {
    if (yield* judgeTwins([many], others, owns)) return
    for (const [one, other] of twinEnds) yield* part([`${name}-${one}`], [`${name}-${other}`], false)
  })
  yield* walkPart(["WRK-05"], steps)
})

/** The lookup of workers by their external ids. */
export const workerLookupWalks: ReadonlyArray<Walk> = [lookingUp, twins]
