/** The spaces of HTTP around values (RFC 9110, section 5.6.3). Others, such as a no-break space, belong to the value. */
const around = /^[ \t]+|[ \t]+$/g

/** Returns a part of a header without spaces around it. `trim` would also remove characters of the value. */
export const trimmed = (part: string): string => part.replaceAll(around, "")

/** Returns the value of the first cookie with exactly this name. Empty if absent. Cookies are not decoded. */
export const cookieOf = (header: string | undefined, name: string): string => {
  for (const pair of (header ?? "").split(";")) {
    const equals = pair.indexOf("=")
    if (equals !== -1 && trimmed(pair.slice(0, equals)) === name) return trimmed(pair.slice(equals + 1))
  }
  return ""
}
