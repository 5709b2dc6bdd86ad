import { assert, describe, it } from "@effect/vitest"
import { complain, show } from "@wcs/wcs/Output"
import { Effect } from "effect"
import { TestConsole } from "effect/testing"

// Escape sequence, bell, eight-bit introducer, right-to-left override, line separator, line break.
const name = "ann\u001b[2J\u0007\u009b31m\u202emoc.\u2028x\ny"
const shown = "ann\\u001b[2J\\u0007\\u009b31m\\u202emoc.\\u2028x\\u000ay"

/** Control characters, except our own line breaks. */
const unsafe = /[^\P{Cc}\n]|\p{Bidi_Control}|[\u2028\u2029]/u

const results = {
  "a list": { clients: [{ clientId: "wcs_oauth_1", name }] },
  "one thing": { clientId: "wcs_oauth_1", name },
  "a thing with a list": { id: "tnt_1", hosts: [name, "b"] }
}

describe("names with control characters", () => {
  for (const [what, result] of Object.entries(results)) {
    it.effect(`are escaped in ${what}`, () =>
      Effect.gen(function* () {
        yield* show(result, false)
        const text = (yield* TestConsole.logLines).join("\n")
        assert.include(text, shown)
        assert.notMatch(text, unsafe)
        assert.lengthOf(text.split("\n"), 2)
      })
    )

    it.effect(`are unchanged in parsed JSON, for ${what}`, () =>
      Effect.gen(function* () {
        yield* show(result, true)
        const text = (yield* TestConsole.logLines).join("\n")
        assert.notMatch(text, unsafe)
        assert.deepStrictEqual(JSON.parse(text), result)
      })
    )
  }

  it.effect("are escaped in a one-line error", () =>
    Effect.gen(function* () {
      yield* complain("NOT_FOUND", `there is no client ${name}`, false)
      yield* complain("NOT_FOUND", `there is no client ${name}`, true)
      const [text, json] = (yield* TestConsole.errorLines).map(String)
      assert.strictEqual(text, `wcs: there is no client ${shown}`)
      assert.notMatch(json ?? "", unsafe)
      assert.deepStrictEqual(JSON.parse(json ?? ""), {
        error: { code: "NOT_FOUND", message: `there is no client ${name}` }
      })
    })
  )

  it.effect("are unchanged in any script, except for control characters", () =>
    Effect.gen(function* () {
      for (const plain of ["Zoë", "王小明", "عائشة", "👩‍🔧", "नेहा"]) yield* show({ name: plain }, false)
      assert.deepStrictEqual(
        (yield* TestConsole.logLines).map((line) => String(line).replace(/^name {2}/, "")),
        ["Zoë", "王小明", "عائشة", "👩‍🔧", "नेहा"]
      )
    })
  )
})
