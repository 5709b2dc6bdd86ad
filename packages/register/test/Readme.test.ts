import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { saidDetails } from "@wcs/register/GatewayContract"
import { block, table } from "./Readme.ts"

describe("the contract of the README", () => {
  it("lists the accepted words", () => {
    const words = table("the person", "words").flatMap(([, cell = ""]) => cell.replaceAll("`", "").split(" "))
    assert.deepStrictEqual(words, [...saidDetails])
  })

  it("has an example that compiles", () => {
    assert.strictEqual(readFileSync(new URL("Example.ts", import.meta.url), "utf8"), block("settings"))
  })
})
