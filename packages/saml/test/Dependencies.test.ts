import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"

const require = createRequire(import.meta.url)

/** The version of the package that contains a module. */
const versionOf = (modulePath: string): string => {
  let folder = dirname(modulePath)
  while (!folder.endsWith("node_modules")) {
    try {
      const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
      if (name !== undefined) return version
    } catch {
      // its package.json is further up
    }
    folder = dirname(folder)
  }
  throw new Error(`${modulePath} belongs to no package`)
}

const isAtLeast = (version: string, least: string): boolean => {
  const [given, wanted] = [version, least].map((text) => text.split(".").map(Number))
  for (const [index, part] of (wanted ?? []).entries()) {
    const other = given?.[index] ?? 0
    if (other !== part) return other > part
  }
  return true
}

const xmlCrypto = require.resolve("xml-crypto")
const xmldom = require.resolve("@xmldom/xmldom")

describe("the libraries that read signed XML", () => {
  it("xml-crypto is 6.3.2 or later, but no next major version", () => {
    assert.isTrue(isAtLeast(versionOf(xmlCrypto), "6.3.2"), versionOf(xmlCrypto))
    assert.match(versionOf(xmlCrypto), /^6\./)
  })
  it("@xmldom/xmldom is 0.8.15 or later, and still 0.8", () => {
    assert.isTrue(isAtLeast(versionOf(xmldom), "0.8.15"), versionOf(xmldom))
    assert.match(versionOf(xmldom), /^0\.8\./)
  })
  it("xml-crypto parses by the same copy of @xmldom/xmldom as we do", () => {
    assert.strictEqual(createRequire(xmlCrypto).resolve("@xmldom/xmldom"), xmldom)
  })
  it("an older version would be detected", () => {
    for (const version of ["6.3.1", "6.2.9", "5.9.9"]) assert.isFalse(isAtLeast(version, "6.3.2"), version)
    for (const version of ["6.3.2", "6.3.10", "6.4.0", "7.0.0"]) assert.isTrue(isAtLeast(version, "6.3.2"), version)
    assert.isFalse(isAtLeast("0.8.14", "0.8.15"))
  })
})
