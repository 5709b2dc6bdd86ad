/** Names by which identity providers send an e-mail address: LDAP's, its OID, WS-Federation's, and usual short ones. */
const names = [
  "urn:oid:0.9.2342.19200300.100.1.3",
  "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
  "mail",
  "email",
  "emailAddress",
  "Email"
]

/**
 * The e-mail address among a login's attributes; null if there is none, or if there are several different ones. Use it
 * to bind an account at its first login only, and only within the connection's verified domains.
 */
export const emailOf = (attributes: ReadonlyMap<string, ReadonlyArray<string>>): string | null => {
  const found = new Set(names.flatMap((name) => attributes.get(name) ?? []).map((text) => text.trim()))
  found.delete("")
  const [email, ...others] = found
  return email === undefined || others.length > 0 || !/^[^\s@]+@[^\s@]+$/.test(email) ? null : email
}
