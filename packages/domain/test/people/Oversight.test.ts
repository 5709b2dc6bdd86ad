import { assert, describe, it } from "@effect/vitest"
import { entityTypes, limitedTo, privilegesOf, roles, unitsOf } from "@wcs/domain/access/Privilege"
import { countsForAllOwners, mayOversee, movedFrom, requireOwners, requireUnit } from "@wcs/domain/people/Oversight"
import { place, type UnitTree, unitLevels } from "@wcs/domain/people/Unit"
import { Result } from "effect"
import fc from "fast-check"

const names = ["a", "b", "c", "d", "e", "f", "g", "h"]
const name = fc.constantFrom(...names)

/** A unit that is added below another one, or moved there. */
interface Placing {
  readonly unit: string
  readonly parent: string | null
}

const placings: fc.Arbitrary<ReadonlyArray<Placing>> = fc.array(
  fc.record({ unit: name, parent: fc.option(name, { nil: null }) }),
  { maxLength: 40 }
)

/** The tree after each placing that the rule allows. A parent that does not exist is a broken link, not a place. */
const grown = (steps: ReadonlyArray<Placing>): UnitTree => {
  let tree: UnitTree = new Map()
  for (const { parent, unit } of steps) {
    if (parent !== null && !tree.has(parent)) continue
    if (Result.isSuccess(place(tree, unit, parent))) tree = new Map(tree).set(unit, parent)
  }
  return tree
}

const tree = placings.map(grown)

/** The units below some units, level by level: stated without the rule's way up. */
const below = (of: UnitTree, limits: ReadonlyArray<string>): ReadonlySet<string> => {
  const found = new Set(limits.filter((unit) => of.has(unit)))
  for (let level = 0; level < names.length; level++) {
    for (const [unit, parent] of of) if (parent !== null && found.has(parent)) found.add(unit)
  }
  return found
}

describe("threat 68: who reaches a person", () => {
  it("everybody without a limit does, and nobody with a limit reaches a person without a unit", () => {
    fc.assert(
      fc.property(tree, fc.array(name), fc.option(name, { nil: undefined }), (of, limits, unit) => {
        assert.isTrue(mayOversee(undefined, of, unit))
        assert.isFalse(mayOversee(limits, of, undefined))
      })
    )
  })

  it("an account with a limit does, if the person's unit is one of the limits or below one, and no other", () => {
    fc.assert(
      fc.property(tree, fc.array(name, { maxLength: 3 }), name, (of, limits, unit) => {
        assert.strictEqual(mayOversee(limits, of, unit), below(of, limits).has(unit))
      })
    )
  })

  it("no more people are reached when a limit is removed, or when a unit is deleted", () => {
    fc.assert(
      fc.property(tree, fc.array(name, { maxLength: 3 }), name, name, (of, limits, unit, gone) => {
        const fewer = limits.filter((limit) => limit !== gone)
        const smaller: UnitTree = new Map([...of].filter(([id]) => id !== gone))
        if (mayOversee(fewer, of, unit)) assert.isTrue(mayOversee(limits, of, unit))
        if (mayOversee(limits, smaller, unit)) assert.isTrue(mayOversee(limits, of, unit))
      })
    )
  })
})

describe("the place of a unit", () => {
  it("never makes a circle or a fifth level", () => {
    fc.assert(
      fc.property(placings, (steps) => {
        const of = grown(steps)
        for (const unit of of.keys()) {
          let levels = 0
          for (let at: string | null | undefined = unit; at !== null && at !== undefined; at = of.get(at)) levels += 1
          assert.isAtMost(levels, unitLevels)
        }
      }),
      { numRuns: 500 }
    )
  })

  const chain: UnitTree = new Map([
    ["a", null],
    ["b", "a"],
    ["c", "b"],
    ["x", null],
    ["y", "x"]
  ])
  const refusals: ReadonlyArray<readonly [string, string | null, string]> = [
    ["a", "c", "below itself"],
    ["a", "a", "below itself"],
    ["x", "c", "too deep"],
    ["x", "b", ""],
    ["new", "c", ""],
    ["b", null, ""]
  ]
  it.each(refusals)("of %s below %s: %s", (unit, parent, why) => {
    const placed = place(chain, unit, parent)
    assert.strictEqual(Result.isFailure(placed) ? placed.failure.why : "", why)
  })
})

/** The operations that a role keeps if it is limited: about people, and READ of what describes the requirements. */
const kept: Readonly<Record<string, string>> = {
  ...{ worker: "RCUD", applicant: "RCUD", credential: "RCUD", exemption: "RCUD" },
  ...{
    credentialCheck: "RCUD",
    captureRequest: "RCUD",
    verification: "U",
    task: "RU",
    answer: "RU",
    ban: "R",
    unit: "R"
  },
  ...{ screeningPackage: "R", complianceCheck: "R" }
}

describe("a move of all people of a unit", () => {
  it("takes those who are still there, and nobody who is elsewhere by now", () => {
    const of = (id: string) => ({ unit: { id }, note: "kept" })
    assert.deepStrictEqual(movedFrom(of("a"), "a", "b"), of("b"))
    for (const other of [of("c"), of("b"), {}]) assert.strictEqual<object>(movedFrom(other, "a", "b"), other)
  })
})

describe("an act on a credential with an owner outside the caller's units", () => {
  const id = "cred_1"
  const refused = ["verify", "update", "delete", "restore", "review", "notice", "decide", "document"]
  it("is refused if it counts for that owner, too", () => {
    for (const act of Object.keys(countsForAllOwners) as ReadonlyArray<keyof typeof countsForAllOwners>) {
      assert.strictEqual(
        Result.isFailure(requireOwners(act, { id, hidden: ["worker_id"] })),
        refused.includes(act),
        act
      )
      for (const whole of [{ id }, { id, hidden: [] }]) assert.isTrue(Result.isSuccess(requireOwners(act, whole)), act)
    }
  })
})

describe("a role that is limited to units", () => {
  it("keeps what its role has about people, and nothing that shows or changes the whole tenant", () => {
    for (const role of ["Admin", "Data Manager", "Viewer"] as const) {
      const limited = privilegesOf({ role, units: [] })
      for (const type of entityTypes) {
        for (const operation of ["READ", "CREATE", "UPDATE", "DELETE"] as const) {
          const mayKeep = kept[type]?.includes(operation.charAt(0)) === true
          const has = (roles[role] as ReadonlySet<string>).has(`${type}:${operation}`)
          assert.strictEqual(limited.has(`${type}:${operation}`), mayKeep && has, `${role} ${type}:${operation}`)
        }
      }
    }
  })

  it("is never a Super Admin", () => {
    assert.isTrue(Result.isFailure(limitedTo("Super Admin", [])))
    assert.deepStrictEqual(limitedTo("Super Admin", null), Result.succeed("Super Admin"))
    assert.deepStrictEqual(Result.map(limitedTo("Viewer", ["unit_1"]), unitsOf), Result.succeed(["unit_1"]))
  })

  it("can write only people who have a unit", () => {
    const unit = { unit: { id: "unit_1" } }
    assert.isTrue(Result.isFailure(requireUnit([], "worker", {})))
    assert.isTrue(Result.isFailure(requireUnit(["unit_1"], "applicant", {})))
    for (const [limits, type, fields] of [
      [undefined, "worker", {}],
      [["unit_1"], "worker", unit],
      [["unit_1"], "credential", {}]
    ] as const) {
      assert.isTrue(Result.isSuccess(requireUnit(limits, type, fields)))
    }
  })
})
