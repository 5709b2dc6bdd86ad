import { dirname } from "node:path"
import { assert, describe, it } from "vitest"
import type { Manifest, Package } from "./arrows.ts"
import { linesMax, tooLong } from "./lengths.ts"
import { manifest, packages, read, topLevel } from "./workspace.ts"

/** The top level is closed: everything else belongs in a package, an app or a dotted folder. */
const required = [
  ...["package.json", "pnpm-workspace.yaml", "pnpm-lock.yaml", "turbo.json", "tsconfig.base.json"],
  ...["packages", "apps", "README.md", "CHANGELOG.md", "COMPATIBILITY.md", "LICENSE"]
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

/** The maximum number of files of a folder, since a folder is a topic. */
const filesMax = 25

const crowded = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...Map.groupBy(paths, dirname)]
    .filter(([, files]) => files.length > filesMax)
    .map(([folder, files]) => `${folder} holds ${files.length} files`)

/** The folders that the compiler does not check: it checks only references of `.dev/tsconfig.json`. */
const unchecked = (pkgs: ReadonlyArray<Pick<Package, "folder" | "files">>, config: string): ReadonlyArray<string> => {
  const parsed: { readonly references: ReadonlyArray<{ readonly path: string }> } = JSON.parse(config)
  const paths = parsed.references.map((reference) => reference.path)
  return pkgs
    .flatMap(({ files, folder }) => [
      `../${folder}`,
      ...(files.some(({ path }) => path.startsWith("test/")) ? [`../${folder}/test`] : [])
    ])
    .filter((path) => !paths.includes(path))
}

/** The programs that only choose adapters, and the maximum lines of their sources: a reader takes them in at once. */
const thin = { folders: ["apps/http-node", "apps/worker"], linesMax: 150 }

const linesOf = ({ files }: Pick<Package, "files">): number =>
  files.reduce((sum, { path, text }) => sum + (path.startsWith("src/") ? text.split("\n").length - 1 : 0), 0)

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

/**
 * Install scripts run with the rights of the user. pnpm refuses scripts that are not listed, and a listed one must not
 * be allowed.
 */
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
  it("the top level is complete and has nothing else", () => {
    assert.deepStrictEqual(topLevelViolations(topLevel(), read(".gitignore")), [])
  })
  it("every package and its tests are type-checked", () => {
    assert.deepStrictEqual(unchecked(packages(), read(".dev/tsconfig.json")), [])
  })
  it("the server and the worker are thin programs over packages/deployment", () => {
    const programs = packages().filter(({ folder }) => thin.folders.includes(folder))
    assert.deepStrictEqual(
      programs.filter((program) => linesOf(program) > thin.linesMax).map(({ folder }) => folder),
      []
    )
    assert.strictEqual(programs.length, thin.folders.length)
  })
  it("no folder of source holds more than 25 files", () => {
    const paths = packages().flatMap(({ files, folder }) => files.map(({ path }) => `${folder}/${path}`))
    assert.deepStrictEqual(crowded(paths), [])
  })
  it("no function of the domain is longer than 100 lines, apart from the make of a service", () => {
    const sources = packages().flatMap(({ files, folder }) => (folder === "packages/domain" ? files : []))
    assert.deepStrictEqual(sources.filter(({ path }) => path.startsWith("src/")).flatMap(tooLong), [])
  })
  it("every version is in the catalog", () => {
    assert.deepStrictEqual([manifest("."), ...packages().map((pkg) => pkg.manifest)].flatMap(outsideCatalog), [])
  })
  it("no dependency runs an install script", () => {
    assert.deepStrictEqual(installScripts(read("pnpm-workspace.yaml")), [])
  })
})

describe("checking the layout", () => {
  it("reports an unexpected and a missing file at the top", () => {
    const entries = [...required.filter((name) => name !== "LICENSE"), ".dev", "node_modules", "scripts"]
    assert.deepStrictEqual(topLevelViolations(entries, "node_modules/\n/data/\n"), [
      "LICENSE is missing",
      "scripts does not belong at the top"
    ])
  })
  it("reports a package without a reference, and its tests", () => {
    const config = '{ "references": [{ "path": "../packages/a" }] }'
    const tested = ["src/A.ts", "test/A.test.ts"].map((path) => ({ path, text: "" }))
    const packages = [
      { folder: "packages/a", files: tested },
      { folder: "packages/b", files: tested },
      { folder: "packages/c", files: tested.slice(0, 1) }
    ]
    assert.deepStrictEqual(unchecked(packages, config), [
      "../packages/a/test",
      "../packages/b",
      "../packages/b/test",
      "../packages/c"
    ])
  })
  it("reports a folder of 26 files, and none of 25", () => {
    const files = Array.from({ length: 25 }, (_, index) => `packages/a/src/File${index}.ts`)
    assert.deepStrictEqual(crowded(files), [])
    assert.deepStrictEqual(crowded([...files, "packages/a/src/Another.ts"]), ["packages/a/src holds 26 files"])
  })
  it("reports a function of 101 lines, also within make, but not make itself", () => {
    const long = `function* () {${"\n".repeat(linesMax)}}`
    const found = (text: string) => tooLong({ path: "src/A.ts", text })
    assert.deepStrictEqual(found(`export const make = Effect.gen(${long})`), [])
    assert.deepStrictEqual(found(`export const make = (a: number) => Effect.gen(${long}).pipe(b)`), [])
    assert.deepStrictEqual(found(`const other = Effect.gen(${long})`), ["src/A.ts: a function of 101 lines"])
    assert.lengthOf(found(`export const make = () => { f(${long}) }`), 1)
  })
  it("reports a version outside the catalog", () => {
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
  it("reports settings that allow an install script", () => {
    assert.lengthOf(installScripts("strictDepBuilds: false\n"), 1)
    assert.lengthOf(installScripts("strictDepBuilds: true\nallowBuilds:\n  ssh2: true\n"), 1)
    assert.lengthOf(installScripts('strictDepBuilds: true\nallowBuilds: { "ssh2": true }\n'), 1)
    assert.lengthOf(installScripts('strictDepBuilds: true\nallowBuilds:\n  "a": false # links\n  "b": true\n'), 1)
    assert.lengthOf(installScripts('strictDepBuilds: true\nallowBuilds:\n  "a": false # links\n'), 0)
  })
})
