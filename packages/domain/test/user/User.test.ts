import { assert, describe, it } from "@effect/vitest"
import type { Account } from "@wcs/domain/access/Account"
import {
  isAbn,
  normalizeAbn,
  type Organization,
  showByBasic,
  showByBearer,
  showOrganization,
  type User
} from "@wcs/domain/user/User"
import * as fc from "fast-check"

const account: Account = {
  id: "acc_0000000000000001",
  tenantId: "tnt_0000000000000001",
  kind: "user",
  email: "ann@example.org",
  role: "Viewer",
  rateLimit: null,
  workerId: null,
  deactivatedAt: null,
  createdAt: 0
}
const user: User = {
  number: 7,
  account,
  firstName: "Ann",
  surname: "Example",
  passwordHash: "$argon2id$",
  verifiedAt: null,
  invite: null,
  invitedBy: null,
  joinedAt: 1
}
const organization: Organization = { number: 3, name: "Acme", abn: "51824753556" }

describe("User: the Australian Business Number", () => {
  it.each(["51 824 753 556", "51824753556", "53 004 085 616", "83 914 571 673", "\t51\u00a0824 753 556 "])(
    "accepts %j",
    (abn) => {
      assert.isTrue(isAbn(normalizeAbn(abn)))
    }
  )

  it.each([
    "",
    "51824753557",
    "15824753556",
    "5182475355",
    "518247535560",
    "01824753556",
    "00000000000",
    "5182475355x",
    "-51824753556",
    "５１８２４７５３５５６",
    "51-824-753-556",
    "51824753556\n1"
  ])("refuses %j", (text) => {
    assert.isFalse(isAbn(normalizeAbn(text)))
  })

  it("detects any single wrong digit", () => {
    const digits = fc.tuple(fc.nat(10), fc.nat(9)).filter(([place, digit]) => "51824753556"[place] !== String(digit))
    fc.assert(
      fc.property(digits, ([place, digit]) => {
        const mistaken = [..."51824753556"].with(place, String(digit)).join("")
        assert.isFalse(isAbn(mistaken), mistaken)
      })
    )
  })
})

describe("User: legacy documents", () => {
  it("LEG-01, LEG-02: Basic returns the user and the organization's id and name", () => {
    assert.deepStrictEqual(showByBasic(user, organization), {
      id: 7,
      email: "ann@example.org",
      first_name: "Ann",
      surname: "Example",
      organization: { id: 3, name: "Acme" }
    })
  })

  it("LEG-03, LEG-04: Bearer also returns the verification and the whole organization", () => {
    const shown = showOrganization(organization)
    assert.deepStrictEqual(shown, { id: 3, name: "Acme", abn: "51824753556", is_active: true })
    for (const verifiedAt of [null, 0, 5]) {
      assert.deepStrictEqual(showByBearer({ ...user, verifiedAt }, organization), {
        id: 7,
        email: "ann@example.org",
        first_name: "Ann",
        surname: "Example",
        is_verified: verifiedAt !== null,
        organization: shown
      })
    }
  })
})
