import { dirname } from "node:path"
import { assert, describe, it } from "vitest"
import type { Manifest } from "./arrows.ts"
import { manifest, packages, read, topLevel } from "./workspace.ts"

/** The top level is closed: whatever else is needed goes into a package, an app or a dotted folder. */
const required = [
  ...["package.json", "pnpm-workspace.yaml", "pnpm-lock.yaml", "turbo.json", "tsconfig.base.json"],
  ...["packages", "apps", "README.md", "LICENSE"]
]
const optional = ["conformance"]

const topLevelViolations = (entries: ReadonlyArray<string>, gitignore: string): ReadonlyArray<string> => {
  const ignored = gitignore.split("\n").map((line) => line.replace(/^\/|\/$/g, ""))
  const allowed = [...required, ...optional, ...ignored]
  return [
    ...required.filter((name) => !entries.includes(name)).map((name) => `${name} is missing`),
    ...entries
      .filter((name) => !name.startsWith(".") && !allowed.includes(name))
      .map((name) => `${name} does not belong at the top`)
  ]
}

/** The most files that a folder may hold: a folder is a topic. */
const filesMax = 25

const crowded = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...Map.groupBy(paths, dirname)]
    .filter(([, files]) => files.length > filesMax)
    .map(([folder, files]) => `${folder} holds ${files.length} files`)

/** The compiler checks what `.dev/tsconfig.json` refers to and nothing else: each package and its tests. */
const unchecked = (folders: ReadonlyArray<string>, config: string): ReadonlyArray<string> => {
  const parsed: { readonly references: ReadonlyArray<{ readonly path: string }> } = JSON.parse(config)
  const paths = parsed.references.map((reference) => reference.path)
  return folders.flatMap((folder) => [`../${folder}`, `../${folder}/test`]).filter((path) => !paths.includes(path))
}

const outsideCatalog = (pkg: Manifest): ReadonlyArray<string> =>
  Object.entries({
    ...pkg.dependencies,
    ...pkg.devDependencies,
    ...pkg.peerDependencies,
    ...pkg.optionalDependencies
  }).flatMap(([name, version]) =>
    (name.startsWith("@wcs/") ? /^workspace:\*$/ : /^catalog:[a-z-]*$/).test(version)
      ? []
      : [`${pkg.name}: ${name}@${version}`]
  )

/** Install scripts run as whoever installs: pnpm refuses those that are not listed, and what is listed may not run. */
const installScripts = (settings: string): ReadonlyArray<string> => [
  ...(/^strictDepBuilds: true\b/m.test(settings) ? [] : ["strictDepBuilds must be true"]),
  ...(settings.match(/^(onlyBuiltDependencies|dangerouslyAllowAllBuilds)/gm) ?? []).map(
    (name) => `${name} lets install scripts run`
  ),
  ...(/^allowBuilds:(.*\n(?: .*\n)*)/m.exec(settings)?.[1] ?? "")
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^ +"[^"]+": false\b/.test(line))
    .map((line) => `${line.trim()} lets an install script run`)
]

describe("the layout of the workspace", () => {
  it("the top level holds what it should and nothing else", () => {
    assert.deepStrictEqual(topLevelViolations(topLevel(), read(".gitignore")), [])
  })
  it("every package and its tests are type-checked", () => {
    const folders = packages().map((pkg) => pkg.folder)
    assert.deepStrictEqual(unchecked(folders, read(".dev/tsconfig.json")), [])
  })
  it("no folder of source holds more than 25 files", () => {
    const paths = packages().flatMap(({ files, folder }) => files.map(({ path }) => `${folder}/${path}`))
    assert.deepStrictEqual(crowded(paths), [])
  })
  it("every version stands in the catalog", () => {
    assert.deepStrictEqual([manifest("."), ...packages().map((pkg) => pkg.manifest)].flatMap(outsideCatalog), [])
  })
  it("no dependency runs an install script", () => {
    assert.deepStrictEqual(installScripts(read("pnpm-workspace.yaml")), [])
  })
  it("the bootstrap brings the pnpm that package.json names", () => {
    const { packageManager }: { readonly packageManager: string } = JSON.parse(read("package.json"))
    assert.include(read(".dev/run.mjs"), `"${packageManager}"`)
  })
})

describe("how the layout is judged", () => {
  it("a stranger and a gap at the top are found", () => {
    const entries = [...required.filter((name) => name !== "LICENSE"), ".dev", "node_modules", "scripts"]
    assert.deepStrictEqual(topLevelViolations(entries, "node_modules/\n/data/\n"), [
      "LICENSE is missing",
      "scripts does not belong at the top"
    ])
  })
  it("a package without a reference is found, and so are its tests", () => {
    const config = '{ "references": [{ "path": "../packages/a" }] }'
    assert.deepStrictEqual(unchecked(["packages/a", "packages/b"], config), [
      "../packages/a/test",
      "../packages/b",
      "../packages/b/test"
    ])
  })
  it("a folder of 26 files is found, and one of 25 is not", () => {
    const files = Array.from({ length: 25 }, (_, index) => `packages/a/src/File${index}.ts`)
    assert.deepStrictEqual(crowded(files), [])
    assert.deepStrictEqual(crowded([...files, "packages/a/src/Another.ts"]), ["packages/a/src holds 26 files"])
  })
  it("a version outside the catalog is found", () => {
    const dependencies = {
      effect: "4.1.0",
      jose: "catalog:",
      yaml: "catalog:old",
      "@wcs/domain": "workspace:*",
      "@wcs/api": "catalog:"
    }
    assert.deepStrictEqual(outsideCatalog({ name: "a", dependencies, devDependencies: { vitest: "^5.0.0" } }), [
      "a: effect@4.1.0",
      "a: @wcs/api@catalog:",
      "a: vitest@^5.0.0"
    ])
  })
  it("settings that let an install script run are found", () => {
    assert.lengthOf(installScripts("strictDepBuilds: false\n"), 1)
    assert.lengthOf(installScripts("strictDepBuilds: true\nallowBuilds:\n  ssh2: true\n"), 1)
    assert.lengthOf(installScripts('strictDepBuilds: true\nallowBuilds: { "ssh2": true }\n'), 1)
    assert.lengthOf(installScripts('strictDepBuilds: true\nallowBuilds:\n  "a": false # links\n  "b": true\n'), 1)
    assert.lengthOf(installScripts('strictDepBuilds: true\nallowBuilds:\n  "a": false # links\n'), 0)
  })
})
