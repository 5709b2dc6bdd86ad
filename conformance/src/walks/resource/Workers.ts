import { Effect } from "effect"
import { idOf, itemsOf } from "../../calls/Reading.ts"
import {
  bodyOf,
  create,
  groupOf,
  lend,
  madeId,
  makeCredential,
  makeWorker,
  type Resource
} from "../../calls/Resources.ts"
import { externalIdOf, shownIn, shows, showsNothing } from "../../calls/ShownWorkers.ts"
import * as Expect from "../../engine/Expect.ts"
import { apart, block, control, judge, judgePair, observe, statusAndCode } from "../../engine/Judge.ts"
import { foundNothing, lendSeen, lookUp, makeNone } from "../../engine/Lookup.ts"
import { Session } from "../../engine/Session.ts"
import { type Walk, walk } from "../../engine/Walk.ts"
import type { Exchange } from "../../wire/Exchange.ts"
import { isIn } from "../../wire/Exchange.ts"
import { at, isObject, type Json } from "../../wire/Json.ts"
import { without, withValue } from "../../wire/JsonChange.ts"
import { observeLocation } from "./Location.ts"
import { nobodysId } from "./UnknownIds.ts"

/** Creates a worker from a modified body. */
const createChanged = Effect.fnUntraced(function* (
  change: (body: Json) => Json,
  headers: Readonly<Record<string, string>> = {}
) {
  const unique = yield* (yield* Session).unique
  return yield* create("worker", unique, change(yield* bodyOf("worker", unique)), { headers })
})

/**
 * The place of a worker's field in a body: `attributes` if the profile's template has it there, otherwise the top level
 * (SIL-22).
 */
const placeIn = (body: Json, path: string): string =>
  at(body, path) === undefined && at(body, `attributes.${path}`) !== undefined ? `attributes.${path}` : path

const withoutField =
  (path: string) =>
  (body: Json): Json =>
    without(body, placeIn(body, path))

const withField =
  (path: string, replacement: Json) =>
  (body: Json): Json =>
    withValue(body, placeIn(body, path), replacement)

const sourceless = withoutField("source")

const createdId = (exchange: Exchange): string | undefined =>
  isIn(exchange, 2) ? idOf(Expect.valueAt(exchange, "data")) : undefined

/** Each create made a separate worker: no other create returned its id. */
const ownWorkers = (...creates: ReadonlyArray<Exchange>): Expect.Met => {
  const last = creates.at(-1)
  if (last === undefined) return []
  return [
    ...creates.flatMap((exchange) => [
      ...Expect.accepted(exchange),
      ...(isIn(exchange, 2) ? Expect.type(exchange, "data.id", "non-empty string") : [])
    ]),
    ...Expect.distinct(
      last,
      "body.data.id",
      creates.map(createdId).filter((id) => id !== undefined)
    )
  ]
}

/** The create was refused, or made a worker with another id. */
const notTheOneOf = (exchange: Exchange, id: string): Expect.Met => [
  ...Expect.family(exchange, 2, 4),
  ...(createdId(exchange) === id ? Expect.difference(exchange, "repeated", "body.data.id", "another id", id) : [])
]

const creating = walk({
  name: "workers/create",
  judges: ["WRK-02", "WRK-03", "WRK-04", "SIL-29"],
  impact: "create",
  needs: []
})(function* () {
  const { unique } = yield* Session
  const { exchange: made } = yield* control(createChanged((body) => body))
  yield* judge(
    "WRK-02",
    [made],
    [
      ...Expect.status(made, 201),
      ...Expect.header(made, "location", (value) => value.trim() !== "", "where the worker is"),
      ...Expect.type(made, "data", "object"),
      ...Expect.type(made, "meta", "object")
    ]
  )
  const proposed = nobodysId(createdId(made) ?? "") ?? `wkr_${yield* unique}` // a used one may be overwritten
  const named = yield* createChanged((body) => withValue(body, "id", proposed))
  yield* judge(
    "WRK-03",
    [made, named],
    [...Expect.matches(made, "data.id", /^wkr_.+$/s, "wkr_ and more"), ...notTheOneOf(named, proposed)]
  )
  const another = yield* createChanged((body) => body)
  yield* judge("WRK-04", [made, another], ownWorkers(made, another))
  const { evidence, observed } = yield* observeLocation(made)
  yield* observe("SIL-29", observed, evidence)
})

/** Repeats the worker's body: the second create may be refused, but must not return the first worker (SIL-31). */
const saidAgain = Effect.fnUntraced(function* (first: Resource, headers: Readonly<Record<string, string>> = {}) {
  return yield* create("worker", first.unique, yield* bodyOf("worker", first.unique), { headers })
})

const repeating = walk({
  name: "workers/create-again",
  judges: ["WRK-11", "WRK-12", "WRK-13", "SIL-31"],
  impact: "create",
  needs: []
})(function* () {
  const { unique } = yield* Session
  const first = yield* makeWorker()
  const again = yield* saidAgain(first)
  yield* observe("SIL-31", statusAndCode(again, Expect.valueAt(again, "error.code")), [first.exchange, again])
  const name = yield* unique
  const body = sourceless(yield* bodyOf("worker", name))
  const bare = yield* create("worker", name, body)
  yield* judge("WRK-11", [first.exchange, bare], Expect.accepted(bare))
  const key = yield* unique
  const headers = { "Idempotency-Key": key, "X-Idempotency-Key": key }
  if (!isIn(bare, 2)) {
    // WRK-11 forbids creates without `source` here, so only a create with it can be judged
    yield* judge("WRK-12", [first.exchange, again], notTheOneOf(again, first.id))
    const keyed = yield* createChanged((json) => json, headers)
    const keyedAgain = yield* createChanged((json) => json, headers)
    return yield* judge("WRK-13", [keyed, keyedAgain], ownWorkers(keyed, keyedAgain))
  }
  const bareAgain = yield* create("worker", name, body)
  yield* judge(
    "WRK-12",
    [first.exchange, again, bare, bareAgain],
    [...notTheOneOf(again, first.id), ...ownWorkers(bare, bareAgain)]
  )
  const keyed = yield* create("worker", name, body, { headers })
  const keyedAgain = yield* create("worker", name, body, { headers })
  yield* judge("WRK-13", [bare, keyed, keyedAgain], ownWorkers(bare, keyed, keyedAgain))
})

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
  const { data, exchange, id, unique: name } = yield* lend("worker", "part")
  const first = yield* lookUp(name)
  yield* judge("WRK-05", [exchange, first], shows(first, id))
  const exact = yield* control(Effect.succeed(first))
  const found = shownIn(exact.exchange, id)
  if (found === undefined)
    return yield* block("prerequisite failed: the lookup does not find the worker", exact.exchange)
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
  return [idOf(ones), twinEnds.map(([, other], place) => idOf(ones.with(place, other)))]
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
  const part = (...twins: Parameters<typeof judgeTwins>) => apart(["WRK-05"], Effect.asVoid(judgeTwins(...twins)))
  // both Unicode forms must be stored as sent
  yield* part([`${name}-Caf\u00e9`, `${name}-Cafe\u0301`], [], owns)
  yield* part([` ${name}-p`], [`${name}-p `], owns)
  yield* part([`${name}-${"long".repeat(70)}`], [`${name}-${"long".repeat(70)}.`], false)
  const [one, others] = manyTwins(name)
  const steps = Effect.gen(function* () {
    if (yield* judgeTwins([one], others, owns)) return
    for (const [one, other] of twinEnds) yield* part([`${name}-${one}`], [`${name}-${other}`], false)
  })
  yield* apart(["WRK-05"], steps)
})

/** At most `size` workers, and at least one: an empty page would mean that there are none. */
const pageOf = (exchange: Exchange, size: number): Expect.Met => {
  const wrong = [...Expect.status(exchange, 200), ...Expect.type(exchange, "data", "list")]
  const length = itemsOf(exchange.answer?.json).length
  return wrong.length > 0 || (length >= 1 && length <= size)
    ? wrong
    : Expect.difference(exchange, "wrong-value", "body.data.length", `1 to ${size}`, length)
}

const listing = walk({
  name: "workers/list",
  judges: ["WRK-08", "WRK-09", "WRK-10", "SIL-11"],
  alsoJudges: ["WRK-14"],
  impact: "create",
  needs: []
})(function* () {
  const { send } = yield* Session
  const page = (query: string) => send({ method: "GET", path: `/workers${query}` })
  // a new one, because the first page may show only the latest
  const made = [yield* lend("worker", "owner"), yield* lend("worker", "owner"), yield* makeWorker()]
  const list = yield* page("")
  // there are at least three, so an empty list is wrong
  const length = Math.max(1, itemsOf(list.answer?.json).length)
  yield* judge(
    "WRK-08",
    [list],
    [
      ...Expect.status(list, 200),
      ...Expect.type(list, "data", "list"),
      ...Expect.type(list, "meta", "object"),
      ...Array.from({ length }, (_, index) => Expect.type(list, `data.${index}.id`, "non-empty string")).flat()
    ]
  )
  const [one, two] = [yield* page("?pageSize=1"), yield* page("?pageSize=2")]
  yield* judge("WRK-09", [list, one, two], [...pageOf(one, 1), ...pageOf(two, 2)])
  const listed = made.flatMap(({ id, unique }) =>
    [list, two].flatMap((exchange) => {
      const item = shownIn(exchange, id)
      return item === undefined ? [] : [{ exchange, unique, item }]
    })
  )
  // the first page need not reach the workers that were created
  if (listed.length > 0) {
    const evidence = listed.map(({ exchange }) => exchange)
    const differences = listed.flatMap(({ exchange, item, unique }) =>
      Expect.same(exchange, "body.data.source.externalId", unique, externalIdOf(item))
    )
    yield* judge("WRK-14", evidence, differences)
  }
  const bounded = yield* control(Effect.succeed(one))
  const odd = yield* Effect.forEach(["abc", "1.5", "1abc"], (size) => page(`?pageSize=${size}`))
  yield* judgePair(
    "WRK-10",
    { control: bounded, probe: odd },
    odd.flatMap((exchange) => Expect.status(exchange, 400))
  )
  const large = yield* page("?externalId=nobody&pageSize=1000000")
  const taken = Expect.valueAt(large, "meta.pageSize") ?? null
  const said = statusAndCode(large, Expect.valueAt(large, "error.code"))
  yield* observe("SIL-11", { "pageSize=1000000": said, "meta.pageSize": taken }, [large])
})

const requiring = walk({
  name: "workers/required-name",
  judges: ["WRK-01", "ENV-05", "ENV-06"],
  impact: "create",
  needs: []
})(function* () {
  const { unique } = yield* Session
  const own = yield* lend("worker", "part")
  const made = yield* control(Effect.succeed(own.exchange))
  const nobody = yield* unique
  const json = withoutField("identity.displayName")(yield* bodyOf("worker", nobody))
  const { after, probe: nameless } = yield* makeNone(nobody, { json })
  const faceless = yield* createChanged(withoutField("identity"))
  const refusals = [nameless, faceless].flatMap((exchange) => Expect.status(exchange, 400))
  yield* judgePair("ENV-05", { control: made, probe: [nameless, faceless] }, refusals)
  const number = yield* createChanged(withField("identity.displayName", 42))
  const text = yield* createChanged(withField("identity", "somebody"))
  yield* judgePair("ENV-06", { control: made, probe: [number, text] }, [
    ...Expect.status(number, 400),
    ...Expect.status(text, 400)
  ])
  yield* lendSeen // otherwise an empty lookup proves nothing
  yield* judgePair("WRK-01", { control: made, probe: nameless, after }, [
    ...Expect.status(nameless, 400),
    ...foundNothing(after)
  ])
})

/** WRK, and the ENV rules about worker bodies. */
export const workerWalks: ReadonlyArray<Walk> = [creating, repeating, lookingUp, twins, listing, requiring]
