import { assert, describe, it } from "@effect/vitest"
import { knownFrom, make, type Said, type Seen } from "@wcs/conformance/calls/TransitionReadings"
import { type Operation, type Party, rowFor, slots, table } from "@wcs/conformance/calls/Transitions"

const [one, two, three]: readonly [Party, Party, Party] = [
  { type: "worker", id: "wkr_1" },
  { type: "worker", id: "wkr_2" },
  { type: "worker", id: "wkr_3" }
]
const applicant: Party = { type: "applicant", id: "app_1" }

const link = (to: Party): Operation => ({ verb: "link", to })
const unlink = (from: Party): Operation => ({ verb: "unlink", from })
const transfer = (from: Party, to: Party): Operation => ({ verb: "transfer", from, to })

const alone = slots(one.id, null)
const both = slots(one.id, applicant.id)
const moved = { ...alone, followed: { worker: two.id, applicant: null } }

describe("the transition table (§3)", () => {
  for (const [rule, state, operation, results] of [
    ["OWN-01", slots(null, applicant.id), link(one), ["slot holds to"]],
    ["OWN-02", alone, link(applicant), ["slot holds to"]],
    ["OWN-03", alone, link(one), ["unchanged"]],
    ["OWN-04", alone, link(two), ["refused"]],
    ["OWN-07", alone, transfer(one, two), ["slot holds to"]],
    ["OWN-08", alone, transfer(two, three), ["refused"]],
    ["OWN-10", moved, transfer(two, one), ["unchanged"]],
    ["OWN-11", both, unlink(one), ["slot empty"]],
    ["OWN-12", alone, unlink(one), ["refused"]],
    ["OWN-14", alone, unlink(applicant), ["unchanged"]],
    ["SIL-06", alone, unlink(two), ["unchanged", "refused"]],
    ["SIL-07", alone, transfer(three, one), ["unchanged", "refused"]],
    ["SIL-08", alone, transfer(one, applicant), ["from leaves, to enters", "to enters too", "refused"]],
    ["SIL-17", alone, link({ ...applicant, isNobody: true }), ["slot holds to", "refused"]],
    ["SIL-28", slots(null, applicant.id), transfer(one, two), ["slot holds to", "unchanged", "refused"]],
    ["SIL-28", alone, transfer(one, one), ["unchanged", "refused"]]
  ] as const) {
    it(`${rule}: ${JSON.stringify(operation)}`, () => {
      const row = rowFor(state, operation)
      assert.deepStrictEqual(row.results, results)
      assert.strictEqual(row.silence, rule.startsWith("SIL") ? rule : undefined)
    })
  }

  it("has a row for every operation in every state, and no unused row", () => {
    const parties = [one, two, three, applicant, { ...applicant, id: "app_2" }]
    const everybody: ReadonlyArray<Party> = [
      ...parties,
      ...parties.map((party) => ({ ...party, isNobody: true as const }))
    ]
    const operations = everybody.flatMap((party) => [
      link(party),
      unlink(party),
      ...everybody.map((to) => transfer(party, to))
    ])
    const states = [null, one.id, two.id].flatMap((worker) =>
      [null, applicant.id].flatMap((other) => [slots(worker, other), { ...moved, worker, applicant: other }])
    )
    const used = new Set(states.flatMap((state) => operations.map((operation) => rowFor(state, operation))))
    assert.deepStrictEqual(
      table.filter((row) => !used.has(row)),
      []
    )
  })
})

describe("a cell that the specification leaves open", () => {
  const seen = (operation: Operation, said: Said, shown = alone, isBulk = false): Seen => ({
    before: knownFrom(alone),
    operation,
    isBulk,
    said,
    shown,
    exchange: 7
  })

  it("SIL-06: is learnt from the first answer, which later answers must match", () => {
    const judging = make()
    assert.strictEqual(judging(seen(unlink(two), "accepted")).as, "right")
    assert.strictEqual(judging(seen(unlink(three), "accepted")).as, "right")
    assert.deepStrictEqual(judging(seen(unlink(two), "refused")), {
      as: "wrongly answered",
      results: ["unchanged"],
      reading: 7
    })
  })

  it("SIL-07: may differ for batches and for former owners", () => {
    const judging = make()
    const there = { ...knownFrom(alone), former: new Set(["worker wkr_1", "worker wkr_3"]) }
    assert.strictEqual(judging(seen(transfer(two, one), "refused")).as, "right")
    assert.strictEqual(judging(seen(transfer(two, one), "noop", alone, true)).as, "right")
    assert.strictEqual(judging({ ...seen(transfer(three, one), "accepted"), before: there }).as, "right")
    assert.strictEqual(judging(seen(transfer(three, one), "accepted")).as, "wrongly answered")
  })

  it("is bounded: the effect matches the answer, and nobody else gets the slot", () => {
    const of = (operation: Operation, said: Said, shown = alone) => make()(seen(operation, said, shown)).as
    assert.strictEqual(of(unlink(two), "accepted", both), "wrongly done")
    assert.strictEqual(of(unlink(two), "done"), "wrongly answered")
    assert.strictEqual(of(link(two), "refused", slots(two.id, null)), "wrongly done")
    assert.strictEqual(of(link(two), "accepted"), "wrongly answered")
    assert.strictEqual(of(link(one), "broken down"), "wrongly answered")
  })
})
