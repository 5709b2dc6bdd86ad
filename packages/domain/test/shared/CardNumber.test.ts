import { assert, describe, it } from "@effect/vitest"
import { catalogue } from "@wcs/domain/holding/CredentialType"
import { cardKey, inFormOf } from "@wcs/domain/shared/CardNumber"
import * as fc from "fast-check"

const formOf = (code: string, identifier: string): string =>
  inFormOf(catalogue.find((row) => row.code === code)?.identifier?.pattern ?? /(?!)/, identifier)

describe("CardNumber", () => {
  it.each([
    ["WWCC_NSW", "wwc 1234567e", "WWC1234567E"],
    ["WWCC_NSW", " WWC-1234567-E", "WWC1234567E"],
    ["WWCC_NSW", "ｗｗｃ１２３４５６７Ｅ", "WWC1234567E"],
    ["WWCC_VIC", "1234567a‑01", "1234567A-01"],
    ["BLUE_CARD_QLD", "1234567 / 2", "1234567/2"],
    ["AHPRA_REGISTRATION", "nmw 0001234567", "NMW0001234567"],
    ["NDIS_WORKER_SCREENING", "1234 5678", "12345678"],
    ["WWCC_NSW", "wwc 12", "wwc 12"],
    ["WWCC_VIC", "abc-1", "abc-1"]
  ])("of a %s: puts %j in the form %j", (code, identifier, form) => {
    assert.strictEqual(formOf(code, identifier), form)
  })

  it("compares numbers without letter case, spaces and hyphens, in any form", () => {
    const number = fc.string({ unit: fc.constantFrom("a", "W", "0", "7", " ", "-", "–", "/", "ß"), minLength: 1 })
    fc.assert(
      fc.property(number, (text) => {
        const key = cardKey(text)
        assert.strictEqual(cardKey(key), key)
        for (const { code } of catalogue) assert.strictEqual(cardKey(formOf(code, text)), key)
        if (/[^\s\p{Pd}]/u.test(text)) {
          assert.strictEqual(cardKey(text.toUpperCase()), key)
          assert.strictEqual(cardKey(text.replaceAll(/[\s\p{Pd}]/gu, "")), key)
        }
      })
    )
    assert.notStrictEqual(cardKey("1234567/2"), cardKey("12345672"))
    assert.strictEqual(cardKey("--"), "--")
  })
})
