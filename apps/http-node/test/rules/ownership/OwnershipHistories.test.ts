import { assert, describe, layer, it as plainIt } from "@effect/vitest"
import { type Call, explain, type SequentialModel } from "@wcs/store-suite/ownership/Linearizability"
import { check } from "@wcs/store-suite/Property"
import { Effect } from "effect"
import fc from "fast-check"
import { at, textAt } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, post, remove } from "../NewerSurface.ts"
import {
  bodiesOf,
  bury,
  type Cast,
  holding,
  makeCast,
  type Operation,
  operate,
  type Person,
  type Slots,
  saidIn,
  slotsIn,
  slotsOf,
  step,
  verbOf
} from "./Slots.ts"

// Few people, so that operations collide.
const few: ReadonlyArray<Person> = ["w1", "w2", "wx", "a1", "a2", "ad"]
const links = few.map((one): Operation => `link ${one}`)
const unlinks = few.map((one): Operation => `unlink ${one}`)
const transfers = few.flatMap((one) => few.map((two): Operation => `transfer ${one} ${two}`))
const anyOperation = fc.constantFrom<Operation>("read", ...links, ...unlinks, ...transfers)
const anyBulkOperation = fc.constantFrom(...links, ...transfers)
const anyBeginning = fc.constantFrom<Slots>("w1 -", "- a1", "w1 a1", "w2 a1", "w1 a2")

/** The sequential model: a success returns the resulting slots, a refusal its code. */
const table: SequentialModel<Slots, Operation> = {
  step: (slots, operation) => {
    const { said, slots: state } = step(slots, operation)
    return { state, answer: said === "ok" ? `ok ${state}` : said }
  },
  keyOf: (slots) => slots,
  isIdle: (operation, answer) => operation === "read" || !answer.startsWith("ok")
}

/** Whether one order of the calls explains every response and the final slots. */
const isExplained = (history: ReadonlyArray<Call<Operation>>, begin: Slots, end: string): boolean =>
  explain(table, begin, history, (slots) => slots === end) !== undefined

/** Runs operations concurrently, and records calls with their responses. */
const atOnce = Effect.fnUntraced(function* (cast: Cast, id: string, all: ReadonlyArray<Operation>) {
  let now = 0
  const one = Effect.fnUntraced(function* (operation: Operation) {
    const invokedAt = now++
    const reply = yield* operate(cast, id, operation)
    const answer = reply.status === 200 ? `ok ${slotsIn(cast, reply)}` : saidIn(reply)
    return { operation, answer, invokedAt, answeredAt: now++ } satisfies Call<Operation>
  })
  return yield* Effect.forEach(all, one, { concurrency: "unbounded" })
})

const call = (operation: Operation, answer: string, invokedAt: number, answeredAt: number): Call<Operation> => ({
  ...{ operation, answer, invokedAt, answeredAt }
})

// Tests that the checker rejects wrong histories.
describe("the checker of histories", () => {
  const explained: ReadonlyArray<readonly [string, ReadonlyArray<Call<Operation>>, string, boolean]> = [
    ["nothing", [], "- a1", true],
    ["nothing, but other slots", [], "w1 a1", false],
    ["a link", [call("link w1", "ok w1 a1", 0, 1)], "w1 a1", true],
    ["a link that was lost", [call("link w1", "ok w1 a1", 0, 1)], "- a1", false],
    ["a link that shows other slots", [call("link w1", "ok w2 a1", 0, 1)], "w1 a1", false],
    [
      "two concurrent links, one wins",
      [call("link w1", "ok w1 a1", 0, 3), call("link w2", "ALREADY_LINKED", 1, 2)],
      "w1 a1",
      true
    ],
    [
      "two concurrent links, both win",
      [call("link w1", "ok w1 a1", 0, 3), call("link w2", "ok w2 a1", 1, 2)],
      "w2 a1",
      false
    ],
    [
      "the second link wins",
      [call("link w1", "ALREADY_LINKED", 0, 1), call("link w2", "ok w2 a1", 2, 3)],
      "w2 a1",
      false
    ],
    ["a read from the future", [call("read", "ok w1 a1", 0, 1), call("link w1", "ok w1 a1", 2, 3)], "w1 a1", false],
    ["a concurrent read", [call("read", "ok w1 a1", 0, 2), call("link w1", "ok w1 a1", 1, 3)], "w1 a1", true],
    ["a stale look", [call("link w1", "ok w1 a1", 0, 1), call("read", "ok - a1", 2, 3)], "w1 a1", false],
    ["both owners unlinked", [call("unlink a1", "ok - -", 0, 2), call("link w1", "ok w1 a1", 1, 3)], "- -", false],
    [
      "a no-op that must come between two changes",
      [call("link w1", "ok w1 a1", 0, 9), call("link w1", "ok w1 a1", 1, 8), call("unlink w1", "ok - a1", 2, 7)],
      "w1 a1",
      true
    ]
  ]
  plainIt.each(explained)("OWN-19: judges %s", (_, history, end, expected) => {
    assert.strictEqual(isExplained(history, "- a1", end), expected)
  })
})

layer(layerService(), { excludeTestServices: true })("sequences and races of owners", (it) => {
  it.effect("OWN-21: any sequence of operations answers and leaves what the table says", () =>
    check(
      fc.record({
        begin: anyBeginning,
        sequence: fc.array(anyOperation, { minLength: 1, maxLength: 30, size: "max" })
      }),
      Effect.fnUntraced(function* ({ begin, sequence }) {
        const cast = yield* makeCast
        yield* bury(cast)
        const id = yield* holding(cast, begin)
        let slots = begin
        for (const operation of sequence) {
          const answer = yield* operate(cast, id, operation)
          const expected = step(slots, operation)
          assert.strictEqual(saidIn(answer), expected.said, `[${slots}] ${operation}`)
          if (answer.status === 200) assert.strictEqual(slotsIn(cast, answer), expected.slots)
          slots = expected.slots
        }
        assert.strictEqual(yield* slotsOf(cast, id), slots)
      }),
      { numRuns: 60 }
    )
  )

  it.effect("BLK-15, OWN-21: any sequence of batches answers and leaves what the table says of each in turn", () =>
    check(
      fc.record({
        begins: fc.array(anyBeginning, { minLength: 1, maxLength: 5 }),
        batches: fc.array(fc.record({ operation: anyBulkOperation, picks: fc.array(fc.nat(4), { maxLength: 8 }) }), {
          minLength: 1,
          maxLength: 8
        })
      }),
      Effect.fnUntraced(function* ({ batches, begins }) {
        const cast = yield* makeCast
        yield* bury(cast)
        const ids = yield* Effect.forEach(begins, (begin) => holding(cast, begin))
        const slots = [...begins]
        for (const { operation, picks } of batches) {
          const chosen = picks.map((pick) => pick % ids.length)
          const body = { ...Object(bodiesOf(cast, operation).at(-1)), credentialIds: chosen.map((pick) => ids[pick]) }
          const answer = yield* post(`/credentials/${verbOf(operation)}`, body)
          const expected = chosen.map((pick) => {
            const before = slots[pick] ?? "- -"
            const { said, slots: after } = step(before, operation)
            slots[pick] = after
            const done = operation.startsWith("link") ? "linked" : "transferred"
            const status = said === "ok" ? (before === after ? "noop" : done) : "skipped"
            return [ids[pick], status, said === "ok" ? undefined : said]
          })
          assertStatus(answer, 200)
          const items = dataOf(answer).map((item) => [
            Object(item).credentialId,
            Object(item).status,
            Object(item).error?.code
          ])
          assert.deepStrictEqual(items, expected)
        }
        assert.deepStrictEqual(yield* Effect.forEach(ids, (id) => slotsOf(cast, id)), slots)
      }),
      { numRuns: 40 }
    )
  )

  it.effect(
    "OWN-17: of two concurrent links of different owners exactly one wins, the other is 409 ALREADY_LINKED",
    () =>
      Effect.gen(function* () {
        const cast = yield* makeCast
        for (let round = 0; round < 40; round++) {
          const id = yield* holding(cast, "- a1")
          const [one, two] = yield* Effect.all([operate(cast, id, "link w1"), operate(cast, id, "link w2")], {
            concurrency: "unbounded"
          })
          const [winner, loser, holder] = one.status === 200 ? [one, two, "w1"] : [two, one, "w2"]
          assertStatus(winner, 200)
          assertRefused(loser, "ALREADY_LINKED", holder === "w1" ? cast.w1 : cast.w2)
          assert.strictEqual(yield* slotsOf(cast, id), `${holder} a1`)
        }
      })
  )

  it.effect("OWN-18: of two concurrent unlinks, one of each slot, one is refused: an owner always remains", () =>
    Effect.gen(function* () {
      const cast = yield* makeCast
      for (let round = 0; round < 40; round++) {
        const id = yield* holding(cast, "w1 a1")
        const [one, two] = yield* Effect.all([operate(cast, id, "unlink w1"), operate(cast, id, "unlink a1")], {
          concurrency: "unbounded"
        })
        const [winner, loser, left] = one.status === 200 ? [one, two, "- a1"] : [two, one, "w1 -"]
        assertStatus(winner, 200)
        assertRefused(loser, "UNPROCESSABLE")
        assert.strictEqual(yield* slotsOf(cast, id), left)
      }
    })
  )

  it.effect("OWN-19, OWN-23: one order explains every response to 32 concurrent calls and the final slots", () =>
    check(
      fc.record({ begin: anyBeginning, all: fc.array(anyOperation, { minLength: 32, maxLength: 32 }) }),
      Effect.fnUntraced(function* ({ all, begin }) {
        const cast = yield* makeCast
        yield* bury(cast)
        const id = yield* holding(cast, begin)
        const history = yield* atOnce(cast, id, all)
        const end = yield* slotsOf(cast, id)
        assert.notStrictEqual(end, "- -")
        assert.match(end, /^(w\d|-) (a\d|-)$/)
        assert.isTrue(isExplained(history, begin, end), JSON.stringify({ begin, end, history }))
      }),
      { numRuns: 40 }
    )
  )

  it.effect("OWN-19, OWN-23: concurrent batches move each of a worker's credentials one way", () =>
    Effect.gen(function* () {
      const cast = yield* makeCast
      const ids = yield* Effect.forEach(Array.from({ length: 20 }), () => holding(cast, "w1 -"))
      const from = { type: "worker", id: cast.w1 }
      const targets = [cast.w2, cast.w3]
      const answers = yield* Effect.forEach(
        targets.flatMap((to) => [{ to, credentialIds: ids }, { to }, { to, credentialIds: ids.toReversed() }]),
        ({ to, ...selection }) => post("/credentials/transfer", { from, to: { type: "worker", id: to }, ...selection }),
        { concurrency: "unbounded" }
      )
      for (const answer of answers) assertStatus(answer, 200)
      const winners = answers.flatMap((answer, index) =>
        dataOf(answer)
          .filter((item) => Object(item).status === "transferred")
          .map((item) => ({ id: Object(item).credentialId, to: targets[Math.floor(index / 3)] }))
      )
      assert.sameMembers(
        winners.map(({ id }) => id),
        ids
      )
      for (const { id, to } of winners) {
        assert.strictEqual(textAt(yield* get(`/credentials/${id}`), "data.attributes.owners.worker"), to)
      }
    })
  )

  it.effect("OWN-23, DEL-01: a credential that is deleted during a change of owners is deleted, and has an owner", () =>
    Effect.gen(function* () {
      const cast = yield* makeCast
      for (let round = 0; round < 10; round++) {
        const id = yield* holding(cast, "w1 a1")
        const calls = [
          operate(cast, id, "unlink w1"),
          operate(cast, id, "unlink a1"),
          operate(cast, id, "transfer w1 w2")
        ]
        const [deleted, ...answers] = yield* Effect.all([remove(`/credentials/${id}`), ...calls], {
          concurrency: "unbounded"
        })
        assertStatus(deleted, 204)
        for (const answer of answers) assert.include([200, 404, 409, 422], answer.status)
        assertRefused(yield* get(`/credentials/${id}`), "NOT_FOUND")
        const owners = Object(at(yield* get(`/credentials/${id}?includeDeleted=true`), "data.attributes.owners"))
        assert.isNotNull(owners.worker ?? owners.applicant)
      }
    })
  )

  it.effect("SIL-17: of a concurrent link and delete of its owner, a refused link leaves the slot empty", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 10; round++) {
        const cast = yield* makeCast
        const id = yield* holding(cast, "- a1")
        const [link, deleted] = yield* Effect.all([operate(cast, id, "link w1"), remove(`/workers/${cast.w1}`)], {
          concurrency: "unbounded"
        })
        assertStatus(deleted, 204)
        if (link.status !== 200) assertRefused(link, "UNPROCESSABLE")
        assert.strictEqual(yield* slotsOf(cast, id), link.status === 200 ? "w1 a1" : "- a1")
      }
    })
  )
})
