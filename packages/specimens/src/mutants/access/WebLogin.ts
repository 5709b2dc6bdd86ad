import type { Mutant } from "../../Mutant.ts"
import { codeAt, type Decisions, isSealed, isWhole, served, told } from "../../WebLogin.ts"

const deciding = (
  name: string,
  decided: Partial<Decisions>
): Pick<Mutant, "name" | "profile" | "secrets" | "rewrite"> => ({
  name,
  ...told,
  rewrite: served(decided)
})

const minutes = Array.from({ length: 240 }, (_, index) => index * 30_000)

const totpMutants: ReadonlyArray<Mutant> = [
  {
    ...deciding("login-needs-no-code", { needsCode: false }),
    kills: [{ rule: "AUT-17", kind: "status", at: "status" }]
  },
  {
    ...deciding("login-takes-any-six-digits", { isCode: (code) => code !== "" }),
    kills: [{ rule: "AUT-17", kind: "status", at: "status" }]
  },
  {
    ...deciding("codes-last-two-hours", {
      isCode: (code, now) => minutes.some((millis) => code === codeAt(now - millis))
    }),
    kills: [{ rule: "AUT-17", kind: "status", at: "status" }]
  },
  {
    ...deciding("codes-change-every-minute", { isCode: (code, now) => code === codeAt(now, 60) }),
    kills: [{ rule: "AUT-17", kind: "status", at: "status" }]
  }
]

const samlMutants: ReadonlyArray<Mutant> = [
  {
    ...deciding("saml-signatures-are-not-checked", { isProven: () => true }),
    kills: [{ rule: "AUT-16", kind: "status", at: "status" }]
  },
  {
    ...deciding("saml-responses-need-no-signature", {
      isProven: (assertion) => !assertion.includes("<ds:Signature") || (isSealed(assertion) && isWhole(assertion))
    }),
    kills: [{ rule: "AUT-16", kind: "status", at: "status" }]
  },
  {
    ...deciding("saml-assertions-are-not-what-was-signed", { isProven: isSealed }),
    kills: [{ rule: "AUT-16", kind: "status", at: "status" }]
  },
  {
    ...deciding("saml-responses-log-nobody-in", { takesSaml: false }),
    kills: [{ rule: "AUT-16", kind: "status", at: "status" }]
  },
  {
    ...deciding("saml-login-sends-no-request", { asks: false }),
    kills: [{ rule: "AUT-16", kind: "missing", at: "SAMLRequest" }]
  },
  {
    ...deciding("saml-requests-are-of-version-1.1", { request: (xml) => xml.replace('"2.0"', '"1.1"') }),
    kills: [{ rule: "AUT-16", kind: "wrong-value", at: "SAMLRequest Version" }]
  },
  {
    ...deciding("saml-requests-have-no-issuer", { request: (xml) => xml.replace(/<a:Issuer.*<\/a:Issuer>/s, "") }),
    kills: [{ rule: "AUT-16", kind: "missing", at: "SAMLRequest Issuer" }]
  }
]

/** Defects of web login, by TOTP and by SAML. */
export const webLoginMutants: ReadonlyArray<Mutant> = [...totpMutants, ...samlMutants]
