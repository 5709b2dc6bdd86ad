import { assert, describe, it } from "vitest"
import { type Commit, changesIn, sectionsOf, sentencesIn, withSection } from "./release/changelog.ts"
import { versionsOf } from "./release/versions.ts"
import { read } from "./workspace.ts"

const { version }: { readonly version: string } = JSON.parse(read("package.json"))

describe("the version of a release", () => {
  it.each(versionsOf())("is in %s", (_, found) => {
    assert.strictEqual(found, version)
  })

  it("has the first section of the change log", () => {
    assert.strictEqual(sectionsOf(read("CHANGELOG.md"))[0]?.version, version)
  })
})

describe("the change log", () => {
  it.each(sectionsOf(read("CHANGELOG.md")).map((section) => [section.version, section] as const))(
    "tells %s in one to ten sentences, and nothing else",
    (_, section) => {
      const sentences = sentencesIn(section)
      assert.isNotEmpty(sentences)
      assert.isAtMost(sentences.length, 10)
      for (const sentence of sentences) assert.match(sentence, /^[^.].*[^.]\.$/)
      assert.isTrue(section.text.startsWith("- "), "the section is a list")
    }
  )

  it("begins the section of a new version, and keeps what people wrote", () => {
    const log = "# Changes\n\nHow to read it.\n\n## 1.0.0 (2026-01-02)\n\n- A sentence.\n"
    const begun = withSection(log, "1.1.0", "2026-02-03")
    assert.deepStrictEqual(sectionsOf(begun), [
      { version: "1.1.0", text: "" },
      { version: "1.0.0", text: "- A sentence." }
    ])
    assert.strictEqual(withSection(begun, "1.0.0", "2026-02-04"), begun)
  })

  it("is written from commits that change a file of a package, an image or a deployment", () => {
    const commits = [
      ["http: a", "packages/http/test/A.test.ts"],
      ["http: b", "packages/http/README.md"],
      ["conformance: c", "conformance/counts.json"],
      ["http: d", "conformance/specimen/src/A.ts"],
      ["conformance: e", "conformance/src/A.ts"],
      ["deploy: f", "apps/wcs/deploy/monitoring/alerts.yml"],
      ["conformance: e", "conformance/src/B.ts"],
      ["Merge main into the lists", "packages/http/src/A.ts"]
    ].map(([subject = "", path = ""]): Commit => ({ subject, paths: ["", path] }))
    assert.deepStrictEqual(changesIn(commits), ["conformance: e", "deploy: f"])
  })
})

/** Rows of COMPATIBILITY.md: an interface with its version, and the constant in the code. */
const formats = Array.from(
  read("COMPATIBILITY.md").matchAll(/^\| ([^|]+) \| `([^`]+)` \| \[`(\w+)`\]\(([^)]+)\) \|/gm),
  ([, what = "", value = "", name = "", file = ""]) => [what, value, name, file] as const
)

describe("the policy of compatibility", () => {
  it("names the versions of all formats", () => {
    assert.lengthOf(formats, 7)
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
