import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { saidDetails } from "@wcs/register/GatewayContract"
import { cards } from "@wcs/register/ReferenceGateway"
import { block, table } from "./Readme.ts"

describe("the contract of the README", () => {
  it("lists the accepted words", () => {
    const words = table("the person", "words").flatMap(([, cell = ""]) => cell.replaceAll("`", "").split(" "))
    assert.deepStrictEqual(words, [...saidDetails])
  })

  it("lists the cards of the reference register", () => {
    const rows = table("type", "number", "the register's word", "last day of validity")
    const lastDayOf = (days: number | null) => {
      if (days === null) return "none"
      return days < 0 ? "yesterday" : `in ${days} days`
    }
    assert.deepStrictEqual(
      rows,
      cards.map(({ credentialType, expiresInDays, identifier, word }) => [
        ...[`\`${credentialType}\``, `\`${identifier}\``, word, lastDayOf(expiresInDays)]
      ])
    )
  })

  it("has an example that compiles", () => {
    assert.strictEqual(readFileSync(new URL("Example.ts", import.meta.url), "utf8"), block("settings"))
  })
})
