import { assert, describe, it } from "@effect/vitest"
import {
  covering,
  holdersOf,
  lacking,
  may,
  nearest,
  operationsOn,
  strangers,
  withOnly
} from "@wcs/conformance/profile/LimitedPrincipals"
import type { Limited, Operation, Profile } from "@wcs/conformance/profile/Profile"
import * as fc from "fast-check"

const profileOf = (...privileges: ReadonlyArray<Limited["privileges"]>): Profile => ({
  name: "x",
  newer: { tenantBaseUrl: "https://one.example" },
  principals: {
    admin: { token: "${A}" },
    limited: privileges.map((one) => ({ token: "${B}", privileges: one }))
  }
})

const all = holdersOf(
  profileOf(
    {},
    { worker: ["READ"] },
    { worker: ["READ"], webhook: ["READ"] },
    { worker: ["READ", "UPDATE"] },
    { credential: ["READ", "CREATE"], webhook: ["READ"] },
    { webhook: ["DELETE"] }
  )
)
const namesOf = (holders: ReadonlyArray<{ readonly name: string }>) => holders.map(({ name }) => name)

describe("the choice of principals by privileges", () => {
  it("PRV-01: finds those without an operation", () => {
    assert.deepStrictEqual(namesOf(lacking(all, "worker", "READ")), ["limited.0", "limited.4", "limited.5"])
  })
  it("PRV-03: finds the fewest with the other operations on the type, and one with the fewest privileges", () => {
    assert.deepStrictEqual(namesOf(nearest(all, "worker", "UPDATE")), ["limited.2", "limited.0"])
  })
  it("PRV-04: finds one without any operation when no other has one on the type", () => {
    assert.deepStrictEqual(namesOf(nearest(all, "exemption", "DELETE")), ["limited.0"])
  })
  it("PRV-16: finds those without privileges on a type, those with most others first", () => {
    const names = namesOf(strangers(all, "credential"))
    assert.deepStrictEqual(names, ["limited.2", "limited.3", "limited.1", "limited.5", "limited.0"])
  })
  it("PRV-05: finds the one with only this operation on the type and the fewest others", () => {
    assert.strictEqual(withOnly(all, "worker", "READ")?.name, "limited.1")
    assert.strictEqual(withOnly(all, "webhook", "READ")?.name, "limited.2")
    assert.isUndefined(withOnly(all, "worker", "UPDATE"))
    assert.isUndefined(withOnly(all, "credential", "READ"))
  })
  it("PRV-06: finds the fewest that cover all privileges, and one without any", () => {
    const names = namesOf(covering(strangers(all, "exemption")))
    assert.deepStrictEqual(names, ["limited.4", "limited.2", "limited.3", "limited.5", "limited.0"])
    assert.deepStrictEqual(namesOf(covering(all.slice(1, 3))), ["limited.2"])
  })
  it("finds none when the profile has none", () => {
    const { principals, ...rest } = profileOf()
    assert.deepStrictEqual(holdersOf({ ...rest, principals: { admin: principals.admin } }), [])
  })

  const operation = fc.constantFrom<Operation>("READ", "CREATE", "UPDATE", "DELETE")
  const entity = fc.constantFrom("worker", "credential", "constructor", "ban")
  const holders = fc
    .array(fc.dictionary(entity, fc.array(operation)), { maxLength: 8 })
    .map((privileges) => holdersOf(profileOf(...privileges)))

  it("PRV-06: never expects a refusal with the privilege, nor a success without it", () => {
    fc.assert(
      fc.property(holders, entity, operation, (them, type, op) => {
        assert.isTrue(lacking(them, type, op).every((holder) => !may(holder, type, op)))
        assert.isTrue(nearest(them, type, op).every((holder) => !may(holder, type, op)))
        assert.strictEqual(nearest(them, type, op).length > 0, lacking(them, type, op).length > 0)
        assert.isTrue(strangers(them, type).every((holder) => operationsOn(holder, type).length === 0))
        const privileges = (some: typeof them) =>
          new Set(
            some.flatMap((one) =>
              Object.keys(one.limited.privileges).flatMap((on) => operationsOn(one, on).map((what) => `${on} ${what}`))
            )
          )
        assert.deepStrictEqual([...privileges(covering(them))].sort(), [...privileges(them)].sort())
        const alone = withOnly(them, type, op)
        assert.isTrue(alone === undefined || operationsOn(alone, type).join() === op)
      })
    )
  })
})
