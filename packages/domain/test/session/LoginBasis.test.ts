import { assert, describe, it } from "@effect/vitest"
import { type LoginBasis, stillHolds } from "@wcs/domain/session/LoginBasis"

const basis: LoginBasis = { deactivatedAt: null, passwordHash: "one", factorConfirmedAt: 5, isProviderActive: true }
const checked = { passwordHash: "one", hasSecondFactor: true }

describe("threat 58: a login", () => {
  it("holds while everything that it has checked is the same", () => {
    assert.isTrue(stillHolds(checked, basis))
    assert.isTrue(stillHolds({ passwordHash: "one", hasSecondFactor: false }, { ...basis, factorConfirmedAt: null }))
    assert.isTrue(stillHolds({}, { ...basis, passwordHash: "two", factorConfirmedAt: null }))
  })

  it.each<[string, LoginBasis | undefined]>([
    ["the account is gone", undefined],
    ["the user was deactivated", { ...basis, deactivatedAt: 9 }],
    ["the password was changed", { ...basis, passwordHash: "two" }],
    ["the password was removed", { ...basis, passwordHash: null }],
    ["the second factor was reset", { ...basis, factorConfirmedAt: null }],
    ["the identity provider was switched off", { ...basis, isProviderActive: false }]
  ])("does not hold if %s", (_, now) => assert.isFalse(stillHolds(checked, now)))

  it("without a code does not hold if a second factor was confirmed meanwhile", () => {
    assert.isFalse(stillHolds({ passwordHash: "one", hasSecondFactor: false }, basis))
  })
})
