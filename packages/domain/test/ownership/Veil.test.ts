import { assert, describe, it } from "@effect/vitest"
import {
  type Command,
  decide,
  hiddenOwner,
  type Owners,
  type OwnerType,
  ownerTypes,
  perOwner,
  unveil,
  veil
} from "@wcs/domain/ownership/Ownership"
import fc from "fast-check"

const ids: Readonly<Record<OwnerType, ReadonlyArray<string>>> = {
  worker: ["wkr_1", "wkr_2"],
  applicant: ["app_1", "app_2"]
}

const owners: fc.Arbitrary<Owners> = fc.record(
  perOwner((type) => fc.constantFrom<string | null>(null, ...ids[type]))
) as fc.Arbitrary<Owners>
const reference = fc
  .constantFrom(...ownerTypes)
  .chain((type) => fc.constantFrom(...ids[type]).map((id) => ({ type, id })))
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ _tag: fc.constant("Link" as const), to: reference }),
  fc.record({ _tag: fc.constant("Unlink" as const), from: reference }),
  fc.record({ _tag: fc.constant("Transfer" as const), from: reference, to: reference })
)
const hidden = fc.subarray([...ownerTypes])

describe("threat 68: owners whom the caller does not reach", () => {
  it("stay the owners after each command", () => {
    fc.assert(
      fc.property(owners, hidden, command, fc.boolean(), (before, types, asked, isPresent) => {
        const decision = decide(veil(before, types), asked, { isPresent })
        if (decision._tag !== "Changed") return
        const after = unveil(decision.owners, before)
        for (const type of types) if (before[type] !== null) assert.strictEqual(after[type], before[type])
      })
    )
  })

  it("make no difference by who they are: neither to the outcome nor to its reason", () => {
    fc.assert(
      fc.property(owners, owners, hidden, command, fc.boolean(), (one, other, types, asked, isPresent) => {
        const same = perOwner((type) => (types.includes(type) && one[type] !== null ? (other[type] ?? "x") : one[type]))
        const [first, second] = [one, same].map((of) => decide(veil(of, types), asked, { isPresent }))
        assert.deepStrictEqual(JSON.stringify(first), JSON.stringify(second))
      })
    )
  })

  it("are in no reason", () => {
    fc.assert(
      fc.property(owners, hidden, command, (before, types, asked) => {
        const decision = decide(veil(before, types), asked, { isPresent: true })
        if (decision._tag !== "Refused" || decision.reason._tag === "OwnerNotFound") return
        const { holder } = decision.reason
        for (const type of types) if (before[type] !== null) assert.notStrictEqual(holder, before[type])
      })
    )
  })

  it("change nothing for a caller who reaches all", () => {
    fc.assert(
      fc.property(owners, (before) => {
        assert.deepStrictEqual(unveil(veil(before, []), before), before)
        assert.notInclude(Object.values(veil(before, [])), hiddenOwner)
      })
    )
  })
})
