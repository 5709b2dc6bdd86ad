import { Effect } from "effect"
import { foundNothing, makeNone, notShown, sharedWorkerShown } from "../../calls/Lookup.ts"
import { itemsOf } from "../../calls/Reading.ts"
import { bodyOf, create, makeWorker, type Resource, sharedResource } from "../../calls/Resources.ts"
import { isBlind, lagOfWorkers } from "../../calls/Settling.ts"
import { externalIdOf, shownIn } from "../../calls/ShownWorkers.ts"
import * as Expect from "../../judgement/Expect.ts"
import { control, judge, judgePair, observe, statusAndCode } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { withValue } from "../../wire/JsonChange.ts"
import { observeLocation } from "./Location.ts"
import { nobodysId } from "./UnknownIds.ts"
import { createChanged, createdId, withField, withoutField } from "./WorkerBodies.ts"
import { workerLookupWalks } from "./WorkerLookups.ts"

const sourceless = withoutField("source")

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
  const { profile, send } = yield* Session
  const { sort } = profile
  const page = (query: string) => send({ method: "GET", path: `/workers${query}` })
  // a new one, because the first page may show only the latest
  const made = [yield* sharedResource("worker", "owner"), yield* sharedResource("worker", "owner"), yield* makeWorker()]
  const list = yield* page("")
  const isEmpty = isIn(list, 2) && itemsOf(list.answer?.json).length === 0
  // a list that never shows anything new breaks WRK-05
  if (isEmpty && isBlind(yield* lagOfWorkers)) return yield* notShown(list)
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
  const one = yield* page("?pageSize=1")
  const odd = yield* Effect.forEach(["abc", "1.5", "1abc", "1e1", ""], (size) => page(`?pageSize=${size}`))
  // after a refused page
  const two = yield* page("?pageSize=2")
  yield* judge("WRK-09", [list, one, two], [...pageOf(one, 1), ...pageOf(two, 2)])
  // a rule about every exchange judges its length; it may be empty, because a list may show the newest later
  if (sort?.path === "/workers") yield* page(`?${sort.parameter}=${encodeURIComponent(sort.known)}&pageSize=1`)
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
  const own = yield* sharedResource("worker", "part")
  const made = yield* control(Effect.succeed(own.exchange))
  const nobody = yield* unique
  const json = withoutField("identity.displayName")(yield* bodyOf("worker", nobody))
  const { after, probe: nameless } = yield* makeNone(nobody, { json })
  const whole = yield* createChanged((body) => body)
  const faceless = yield* createChanged(withoutField("identity"))
  const refusals = [nameless, faceless].flatMap((exchange) => Expect.status(exchange, 400))
  yield* judgePair("ENV-05", { control: made, probe: [nameless, faceless], after: whole }, [
    ...refusals,
    ...Expect.accepted(whole)
  ])
  const none = yield* createChanged(withField("identity.displayName", null))
  const number = yield* createChanged(withField("identity.displayName", 42))
  const text = yield* createChanged(withField("identity", "somebody"))
  yield* judgePair("ENV-06", { control: made, probe: [number, text] }, [
    ...Expect.status(number, 400),
    ...Expect.status(text, 400)
  ])
  yield* sharedWorkerShown // otherwise an empty lookup proves nothing
  yield* judgePair("WRK-01", { control: made, probe: [nameless, none], after }, [
    ...[nameless, none].flatMap((exchange) => Expect.status(exchange, 400)),
    ...foundNothing(after)
  ])
})

/** WRK, and the ENV rules about worker bodies. */
export const workerWalks: ReadonlyArray<Walk> = [creating, repeating, ...workerLookupWalks, listing, requiring]
