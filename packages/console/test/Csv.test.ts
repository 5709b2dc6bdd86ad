import { csvOf } from "@wcs/console/widgets/Csv"
import { assert, it } from "vitest"

it("writes CSV that spreadsheets read as UTF-8 and do not run", () => {
  const hostile = ["=1+1", "+1", "-1", "@a", "\t=1", "\r=1"]
  assert.strictEqual(csvOf([hostile]), `\uFEFF${hostile.map((cell) => `"'${cell}"`).join(",")}`)
  assert.strictEqual(
    csvOf([
      ["a", 'say "hi"'],
      ["b, c", ""]
    ]),
    '\uFEFF"a","say ""hi"""\r\n"b, c",""'
  )
})
