import { assert, describe, layer, it as plainIt } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { at, textAt } from "../Service.ts"
import { layerService } from "../TestService.ts"
import { isExplained, type Past } from "./History.ts"
import { assertRefused, assertStatus, dataOf, get, post, remove } from "./NewerSurface.ts"
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

// Few people, so that operations meet.
const few: ReadonlyArray<Person> = ["w1", "w2", "wx", "a1", "a2", "ad"]
const operations: ReadonlyArray<Operation> = [
  "read",
  ...few.flatMap((one): ReadonlyArray<Operation> => [`link ${one}`, `unlink ${one}`]),
  ...few.flatMap((one) => few.map((two): Operation => `transfer ${one} ${two}`))
]
const beginnings: ReadonlyArray<Slots> = ["w1 -", "- a1", "w1 a1", "w2 a1", "w1 a2"]
const anyOperation = Arbitrary.schema(Schema.Literals(operations))
const anyBeginning = Arbitrary.schema(Schema.Literals(beginnings))

/** Does all at once, and keeps what was answered when. */
const atOnce = Effect.fnUntraced(function* (cast: Cast, id: string, all: ReadonlyArray<Operation>) {
  let now = 0
  const one = Effect.fnUntraced(function* (operation: Operation) {
    const sentAt = now++
    const answer = yield* operate(cast, id, operation)
    const shown = answer.status === 200 ? slotsIn(cast, answer) : undefined
    return { operation, said: saidIn(answer), shown, sentAt, answeredAt: now++ } satisfies Past
  })
  return yield* Effect.forEach(all, one, { concurrency: "unbounded" })
})

const past = (operation: Operation, said: string, sentAt: number, answeredAt: number, shown?: string): Past => ({
  ...{ operation, said, sentAt, answeredAt, shown }
})

// A checker that accepts everything would prove nothing.
describe("the checker of histories", () => {
  const explained: ReadonlyArray<readonly [string, ReadonlyArray<Past>, string, boolean]> = [
    ["nothing", [], "- a1", true],
    ["nothing, but other slots", [], "w1 a1", false],
    ["a link", [past("link w1", "ok", 0, 1)], "w1 a1", true],
    ["a link that was lost", [past("link w1", "ok", 0, 1)], "- a1", false],
    [
      "two links at once, one wins",
      [past("link w1", "ok", 0, 3), past("link w2", "ALREADY_LINKED", 1, 2)],
      "w1 a1",
      true
    ],
    ["two links at once, both win", [past("link w1", "ok", 0, 3), past("link w2", "ok", 1, 2)], "w2 a1", false],
    ["the second link wins", [past("link w1", "ALREADY_LINKED", 0, 1), past("link w2", "ok", 2, 3)], "w2 a1", false],
    ["a look into the future", [past("read", "ok", 0, 1, "w1 a1"), past("link w1", "ok", 2, 3)], "w1 a1", false],
    ["a look at the same time", [past("read", "ok", 0, 2, "w1 a1"), past("link w1", "ok", 1, 3)], "w1 a1", true],
    ["a stale look", [past("link w1", "ok", 0, 1), past("read", "ok", 2, 3, "- a1")], "w1 a1", false],
    ["both owners unlinked", [past("unlink a1", "ok", 0, 2), past("link w1", "ok", 1, 3)], "- -", false],
    [
      "a no-op that must come between two changes",
      [
        past("link w1", "ok", 0, 9, "w1 a1"),
        past("link w1", "ok", 1, 8, "w1 a1"),
        past("unlink w1", "ok", 2, 7, "- a1")
      ],
      "w1 a1",
      true
    ]
  ]
  plainIt.each(explained)("OWN-19: tells of %s", (_, history, end, expected) => {
    assert.strictEqual(isExplained(history, "- a1", end), expected)
  })
})

layer(layerService(), { excludeTestServices: true })("sequences and races of owners", (it) => {
  it.effect.prop(
    "OWN-21: any sequence of operations says and leaves what the table says",
    { begin: anyBeginning, sequence: Arbitrary.array(anyOperation, { minLength: 1, maxLength: 30 }) },
    ({ begin, sequence }) =>
      Effect.gen(function* () {
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
    { arbitrary: { runs: 60, size: 30 } }
  )

  it.effect.prop(
    "BLK-15, OWN-21: any sequence of batches says and leaves what the table says of each credential in turn",
    {
      begins: Arbitrary.array(anyBeginning, { minLength: 1, maxLength: 5 }),
      batches: Arbitrary.array(
        Arbitrary.all({
          operation: Arbitrary.filter(anyOperation, (operation) => operation !== "read" && !operation.startsWith("un")),
          picks: Arbitrary.array(Arbitrary.schema(Schema.Literals([0, 1, 2, 3, 4])), { maxLength: 8 })
        }),
        { minLength: 1, maxLength: 8 }
      )
    },
    ({ batches, begins }) =>
      Effect.gen(function* () {
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
    { arbitrary: { runs: 40, size: 10 } }
  )

  it.effect("OWN-17: of two links of different owners at once exactly one wins, the other is 409 ALREADY_LINKED", () =>
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

  it.effect("OWN-18: of two unlinks at once, one of each slot, one is refused: an owner always remains", () =>
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

  it.effect.prop(
    "OWN-19, OWN-23: of 32 calls at once some order explains every answer and the slots at the end",
    { begin: anyBeginning, all: Arbitrary.array(anyOperation, { minLength: 32, maxLength: 32 }) },
    ({ all, begin }) =>
      Effect.gen(function* () {
        const cast = yield* makeCast
        yield* bury(cast)
        const id = yield* holding(cast, begin)
        const history = yield* atOnce(cast, id, all)
        const end = yield* slotsOf(cast, id)
        assert.notStrictEqual(end, "- -")
        assert.match(end, /^(w\d|-) (a\d|-)$/)
        assert.isTrue(isExplained(history, begin, end), JSON.stringify({ begin, end, history }))
      }),
    { arbitrary: { runs: 40, maxShrinks: 50 } }
  )

  it.effect("OWN-19, OWN-23: as one worker's credentials are moved in batches at once, each goes one way", () =>
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

  it.effect("OWN-23, DEL-01: a credential that is deleted while its owners change is deleted, and has an owner", () =>
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

  it.effect("SIL-17: of a link and the delete of its owner at once, a refused link leaves the slot empty", () =>
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
