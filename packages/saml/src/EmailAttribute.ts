import { normalizeEmail } from "@wcs/domain/access/Account"

/** Names by which identity providers send an e-mail address: LDAP's, its OID, WS-Federation's, and usual short ones. */
const names = [
  "urn:oid:0.9.2342.19200300.100.1.3",
  "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
  "mail",
  "email",
  "emailAddress",
  "Email"
]

/** Whitespace of XML. Other spaces belong to the value. */
const around = /^[ \t\r\n]+|[ \t\r\n]+$/g

/**
 * The e-mail address among a login's attributes; null if there is none, or if there are several different ones. The case
 * of letters makes no difference. Use it
 * to bind an account at its first login only, and only within the connection's verified domains.
 */
export const emailOf = (attributes: ReadonlyMap<string, ReadonlyArray<string>>): string | null => {
  const given = names.flatMap((name) => attributes.get(name) ?? []).map((text) => text.replaceAll(around, ""))
  const found = new Map(given.filter((text) => text !== "").map((text) => [normalizeEmail(text), text]))
  const [email, ...others] = found.values()
  return email === undefined || others.length > 0 || !/^[^\s@]+@[^\s@]+$/.test(email) ? null : email
}
