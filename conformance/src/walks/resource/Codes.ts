import { Effect } from "effect"
import { attempt, readCall } from "../../calls/GuardedCalls.ts"
import { idOf, itemsOf } from "../../calls/Reading.ts"
import { comparablePart, stateOf } from "../../calls/ResourceState.ts"
import { bodyOf, create, idsOf, makeFrom, makeParts, type Resource, remove, textsWith } from "../../calls/Resources.ts"
import * as Expect from "../../judgement/Expect.ts"
import { control, judge } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { parse } from "../../text/Json.ts"
import type { Exchange } from "../../wire/Exchange.ts"

const type = "complianceCheck"

/** The id is the code that was sent, in any field of the body. */
const isTheCode = (made: Exchange, unique: string): Expect.Met =>
  Expect.oneOf(
    made,
    "data.id",
    textsWith(parse(made.request.body), unique).map(([, text]) => String(text))
  )

/** Creates another resource with the same code and different values elsewhere. */
const makeAgain = Effect.fnUntraced(function* (unique: string) {
  const other = yield* (yield* Session).unique
  const given = { ...idsOf(yield* makeParts(type)), name: `Conformance ${other}`, email: `${other}@example.org` }
  return yield* create(type, unique, yield* bodyOf(type, unique, given))
})

/** The list of compliance checks, as the admin reads it. */
const listed = Effect.flatMap(readCall(type), (call) => attempt(call, "admin"))

/** A list has at most one check of a code. */
const showsOne = (list: Exchange, { id }: Resource): Expect.Met => {
  const same = itemsOf(list.answer?.json).filter((item) => idOf(item) === id).length
  return same > 1 ? Expect.difference(list, "unexpected", "body.data", "one check of the code", same) : []
}

const isDuplicate = (exchange: Exchange): Expect.Met => Expect.error(exchange, 409, "DUPLICATE_ID")

const codes = walk({
  name: "deletion/codes",
  judges: ["DEL-04", "DEL-05"],
  impact: "irreversible",
  needs: ["compliance-check body"]
})(function* () {
  const check = yield* makeFrom(type, yield* makeParts(type))
  yield* judge("DEL-04", [check.exchange], isTheCode(check.exchange, check.unique))
  const before = yield* stateOf(type, check)
  const lists = [yield* listed]
  const again = yield* makeAgain(check.unique)
  lists.push(yield* listed)
  const after = yield* stateOf(type, check, { as: "admin" })
  // without a read, a change cannot be seen
  const isSame =
    idOf(before.data) === undefined ? [] : Expect.same(after.exchange, "body.data", before.steady, after.steady)
  const twice = lists.flatMap((list) => showsOne(list, check))
  yield* judge(
    "DEL-05",
    [check.exchange, again, ...lists, after.exchange],
    [...isDuplicate(again), ...isSame, ...twice]
  )
})

const codesOfDeleted = walk({
  name: "deletion/codes-of-deleted",
  judges: ["DEL-06"],
  impact: "irreversible",
  needs: ["compliance-check body", "another group's delete path"]
})(function* () {
  const check = yield* makeFrom(type, yield* makeParts(type))
  const gone = yield* control(remove(type, check.id))
  const before = yield* stateOf(type, check)
  const again = yield* makeAgain(check.unique)
  const after = yield* stateOf(type, check)
  yield* judge(
    "DEL-06",
    [gone.exchange, again, after.exchange],
    [
      ...isDuplicate(again),
      ...Expect.same(after.exchange, "status and body", comparablePart(before.exchange), comparablePart(after.exchange))
    ]
  )
})

/** The codes of compliance checks, which are their ids. */
export const codeWalks: ReadonlyArray<Walk> = [codes, codesOfDeleted]
