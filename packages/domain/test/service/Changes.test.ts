import { assert, describe, it } from "@effect/vitest"
import * as Privilege from "@wcs/domain/access/Privilege"
import { changedTypes, visibleTypes } from "@wcs/domain/service/Changes"
import fc from "fast-check"

const privileges = fc.subarray([...Privilege.everyPrivilege])

describe("changes", () => {
  it("PRV-09, threat 45: are visible with READ of their type and of all that it is about, or of the audit log", () => {
    fc.assert(
      fc.property(privileges, (names) => {
        const visible = visibleTypes(Privilege, { account: "urn:wcs:account:reader", privileges: new Set(names) })
        const held = new Set<string>(names)
        for (const type of changedTypes) {
          const ofTasks = ["task", "credential", "worker", "ban", "applicant", "verificationSource"]
          const types = type === "task" ? ofTasks : [type]
          const isExpected = types.every((one) => held.has(`${one}:READ`)) || held.has("auditEvent:READ")
          assert.strictEqual(visible.has(type), isExpected, type)
        }
      })
    )
  })

  it("show a Viewer neither tokens nor sessions, and name users as the API does", () => {
    const viewer = { account: "urn:wcs:account:viewer", privileges: Privilege.privilegesOf("Viewer") }
    const visible = visibleTypes(Privilege, viewer)
    assert.includeMembers([...visible], ["worker", "credential", "user"])
    for (const type of ["accessToken", "session", "secondFactor", "tenant"] as const) assert.isFalse(visible.has(type))
    assert.notInclude(changedTypes as ReadonlyArray<string>, "account")
  })
})
