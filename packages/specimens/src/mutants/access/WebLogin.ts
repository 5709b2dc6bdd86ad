import { type Mutant, mutant } from "../../Mutant.ts"
import { codeAt, type Decisions, isSealed, isWhole, served, told } from "../../WebLogin.ts"

const deciding = (decided: Partial<Decisions>) => ({ ...told, rewrite: served(decided) })

const minutes = Array.from({ length: 240 }, (_, index) => index * 30_000)

/** Defects of web login, by TOTP and by SAML. */
export const webLoginMutants: ReadonlyArray<Mutant> = [
  mutant("login-needs-no-code", "AUT-17 status").by(deciding({ needsCode: false })),
  mutant("login-takes-any-six-digits", "AUT-17 status").by(deciding({ isCode: (code) => code !== "" })),
  mutant("codes-last-two-hours", "AUT-17 status").by(
    deciding({
      isCode: (code, now) => minutes.some((millis) => code === codeAt(now - millis))
    })
  ),
  mutant("codes-change-every-minute", "AUT-17 status").by(
    deciding({ isCode: (code, now) => code === codeAt(now, 60) })
  ),
  mutant("saml-signatures-are-not-checked", "AUT-16 status").by(deciding({ isProven: () => true })),
  mutant("saml-responses-need-no-signature", "AUT-16 status").by(
    deciding({
      isProven: (assertion) => !assertion.includes("<ds:Signature") || (isSealed(assertion) && isWhole(assertion))
    })
  ),
  mutant("saml-assertions-are-not-what-was-signed", "AUT-16 status").by(deciding({ isProven: isSealed })),
  mutant("saml-responses-log-nobody-in", "AUT-16 status").by(deciding({ takesSaml: false })),
  mutant("saml-login-sends-no-request", "AUT-16 missing at SAMLRequest").by(deciding({ asks: false })),
  mutant("saml-requests-are-of-version-1.1", "AUT-16 wrong-value at SAMLRequest Version").by(
    deciding({ request: (xml) => xml.replace('"2.0"', '"1.1"') })
  ),
  mutant("saml-requests-have-no-issuer", "AUT-16 missing at SAMLRequest Issuer").by(
    deciding({ request: (xml) => xml.replace(/<a:Issuer.*<\/a:Issuer>/s, "") })
  )
]
