import { assert, describe, it } from "vitest"
import { packages, read } from "./workspace.ts"

/** Forms that make a reader stop, and what to write in their place. */
const banned: ReadonlyArray<readonly [form: RegExp, instead: string]> = [
  [/\b(?:who|whom|where)(?:so)?ever\b(?!-)/i, "name the person, the thing or the place"],
  [/\bthat which\b/i, "name the thing"],
  [/\b(?:of|to|for|by|from|with) whom\b/i, "make a second sentence"],
  [/(?:^|[.:(] |\/\*\* )(?:of which|whom)\b/i, "put a noun in front"],
  [/\b(?:he|him|his|himself)\b/i, "name the process"],
  [/\b(?:forGood|untried|KeptHold|blast)\b/, "use the term of the field"]
]

/** Lines of a text with a banned form. */
const found = (path: string, text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line, index) =>
    banned.flatMap(([form, instead]) => {
      const [match] = form.exec(line) ?? []
      return match === undefined ? [] : [`${path}:${index + 1}: "${match.trim()}": ${instead}`]
    })
  )

describe("the language of the repository", () => {
  it.each(packages().map((pkg) => [pkg.folder, pkg] as const))("is plain in %s", (_, { files, folder }) => {
    const texts = [...files, { path: "README.md", text: read(`${folder}/README.md`) }]
    assert.deepStrictEqual(
      texts.flatMap(({ path, text }) => found(`${folder}/${path}`, text)),
      []
    )
  })

  it.each(["README.md", "COMPATIBILITY.md", ".dev/README.md", "packages/domain/DECISIONS.md"])(
    "is plain in %s",
    (path) => {
      assert.deepStrictEqual(found(path, read(path)), [])
    }
  )

  it("names the line of a banned form, and what to write in its place", () => {
    assert.deepStrictEqual(found("A.ts", "/** Returns the worker. */\n/** Whoever calls this, and his token. */"), [
      'A.ts:2: "Whoever": name the person, the thing or the place',
      'A.ts:2: "his": name the process'
    ])
    assert.deepStrictEqual(found("A.ts", "// This is the history of the person."), [])
  })
})
