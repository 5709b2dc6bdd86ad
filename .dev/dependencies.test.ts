import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { read } from "./workspace.ts"

/** The first versions without a known fault in the verification of signatures. */
const leastVersions: Readonly<Record<string, string>> = { "xml-crypto": "6.3.2", "@xmldom/xmldom": "0.8.15" }

interface Needing {
  readonly dependencies?: Readonly<Record<string, string | { readonly version: string }>>
}

const { importers, packages: locked, snapshots } = parse(read("pnpm-lock.yaml"))
const workspace = parse(read("pnpm-workspace.yaml"))

/**
 * The versions that our packages and their parser use. Old copies serve tests as other implementations, and never run in
 * the product.
 */
const versionsOf = (name: string): ReadonlyArray<string> =>
  [...Object.values<Needing>(importers), ...leastOf(snapshots)].flatMap(({ dependencies = {} }) => {
    const found = dependencies[name]
    return found === undefined ? [] : [typeof found === "string" ? found : found.version]
  })

/** The lock file's entries of the first safe versions, with their own dependencies. */
const leastOf = (all: Readonly<Record<string, Needing>>): ReadonlyArray<Needing> =>
  Object.entries(all).flatMap(([key, needing]) =>
    Object.entries(leastVersions).some(([name, least]) => key.startsWith(`${name}@${least}`)) ? [needing] : []
  )

/** Compares versions of three numbers. */
const isAtLeast = (version: string, least: string): boolean =>
  version.localeCompare(least, "en", { numeric: true }) >= 0

describe("threat 42: dependencies", () => {
  it.each(Object.entries(leastVersions))("%s has at least version %s", (name, least) => {
    const versions = versionsOf(name)
    assert.isNotEmpty(versions)
    for (const version of versions) assert.isTrue(isAtLeast(version, least), version)
  })

  it("none runs a script when it is installed", () => {
    assert.isTrue(workspace.strictDepBuilds)
    assert.notInclude(Object.values(workspace.allowBuilds), true)
  })

  it("come from the registry, with a checksum", () => {
    for (const [key, { resolution }] of Object.entries<{ readonly resolution: object }>(locked)) {
      assert.deepStrictEqual(Object.keys(resolution), ["integrity"], key)
    }
  })

  it.each(["node", "pnpm"])("the bootstrap fetches %s by its checksum, in the version of the workspace", (tool) => {
    const { engines, packageManager } = JSON.parse(read("package.json"))
    const { packages } = JSON.parse(read(`.dev/bootstrap/${tool}/package-lock.json`))
    const { "": _, ...fetched } = packages
    assert.lengthOf(Object.keys(fetched), 2)
    for (const { integrity, version } of Object.values<{ readonly integrity: string; readonly version: string }>(
      fetched
    )) {
      assert.match(integrity, /^sha512-/)
      if (tool === "pnpm") assert.strictEqual(`pnpm@${version}`, packageManager)
      else assert.isTrue(isAtLeast(version, engines.node.replace(">=", "")), version)
    }
  })
})
