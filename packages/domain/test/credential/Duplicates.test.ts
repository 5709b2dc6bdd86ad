import { assert, describe, it } from "@effect/vitest"
import { likenessesOf } from "@wcs/domain/credential/Duplicates"
import type { WorkerFields } from "@wcs/domain/people/Worker"
import * as fc from "fast-check"

const option = <A>(...values: ReadonlyArray<A>) => fc.option(fc.constantFrom(...values), { nil: undefined })

const person: fc.Arbitrary<Pick<WorkerFields, "identity" | "source">> = fc
  .record({
    displayName: fc.constantFrom("Zoë O'Brien", "O'brien, ZOE", "Zoe Ng", "Ng Zoe", "?"),
    birthDate: option("1990-04-17", "1990-04-18"),
    externalId: option("hr-1", "hr-2"),
    sourceSystem: option("payroll", "rostering")
  })
  .map(({ birthDate, displayName, externalId, sourceSystem }) => ({
    identity: { displayName, ...(birthDate === undefined ? {} : { birthDate }) },
    source: {
      ...(externalId === undefined ? {} : { externalId }),
      ...(sourceSystem === undefined ? {} : { sourceSystem })
    }
  }))

const lastNameOf = (name: string) => (/brien/i.test(name) ? "brien" : /ng/i.test(name) ? "ng" : name)

describe("two workers may be one person", () => {
  it("by the same external id of one system, or the same words of the name and the same birth date, in both directions", () => {
    fc.assert(
      fc.property(person, person, (one, other) => {
        const found = likenessesOf(one, other)
        assert.deepStrictEqual(found, likenessesOf(other, one))
        const { birthDate, displayName } = one.identity
        const isSameDay = birthDate !== undefined && birthDate === other.identity.birthDate
        assert.strictEqual(
          found.includes("NAME"),
          isSameDay && lastNameOf(displayName) === lastNameOf(other.identity.displayName)
        )
        const systems = new Set([one.source?.sourceSystem, other.source?.sourceSystem].filter((it) => it !== undefined))
        const { externalId } = one.source ?? {}
        assert.strictEqual(
          found.includes("EXTERNAL_ID"),
          externalId !== undefined && externalId === other.source?.externalId && systems.size < 2
        )
      }),
      { numRuns: 500 }
    )
  })
})
