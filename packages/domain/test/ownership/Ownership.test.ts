import { assert, describe, it } from "@effect/vitest"
import {
  type BatchCommand,
  type BatchItem,
  type Decision,
  decide,
  decideBatch,
  layer,
  noFacts,
  OwnerReference,
  type Owners,
  Ownership
} from "@wcs/domain/ownership/Ownership"
import * as SoftDelete from "@wcs/domain/resource/SoftDelete"
import { Effect, Option, Schema } from "effect"
import * as fc from "fast-check"
import {
  type Cell,
  cells,
  commandOf,
  decisionOf,
  ownerOf,
  owners,
  slotsOf,
  stateOf,
  states,
  type Verb
} from "./OwnershipTable.ts"

const everybody = { ...noFacts, isPresent: true }
const nobody = noFacts

const cellOf = (verb: Verb, column: string, state: string): Cell => {
  const found = cells.find((cell) => cell.verb === verb && cell.column === column && cell.state === state)
  if (found === undefined) throw new RangeError(`the table has no cell for ${verb} ${column} in ${state}`)
  return found
}

/** A decision or an item with its reason as values: assertions compare only the names of errors. */
const plain = (said: Decision | BatchItem): object =>
  "reason" in said ? { ...said, reason: { ...said.reason } } : said

/** The slots after a decision. */
const after = (before: Owners, decision: Decision): Owners => (decision._tag === "Changed" ? decision.owners : before)

describe("CRD-05, OWN-05, OWN-09, OWN-21: the transition table", () => {
  it("has a cell for every state and operation, also across slots", () => {
    const transfers = owners.flatMap((from) => owners.map((to) => `${from}>${to}`))
    const columns: Record<Verb, ReadonlyArray<string>> = { link: owners, unlink: owners, transfer: transfers }
    for (const verb of ["link", "unlink", "transfer"] as const) {
      for (const column of columns[verb]) {
        const rows = cells.filter((cell) => cell.verb === verb && cell.column === column).map(({ state }) => state)
        assert.sameMembers(rows, [...states])
        assert.lengthOf(rows, 9)
      }
    }
    assert.lengthOf(cells, 9 * (4 + 4 + 16))
  })

  const name = ({ column, outcome, state, verb }: Cell) => `${verb} ${column} in ${state} is ${outcome}`

  it.each(cells.map((cell) => [name(cell), cell] as const))("%s", (_name, cell) => {
    const decision = decide(slotsOf(cell.state), commandOf(cell.verb, cell.column), everybody)
    assert.deepStrictEqual(plain(decision), plain(decisionOf(cell, true)))
  })

  it.each(cells.map((cell) => [name(cell), cell] as const))("%s, if the new owner does not exist", (_name, cell) => {
    const decision = decide(slotsOf(cell.state), commandOf(cell.verb, cell.column), nobody)
    assert.deepStrictEqual(plain(decision), plain(decisionOf(cell, false)))
  })
})

describe("transition rules", () => {
  const rules: ReadonlyArray<readonly [rule: string, state: string, verb: Verb, column: string, outcome: string]> = [
    ["OWN-01: links a worker to an empty worker slot", "-a", "link", "w:a", "aa"],
    ["OWN-02: links an applicant to an empty applicant slot", "a-", "link", "p:b", "ab"],
    ["OWN-03: linking the current owner is a no-op", "a-", "link", "w:a", "="],
    ["OWN-04: linking another owner is ALREADY_LINKED", "a-", "link", "w:b", "*a"],
    ["OWN-07: transfers from the current owner to `to`", "a-", "transfer", "w:a>w:b", "b-"],
    ["OWN-08: a transfer from another owner is OWNER_MISMATCH", "a-", "transfer", "w:b>w:b", "!a"],
    ["OWN-10: a transfer to the current owner is a no-op", "b-", "transfer", "w:a>w:b", "="],
    ["OWN-11: unlinking beside another owner empties only that slot", "ab", "unlink", "w:a", "-b"],
    ["OWN-12: the last owner stays", "a-", "unlink", "w:a", "1"],
    ["OWN-14: unlinking an empty slot is a no-op", "a-", "unlink", "p:a", "="],
    ["SIL-06: unlinking an id that is not the slot's owner is OWNER_MISMATCH", "ab", "unlink", "w:b", "!a"],
    ["SIL-07: `from` is ignored if `to` is already an owner", "b-", "transfer", "w:a>w:b", "="],
    ["SIL-08: a hired applicant becomes the worker", "-a", "transfer", "p:a>w:b", "b-"],
    ["SIL-08: a third owner in the slot of `to` stays", "ba", "transfer", "p:a>w:a", "*b"],
    ["SIL-28: a transfer from an empty slot is OWNER_MISMATCH", "-a", "transfer", "w:a>w:b", "!-"],
    ["SIL-28: a transfer from the owner to itself is a no-op", "a-", "transfer", "w:a>w:a", "="]
  ]
  it.each(rules)("%s (in %s: %s %s gives %s)", (_rule, state, verb, column, outcome) => {
    const cell: Cell = { verb, column, state, outcome }
    assert.deepStrictEqual(decide(slotsOf(state), commandOf(verb, column), everybody), decisionOf(cell, true))
  })

  it("OWN-22: a credential whose last owner cannot be unlinked can be deleted with its owner", () => {
    const fields = { attributes: { owners: slotsOf("a-") } }
    const stored = { id: "cred_0", version: 3, createdAt: 1, updatedAt: 2, deletedAt: null, fields }
    assert.deepStrictEqual(SoftDelete.remove(stored, 9), { ...stored, version: 4, updatedAt: 9, deletedAt: 9 })
  })
})

describe("OWN-16: an owner reference", () => {
  const read = Schema.decodeUnknownOption(OwnerReference)
  const worker = "wkr_0123456789abcDEF"
  const applicant = "app_0123456789abcDEF"

  it.each([
    ["a worker", { type: "worker", id: worker }],
    ["an applicant", { type: "applicant", id: applicant }]
  ])("accepts %s", (_name, reference) => {
    assert.deepStrictEqual(read(reference), Option.some(reference))
  })

  it.each([
    ["OWN-06: a worker with an applicant's id", { type: "worker", id: applicant }],
    ["OWN-06: an applicant with a worker's id", { type: "applicant", id: worker }],
    ["a credential", { type: "credential", id: "cred_0123456789abcDEF" }],
    ["a type in upper case", { type: "Worker", id: worker }],
    ["no type", { id: worker }],
    ["no id", { type: "worker" }],
    ["an empty id", { type: "worker", id: "" }],
    ["an id of another length", { type: "worker", id: "wkr_0123456789abcDE" }],
    ["an id with an illegal character", { type: "worker", id: "wkr_0123456789abc-EF" }],
    ["an id that is a number", { type: "worker", id: 7 }],
    ["null", null],
    ["text", worker],
    ["an array", [{ type: "worker", id: worker }]]
  ])("refuses %s", (_name, reference) => {
    assert.deepStrictEqual(read(reference), Option.none())
  })
})

// --- sequences -------------------------------------------------------------------------------------------------------

/** The model knows only the letters of the table. */
interface Model {
  state: string
}
interface Real {
  slots: Owners
}

class Said implements fc.Command<Model, Real> {
  readonly verb: Verb
  readonly column: string
  readonly isPresent: boolean

  constructor(verb: Verb, column: string, isPresent: boolean) {
    this.verb = verb
    this.column = column
    this.isPresent = isPresent
  }

  check = () => true

  run(model: Model, real: Real): void {
    const command = commandOf(this.verb, this.column)
    const facts = { ...noFacts, isPresent: this.isPresent }
    const before = real.slots
    const decision = decide(before, command, facts)
    const cell = cellOf(this.verb, this.column, model.state)
    assert.deepStrictEqual(decision, decisionOf(cell, this.isPresent))
    real.slots = after(before, decision)
    if (/^[-ab]{2}$/.test(cell.outcome) && (this.isPresent || this.verb === "unlink")) model.state = cell.outcome
    assert.strictEqual(stateOf(real.slots), model.state)

    // OWN-15: an accepted operation, repeated, is accepted and changes nothing.
    const again = decide(real.slots, command, facts)
    if (decision._tag === "Refused") assert.deepStrictEqual(again, decision)
    else assert.deepStrictEqual(again, { _tag: "Unchanged" })
    // OWN-12: a credential that had an owner always has one.
    if (stateOf(before) !== "--") assert.notStrictEqual(model.state, "--")
  }

  toString = () => `${this.verb} ${this.column}${this.isPresent ? "" : " (the owner does not exist)"}`
}

const owner = fc.constantFrom(...owners)
const isPresent = fc.boolean()
const commands = fc.commands(
  [
    fc.tuple(owner, isPresent).map(([to, there]) => new Said("link", to, there)),
    fc.tuple(owner, isPresent).map(([from, there]) => new Said("unlink", from, there)),
    fc.tuple(owner, owner, isPresent).map(([from, to, there]) => new Said("transfer", `${from}>${to}`, there))
  ],
  { maxCommands: 60 }
)

describe("any sequence of operations", () => {
  it("OWN-10, OWN-12, OWN-15, OWN-21: follows the table, never loses the last owner, and can be repeated", () => {
    fc.assert(
      fc.property(fc.constantFrom(...states), commands, (state, sequence) => {
        fc.modelRun(() => ({ model: { state }, real: { slots: slotsOf(state) } }), sequence)
      }),
      { numRuns: 500 }
    )
  })
})

// --- batches ---------------------------------------------------------------------------------------------------------

const credentialIds = Array.from({ length: 5 }, (_, index) => `cred_000000000000000${index}`)
const unknownId = "cred_zzzzzzzzzzzzzzzz"
const malformedId = "cred_1"

const batchCommand: fc.Arbitrary<BatchCommand> = fc.oneof(
  owner.map((to): BatchCommand => ({ _tag: "Link", to: ownerOf(to) })),
  fc.tuple(owner, owner).map(([from, to]): BatchCommand => ({ _tag: "Transfer", from: ownerOf(from), to: ownerOf(to) }))
)
const batch = fc.record({
  ids: fc.array(fc.constantFrom(...credentialIds, unknownId, malformedId, ""), { maxLength: 12 }),
  slots: fc
    .array(fc.constantFrom(...states), { minLength: 5, maxLength: 5 })
    .map((drawn) => new Map(drawn.map((state, index) => [credentialIds[index] ?? "", slotsOf(state)]))),
  command: batchCommand,
  isPresent
})

describe("a batch", () => {
  it("BLK-03, BLK-04, BLK-05, BLK-06, BLK-13, BLK-14, SIL-16, SIL-27: applies the single operation to one credential after the other", () => {
    fc.assert(
      fc.property(batch, ({ command, ids, isPresent, slots }) => {
        const facts = { ...noFacts, isPresent }
        const { changes, items } = decideBatch(ids, slots, command, facts)
        const folded = new Map(slots)
        const expected = ids.map((credentialId) => {
          const before = folded.get(credentialId)
          const absence = credentialId === unknownId ? "CredentialNotFound" : "MalformedCredentialId"
          if (before === undefined) return { credentialId, status: "skipped", reason: { _tag: absence, credentialId } }
          const decision = decide(before, command, facts)
          folded.set(credentialId, after(before, decision))
          if (decision._tag === "Refused") return { credentialId, status: "skipped", reason: { ...decision.reason } }
          const done = command._tag === "Link" ? "linked" : "transferred"
          return { credentialId, status: decision._tag === "Changed" ? done : "noop" }
        })
        assert.deepStrictEqual<unknown>(items.map(plain), expected)
        assert.deepStrictEqual(new Map([...slots, ...changes]), folded)
      }),
      { numRuns: 500 }
    )
  })

  it("changes only the credentials of its items", () => {
    fc.assert(
      fc.property(batch, ({ command, ids, isPresent, slots }) => {
        const { changes, items } = decideBatch(ids, slots, command, { ...noFacts, isPresent })
        const done = items.filter(({ status }) => status === "linked" || status === "transferred")
        assert.sameMembers([...changes.keys()], [...new Set(done.map(({ credentialId }) => credentialId))])
        assert.lengthOf(done, changes.size)
      })
    )
  })

  it("BLK-16: a repeated transfer is `noop` throughout, except for permanently skipped items", () => {
    fc.assert(
      fc.property(batch, ({ command, ids, slots }) => {
        const first = decideBatch(ids, slots, command, everybody)
        const second = decideBatch(ids, new Map([...slots, ...first.changes]), command, everybody)
        assert.strictEqual(second.changes.size, 0)
        for (const [index, item] of first.items.entries()) {
          const expected = item.status === "skipped" ? item : { credentialId: item.credentialId, status: "noop" }
          assert.deepStrictEqual(second.items[index], expected)
        }
      })
    )
  })

  it("uses the given rule", () => {
    const slots = new Map(credentialIds.map((id) => [id, slotsOf("b-")]))
    const link: BatchCommand = { _tag: "Link", to: ownerOf("w:a") }
    const { items } = decideBatch(credentialIds, slots, link, everybody, () => ({ _tag: "Unchanged" }))
    assert.deepStrictEqual(
      items,
      credentialIds.map((credentialId) => ({ credentialId, status: "noop" }))
    )
  })

  it.effect("provides the batch and the single operation as a service", () =>
    Effect.gen(function* () {
      const rules = yield* Ownership
      assert.strictEqual(rules.decide, decide)
      assert.strictEqual(rules.decideBatch, decideBatch)
    }).pipe(Effect.provide(layer))
  )
})
