import { assert, describe, it } from "@effect/vitest"
import { authorize as authorizePrivileges, Forbidden, privilegesOf, type Role } from "@wcs/domain/access/Privilege"
import { AccountUnverified, authorize, type LegacyCall, legacyCalls } from "@wcs/domain/legacy/LegacyAccess"
import { Result } from "effect"

const account = "urn:wcs:account:acc_0000000000000001"

const judge = (call: LegacyCall, verifiedAt: number | null, role: Role) => {
  const judged = authorize(
    { authorize: authorizePrivileges },
    legacyCalls[call],
    { verifiedAt },
    account,
    privilegesOf(role)
  )
  return Result.isSuccess(judged) ? "may" : judged.failure
}
const lacks = (entityType: "worker" | "credential", operation: "READ" | "CREATE") =>
  new Forbidden({ account, entityType, operation })

describe("LegacyAccess", () => {
  it("§5.1, items 1 and 3: Basic only reads the caller's own id and gets tokens; other calls need Bearer", () => {
    const schemes = Object.entries(legacyCalls).map(([call, guard]) => [call, guard.schemes.join()])
    assert.deepStrictEqual(Object.fromEntries(schemes), {
      me: "Basic,Bearer",
      token: "Basic",
      organization: "Bearer",
      constituents: "Bearer",
      scan: "Bearer"
    })
  })

  const rows: ReadonlyArray<readonly [LegacyCall, Role, unknown, unknown]> = [
    // call, role, unverified, verified
    ["me", [], "may", "may"],
    ["me", "Super Admin", "may", "may"],
    ["token", [], "may", "may"],
    ["organization", [], new AccountUnverified(), "may"],
    ["organization", "Super Admin", new AccountUnverified(), "may"],
    ["constituents", "Viewer", new AccountUnverified(), "may"],
    ["constituents", ["worker:READ"], new AccountUnverified(), "may"],
    ["constituents", ["worker:CREATE", "credential:READ"], new AccountUnverified(), lacks("worker", "READ")],
    ["constituents", [], new AccountUnverified(), lacks("worker", "READ")],
    ["scan", "Data Manager", new AccountUnverified(), "may"],
    ["scan", ["credential:CREATE"], new AccountUnverified(), "may"],
    ["scan", "Viewer", new AccountUnverified(), lacks("credential", "CREATE")],
    ["scan", ["credential:READ", "worker:CREATE"], new AccountUnverified(), lacks("credential", "CREATE")]
  ]
  it.each(rows)("LEG-20, LEG-22: %s as %j", (call, role, unverified, verified) => {
    assert.deepStrictEqual(judge(call, null, role), unverified)
    for (const verifiedAt of [0, 5]) assert.deepStrictEqual(judge(call, verifiedAt, role), verified)
  })
})
