import { isObject, type Json } from "../text/Json.ts"

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

/** Returns the replacement of a secret in a field. */
export type Hide = (text: string, name: string) => string

const cookie = /(^|,\s*)([^\s;,=]+)=("?)([^\s;,"]*)/g

/** Returns a header value with its secrets hidden. Keeps the scheme of `Authorization`, and the names of cookies. */
export const hideInHeader = (name: string, value: string, hide: Hide): string => {
  if (!isSecretName(name)) return value
  if (/^set-cookie$/i.test(name)) {
    return value.replaceAll(cookie, (_, before: string, one: string, quote: string, text: string) =>
      [before, one, "=", quote, hide(text, one)].join("")
    )
  }
  const [, scheme, rest] = /^([\w-]+) +(\S.*)$/.exec(value) ?? []
  return scheme !== undefined && rest !== undefined && /^(proxy-)?authorization$/i.test(name)
    ? `${scheme} ${hide(rest, name)}`
    : hide(value, name)
}

/** A member of JSON text, which may be cut: its name, and its string value if any. */
const member = /"((?:[^"\\]|\\[\s\S]|\\$)*)(?:"|$)(?:(\s*:\s*")((?:[^"\\]|\\[\s\S]|\\$)*))?/g

/** Hides the values of secret fields in text that is JSON or begins like JSON. */
export const hideInJsonText = (text: string, hide: Hide): string =>
  mayNameSecret(text)
    ? text.replaceAll(member, (found, name: string, between: string | undefined, value: string | undefined) =>
        between !== undefined && value !== undefined && isSecretName(name)
          ? `"${name}"${between}${hide(value, name)}`
          : found
      )
    : text

/** Hides the strings in secret fields at any depth. */
export const hideInJson = (value: Json, hide: Hide, name = ""): Json => {
  if (typeof value === "string") return isSecretName(name) ? hide(value, name) : value
  if (Array.isArray(value)) return value.map((item) => hideInJson(item, hide, name))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, hideInJson(inner, hide, isSecretName(name) ? name : key)])
  )
}

/** Returns the strings in secret fields at any depth, each with its field name. */
export const secretsIn = (value: Json | undefined, name = ""): ReadonlyArray<readonly [name: string, text: string]> => {
  if (typeof value === "string") return isSecretName(name) ? [[name, value]] : []
  if (Array.isArray(value)) return value.flatMap((item) => secretsIn(item, name))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => secretsIn(inner, isSecretName(name) ? name : key))
}
