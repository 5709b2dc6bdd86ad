import { assert, describe, it } from "vitest"
import { arrows, importsOf, type Manifest, type Package, violations } from "./arrows.ts"
import { circles } from "./circles.ts"
import { topics, upward } from "./topics.ts"
import { packages } from "./workspace.ts"

const workspace = packages()

describe("the dependency rules between packages", () => {
  it.each(workspace.map((pkg) => [pkg.folder, pkg] as const))("%s follows its row", (_, pkg) => {
    assert.deepStrictEqual(violations(pkg), [])
  })
  it.each(workspace.map((pkg) => [pkg.folder, pkg] as const))("%s has no import cycles", (_, pkg) => {
    assert.deepStrictEqual(circles(pkg), [])
  })
  it("topics import only lower topics", () => {
    const ordered = workspace.filter(({ folder }) => folder in topics)
    assert.deepStrictEqual(
      ordered.map(({ folder }) => folder),
      Object.keys(topics)
    )
    assert.deepStrictEqual(
      ordered.flatMap((pkg) => upward(pkg, topics[pkg.folder] ?? [])),
      []
    )
  })
})

describe("finding import cycles", () => {
  it("names the files of a cycle once, without files that only lead to it", () => {
    const files = [
      { path: "src/A.ts", text: `import { b } from "./b/B.ts"` },
      { path: "src/b/B.ts", text: `import type { C } from "../C.ts"` },
      { path: "src/C.ts", text: `export { b } from "./b/B.ts"` },
      { path: "src/D.ts", text: `import "effect"` }
    ]
    assert.deepStrictEqual(circles({ folder: "packages/a", manifest: { name: "@wcs/a" }, files }), [
      "packages/a: src/C.ts, src/b/B.ts import each other"
    ])
  })
})

describe("finding imports of higher topics", () => {
  const files = [
    { path: "src/low/A.ts", text: `import type { B } from "../high/B.ts"` },
    { path: "src/high/B.ts", text: `import { c } from "../low/C.ts"; import { d } from "./D.ts"` },
    { path: "src/low/C.ts", text: "" },
    { path: "src/high/D.ts", text: "" },
    { path: "test/high/B.test.ts", text: `import { b } from "../../src/high/B.ts"` }
  ]
  const pkg: Package = { folder: "packages/a", manifest: { name: "@wcs/a" }, files }
  it("names each import of a higher topic, and no other", () => {
    assert.deepStrictEqual(upward(pkg, ["low", "high"]), ["packages/a: src/low/A.ts may not import src/high/B.ts"])
  })
  it("names topics without a place and places without a topic", () => {
    assert.deepStrictEqual(upward(pkg, ["low", "gone"]), [
      "packages/a: high has no place in the order",
      "packages/a: gone has no files"
    ])
  })
})

/** A valid package, with one file and one manifest entry that a test can make invalid. */
const planted = (folder: string, path: string, text: string, manifest: Partial<Manifest> = {}): Package => ({
  folder,
  manifest: {
    name: folder.replace(/^.*\//, "@wcs/"),
    exports: { "./*": "./src/*.ts" },
    dependencies: { effect: "catalog:", "@wcs/domain": "workspace:*" },
    devDependencies: { vitest: "catalog:" },
    ...manifest
  },
  files: [{ path, text }]
})

const declares = (...names: ReadonlyArray<string>): Partial<Manifest> => ({
  dependencies: Object.fromEntries(names.map((name) => [name, "workspace:*"]))
})

describe("checking a package", () => {
  const bad: ReadonlyArray<readonly [why: string, pkg: Package, expected: RegExp]> = [
    ["a package without a row", planted("packages/extra", "src/A.ts", ""), /no row/],
    ["a dependency outside its row", planted("packages/api", "src/A.ts", "", declares("@wcs/http")), /on @wcs\/http/],
    [
      "a package under another name",
      planted("packages/api", "src/A.ts", "", { name: "@wcs/http" }),
      /name must be @wcs\/api/
    ],
    [
      "a barrel in exports",
      planted("packages/api", "src/A.ts", "", { exports: { ".": "./src/A.ts" } }),
      /exports must be/
    ],
    [
      "a static import",
      planted("packages/keys", "src/A.ts", 'import { a } from "@wcs/http/A"'),
      /not import @wcs\/http\/A/
    ],
    ["a type-only import", planted("packages/keys", "src/A.ts", 'import type { A } from "@wcs/api/A"'), /not import/],
    ["an imported type", planted("packages/keys", "src/A.ts", 'export type A = import("@wcs/api/A").A'), /not import/],
    ["a dynamic import", planted("packages/keys", "src/A.ts", 'const a = await import("@wcs/api/A")'), /not import/],
    [
      "a re-export",
      planted("packages/keys", "src/A.ts", 'export { a } from "@wcs/api/A"; export const b = 1'),
      /not import/
    ],
    ["a side effect", planted("packages/keys", "src/A.ts", 'import "@wcs/api/A"'), /not import/],
    [
      "a computed import",
      planted("packages/keys", "src/A.ts", "const a = (b: string) => import(b)"),
      /cannot be checked/
    ],
    [
      "an undeclared package of ours",
      planted("packages/api", "src/A.ts", 'import "@wcs/domain/A"', declares()),
      /without declaring/
    ],
    ["an undeclared foreign package", planted("packages/keys", "src/A.ts", 'import "jose"'), /without declaring jose/],
    [
      "a source that imports a devDependency",
      planted("packages/keys", "src/A.ts", 'import "vitest"'),
      /without declaring vitest/
    ],
    [
      "a test that imports an undeclared package",
      planted("packages/keys", "test/A.test.ts", 'import "@wcs/sqlite/A"'),
      /without declaring/
    ],
    [
      "a source that imports from outside the package",
      planted("packages/keys", "src/A.ts", 'import "../../api/src/A.ts"'),
      /outside the package/
    ],
    [
      "a test that imports from outside the package",
      planted("packages/keys", "test/A.ts", 'import "../../api/src/A.ts"'),
      /outside the package/
    ],
    ["a source that imports a test", planted("packages/keys", "src/A.ts", 'import "../test/B.ts"'), /outside src/],
    ["a source that names its own package", planted("packages/keys", "src/A.ts", 'import "@wcs/keys/B"'), /by name/],
    ["Node in http", planted("packages/http", "src/A.ts", 'import "node:fs"'), /not import node:fs/],
    ["Node without its prefix", planted("packages/store-sql", "src/A.ts", 'import "fs"'), /not import fs/],
    ["a driver in a store", planted("packages/store-sql", "src/A.ts", 'import "@effect/sql-pg"'), /not import @effect/],
    [
      "Node in a port's contract",
      planted("packages/store-suite", "src/A.ts", 'import "node:fs"'),
      /not import node:fs/
    ],
    [
      "a platform in the contract",
      planted("packages/api", "src/A.ts", 'import "@effect/platform-node/A"'),
      /not import @effect/
    ],
    ["SQL in http", planted("packages/http", "src/A.ts", 'import { A } from "effect/sql"'), /not import effect\/sql/],
    ["HTTP in the domain", planted("packages/domain", "src/A.ts", 'import "effect/http"'), /not import effect\/http/],
    ["a private package in an app", planted("apps/wcs", "src/A.ts", 'import "@wcs/bench/A"'), /not import @wcs\/bench/],
    ["an app in another app", planted("apps/worker", "src/A.ts", 'import "@wcs/wcs/A"'), /not import @wcs\/wcs/],
    [
      "ours in a test of conformance",
      planted("conformance", "test/A.ts", 'import "@wcs/domain/A"'),
      /not import @wcs\/domain/
    ],
    ["an index file", planted("packages/api", "src/index.ts", "export const a = 1"), /"index" names no concept/],
    [
      "a folder of helpers",
      planted("packages/api", "test/helpers/A.ts", "export const a = 1"),
      /"helpers" names no concept/
    ],
    [
      "a barrel",
      planted("packages/api", "src/A.ts", 'export * from "./B.ts"\nexport { c } from "./C.ts"'),
      /re-exports only/
    ]
  ]
  it.each(bad)("%s is refused", (_, pkg, expected) => {
    assert.match(violations(pkg).join("\n"), expected)
  })

  const good: ReadonlyArray<readonly [why: string, pkg: Package]> = [
    [
      "the domain on effect",
      planted("packages/domain", "src/A.ts", 'import { Effect } from "effect"; export const b = 1', declares("effect"))
    ],
    [
      "the contract on the domain",
      planted("packages/api", "src/A.ts", 'import { a } from "@wcs/domain/A"; export const b = 1')
    ],
    [
      "a store on effect/sql",
      planted("packages/store-sql", "src/A.ts", 'import { SqlClient } from "effect/sql"; export const b = 1')
    ],
    [
      "Node in the Postgres of tests",
      planted("packages/store-suite", "src/postgres/A.ts", 'import "node:fs"; export const b = 1')
    ],
    ["a test on its devDependencies", planted("packages/api", "test/A.test.ts", 'import "vitest"; import "node:fs"')],
    [
      "a test on its own package",
      planted("packages/api", "test/A.test.ts", 'import "@wcs/api/A"; import "../src/B.ts"')
    ],
    [
      "wcs on another app",
      planted("apps/wcs", "src/A.ts", 'import "@wcs/worker/A"; export const b = 1', declares("@wcs/worker"))
    ],
    [
      "a module named in a comment",
      planted("packages/api", "src/A.ts", '/* import "@wcs/http/A" */ export const a = 1')
    ]
  ]
  it.each(good)("%s is allowed", (_, pkg) => {
    assert.deepStrictEqual(violations(pkg), [])
  })

  it("every package that a row names has a row", () => {
    const named = Object.values(arrows).flatMap((row) => row.ours)
    assert.deepStrictEqual(
      named.filter((folder) => arrows[folder] === undefined),
      []
    )
  })

  it("finds imports of every kind", () => {
    const text =
      'import a from "a"; import type { B } from "b"; export * from "c"; type D = import("d").D; await import("e")'
    assert.deepStrictEqual(importsOf({ path: "A.ts", text }), ["a", "b", "c", "d", "e"])
  })
})
