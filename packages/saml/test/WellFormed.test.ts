import { assert, describe, it } from "@effect/vitest"
import { readUpload } from "@wcs/saml/TextGate"
import { Result } from "effect"

/** The reason for a refusal, with the offset of malformed XML; or `read`. */
const outcome = (text: string) =>
  Result.match(readUpload(Buffer.from(text)), {
    onSuccess: () => "read",
    onFailure: (reason) => (reason._tag === "NotWellFormed" ? `NotWellFormed at ${reason.offset}` : reason._tag)
  })
const nested = (depth: number) => `${"<a>".repeat(depth)}${"</a>".repeat(depth)}`
const attributes = (count: number) => `<a ${Array.from({ length: count }, (_, index) => `b${index}="c"`).join(" ")}/>`

describe("XML with elements, attributes and text only", () => {
  it.each([
    "<a/>",
    "<a></a >",
    " \r\n\t<a>text</a>\n",
    `<a:b-c.d_e xmlns:a = "urn:a" f='"'  g="'>"\n/>`,
    "<a>&amp;&lt;&gt;&quot;&apos;&#13;&#xD;&#233;&#xE9;&#x1F600;</a>",
    "<a>&amp;lt;</a>",
    "<a>é\u{1F600}]] ></a>",
    '<?xml version="1.0"?><a/>',
    nested(24),
    attributes(32),
    `<a>${"<b/>".repeat(2047)}</a>`
  ])("reads %j", (text) => assert.strictEqual(outcome(text), "read"))

  it.each([
    ["", "NotWellFormed at 0"],
    ["text", "NotWellFormed at 4"],
    ["<a/><b/>", "NotWellFormed at 6"],
    ["<a/>text", "NotWellFormed at 8"],
    ["<a>", "NotWellFormed at 3"],
    ["<a></b>", "NotWellFormed at 7"],
    ["<a><b></a></b>", "NotWellFormed at 10"],
    ["</a>", "NotWellFormed at 4"],
    ['<a b="c" b="d"/>', "NotWellFormed at 14"],
    ['<a b="c"d="e"/>', "NotWellFormed at 8"],
    ["<a b=c/>", "NotWellFormed at 2"],
    ["<a b/>", "NotWellFormed at 2"],
    ['<a b="<"/>', "NotWellFormed at 2"],
    ['<a b="c/>', "NotWellFormed at 2"],
    ["<a>]]></a>", "NotWellFormed at 6"],
    ["<a / >", "NotWellFormed at 2"],
    ["< a/>", "NotWellFormed at 0"],
    ["<1/>", "NotWellFormed at 0"],
    ["<_a/>", "NotWellFormed at 0"],
    ["<é/>", "NotWellFormed at 0"],
    ["<a:b:c/>", "NotWellFormed at 4"],
    ["<a></a b='c'>", "NotWellFormed at 3"],
    ["<a>&amp</a>", "EntityUnknown"],
    ["<a b='&e;'/>", "EntityUnknown"],
    ["<a>&#9;</a>", "EntityUnknown"],
    ["<a>&#159;</a>", "EntityUnknown"],
    ["<a>&#xFFFE;</a>", "EntityUnknown"],
    ["<a>&#X41;</a>", "EntityUnknown"],
    [nested(25), "TooComplex"],
    [attributes(33), "TooComplex"],
    [`<a>${"<b/>".repeat(2048)}</a>`, "TooComplex"]
  ])("refuses %j: %s", (text, reason) => assert.strictEqual(outcome(text), reason))
})
