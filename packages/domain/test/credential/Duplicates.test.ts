import { assert, describe, it } from "@effect/vitest"
import * as Privilege from "@wcs/domain/access/Privilege"
import { likenessesOf, makeDuplicates } from "@wcs/domain/credential/Duplicates"
import type { WorkerFields } from "@wcs/domain/people/Worker"
import { Effect, Logger } from "effect"
import * as fc from "fast-check"
import { calling } from "../shared/Calling.ts"
import { fieldsWith } from "./CredentialFixtures.ts"

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

describe("the look-up of duplicates", () => {
  it.effect("gives no warning and is logged when it fails, because the row is stored already", () => {
    const logged: Array<unknown> = []
    const logger = Logger.make(({ message }) => void logged.push(message))
    const timeout = new Error("timeout")
    const { ofCredential, ofWorker } = makeDuplicates({ list: () => Effect.die(timeout) }, Privilege)
    const worker = { identity: { displayName: "Ann Example" }, source: { externalId: "hr-1" } }
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* ofWorker("wkr_0123456789abcDEF", worker), [])
      assert.deepStrictEqual(yield* ofCredential("cred_0123456789abcDEF", fieldsWith()), [])
      assert.deepStrictEqual(logged, Array(2).fill(["The look-up of duplicates failed.", timeout]))
    }).pipe(Effect.provide([calling, Logger.layer([logger])]))
  })
})
