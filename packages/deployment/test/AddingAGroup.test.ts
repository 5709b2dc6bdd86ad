import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { endpointsOf, resourcesOf } from "@wcs/api/Endpoints"
import { ScreeningPackagesApi } from "@wcs/api/groups/ScreeningPackagesApi"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { entities } from "@wcs/domain/access/Privilege"
import { ScreeningPackage } from "@wcs/domain/screening/ScreeningPackage"
import type { ColumnTypes } from "@wcs/store-sql/engine/Dialect"
import { migrations } from "@wcs/store-sql/engine/Migrations"
import { goodCall, groups, missing, routes } from "./rules/EveryRoute.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const read = (path: string) => readFileSync(root + path, "utf8")

const [, walkThrough = ""] = read("packages/domain/README.md").split("## Example: how to add a group")

/** The path of each step. */
const steps = Array.from(walkThrough.matchAll(/^\d+\. \*\*`([^`]+)`/gm), ([, path = ""]) => path)

const fullPathOf = (path: string) => (path.startsWith("src/") ? `packages/domain/${path}` : `packages/${path}`)

/** Any types: only the names of tables matter here. */
const types: ColumnTypes = {
  text: "TEXT",
  integer: "INTEGER",
  position: "INTEGER",
  createPassingTable: "CREATE TABLE",
  tableEnd: "",
  tenantPosition: "tenant_id TEXT",
  byTenant: () => []
}

describe("the README's example of adding a rule", () => {
  const [, section = ""] = read("packages/domain/README.md").split("## Example: how to add a rule")
  const [rule = ""] = section.split("## Example: how to add a group")
  const places = Array.from(rule.matchAll(/^\d+\. \*\*`([^`]+)`/gm), ([, path = ""]) => fullPathOf(path))

  it("has six steps, and three for a stored fact, each in a file with the rule or the fact", () => {
    assert.lengthOf(places, 9)
    for (const path of places) assert.match(read(path), /PackageInactive|UNPROCESSABLE|OwnerFacts/, path)
  })

  it("runs tests that exist", () => {
    const tests = Array.from(rule.matchAll(/(?<= )(?:packages|apps)\/[\w/.-]+/g), ([path]) => path)
    assert.lengthOf(tests, 5)
    for (const path of tests) assert.isTrue(existsSync(root + path), path)
  })
})

const own = routes.filter(({ name }) => name.startsWith("screeningPackages."))

describe("the README's example of adding a group", () => {
  it("has eight steps, each in a place that exists", () => {
    assert.lengthOf(steps, 8)
    for (const path of steps) assert.isTrue(existsSync(root + fullPathOf(path)), path)
  })

  it("steps 1 and 2: the definition names an entity type with all operations", () => {
    assert.strictEqual(ScreeningPackage.type, "screeningPackage")
    assert.lengthOf(entities[ScreeningPackage.type].operations, 4)
  })

  it("steps 3 and 4: the surface has the six standard endpoints of the group", () => {
    assert.strictEqual(ScreeningPackagesApi.identifier, "screeningPackages")
    const names = endpointsOf(NewerSurface).map(({ name }) => name)
    const declared = names.filter((name) => name.startsWith("screeningPackages."))
    const standard = ["list", "create", "read", "replace", "patch", "remove"]
    assert.deepStrictEqual(
      declared,
      standard.map((name) => `screeningPackages.${name}`)
    )
  })

  it("step 5: the handlers are those of the definition's collection", () => {
    assert.include(read("packages/http/src/handlers/PlainGroups.ts"), "collection(ScreeningPackage)")
  })

  it("step 6: a migration creates the table", () => {
    const statements = migrations.flatMap((migration) => migration.statements(types))
    assert.isTrue(statements.some((statement) => statement.startsWith(`CREATE TABLE ${ScreeningPackage.type} (`)))
  })

  it("no step: the tests of the stores and the conformance profile find the definition in the contract", () => {
    assert.include(resourcesOf(NewerSurface), ScreeningPackage)
  })

  it("steps 7 and 8: the tests know the group", () => {
    assert.strictEqual(groups["screeningPackages"]?.entity, ScreeningPackage.type)
    for (const route of own) assert.doesNotThrow(() => goodCall(route, missing))
    assert.include(read("packages/domain/test/access/Privilege.test.ts"), "screeningPackage:")
  })
})
