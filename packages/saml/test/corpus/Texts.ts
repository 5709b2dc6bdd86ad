import { bytesMax } from "@wcs/saml/TextGate"
import { issued, persistent, toBase64, usualResponse } from "./Forge.ts"
import { type Hostile, hostile, postOf, replaced } from "./Hostile.ts"

const good = () => usualResponse()
const named = (nameId: string) => `<saml:NameID Format="${persistent}">${nameId}</saml:NameID>`

const field = (name: string, reason: Hostile[1], samlResponse: () => string): Hostile => [
  name,
  reason,
  () => postOf(samlResponse())
]

const encodings: ReadonlyArray<Hostile> = [
  field("empty field", "NotBase64", () => ""),
  field("XML without base64", "NotBase64", good),
  field("base64url", "NotBase64", () =>
    toBase64(good()).replaceAll("+", "-").replaceAll("/", "_").replace(/=*$/, "-_")
  ),
  field("base64 with spaces", "NotBase64", () => toBase64(good()).replace(/(.{64})/g, "$1 ")),
  field("base64 without padding", "NotBase64", () =>
    toBase64(`${good()}  `.slice(0, good().length + (good().length % 3 === 0 ? 1 : 0))).replace(/=+$/, "")
  ),
  field("base64 with bits after the padding", "NotBase64", () => {
    const text = good()
    const padded = toBase64(text + " ".repeat((4 - (text.length % 3)) % 3))
    return `${padded.slice(0, -3)}B==`
  }),
  field("text after the padding", "NotBase64", () => `${toBase64("<a/>")}PGEvPg==`),
  field("percent-encoded base64", "NotBase64", () => encodeURIComponent(toBase64(good()))),
  field("base64 twice", "NotWellFormed", () => toBase64(toBase64(good()))),
  field("NUL in base64", "NotBase64", () => `${toBase64(good())}\0`),
  field("larger than the limit", "TooLarge", () => toBase64(`<a>${" ".repeat(bytesMax)}</a>`)),
  field("base64 larger than the limit", "TooLarge", () => "A".repeat(4 * bytesMax)),
  field("base64 of line breaks", "TooLarge", () => `${toBase64(good())}${"\n".repeat(2 * bytesMax)}`),
  field("UTF-16, little-endian", "NotUtf8", () => toBase64(Buffer.from(`\uFEFF${good()}`, "utf16le"))),
  field("UTF-16 without a byte order mark", "ForbiddenCharacter", () => toBase64(Buffer.from(good(), "utf16le"))),
  field("UTF-8 byte order mark", "ForbiddenCharacter", () => toBase64(`\uFEFF${good()}`)),
  field("overlong UTF-8", "NotUtf8", () =>
    toBase64(Buffer.concat([Buffer.from("<a>"), Buffer.from([0xc0, 0xbc]), Buffer.from("</a>")]))
  ),
  field("half a surrogate pair in UTF-8", "NotUtf8", () =>
    toBase64(Buffer.concat([Buffer.from("<a>"), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from("</a>")]))
  ),
  field("Latin-1", "NotUtf8", () => toBase64(Buffer.from(issued({ nameId: named("al\u00efce") }), "latin1"))),
  hostile("declared as UTF-16", "EncodingUnsupported", () => `<?xml version="1.0" encoding="UTF-16"?>${good()}`),
  hostile(
    "declared as ISO-8859-1",
    "EncodingUnsupported",
    () => `<?xml version='1.0' encoding='ISO-8859-1'?>${good()}`
  ),
  hostile("declared as UTF-7", "EncodingUnsupported", () => `<?xml version="1.0" encoding="UTF-7"?>${good()}`),
  hostile("XML 1.1", "ProcessingInstruction", () => `<?xml version="1.1"?>${good()}`),
  hostile("declaration after white space", "ProcessingInstruction", () => ` <?xml version="1.0"?>${good()}`),
  hostile("declaration twice", "ProcessingInstruction", () => `<?xml version="1.0"?><?xml version="1.0"?>${good()}`)
]

const entity = '<!DOCTYPE samlp:Response [<!ENTITY e "mallory">]>'
const markup: ReadonlyArray<Hostile> = [
  hostile("DOCTYPE", "MarkupDeclaration", () => `<!DOCTYPE samlp:Response>${good()}`),
  hostile("internal entity", "MarkupDeclaration", () => entity + replaced(good(), "alice-4711", "&e;")),
  hostile(
    "external entity",
    "MarkupDeclaration",
    () => `<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>${replaced(good(), "alice-4711", "&e;")}`
  ),
  hostile(
    "parameter entity",
    "MarkupDeclaration",
    () => `<!DOCTYPE a [<!ENTITY % p SYSTEM "http://127.0.0.1/x">%p;]>${good()}`
  ),
  hostile(
    "entities that grow",
    "MarkupDeclaration",
    () => `<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>${good()}`
  ),
  hostile(
    "DOCTYPE that declares ID attributes",
    "MarkupDeclaration",
    () => `<!DOCTYPE a [<!ATTLIST saml:Subject Name ID #IMPLIED>]>${good()}`
  ),
  hostile("comment before the root", "MarkupDeclaration", () => `<!-- -->${good()}`),
  hostile("comment in NameID", "MarkupDeclaration", () => replaced(good(), "alice-4711", "alice<!-- -->-4711")),
  hostile("comment that cuts NameID", "MarkupDeclaration", () => replaced(good(), "alice-4711", "alice-4711<!-- -->")),
  hostile("comment in Audience", "MarkupDeclaration", () =>
    replaced(good(), "<saml:Audience>", "<saml:Audience><!-- -->")
  ),
  hostile("comment in SignatureValue", "MarkupDeclaration", () =>
    replaced(good(), "<ds:SignatureValue>", "<ds:SignatureValue><!-- -->")
  ),
  hostile("CDATA in NameID", "MarkupDeclaration", () => replaced(good(), "alice-4711", "<![CDATA[alice-4711]]>")),
  hostile("CDATA that hides markup", "MarkupDeclaration", () =>
    replaced(good(), "alice-4711", "<![CDATA[</saml:NameID><saml:NameID>]]>alice-4711")
  ),
  hostile("processing instruction in NameID", "ProcessingInstruction", () =>
    replaced(good(), "alice-4711", "alice<?a?>-4711")
  ),
  hostile(
    "stylesheet instruction",
    "ProcessingInstruction",
    () => `<?xml version="1.0"?><?xml-stylesheet href="http://127.0.0.1/"?>${good()}`
  ),
  hostile("processing instruction after the root", "ProcessingInstruction", () => `${good()}<?a?>`),
  hostile("undeclared entity", "EntityUnknown", () => replaced(good(), "alice-4711", "alice&nbsp;4711")),
  hostile("reference to markup", "EntityUnknown", () => replaced(good(), "alice-4711", "&#60;!-- --&#62;")),
  hostile("reference to a letter", "EntityUnknown", () => replaced(good(), "alice-4711", "&#97;lice-4711")),
  hostile("hexadecimal reference to a letter", "EntityUnknown", () =>
    replaced(good(), "alice-4711", "&#x61;lice-4711")
  ),
  hostile("reference to NUL", "EntityUnknown", () => replaced(good(), "alice-4711", "alice&#0;4711")),
  hostile("reference to half a surrogate pair", "EntityUnknown", () => replaced(good(), "alice-4711", "&#xD800;")),
  hostile("reference beyond Unicode", "EntityUnknown", () => replaced(good(), "alice-4711", "&#x110000;")),
  hostile("reference to a line separator", "EntityUnknown", () => replaced(good(), "alice-4711", "&#x2028;")),
  hostile("bare ampersand", "EntityUnknown", () => replaced(good(), "alice-4711", "alice & 4711")),
  hostile("NUL", "ForbiddenCharacter", () => replaced(good(), "alice-4711", "alice-4711\0")),
  hostile("control character", "ForbiddenCharacter", () => replaced(good(), "alice-4711", "alice\u0008")),
  hostile("C1 control character", "ForbiddenCharacter", () => replaced(good(), "alice-4711", "alice\u0085")),
  hostile("line separator", "ForbiddenCharacter", () => replaced(good(), "alice-4711", "alice\u2028")),
  hostile("noncharacter", "ForbiddenCharacter", () => replaced(good(), "alice-4711", "alice\uFFFF"))
]

const malformed: ReadonlyArray<Hostile> = [
  hostile("no XML", "NotWellFormed", () => "hello"),
  hostile("JSON", "NotWellFormed", () => '{"nameId":"mallory"}'),
  hostile("unclosed", "NotWellFormed", () => replaced(good(), "</samlp:Response>", "")),
  hostile("closed twice", "NotWellFormed", () => `${good()}</samlp:Response>`),
  hostile("closed under another name", "NotWellFormed", () => replaced(good(), "</saml:Subject>", "</saml:subject>")),
  hostile("crossed elements", "NotWellFormed", () =>
    replaced(good(), "</saml:Subject><saml:Conditions", "<saml:Conditions></saml:Subject")
  ),
  hostile("text after the root", "NotWellFormed", () => `${good()}mallory`),
  hostile("text before the root", "NotWellFormed", () => `mallory${good()}`),
  hostile("attribute without quotes", "NotWellFormed", () => replaced(good(), 'ID="_response1"', "ID=_response1")),
  hostile("attribute without a value", "NotWellFormed", () => replaced(good(), 'ID="_response1"', "ID")),
  hostile("attribute twice", "NotWellFormed", () =>
    replaced(good(), 'ID="_assertion1"', 'ID="_assertion1" ID="_assertion1"')
  ),
  hostile("attributes without space between them", "NotWellFormed", () =>
    replaced(good(), 'ID="_response1" ', 'ID="_response1"')
  ),
  hostile("less-than in an attribute", "NotWellFormed", () => replaced(good(), 'ID="_response1"', 'ID="<_response1"')),
  hostile("end of CDATA in text", "NotWellFormed", () => replaced(good(), "alice-4711", "alice]]>4711")),
  hostile("name that is a property of every object", "NotWellFormed", () =>
    replaced(good(), "<samlp:Status>", '<samlp:Status __proto__="x">')
  ),
  hostile("two colons in a name", "NotWellFormed", () => replaced(good(), 'ID="_response1"', 'a:b:ID="_response1"')),
  hostile("end tag with attributes", "NotWellFormed", () =>
    replaced(good(), "</saml:Subject>", '</saml:Subject a="b">')
  ),
  hostile("25 levels", "TooComplex", () => `${"<a>".repeat(25)}${"</a>".repeat(25)}`),
  hostile("100,000 levels", "TooLarge", () => "<a>".repeat(100_000)),
  hostile("5,000 elements", "TooComplex", () => `<a>${"<b/>".repeat(5000)}</a>`),
  hostile("33 attributes", "TooComplex", () => {
    const many = Array.from({ length: 33 }, (_, index) => `xmlns:a${index}="urn:a"`).join(" ")
    return replaced(good(), "<samlp:Status>", `<samlp:Status ${many}>`)
  })
]

export const texts: ReadonlyArray<Hostile> = [...encodings, ...markup, ...malformed]
