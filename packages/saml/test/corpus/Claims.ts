import {
  acsUrl,
  audiences,
  authnStatement,
  confirmation,
  idpEntityId,
  instant,
  issued,
  type Pieces,
  pending,
  persistent,
  spEntityId,
  toBase64,
  usualResponse
} from "./Forge.ts"
import { type Hostile, hostile, type Post, postOf } from "./Hostile.ts"

/** A response that the identity provider signed, but not for this login: the whole response, or the assertion only. */
const claim = (name: string, reason: Hostile[1], pieces: Partial<Pieces>): ReadonlyArray<Hostile> => [
  hostile(`${name} (assertion signed)`, reason, () => issued(pieces, "assertion")),
  hostile(`${name} (response signed)`, reason, () => issued(pieces, "response"))
]
const post = (name: string, reason: Hostile[1], unusual: Partial<Post>): Hostile => [
  name,
  reason,
  () => postOf(toBase64(usualResponse()), unusual)
]

const nameId = (text: string, attributes = `Format="${persistent}"`): Partial<Pieces> => ({
  nameId: `<saml:NameID ${attributes}>${text}</saml:NameID>`
})
const format = (name: string) => `Format="urn:oasis:names:tc:SAML:${name}"`
const status = (code: string, inner = "") => ({
  status: `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${code}">${inner}</samlp:StatusCode></samlp:Status>`
})
const issuer = (text: string, attributes = "") => `<saml:Issuer${attributes}>${text}</saml:Issuer>`
const methods = "urn:oasis:names:tc:SAML:2.0:cm:"

const envelope: ReadonlyArray<Hostile> = [
  claim(
    "status AuthnFailed",
    "StatusNotSuccess",
    status("Responder", '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:AuthnFailed"/>')
  ),
  claim("status Requester", "StatusNotSuccess", status("Requester")),
  claim("status in another case", "StatusNotSuccess", status("success")),
  claim(
    "Success within Responder",
    "StatusNotSuccess",
    status("Responder", '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/>')
  ),
  claim("empty status", "StatusNotSuccess", { status: '<samlp:Status><samlp:StatusCode Value=""/></samlp:Status>' }),
  claim("version 1.1 of the response", "VersionUnsupported", { response: { Version: "1.1" } }),
  claim("version 2.1 of the response", "VersionUnsupported", { response: { Version: "2.1" } }),
  claim("version 1.1 of the assertion", "VersionUnsupported", { assertion: { Version: "1.1" } }),
  claim("another issuer of the response", "IssuerMismatch", { responseIssuer: issuer("https://evil.example.org") }),
  claim("another issuer of the assertion", "IssuerMismatch", { issuer: issuer("https://evil.example.org") }),
  claim("issuer with a slash at its end", "IssuerMismatch", { issuer: issuer(`${idpEntityId}/`) }),
  claim("issuer in another case", "IssuerMismatch", { issuer: issuer(idpEntityId.toUpperCase()) }),
  claim("issuer with white space around it", "IssuerMismatch", { issuer: issuer(` ${idpEntityId} `) }),
  claim("empty issuer", "IssuerMismatch", { issuer: issuer("") }),
  claim("issuer that is not an entity", "IssuerMismatch", { issuer: issuer(idpEntityId, ' Format="urn:a"') }),
  claim("another destination", "DestinationMismatch", { response: { Destination: "https://other.example.com/acs" } }),
  claim("destination with a query", "DestinationMismatch", { response: { Destination: `${acsUrl}?a=b` } }),
  claim("empty destination", "DestinationMismatch", { response: { Destination: "" } }),
  claim("response to another request", "RequestMismatch", { response: { InResponseTo: "_request2" } }),
  claim("response from the future", "NotYetValid", { response: { IssueInstant: instant(61) } }),
  claim("old response", "TooOld", { response: { IssueInstant: instant(-301) } }),
  claim("response with a malformed time", "TimeMalformed", { response: { IssueInstant: "now" } }),
  claim("response without time zone", "TimeMalformed", { response: { IssueInstant: instant(-1).replace("Z", "") } })
].flat()

const conditions: ReadonlyArray<Hostile> = [
  claim("another audience", "AudienceMismatch", { conditionsContent: audiences("https://other.example.com") }),
  claim("audience with a slash at its end", "AudienceMismatch", { conditionsContent: audiences(`${spEntityId}/`) }),
  claim("no audience", "AudienceMissing", { conditionsContent: "" }),
  claim("audience restriction without audiences", "AudienceMismatch", { conditionsContent: audiences() }),
  claim("two restrictions, one for another", "AudienceMismatch", {
    conditionsContent: audiences(spEntityId) + audiences("https://other.example.com")
  }),
  claim("OneTimeUse without audience", "AudienceMissing", { conditionsContent: "<saml:OneTimeUse/>" }),
  claim("audience in ProxyRestriction", "AudienceMissing", {
    conditionsContent: `<saml:ProxyRestriction><saml:Audience>${spEntityId}</saml:Audience></saml:ProxyRestriction>`
  }),
  claim("not valid yet", "NotYetValid", { conditions: { NotBefore: instant(61) } }),
  claim("expired", "Expired", { conditions: { NotOnOrAfter: instant(-60) } }),
  claim("condition with a malformed time", "TimeMalformed", { conditions: { NotOnOrAfter: "never" } }),
  claim("condition on a nonexistent day", "TimeMalformed", { conditions: { NotOnOrAfter: "2026-02-30T00:00:00Z" } }),
  claim("condition in another time zone", "TimeMalformed", {
    conditions: { NotOnOrAfter: "2026-03-01T23:00:00+10:00" }
  }),
  claim("empty condition", "TimeMalformed", { conditions: { NotBefore: "" } }),
  claim("assertion from the future", "NotYetValid", { assertion: { IssueInstant: instant(61) } }),
  claim("old assertion", "TooOld", { assertion: { IssueInstant: instant(-301) } })
].flat()

const confirmations: ReadonlyArray<Hostile> = [
  claim("no confirmation", "BearerMissing", { confirmation: "" }),
  claim("confirmation by holder of a key", "BearerMissing", {
    confirmation: confirmation({}, `${methods}holder-of-key`)
  }),
  claim("confirmation by sender vouches", "BearerMissing", {
    confirmation: confirmation({}, `${methods}sender-vouches`)
  }),
  claim("bearer in another case", "BearerMissing", { confirmation: confirmation({}, `${methods}Bearer`) }),
  claim("confirmation without data", "RecipientMismatch", {
    confirmation: `<saml:SubjectConfirmation Method="${methods}bearer"/>`
  }),
  claim("another recipient", "RecipientMismatch", {
    confirmation: confirmation({ Recipient: "https://other.example.com/acs" })
  }),
  claim("no recipient", "RecipientMismatch", { confirmation: confirmation({ Recipient: null }) }),
  claim("confirmation without end", "ConfirmationUnlimited", { confirmation: confirmation({ NotOnOrAfter: null }) }),
  claim("confirmation expired", "Expired", { confirmation: confirmation({ NotOnOrAfter: instant(-60) }) }),
  claim("confirmation with NotBefore", "ConfirmationNotBefore", {
    confirmation: confirmation({ NotBefore: instant(-60) })
  }),
  claim("bearer that does not hold next to a holder of a key that does", "RecipientMismatch", {
    confirmation: confirmation({ Recipient: null }) + confirmation({}, `${methods}holder-of-key`)
  }),
  claim("second confirmation for another recipient", "RecipientMismatch", {
    confirmation: confirmation() + confirmation({ Recipient: "https://other.example.com/acs" })
  }),
  claim("response without InResponseTo around an assertion with it", "Unsolicited", {
    response: { InResponseTo: null }
  }),
  claim("unsolicited", "Unsolicited", {
    response: { InResponseTo: null },
    confirmation: confirmation({ InResponseTo: null })
  }),
  claim("unsolicited assertion in a response with InResponseTo", "Unsolicited", {
    confirmation: confirmation({ InResponseTo: null })
  }),
  claim("assertion for another request", "RequestMismatch", {
    confirmation: confirmation({ InResponseTo: "_request2" })
  }),
  claim("empty InResponseTo", "RequestMismatch", { confirmation: confirmation({ InResponseTo: "" }) })
].flat()

const statements: ReadonlyArray<Hostile> = [
  claim("no AuthnStatement", "AuthnStatementMissing", { authnStatement: "" }),
  claim("authentication in the future", "NotYetValid", {
    authnStatement: authnStatement({ AuthnInstant: instant(61) })
  }),
  claim("authentication at a malformed time", "TimeMalformed", {
    authnStatement: authnStatement({ AuthnInstant: "" })
  }),
  claim("session over", "Expired", { authnStatement: authnStatement({ SessionNotOnOrAfter: instant(-60) }) }),
  claim("second session over", "Expired", {
    authnStatement: authnStatement() + authnStatement({ SessionNotOnOrAfter: instant(-60) })
  })
].flat()

const names: ReadonlyArray<Hostile> = [
  claim("no NameID", "NameIdMissing", { nameId: "" }),
  claim("transient NameID", "NameIdFormat", nameId("alice", format("2.0:nameid-format:transient"))),
  claim(
    "NameID that is an e-mail address",
    "NameIdFormat",
    nameId("alice@example.com", format("1.1:nameid-format:emailAddress"))
  ),
  claim("NameID of unspecified format", "NameIdFormat", nameId("alice", format("1.1:nameid-format:unspecified"))),
  claim("NameID without format", "NameIdFormat", nameId("alice", "")),
  claim("empty NameID", "NameIdInvalid", nameId("")),
  claim("blank NameID", "NameIdInvalid", nameId("  \n ")),
  claim("NameID with white space around it", "NameIdInvalid", nameId(" alice ")),
  claim("NameID with a line break", "NameIdInvalid", nameId("alice\nmallory")),
  claim("NameID with a carriage return", "NameIdInvalid", nameId("alice&#13;mallory")),
  claim("NameID of 257 characters", "NameIdInvalid", nameId("a".repeat(257))),
  claim(
    "NameID for another service",
    "NameIdQualifier",
    nameId("alice", `Format="${persistent}" SPNameQualifier="https://other.example.com"`)
  ),
  claim(
    "NameID of another identity provider",
    "NameIdQualifier",
    nameId("alice", `Format="${persistent}" NameQualifier="https://evil.example.org"`)
  )
].flat()

const posts: ReadonlyArray<Hostile> = [
  post("response for another browser's login", "RequestMismatch", { pending: { ...pending, requestId: "_request2" } }),
  post("RelayState that is a URL", "RelayStateMismatch", { relayState: "https://evil.example.org/" }),
  post("RelayState that is a path", "RelayStateMismatch", { relayState: "//evil.example.org" }),
  post("RelayState that is a script", "RelayStateMismatch", { relayState: "javascript:alert(1)" }),
  post("RelayState of another login", "RelayStateMismatch", { relayState: "anotherKey" }),
  post("empty RelayState", "RelayStateMismatch", { relayState: "" }),
  post("no RelayState", "RelayStateMismatch", { relayState: undefined }),
  post("arrives six minutes late", "TooOld", { now: Date.parse(instant(360)) }),
  post("arrives a day late", "TooOld", { now: Date.parse(instant(86_400)) }),
  post("arrives two minutes early", "NotYetValid", { now: Date.parse(instant(-120)) })
]

export const claims: ReadonlyArray<Hostile> = [
  ...envelope,
  ...conditions,
  ...confirmations,
  ...statements,
  ...names,
  ...posts
]
