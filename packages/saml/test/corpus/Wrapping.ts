import { assertionXml, issued, type Pieces, persistent, responseXml, usualResponse } from "./Forge.ts"
import { elementIn, type Hostile, hostile, replaced, without } from "./Hostile.ts"

/** Pieces that claim another person. */
const evilPieces = (id: string): Partial<Pieces> => ({
  assertion: { ID: id },
  nameId: `<saml:NameID Format="${persistent}">mallory</saml:NameID>`
})
const evilAssertion = (id: string) => assertionXml(evilPieces(id))
const evilResponse = (id: string) => responseXml({ ...evilPieces("_evilAssertion"), response: { ID: id } })

const signedAssertion = () => usualResponse()
const signedResponse = () => usualResponse("response")
const signedBoth = () => usualResponse("both")

const assertionOf = (xml: string) => elementIn(xml, "saml:Assertion")
const signatureOf = (xml: string) => elementIn(xml, "ds:Signature")
/** Removes the first signature. */
const unsigned = (xml: string) => without(xml, signatureOf(xml))
const afterIssuer = (xml: string, part: string) => replaced(xml, "</saml:Issuer>", `</saml:Issuer>${part}`)
const before = (xml: string, place: string, part: string) => replaced(xml, place, `${part}${place}`)
const inSignature = (signature: string, part: string) => before(signature, "</ds:Signature>", part)
const object = (part: string) => `<ds:Object>${part}</ds:Object>`

/** An unsigned response around assertions. */
const around = (...assertions: ReadonlyArray<string>) => responseXml({}, assertions.join(""))

/** The eight wrappings of "On Breaking SAML" (USENIX Security 2012), with a new id or the signed one. */
const numbered = (label: string, responseId: string, assertionId: string): ReadonlyArray<Hostile> => [
  hostile(`wrapping 1, ${label}: signed response within the signature`, "ElementNotAllowed", () => {
    const good = signedResponse()
    return afterIssuer(evilResponse(responseId), inSignature(signatureOf(good), unsigned(good)))
  }),
  hostile(`wrapping 2, ${label}: signed response before the signature`, "ElementNotAllowed", () => {
    const good = signedResponse()
    return afterIssuer(evilResponse(responseId), `${unsigned(good)}${signatureOf(good)}`)
  }),
  hostile(`wrapping 3, ${label}: forged assertion before the signed one`, "ElementRepeated", () =>
    around(evilAssertion(assertionId), assertionOf(signedAssertion()))
  ),
  hostile(`wrapping 4, ${label}: signed assertion within the forged one`, "ElementNotAllowed", () =>
    around(before(evilAssertion(assertionId), "</saml:Assertion>", assertionOf(signedAssertion())))
  ),
  hostile(`wrapping 5, ${label}: signature in the forged assertion, signed one at the end`, "ElementRepeated", () => {
    const good = assertionOf(signedAssertion())
    return around(afterIssuer(evilAssertion(assertionId), signatureOf(good)), unsigned(good))
  }),
  hostile(`wrapping 6, ${label}: signed assertion within the signature`, "ElementNotAllowed", () => {
    const good = assertionOf(signedAssertion())
    return around(afterIssuer(evilAssertion(assertionId), inSignature(signatureOf(good), unsigned(good))))
  }),
  hostile(`wrapping 7, ${label}: forged assertion in Extensions`, "ElementNotAllowed", () =>
    around(`<samlp:Extensions>${evilAssertion(assertionId)}</samlp:Extensions>`, assertionOf(signedAssertion()))
  ),
  hostile(`wrapping 8, ${label}: signed assertion in an Object of the signature`, "ElementNotAllowed", () => {
    const good = assertionOf(signedAssertion())
    return around(afterIssuer(evilAssertion(assertionId), inSignature(signatureOf(good), object(unsigned(good)))))
  })
]

const places: ReadonlyArray<Hostile> = [
  hostile("forged assertion after the signed one", "ElementRepeated", () =>
    around(assertionOf(signedAssertion()), evilAssertion("_evil"))
  ),
  hostile("forged assertion after the one in a signed response", "ElementRepeated", () =>
    before(signedResponse(), "</samlp:Response>", evilAssertion("_evil"))
  ),
  hostile("forged assertion in a response whose assertion was signed too", "ElementRepeated", () =>
    before(signedBoth(), "</samlp:Response>", evilAssertion("_evil"))
  ),
  hostile("forged assertion in StatusDetail", "ElementNotAllowed", () =>
    before(signedAssertion(), "</samlp:Status>", `<samlp:StatusDetail>${evilAssertion("_evil")}</samlp:StatusDetail>`)
  ),
  hostile("forged assertion in Status", "ElementNotAllowed", () =>
    before(signedAssertion(), "</samlp:Status>", evilAssertion("_evil"))
  ),
  hostile("signed assertion in the Advice of a forged one", "ElementNotAllowed", () =>
    around(
      before(
        evilAssertion("_evil"),
        "<saml:AuthnStatement",
        `<saml:Advice>${assertionOf(signedAssertion())}</saml:Advice>`
      )
    )
  ),
  hostile("signed assertion in an attribute value of a forged one", "ElementNotAllowed", () =>
    around(replaced(evilAssertion("_evil"), "alice@example.com", assertionOf(signedAssertion())))
  ),
  hostile("signed assertion in the confirmation data of a forged one", "ElementNotAllowed", () =>
    around(
      replaced(
        evilAssertion("_evil"),
        /(<saml:SubjectConfirmationData[^>]*)\/>/,
        `<saml:SubjectConfirmationData>${assertionOf(signedAssertion())}</saml:SubjectConfirmationData>`
      )
    )
  ),
  hostile("signed assertion in KeyInfo of the signature", "ElementNotAllowed", () => {
    const good = assertionOf(signedAssertion())
    const signature = before(signatureOf(good), "</ds:KeyInfo>", unsigned(good))
    return around(afterIssuer(evilAssertion("_evil"), signature))
  }),
  hostile("signed assertion in X509Data of the signature", "ElementNotAllowed", () => {
    const good = assertionOf(signedAssertion())
    const signature = before(signatureOf(good), "</ds:X509Data>", unsigned(good))
    return around(afterIssuer(evilAssertion("_evil"), signature))
  }),
  hostile("signed response within a forged one", "ElementNotAllowed", () =>
    before(evilResponse("_evil"), "</samlp:Response>", signedResponse())
  ),
  hostile("signed response in Extensions of a forged one", "ElementNotAllowed", () =>
    afterIssuer(evilResponse("_evil"), `<samlp:Extensions>${signedResponse()}</samlp:Extensions>`)
  ),
  hostile("signed response as a second root", "NotWellFormed", () => evilResponse("_evil") + signedResponse()),
  hostile("forged response as a second root", "NotWellFormed", () => signedResponse() + evilResponse("_evil")),
  hostile(
    "signed assertion as a second root",
    "NotWellFormed",
    () => evilResponse("_evil") + assertionOf(signedAssertion())
  ),
  hostile("signed assertion as the root", "NotAResponse", () => assertionOf(signedAssertion())),
  hostile("signed response inside another element", "NotAResponse", () => `<Envelope>${signedResponse()}</Envelope>`)
]

const signatures: ReadonlyArray<Hostile> = [
  hostile("no signature", "NotSigned", () => responseXml()),
  hostile("signature removed from the assertion", "NotSigned", () => {
    const good = signedAssertion()
    return without(good, signatureOf(good))
  }),
  hostile("forged assertion under the signature of the signed one", "ContentAltered", () => {
    const good = assertionOf(signedAssertion())
    return around(afterIssuer(evilAssertion("_assertion1"), signatureOf(good)))
  }),
  hostile("forged assertion under a signature for another id", "ReferenceForeign", () => {
    const good = assertionOf(signedAssertion())
    return around(afterIssuer(evilAssertion("_evil"), signatureOf(good)))
  }),
  hostile("forged assertion in a signed response", "ContentAltered", () => {
    const good = signedResponse()
    return replaced(good, assertionOf(good), evilAssertion("_assertion1"))
  }),
  hostile("signed assertion of another response in a signed response", "ContentAltered", () => {
    const good = signedBoth()
    const other = issued({ ...evilPieces("_assertion1"), afterStatements: "" }, "assertion")
    return replaced(good, assertionOf(good), assertionOf(other))
  }),
  hostile("altered response around a signed assertion, under its old signature", "ContentAltered", () =>
    replaced(signedBoth(), 'ID="_response1" Version="2.0"', 'ID="_response1" Consent="x:y" Version="2.0"')
  ),
  hostile("assertion's signature moved to the response", "ReferenceForeign", () => {
    const good = signedAssertion()
    return afterIssuer(without(good, signatureOf(good)), signatureOf(good))
  }),
  hostile("response's signature moved into the assertion", "ReferenceForeign", () => {
    const good = signedResponse()
    const moved = afterIssuer(assertionOf(good), signatureOf(good))
    return replaced(unsigned(good), assertionOf(good), moved)
  }),
  hostile("response's signature copied into the assertion", "ReferenceForeign", () => {
    const good = signedResponse()
    return replaced(good, assertionOf(good), afterIssuer(assertionOf(good), signatureOf(good)))
  }),
  hostile("signature twice", "ElementRepeated", () => {
    const good = signedAssertion()
    return replaced(good, signatureOf(good), signatureOf(good).repeat(2))
  }),
  hostile("signature within a signature", "ElementNotAllowed", () => {
    const good = signedAssertion()
    return replaced(good, signatureOf(good), inSignature(signatureOf(good), signatureOf(good)))
  }),
  hostile("signature before Issuer", "SignatureMisplaced", () => {
    const good = signedAssertion()
    const signature = signatureOf(good)
    return replaced(without(good, signature), /(?<=<saml:Assertion[^>]*>)/, signature)
  }),
  hostile("signature at the end of the assertion", "SignatureMisplaced", () => {
    const good = signedAssertion()
    return before(without(good, signatureOf(good)), "</saml:Assertion>", signatureOf(good))
  }),
  hostile("signature of the response at its end", "SignatureMisplaced", () => {
    const good = signedResponse()
    return before(unsigned(good), "</samlp:Response>", signatureOf(good))
  }),
  hostile("signed response without Issuer", "SignatureMisplaced", () =>
    without(signedResponse(), "<saml:Issuer>https://idp.example.org/metadata</saml:Issuer>")
  )
]

const ids: ReadonlyArray<Hostile> = [
  hostile("response and assertion with one ID", "IdRepeated", () =>
    issued({ assertion: { ID: "_response1" } }, "assertion")
  ),
  hostile("Id of the signature equal to the assertion's", "IdRepeated", () =>
    replaced(signedAssertion(), "<ds:Signature ", '<ds:Signature Id="_assertion1" ')
  ),
  hostile("assertion with Id next to ID", "AttributeNotAllowed", () =>
    issued({ assertion: { ID: "_assertion1", Id: "_evil" } })
  ),
  hostile("assertion with id next to ID", "AttributeNotAllowed", () =>
    issued({ assertion: { ID: "_assertion1", id: "_evil" } })
  ),
  hostile("subject with the assertion's id", "AttributeNotAllowed", () =>
    replaced(signedAssertion(), "<saml:Subject>", '<saml:Subject id="_assertion1">')
  ),
  hostile("status with the assertion's Id", "AttributeNotAllowed", () =>
    replaced(signedAssertion(), "<samlp:Status>", '<samlp:Status Id="_assertion1">')
  ),
  hostile("status with the assertion's ID", "AttributeNotAllowed", () =>
    replaced(signedAssertion(), "<samlp:Status>", '<samlp:Status ID="_assertion1">')
  ),
  hostile("xml:id on the assertion", "AttributeNotAllowed", () =>
    replaced(signedAssertion(), 'ID="_assertion1"', 'ID="_assertion1" xml:id="_evil"')
  ),
  hostile("ID of another namespace", "AttributeNotAllowed", () =>
    replaced(signedAssertion(), "<samlp:Status>", '<samlp:Status xmlns:a="urn:a" a:ID="_assertion1">')
  ),
  hostile("empty ID", "IdInvalid", () => replaced(issued({ assertion: { ID: "x" } }), 'ID="x"', 'ID=""')),
  hostile("ID that is an XPath", "IdInvalid", () =>
    replaced(signedAssertion(), 'ID="_assertion1"', "ID=\"a' or '1'='1\"")
  ),
  hostile("ID of 300 characters", "IdInvalid", () =>
    replaced(signedAssertion(), 'ID="_assertion1"', `ID="${"a".repeat(300)}"`)
  ),
  hostile("no ID", "AttributeMissing", () => without(signedAssertion(), ' ID="_assertion1"'))
]

export const wrapping: ReadonlyArray<Hostile> = [
  ...numbered("new id", "_evilResponse", "_evil"),
  ...numbered("signed id", "_response1", "_assertion1"),
  ...places,
  ...signatures,
  ...ids
]
