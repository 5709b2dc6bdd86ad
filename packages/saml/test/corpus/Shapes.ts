import { assertionXml, confirmation, issued, persistent, responseXml, saml, usualResponse } from "./Forge.ts"
import { type Hostile, hostile, replaced } from "./Hostile.ts"

const statusOf = (...codes: ReadonlyArray<string>) =>
  `<samlp:Status>${codes.reduceRight((inner, code) => `<samlp:StatusCode Value="${code}">${inner}</samlp:StatusCode>`, "")}</samlp:Status>`
const encryptedData = '<xenc:EncryptedData xmlns:xenc="http://www.w3.org/2001/04/xmlenc#"/>'

/** The identity provider signed all of these, so only the shape can refuse them. */
export const shapes: ReadonlyArray<Hostile> = [
  hostile("no assertion", "ElementMissing", () =>
    usualResponse("response").replace(/<saml:Assertion.*<\/saml:Assertion>/, "")
  ),
  hostile("two signed assertions", "ElementRepeated", () =>
    replaced(
      usualResponse(),
      "</samlp:Response>",
      `${/<saml:Assertion.*<\/saml:Assertion>/.exec(issued({ assertion: { ID: "_assertion2" } }))?.[0]}</samlp:Response>`
    )
  ),
  hostile("two assertions in a signed response", "ElementRepeated", () =>
    issued({ afterAssertion: assertionXml({ assertion: { ID: "_assertion2" } }) }, "response")
  ),
  hostile("EncryptedAssertion", "Encrypted", () =>
    responseXml({}, `<saml:EncryptedAssertion>${encryptedData}</saml:EncryptedAssertion>`)
  ),
  hostile("EncryptedAssertion next to a signed one", "Encrypted", () =>
    issued({ afterAssertion: `<saml:EncryptedAssertion>${encryptedData}</saml:EncryptedAssertion>` })
  ),
  hostile("EncryptedID", "Encrypted", () =>
    issued({ nameId: `<saml:EncryptedID>${encryptedData}</saml:EncryptedID>` })
  ),
  hostile("EncryptedAttribute", "Encrypted", () =>
    issued({
      attributeStatement: `<saml:AttributeStatement><saml:EncryptedAttribute>${encryptedData}</saml:EncryptedAttribute></saml:AttributeStatement>`
    })
  ),
  hostile("LogoutResponse", "NotAResponse", () => usualResponse().replaceAll("samlp:Response", "samlp:LogoutResponse")),
  hostile("AuthnRequest", "NotAResponse", () => usualResponse().replaceAll("samlp:Response", "samlp:AuthnRequest")),
  hostile("response of SAML 1.1", "NotAResponse", () =>
    usualResponse().replaceAll("urn:oasis:names:tc:SAML:2.0:protocol", "urn:oasis:names:tc:SAML:1.0:protocol")
  ),
  hostile("response of no namespace", "NotAResponse", () =>
    usualResponse()
      .replace(/^<samlp:Response xmlns:samlp="[^"]*"/, "<Response")
      .replace(/samlp:Response>$/, "Response>")
  ),
  hostile("prefix that is not declared", "NotAResponse", () => usualResponse().replace(/ xmlns:samlp="[^"]*"/, "")),
  hostile("prefix that is a property of every object", "NotAResponse", () =>
    usualResponse().replaceAll("samlp:", "constructor:").replace("xmlns:constructor", "xmlns:samlp")
  ),
  hostile("assertion of another namespace", "ElementNotAllowed", () =>
    usualResponse().replaceAll("urn:oasis:names:tc:SAML:2.0:assertion", "urn:oasis:names:tc:SAML:1.0:assertion")
  ),
  hostile("foreign element in the response", "ElementNotAllowed", () =>
    issued({ beforeAssertion: '<a:b xmlns:a="urn:a"/>' }, "response")
  ),
  hostile("foreign element in the assertion", "ElementNotAllowed", () =>
    issued({ afterStatements: '<a:b xmlns:a="urn:a"/>' })
  ),
  hostile("element of XHTML", "ElementNotAllowed", () =>
    issued({ afterStatements: '<script xmlns="http://www.w3.org/1999/xhtml">1</script>' })
  ),
  hostile("Extensions", "ElementNotAllowed", () => issued({ beforeAssertion: "<samlp:Extensions/>" }, "response")),
  hostile("Advice", "ElementNotAllowed", () => issued({ afterStatements: "<saml:Advice/>" })),
  hostile("AuthzDecisionStatement", "ElementNotAllowed", () =>
    issued({ afterStatements: '<saml:AuthzDecisionStatement Resource="*" Decision="Permit"/>' })
  ),
  hostile("statement of another kind", "ElementNotAllowed", () => issued({ afterStatements: "<saml:Statement/>" })),
  hostile("unknown condition", "ElementNotAllowed", () =>
    issued({ conditionsContent: '<saml:Condition xmlns:a="urn:a" a:type="b"/>' })
  ),
  hostile("foreign condition", "ElementNotAllowed", () => issued({ conditionsContent: '<a:b xmlns:a="urn:a"/>' })),
  hostile("two Conditions", "ElementRepeated", () => issued({ afterStatements: "<saml:Conditions/>" })),
  hostile("no Conditions", "ElementMissing", () =>
    replaced(usualResponse(), /<saml:Conditions.*<\/saml:Conditions>/, "")
  ),
  hostile("two Subjects", "ElementRepeated", () => issued({ afterStatements: "<saml:Subject/>" })),
  hostile("no Subject", "ElementMissing", () => replaced(usualResponse(), /<saml:Subject>.*<\/saml:Subject>/, "")),
  hostile("two NameIDs", "ElementRepeated", () =>
    issued({ nameId: `<saml:NameID Format="${persistent}">alice</saml:NameID>`.repeat(2) })
  ),
  hostile("BaseID", "ElementNotAllowed", () => issued({ nameId: "<saml:BaseID/>" })),
  hostile("element in NameID", "ElementNotAllowed", () =>
    issued({ nameId: `<saml:NameID Format="${persistent}">alice<saml:NameID>mallory</saml:NameID></saml:NameID>` })
  ),
  hostile("NameID in the subject confirmation", "ElementNotAllowed", () =>
    issued({
      confirmation: replaced(
        confirmation(),
        "<saml:SubjectConfirmationData",
        "<saml:NameID>mallory</saml:NameID><saml:SubjectConfirmationData"
      )
    })
  ),
  hostile("holder of a key in a bearer confirmation", "ElementNotAllowed", () =>
    issued({
      confirmation: confirmation().replace(
        "/></saml:SubjectConfirmation>",
        '><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/></saml:SubjectConfirmationData></saml:SubjectConfirmation>'
      )
    })
  ),
  hostile("two Issuers", "ElementRepeated", () =>
    issued({ afterStatements: "<saml:Issuer>https://idp.example.org/metadata</saml:Issuer>" })
  ),
  hostile("no Status", "ElementMissing", () => issued({ status: "" }, "response")),
  hostile("two Statuses", "ElementRepeated", () =>
    issued({ status: statusOf("urn:oasis:names:tc:SAML:2.0:status:Success").repeat(2) }, "response")
  ),
  hostile("text in Subject", "TextNotAllowed", () =>
    issued({ nameId: `mallory<saml:NameID Format="${persistent}">a</saml:NameID>` })
  ),
  hostile("text in the response", "TextNotAllowed", () => issued({ beforeAssertion: "mallory" }, "response")),
  hostile("xml:base", "AttributeNotAllowed", () =>
    replaced(usualResponse(), "<saml:Assertion ", '<saml:Assertion xml:base="http://127.0.0.1/" ')
  ),
  hostile("xml:space", "AttributeNotAllowed", () => issued({ assertion: { "xml:space": "preserve" } })),
  hostile("attribute that the library takes for a namespace", "AttributeNotAllowed", () =>
    replaced(usualResponse(), "<saml:Subject>", '<saml:Subject xmlnsID="mallory">')
  ),
  hostile("foreign attribute", "AttributeNotAllowed", () =>
    replaced(usualResponse(), "<saml:Subject>", '<saml:Subject xmlns:a="urn:a" a:b="c">')
  ),
  hostile("attribute under SAML's own namespace", "AttributeNotAllowed", () =>
    replaced(usualResponse(), "<saml:Assertion ", '<saml:Assertion saml:ID="_evil" ')
  ),
  hostile("xsi:type on NameID", "AttributeNotAllowed", () =>
    issued({
      nameId: `<saml:NameID xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="a" Format="${persistent}">a</saml:NameID>`
    })
  ),
  hostile("xsi:schemaLocation", "AttributeNotAllowed", () =>
    replaced(
      usualResponse(),
      "<samlp:Response ",
      '<samlp:Response xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="a http://127.0.0.1/" '
    )
  ),
  hostile("relative namespace", "NamespaceNotAbsolute", () =>
    replaced(usualResponse(), "<samlp:Status>", '<samlp:Status xmlns:a="b">')
  ),
  hostile("namespace undeclared", "NamespaceNotAbsolute", () =>
    replaced(usualResponse(), "<samlp:Status>", '<samlp:Status xmlns="">')
  ),
  hostile("prefix undeclared", "NamespaceNotAbsolute", () =>
    replaced(usualResponse(), "<samlp:Status>", '<samlp:Status xmlns:saml="">')
  ),
  hostile("assertion under a prefix of a foreign namespace", "ElementNotAllowed", () =>
    replaced(usualResponse(), `<saml:Assertion ${saml}`, '<saml:Assertion xmlns:saml="urn:a"')
  )
]
