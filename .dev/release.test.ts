import { assert, describe, it } from "vitest"
import { type Commit, read as readSubject, sectionOf, versionsIn, withSection } from "./release/changelog.ts"
import { versionsOf } from "./release/versions.ts"
import { read } from "./workspace.ts"

const { version }: { readonly version: string } = JSON.parse(read("package.json"))

describe("the version of a release", () => {
  it.each(versionsOf())("is in %s", (_, found) => {
    assert.strictEqual(found, version)
  })

  it("has the first section of the change log", () => {
    assert.strictEqual(versionsIn(read("CHANGELOG.md"))[0], version)
  })
})

/** One commit for each subject. Every commit changes a shipped file. */
const commitsOf = (...subjects: ReadonlyArray<string>): ReadonlyArray<Commit> =>
  subjects.map((subject) => ({ subject, paths: ["packages/http/src/A.ts"] }))

describe("the change log", () => {
  it("reads the first area of a subject that users see", () => {
    assert.deepStrictEqual(readSubject("http: refuse a body"), { area: "http", summary: "refuse a body" })
    assert.deepStrictEqual(readSubject("bench, wcs: start: sooner"), { area: "wcs", summary: "start: sooner" })
    assert.deepStrictEqual(readSubject("first run: print the address")?.area, "first run")
    for (const subject of ["tests: wait longer", "Merge main into the lists", "Refuse: a body"]) {
      assert.isUndefined(readSubject(subject), subject)
    }
  })

  it("groups changes by heading and area, and lists equal ones once", () => {
    const commits = commitsOf("wcs: b", "console: c", "http: a", "tests: d", "http: a")
    assert.strictEqual(
      sectionOf("1.0.0", "2026-01-02", commits),
      "## 1.0.0 (2026-01-02)\n\n### Service\n\n- http: a\n- wcs: b\n\n### Console\n\n- console: c"
    )
  })

  it("lists only commits that change a file of a package, an image or a deployment", () => {
    const commits = [
      ["http: a", "packages/http/test/A.test.ts"],
      ["http: b", "packages/http/README.md"],
      ["conformance: c", "conformance/kill-matrix.json"],
      ["http: d", "packages/specimens/src/A.ts"],
      ["conformance: e", "conformance/profile.schema.json"],
      ["deploy: f", "apps/wcs/deploy/monitoring/alerts.yml"]
    ].map(([subject = "", path = ""]): Commit => ({ subject, paths: ["", path] }))
    const section = sectionOf("1.0.0", "2026-01-02", commits)
    assert.deepStrictEqual(section.match(/^- .*$/gm), ["- deploy: f", "- conformance: e"])
  })

  it("puts a new section first, and replaces that of the same version", () => {
    const first = withSection("", sectionOf("1.0.0", "2026-01-02", commitsOf("http: a")))
    const second = withSection(first, sectionOf("1.1.0", "2026-02-03", commitsOf("http: b")))
    const replaced = withSection(second, sectionOf("1.1.0", "2026-02-04", commitsOf("http: c")))
    assert.deepStrictEqual([first, second, replaced].map(versionsIn), [
      ["1.0.0"],
      ["1.1.0", "1.0.0"],
      ["1.1.0", "1.0.0"]
    ])
    assert.match(replaced, /^# Changes\n\n[^#]*## 1\.1\.0 \(2026-02-04\)\n\n### Service\n\n- http: c\n\n## 1\.0\.0 /)
    assert.notInclude(replaced, "- http: b")
    assert.match(replaced, /- http: a\n$/)
  })
})

/** Rows of COMPATIBILITY.md: an interface with its version, and the constant in the code. */
const formats = Array.from(
  read("COMPATIBILITY.md").matchAll(/^\| ([^|]+) \| `([^`]+)` \| \[`(\w+)`\]\(([^)]+)\) \|/gm),
  ([, what = "", value = "", name = "", file = ""]) => [what, value, name, file] as const
)

describe("the policy of compatibility", () => {
  it("names the versions of all formats", () => {
    assert.lengthOf(formats, 6)
  })

  it.each(formats)("names the version in the code: %s is %s", (_, value, name, file) => {
    const found = new RegExp(`^(?:export )?const ${name} = "?([^"\\n]+)"?$`, "m").exec(read(file))
    assert.strictEqual(found?.[1], value)
  })

  it("names all kinds of events, and no others", () => {
    const kinds = Array.from(
      read("packages/domain/src/event/EventKind.ts").matchAll(/\bkind: "([^"]+)"/g),
      ([, kind]) => kind
    )
    const [line = ""] = /^Kinds of events: .*$/m.exec(read("COMPATIBILITY.md")) ?? []
    assert.isNotEmpty(kinds)
    assert.deepStrictEqual(
      Array.from(line.matchAll(/`([^`]+)`/g), ([, kind]) => kind),
      kinds
    )
  })
})
