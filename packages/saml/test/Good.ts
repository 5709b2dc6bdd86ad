import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { DOMParser } from "@xmldom/xmldom"
import { getSamlResponse, type SamlpOptions } from "samlp"
import { ExclusiveCanonicalization } from "xml-crypto"
import {
  acsUrl,
  algorithms,
  assertionXml,
  audiences,
  authnStatement,
  bearer,
  confirmation,
  idpEntityId,
  instant,
  issued,
  type Pieces,
  pending,
  persistent,
  responseXml,
  type Signing,
  saml,
  sign,
  signedWays,
  spEntityId,
  toBase64,
  usualResponse,
  withSignedInfo
} from "./corpus/Forge.ts"
import { type Post, postOf, replaced } from "./corpus/Hostile.ts"
import { attacker, current, next } from "./corpus/Keys.ts"
import { readRecording } from "./Recording.ts"

/** A response that must be accepted, and the name that it must log in. */
export interface Good {
  readonly name: string
  readonly nameId: string
  readonly post: Post
}

const good = (name: string, xml: string, unusual: Partial<Post> = {}, nameId = "alice-4711"): Good => ({
  name,
  nameId,
  post: postOf(toBase64(xml), unusual)
})
const piece = (name: string, pieces: Partial<Pieces>, nameId?: string): Good => good(name, issued(pieces), {}, nameId)
const signing = (name: string, how: Signing): Good => good(name, issued({}, "both", how))
const named = (text: string, attributes = "") =>
  `<saml:NameID Format="${persistent}"${attributes}>${text}</saml:NameID>`

const parsed = (xml: string) => new DOMParser().parseFromString(xml).documentElement

/** `xs` occurs in values only, so exclusive canonicalization keeps its declaration only because of the list. */
const withPrefixList = () => {
  const xs = "http://www.w3.org/2001/XMLSchema"
  const assertion = assertionXml().replace("<saml:Assertion ", `<saml:Assertion xmlns:xs="${xs}" `)
  const canonical = new ExclusiveCanonicalization().process(parsed(assertion), {
    inclusiveNamespacesPrefixList: ["xs"]
  })
  const digest = createHash("sha256").update(canonical).digest("base64")
  const list = `<ec:InclusiveNamespaces xmlns:ec="${algorithms.exclusive}" PrefixList="xs"/>`
  const signed = withSignedInfo((signedInfo) =>
    signedInfo
      .replace(/(<ds:Transform Algorithm="[^"]*exc-c14n#")\/>/, `$1>${list}</ds:Transform>`)
      .replace(/(?<=<ds:DigestValue>)[^<]*/, () => digest)
  )
  return signed.replace("<saml:Assertion ", `<saml:Assertion xmlns:xs="${xs}" `)
}

const signings: ReadonlyArray<Good> = [
  ...signedWays.map((way) => good(`signed: ${way}`, usualResponse(way))),
  signing("RSA-SHA-384 and SHA-384", { signature: algorithms.rsaSha384, digest: algorithms.sha384 }),
  signing("RSA-SHA-512 and SHA-512", { signature: algorithms.rsaSha512, digest: algorithms.sha512 }),
  signing("RSA-SHA-256 and SHA-512", { digest: algorithms.sha512 }),
  signing("signed with the other certificate of the connection", { by: next }),
  signing("no KeyInfo", { keyInfo: null }),
  signing("a foreign certificate in KeyInfo, which is ignored", { by: current, keyInfo: attacker.pem }),
  signing("signature without a prefix", { prefix: "" }),
  signing("signature with another prefix", { prefix: "dsig" }),
  good("inclusive namespaces, as Shibboleth writes them", withPrefixList()),
  good("carriage returns in the signature", usualResponse().replace(/(<ds:SignatureValue>.{76})/, "$1&#13;\n")),
  good("line breaks in the signature", usualResponse().replace(/(<ds:SignatureValue>.{76})/, "$1\r\n")),
  good("Id of the signature", replaced(usualResponse(), "<ds:Signature ", '<ds:Signature Id="Signature1" '))
]

/** As identity providers of Microsoft write it: no prefix in the assertion. */
const withoutPrefix = () => {
  const assertion = assertionXml()
    .replace(saml, saml.replace("xmlns:saml", "xmlns"))
    .replaceAll("saml:", "")
    .replace("urn:oasis:names:tc:2.0", "urn:oasis:names:tc:SAML:2.0")
  return sign(responseXml({}, assertion), "Assertion")
}
const pretty = () =>
  sign(
    responseXml()
      .replace(/></g, ">\n  <")
      .replace(/>\n {2}<\/saml:NameID>/, "></saml:NameID>"),
    "Assertion"
  )

const forms: ReadonlyArray<Good> = [
  good("XML declaration", `<?xml version="1.0" encoding="UTF-8"?>\n${usualResponse()}\n`),
  good("XML declaration in single quotes", `<?xml version='1.0' encoding='utf-8' standalone='no'?>${usualResponse()}`),
  good("base64 in lines", usualResponse(), { samlResponse: toBase64(usualResponse()).replace(/(.{64})/g, "$1\r\n") }),
  good("indented", pretty()),
  good("assertion without a prefix", withoutPrefix()),
  piece("ID that begins with a digit", { assertion: { ID: "0123-abc.def" } }),
  piece("statements in another order", {
    authnStatement: "",
    attributeStatement: '<saml:AttributeStatement><saml:Attribute Name="a"/></saml:AttributeStatement>',
    afterStatements: authnStatement()
  }),
  piece("characters beyond ASCII", { nameId: named("алиса-\u{1F600}") }, "алиса-\u{1F600}"),
  piece("references beyond ASCII", { nameId: named("al&#xEF;ce&#128512;") }, "al\u00efce\u{1F600}"),
  piece("predefined entities", { nameId: named("a&amp;b&lt;c&gt;&quot;&apos;") }, "a&b<c>\"'"),
  piece("typed attribute values", {
    attributeStatement:
      '<saml:AttributeStatement xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
      '<saml:Attribute Name="a" FriendlyName="b" NameFormat="urn:c"><saml:AttributeValue xsi:type="xs:string">d</saml:AttributeValue>' +
      '<saml:AttributeValue xsi:nil="true"/></saml:Attribute></saml:AttributeStatement>'
  }),
  piece("eduPersonTargetedID", {
    attributeStatement: `<saml:AttributeStatement><saml:Attribute Name="urn:oid:1.3.6.1.4.1.5923.1.1.1.10"><saml:AttributeValue>${named("x")}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>`
  })
]

const other = "https://other.example.com"
const contents: ReadonlyArray<Good> = [
  piece("no Destination", { response: { Destination: null } }),
  piece("no Issuer of the response", { responseIssuer: "" }),
  piece("Issuer with the format of an entity", {
    issuer: `<saml:Issuer Format="urn:oasis:names:tc:SAML:2.0:nameid-format:entity">${idpEntityId}</saml:Issuer>`
  }),
  piece("several audiences", { conditionsContent: audiences(other, spEntityId) }),
  piece("several restrictions", { conditionsContent: audiences(spEntityId) + audiences(other, spEntityId) }),
  piece("known conditions", {
    conditionsContent: `${audiences(spEntityId)}<saml:OneTimeUse/><saml:ProxyRestriction Count="0"/>`
  }),
  piece("no times in Conditions", { conditions: { NotBefore: null, NotOnOrAfter: null } }),
  piece("two confirmations", { confirmation: confirmation().repeat(2) }),
  piece("confirmation by holder of a key first", {
    confirmation: confirmation({}, bearer.replace("bearer", "holder-of-key")) + confirmation()
  }),
  piece("address in the confirmation", { confirmation: confirmation({ Address: "192.0.2.1" }) }),
  piece("end of session", { authnStatement: authnStatement({ SessionNotOnOrAfter: instant(3600) }) }),
  piece(
    "qualified name",
    { nameId: named("a", ` NameQualifier="${idpEntityId}" SPNameQualifier="${spEntityId}"`) },
    "a"
  ),
  piece("name of 256 characters", { nameId: named("a".repeat(256)) }, "a".repeat(256)),
  piece("times with seven digits of a second", { assertion: { IssueInstant: instant(-1).replace("Z", "1234Z") } }),
  piece("authenticated yesterday", { authnStatement: authnStatement({ AuthnInstant: instant(-86_400) }) }),
  piece("clock 60 seconds ahead", {
    response: { IssueInstant: instant(60) },
    assertion: { IssueInstant: instant(60) },
    conditions: { NotBefore: instant(60) },
    authnStatement: authnStatement({ AuthnInstant: instant(60) })
  }),
  piece("clock 59 seconds behind", {
    conditions: { NotOnOrAfter: instant(-59) },
    confirmation: confirmation({ NotOnOrAfter: instant(-59) }),
    authnStatement: authnStatement({ SessionNotOnOrAfter: instant(-59) })
  }),
  piece("five minutes old", { response: { IssueInstant: instant(-300) }, assertion: { IssueInstant: instant(-300) } })
]

/** npm's samlp with each of its options, on the system's clock. */
const bySamlp = async (name: string, options: Partial<SamlpOptions>): Promise<Good> => {
  const usual = {
    issuer: idpEntityId,
    cert: current.pem,
    key: current.privatePem,
    audience: spEntityId,
    recipient: acsUrl,
    destination: acsUrl,
    inResponseTo: pending.requestId,
    lifetimeInSeconds: 300,
    signatureAlgorithm: "rsa-sha256",
    digestAlgorithm: "sha256",
    nameIdentifierFormat: persistent,
    signAssertion: true,
    signResponse: false
  }
  const profile = {
    id: "alice-4711",
    displayName: "Alice & Bob <é>",
    emails: [{ value: "alice@example.com" }],
    name: { givenName: "Alice", familyName: "Example" },
    groups: ["a", "b"],
    active: true
  }
  return good(`samlp ${name}`, await promisify(getSamlResponse)({ ...usual, ...options }, profile), { now: Date.now() })
}

const samlp = await Promise.all([
  bySamlp("signs assertions", {}),
  bySamlp("signs responses", { signAssertion: false, signResponse: true }),
  bySamlp("signs both", { signResponse: true }),
  bySamlp("signs both with a prefix", { signResponse: true, signatureNamespacePrefix: "ds" }),
  bySamlp("signs assertions with a prefix", { signatureNamespacePrefix: "ds" }),
  bySamlp("sends a session index and a class of authentication", {
    sessionIndex: "_s1",
    authnContextClassRef: "urn:a"
  }),
  bySamlp("sends no types of attributes", { typedAttributes: false, includeAttributeNameFormat: false })
])

const recorded: ReadonlyArray<Good> = ["simplesamlphp", "pysaml2"]
  .flatMap((product) => readRecording(product).fixtures)
  .map(({ name, nameId, receivedAt, ...post }) => ({
    name,
    nameId,
    post: { ...post, now: receivedAt, relayState: post.pending.relayState }
  }))

export const goodResponses: ReadonlyArray<Good> = [...signings, ...forms, ...contents, ...samlp, ...recorded]

/** One response for each way of signing and each real product, to be mutated. */
export const seeds: ReadonlyArray<Good> = [...signings.slice(0, 3), ...recorded.slice(2, 3), ...recorded.slice(-2)]
