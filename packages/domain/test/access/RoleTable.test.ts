import { assert, describe, it } from "@effect/vitest"
import * as Privilege from "@wcs/domain/access/Privilege"
import { roleTable } from "@wcs/domain/access/RoleTable"

describe("the table of roles", () => {
  it("has exactly the privileges of each role, without a limit and with one", () => {
    const namesOf = (rights: ReadonlyArray<readonly [string, ReadonlyArray<string>]>) =>
      rights.flatMap(([entityType, operations]) => operations.map((operation) => `${entityType}:${operation}`))
    const table = roleTable(Privilege)
    assert.deepStrictEqual(
      table.map(({ name }) => name),
      Object.keys(Privilege.roles)
    )
    for (const { name, rights } of table) {
      const held = namesOf(rights.map(({ entityType, operations }) => [entityType, operations]))
      assert.sameMembers(held, [...Privilege.privilegesOf(name)])
      const kept = namesOf(rights.map(({ entityType, withinUnits }) => [entityType, withinUnits ?? []]))
      const limited = name === "Super Admin" ? [] : [...Privilege.privilegesOf({ role: name, units: [] })]
      assert.sameMembers(kept, limited, name)
    }
  })
})
