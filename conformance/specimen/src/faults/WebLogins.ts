import { each, type Fault, row, rows } from "./Rows.ts"

/** Faults of AUT-16 and AUT-17: logins to the web application. */
export const webLoginFaults: ReadonlyArray<Fault> = [
  // first: a refused code is tried again after its 30 seconds
  ...row("AUT-17 status", "codes change every minute"),
  ...row("AUT-17 status", "a password alone logs in"),
  ...row("AUT-17 status", "any six digits are a code"),
  ...row("AUT-17 status", "a code lasts two hours"),
  ...row("AUT-16 missing", "a SAML login sends no request"),
  ...row("AUT-16 missing", "a SAML request has no issuer"),
  ...row("AUT-16 missing", "a SAML request names no consumer"),
  ...row("AUT-16 wrong-value", "a SAML request has no id"),
  ...row("AUT-16 wrong-value", "a SAML request is of version 1.1"),
  ...row("AUT-16 wrong-value", "a SAML request goes to another address"),
  ...rows("AUT-16 status", "a SAML response is taken", each("flaw", ["unsigned", "changed"])),
  ...row("AUT-16 status", "a SAML response logs nobody in")
]
