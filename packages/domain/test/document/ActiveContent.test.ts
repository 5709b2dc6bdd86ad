import { assert, describe, it } from "@effect/vitest"
import { makeActiveContent } from "@wcs/domain/document/ActiveContent"
import * as fc from "fast-check"

/** What is found in a text that arrives in pieces of a size. */
const foundIn = (text: string, pieceBytes = 1_000_000) => {
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0))
  const { add, end } = makeActiveContent()
  for (let at = 0; at < bytes.length; at += pieceBytes) add(bytes.subarray(at, at + pieceBytes))
  return end()
}

const texts: ReadonlyArray<readonly [string, string]> = [
  ["", "NOT_FOUND"],
  ["<</Type/Page/Contents 5 0 R>>", "NOT_FOUND"],
  ["<</S/JavaScript/JS(app.alert\\(1\\))>>", "FOUND"],
  ["<</S /Launch /Win <</F (cmd.exe)>>>>", "FOUND"],
  ["<</Names<</EmbeddedFiles 3 0 R>>>>", "FOUND"],
  ["<</Type/EmbeddedFile", "FOUND"],
  ["<</S/Java#53cr#69pt>>", "FOUND"],
  ["<</S/JavaScript", "FOUND"],
  ["<</S/JavaScripts>>", "NOT_FOUND"],
  ["the word JavaScript, and /Launching", "NOT_FOUND"],
  ["<</S/Java#5Acript>>", "NOT_FOUND"],
  ["<</OpenAction[3 0 R/Fit]>>", "NOT_FOUND"],
  ["<</OpenAction [3 0 R/Fit]>>", "NOT_FOUND"],
  ["<</OpenAction<</S/GoTo>>>>", "FOUND"],
  ["<</OpenAction \n 7 0 R>>", "FOUND"],
  ["<</S/Rendition/OP 0>>", "FOUND"],
  ["<</JS(app.launchURL)/OP 0>>", "FOUND"],
  ["<</JS 7 0 R>>", "FOUND"],
  ["/JS\u0001x /JS/AA] /EF(", "NOT_FOUND"],
  ["<</JS % why\n (app.alert)>>", "FOUND"],
  ["<</Subtype/FileAttachment/FS 3 0 R>>", "FOUND"],
  ["<</F(a.exe)/EF<</F 5 0 R>>>>", "FOUND"],
  ["<</AA <</O 5 0 R>>>>", "FOUND"],
  ["<</OnInstantiate 5 0 R>>", "FOUND"],
  ["<</Type/ObjStm/Filter/FlateDecode>>", "UNKNOWN"],
  ["<</Encrypt 9 0 R>>", "UNKNOWN"],
  ["<</Encrypt 9 0 R/S/SubmitForm>>", "FOUND"]
]

describe("threat 86: active content of a PDF", () => {
  it("is found by its names, also with characters in hex, and is unknown behind what the service does not open", () => {
    for (const [text, expected] of texts) assert.strictEqual(foundIn(text), expected, text)
  })

  it("does not depend on how the file was cut into pieces, nor on what surrounds it", () => {
    const around = fc.string({ unit: fc.constantFrom(..."/#[](< a4"), maxLength: 20 }).map((text) => `${text} `)
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        around,
        fc.integer({ min: 1, max: 9 }),
        ([text, expected], before, size) => {
          const found = foundIn(before + text, size)
          assert.strictEqual(found, foundIn(before + text))
          assert.strictEqual(found, expected)
        }
      )
    )
  })
})
