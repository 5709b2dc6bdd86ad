import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { endpointsOf, resourcesOf } from "@wcs/api/Endpoints"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { entities } from "@wcs/domain/access/Privilege"
import { ScreeningPackage } from "@wcs/domain/screening/ScreeningPackage"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const read = (path: string) => readFileSync(root + path, "utf8")

const [, walkThrough = ""] = read("packages/domain/README.md").split("## Example: how to add a group")

/** The path of each step. */
const steps = Array.from(walkThrough.matchAll(/^\d+\. \*\*`([^`]+)`/gm), ([, path = ""]) => path)

const fullPathOf = (path: string) => (path.startsWith("src/") ? `packages/domain/${path}` : `packages/${path}`)

const [, section = ""] = read("packages/domain/README.md").split("## Example: how to add a rule")
const [rule = ""] = section.split("## Example: how to add a group")
const places = Array.from(rule.matchAll(/^\d+\. \*\*`([^`]+)`/gm), ([, path = ""]) => fullPathOf(path))

describe("the README's example of adding a rule", () => {
  it("has six steps, and three for a stored fact, each in a file with the rule or the fact, and runs tests that exist", () => {
    assert.lengthOf(places, 9)
    for (const path of places) assert.match(read(path), /PackageInactive|UNPROCESSABLE|OwnerFacts/, path)
    const tests = Array.from(rule.matchAll(/(?<= )(?:packages|apps)\/[\w/.-]+/g), ([path]) => path)
    assert.lengthOf(tests, 5)
    for (const path of tests) assert.isTrue(existsSync(root + path), path)
  })
})

describe("the README's example of adding a group", () => {
  it("has eight steps, each in a place that exists and names the group", () => {
    assert.lengthOf(steps, 8)
    for (const path of steps) assert.match(read(fullPathOf(path)), /[sS]creeningPackage/, path)
  })

  it("needs no step for the six standard endpoints, and the tests find the definition in the contract", () => {
    const names = endpointsOf(NewerSurface).map(({ name }) => name)
    const standard = ["list", "create", "read", "replace", "patch", "remove"]
    assert.deepStrictEqual(
      names.filter((name) => name.startsWith("screeningPackages.")),
      standard.map((name) => `screeningPackages.${name}`)
    )
    assert.lengthOf(entities[ScreeningPackage.type].operations, 4)
    assert.include(resourcesOf(NewerSurface), ScreeningPackage)
  })
})
