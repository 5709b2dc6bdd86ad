import { Effect } from "effect"
import { showsNothing } from "../../calls/ShownWorkers.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, judge, observe } from "../../judgement/Judge.ts"
import { type Call, Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"

const own = "x-request-id"
const echo = "x-client-request-id"

/** Well-formed ids of callers: UUIDs of versions 4 and 7, one in capitals, and a ULID. */
const uuids = [
  ...["3f2b8c1e-7d4a-4e6b-9c0d-1a2b3c4d5e6f", "01973a5c-8e21-7b4d-a6f0-5c9d2e7b1a34"],
  "3F2B8C1E-7D4A-4E6B-9C0D-1A2B3C4D5E6F"
]
const ulid = "01JY7Q2M4R8S6T0V9W3X5Z1A2B"

/** Nearly well-formed: too short, too long, and with a letter outside the alphabet. Every call sends others. */
const malformed = [
  ...[uuids[0]?.slice(0, -1) ?? "", `${ulid}0`, `${ulid.slice(0, -1)}U`],
  ...[`g${uuids[0]?.slice(1)}`, ulid.slice(0, -1), "3f2b8c1e7-d4a-4e6b-9c0d-1a2b3c4d5e6f"]
]

const nobody: Call = { method: "GET", path: "/workers?externalId=nobody" }

const sentWith = Effect.fnUntraced(function* (call: Call, id: string) {
  const { send } = yield* Session
  const exchange = yield* send({ ...call, headers: { "X-Request-Id": id } })
  return { id, exchange }
})

type Sent = Effect.Success<ReturnType<typeof sentWith>>

/** UUIDs (RFC 9562, section 4) and ULIDs are equal in either case. */
const echoed = ({ exchange, id }: Sent): Expect.Met =>
  Expect.header(exchange, echo, (value) => value.toLowerCase() === id.toLowerCase(), id)

/** The request id is not the caller's. */
const notAdopted = ({ exchange, id }: Sent): Expect.Met => [
  ...Expect.answered(exchange),
  ...(Expect.headerOf(exchange, own) === id
    ? Expect.difference(exchange, "wrong-value", `header ${own}`, "an id of the server's own", id)
    : []),
  ...["meta.requestId", "error.requestId"].flatMap((path) =>
    Expect.valueAt(exchange, path) === id
      ? Expect.difference(exchange, "wrong-value", `body.${path}`, "an id of the server's own", id)
      : []
  )
]

/** The answer has its own request id, in the header or in the body. */
const showsAnId = (exchange: Exchange): boolean =>
  [Expect.headerOf(exchange, own), Expect.valueAt(exchange, "meta.requestId")].some((id) => typeof id === "string")

const exchangesOf = (sent: ReadonlyArray<Sent>): ReadonlyArray<Exchange> => sent.map(({ exchange }) => exchange)

/** Error responses to reads: of an unknown resource by a UUID, and with an invalid page size by a ULID. */
const refused = Effect.gen(function* () {
  const missing = yield* sentWith({ method: "GET", path: "/credentials/cred_0000000000000000" }, uuids[0] ?? "")
  if (!isIn(missing.exchange, 4)) {
    return yield* block("prerequisite failed: a read of an unknown resource was not refused", missing.exchange)
  }
  const size = yield* sentWith({ method: "GET", path: "/workers?pageSize=abc" }, ulid)
  return isIn(size.exchange, 4) ? [missing, size] : [missing]
})

const callersIds = walk({
  name: "request-ids/callers",
  judges: ["RID-03", "RID-04", "RID-05", "RID-06", "RID-08", "SIL-14"],
  impact: "read",
  needs: []
})(function* () {
  const { send } = yield* Session
  const without = yield* control(send(nobody))
  const header = Expect.headerOf(without.exchange, own)
  const seen = {
    header: header !== undefined,
    "equals meta.requestId": header === Expect.valueAt(without.exchange, "meta.requestId")
  }
  yield* observe("SIL-14", seen, [without.exchange])

  const well = yield* Effect.forEach(uuids, (id) => sentWith(nobody, id))
  yield* judge("RID-04", exchangesOf(well), well.flatMap(echoed))
  const short = yield* sentWith(nobody, ulid)
  yield* judge("RID-05", [short.exchange], echoed(short))
  const bad = yield* Effect.forEach(malformed, (id) => sentWith(nobody, id))
  yield* judge("RID-06", exchangesOf(bad), [
    ...bad.flatMap(({ exchange }) => [...showsNothing(exchange), ...Expect.noHeader(exchange, echo)])
  ])
  if (!showsAnId(without.exchange)) {
    return yield* block("prerequisite failed: an answer has no request id of its own", without.exchange)
  }
  const errors = yield* refused
  yield* judge("RID-08", exchangesOf(errors), errors.flatMap(echoed))
  const all = [...well, short, ...bad, ...errors]
  yield* judge("RID-03", exchangesOf(all), all.flatMap(notAdopted))
})

/** RID: request ids from callers. */
export const requestIdWalks: ReadonlyArray<Walk> = [callersIds]
