import { assert, describe, it } from "@effect/vitest"
import { type Command, decide, type OwnerType, ownerTypes, type SlotsOf } from "@wcs/domain/ownership/Ownership"
import * as fc from "fast-check"

/** One slot more than a credential has. */
type Slot = OwnerType | "guardian"
const slots: ReadonlyArray<Slot> = [...ownerTypes, "guardian"]

/** The table of §3 for any slots: the held ones after the command, or why they stay. */
const modelled = (held: ReadonlyMap<Slot, string>, command: Command<Slot>, isPresent: boolean) => {
  const left = new Map(held)
  if (command._tag !== "Link") {
    const { from } = command
    if (command._tag === "Transfer" && held.get(command.to.type) === command.to.id) return "Unchanged"
    if (command._tag === "Unlink" && !held.has(from.type)) return "Unchanged"
    if (held.get(from.type) !== from.id) return "OwnerMismatch"
    left.delete(from.type)
  }
  if (command._tag === "Unlink") return left.size === 0 ? "LastOwner" : left
  const { to } = command
  if (left.get(to.type) === to.id) return "Unchanged"
  if (left.has(to.type)) return "AlreadyLinked"
  return isPresent ? left.set(to.type, to.id) : "OwnerNotFound"
}

const owner = fc.record({ type: fc.constantFrom(...slots), id: fc.constantFrom("a", "b") })
const command: fc.Arbitrary<Command<Slot>> = fc.oneof(
  owner.map((to) => ({ _tag: "Link" as const, to })),
  owner.map((from) => ({ _tag: "Unlink" as const, from })),
  fc.record({ _tag: fc.constant("Transfer" as const), from: owner, to: owner })
)
const steps = fc.array(fc.record({ command, isPresent: fc.boolean() }), { maxLength: 60 })

describe("a third slot", () => {
  it("OWN-12, OWN-21: follows the table, and counts as an owner", () => {
    fc.assert(
      fc.property(steps, (program) => {
        let owners: SlotsOf<Slot> = { worker: "a", applicant: null, guardian: null }
        for (const { command, isPresent } of program) {
          const held = new Map(slots.flatMap((slot) => (owners[slot] === null ? [] : [[slot, owners[slot]] as const])))
          const expected = modelled(held, command, isPresent)
          const decision = decide(owners, command, { isPresent })
          if (typeof expected === "string") {
            assert.strictEqual(decision._tag === "Refused" ? decision.reason._tag : decision._tag, expected)
            continue
          }
          assert.deepStrictEqual(decision, {
            _tag: "Changed",
            owners: { worker: null, applicant: null, guardian: null, ...Object.fromEntries(expected) }
          })
          if (decision._tag === "Changed") owners = decision.owners
        }
      })
    )
  })
})
