import { assert, describe, it } from "@effect/vitest"
import { mayStillWrite, refusalOf, type StoredCaller } from "@wcs/domain/access/CallerEnded"
import { privilegesOf } from "@wcs/domain/access/Privilege"
import { Result } from "effect"

const account = "urn:wcs:account:acc_0000000000000000"
const stored: StoredCaller = { isBearerEnded: false, account: { role: "Admin", deactivatedAt: null } }
const caller = { account, privileges: privilegesOf("Admin") }

const refused = (now: StoredCaller) => {
  const checked = mayStillWrite(caller, now)
  return Result.isFailure(checked) ? refusalOf(checked.failure, [{ entityType: "user", operation: "CREATE" }]) : null
}

describe("threat 58: a caller", () => {
  it("stands with the same privileges, and with more", () => {
    assert.isNull(refused(stored))
    assert.isNull(refused({ ...stored, account: { role: "Super Admin", deactivatedAt: null } }))
  })

  it.each<[string, StoredCaller]>([
    ["the bearer has ended", { ...stored, isBearerEnded: true }],
    ["the user was deactivated", { ...stored, account: { role: "Admin", deactivatedAt: 1 } }],
    ["the account is gone", { ...stored, account: undefined }]
  ])("is 401 if %s", (_, now) => assert.strictEqual(refused(now)?._tag, "Unauthenticated"))

  it("is 403 for the call's own privilege if that is lost, else for the first lost one", () => {
    const viewer = refused({ ...stored, account: { role: "Viewer", deactivatedAt: null } })
    assert.deepInclude(viewer, { _tag: "Forbidden", account, operation: "CREATE", entityType: "user" })
    const rest = [...privilegesOf("Admin")].filter((privilege) => privilege !== "ban:READ")
    const other = refused({ ...stored, account: { role: rest, deactivatedAt: null } })
    assert.deepInclude(other, { _tag: "Forbidden", operation: "READ", entityType: "ban" })
  })
})
