import { isObject, type Json } from "../text/Json.ts"

/** Replaces a secret that is not known by value. */
export const undisclosed = "‹undisclosed›"

const marker = /‹[^‹›]*›/

/** Whether a text contains a redaction marker. */
export const isMarked = (text: string): boolean => marker.test(text)

const whole = new Set(["authorization", "proxyauthorization", "cookie", "setcookie"])
const endings = /(secret|token|password|passwd|passphrase|apikey|privatekey|assertion)$/
/** A paging token is not a secret. */
const harmless = /(page|cursor|continuation)token$/

const isSecret = (name: string): boolean => {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")
  return whole.has(plain) || (endings.test(plain) && !harmless.test(plain))
}

/** A cache: a run has few names, each thousands of times. */
const names = new Map<string, boolean>()
const maxNames = 1000

/** Whether a field, header or parameter with this name contains a secret. */
export const isSecretName = (name: string): boolean => {
  const known = names.get(name)
  if (known !== undefined) return known
  const found = isSecret(name)
  if (names.size < maxNames) names.set(name, found)
  return found
}

/** The beginnings of secret names, with any other characters between the letters. */
const beginnings = new RegExp(
  ["secret", "token", "passw", "passp", "apikey", "privatekey", "assertion", "authorization", "cookie"]
    .map((letters) => letters.split("").join("[^a-z0-9]*"))
    .join("|")
)

/** Whether a text may contain a secret name. Most do not, and then nothing else has to be searched. */
export const mayNameSecret = (text: string): boolean => text.includes("\\") || beginnings.test(text.toLowerCase()) // a name may be escaped

/** Returns the replacement of a secret. */
export type Hide = (text: string) => string

const hidden: Hide = (text) => (text === "" || isMarked(text) ? text : undisclosed)

/** Returns a header value with its secrets hidden. Keeps the scheme of `Authorization`. */
export const hideInHeader = (name: string, value: string, hide: Hide = hidden): string => {
  if (!isSecretName(name)) return value
  const [, scheme, rest] = /^([\w-]+) +(\S.*)$/.exec(value) ?? []
  return scheme !== undefined && rest !== undefined && /^(proxy-)?authorization$/i.test(name)
    ? `${scheme} ${hide(rest)}`
    : hide(value)
}

/** Shorter values are invented by a walk, and the reader needs to see them. */
const minSecretChars = 24

/** Hides an unknown value that was sent as a secret and is long enough to be one. */
export const hideMadeUp = (text: string): string => (text.length < minSecretChars ? text : hidden(text))

/** Does the same for a header that the suite sent. Hides every cookie, because no walk invents one. */
export const hideInSentHeader = (name: string, value: string): string =>
  hideInHeader(name, value, /^cookie$/i.test(name) ? hidden : hideMadeUp)

/** A member of JSON text, which may be cut: its name, and its string value if any. */
const member = /"((?:[^"\\]|\\[\s\S]|\\$)*)(?:"|$)(?:(\s*:\s*")((?:[^"\\]|\\[\s\S]|\\$)*))?/g

/** Hides the values of secret fields in text that is JSON or begins like JSON. */
export const hideInJsonText = (text: string, hide: Hide = hidden): string =>
  mayNameSecret(text)
    ? text.replaceAll(member, (found, name: string, between: string | undefined, value: string | undefined) =>
        between !== undefined && value !== undefined && isSecretName(name) ? `"${name}"${between}${hide(value)}` : found
      )
    : text

/** Hides the values of secret parameters in a sent query or form. */
export const hideInPairs = (text: string): string =>
  text.replaceAll(/(^|[?&])([^=&?#\s]+)=([^&#\s]*)/g, (found, before: string, name: string, value: string) =>
    isSecretName(name) ? `${before}${name}=${hideMadeUp(value)}` : found
  )

/** Hides the strings in secret fields at any depth. */
export const hideInJson = (value: Json, name = "", hide: Hide = hidden): Json => {
  if (typeof value === "string") return isSecretName(name) ? hide(value) : value
  if (Array.isArray(value)) return value.map((item) => hideInJson(item, name, hide))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, hideInJson(inner, isSecretName(name) ? name : key, hide)])
  )
}

/** Returns the strings in secret fields at any depth, each with its field name. */
export const secretsIn = (value: Json | undefined, name = ""): ReadonlyArray<readonly [name: string, text: string]> => {
  if (typeof value === "string") return isSecretName(name) ? [[name, value]] : []
  if (Array.isArray(value)) return value.flatMap((item) => secretsIn(item, name))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => secretsIn(inner, isSecretName(name) ? name : key))
}
