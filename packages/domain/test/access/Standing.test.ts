import { assert, describe, it } from "@effect/vitest"
import { privilegesOf } from "@wcs/domain/access/Privilege"
import { refusalOf, type Standing, standsBy } from "@wcs/domain/access/Standing"
import { Result } from "effect"

const account = "urn:wcs:account:acc_0000000000000000"
const standing: Standing = { isBearerEnded: false, account: { role: "Admin", deactivatedAt: null } }
const caller = { account, privileges: privilegesOf("Admin") }

const refused = (now: Standing) => {
  const stands = standsBy(caller, now)
  return Result.isFailure(stands) ? refusalOf(stands.failure, [{ entityType: "user", operation: "CREATE" }]) : null
}

describe("threat 58: a caller", () => {
  it("stands with the same privileges, and with more", () => {
    assert.isNull(refused(standing))
    assert.isNull(refused({ ...standing, account: { role: "Super Admin", deactivatedAt: null } }))
  })

  it.each<[string, Standing]>([
    ["the bearer has ended", { ...standing, isBearerEnded: true }],
    ["the user was deactivated", { ...standing, account: { role: "Admin", deactivatedAt: 1 } }],
    ["the account is gone", { ...standing, account: undefined }]
  ])("is 401 if %s", (_, now) => assert.strictEqual(refused(now)?._tag, "Unauthenticated"))

  it("is 403 for the call's own privilege if that is lost, else for the first lost one", () => {
    const viewer = refused({ ...standing, account: { role: "Viewer", deactivatedAt: null } })
    assert.deepInclude(viewer, { _tag: "Forbidden", account, operation: "CREATE", entityType: "user" })
    const rest = [...privilegesOf("Admin")].filter((privilege) => privilege !== "ban:READ")
    const other = refused({ ...standing, account: { role: rest, deactivatedAt: null } })
    assert.deepInclude(other, { _tag: "Forbidden", operation: "READ", entityType: "ban" })
  })
})
