import { isObject, type Json } from "../wire/Json.ts"

/** Stands for a secret that nobody told the suite of. */
export const undisclosed = "‹undisclosed›"

const marker = /‹[^‹›]*›/

/** Whether a text shows, by a marker, that something was taken out of it. */
export const isMarked = (text: string): boolean => marker.test(text)

const whole = new Set(["authorization", "proxyauthorization", "cookie", "setcookie"])
const endings = /(secret|token|password|passwd|passphrase|apikey|privatekey|assertion)$/
/** A token that says where a list goes on opens nothing. */
const harmless = /(page|cursor|continuation)token$/

/** Whether a field, a header or a parameter of this name holds a secret. */
export const isSecretName = (name: string): boolean => {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")
  return whole.has(plain) || (endings.test(plain) && !harmless.test(plain))
}

/** What becomes of a secret's text. */
export type Hide = (text: string) => string

const hidden: Hide = (text) => (text === "" || isMarked(text) ? text : undisclosed)

/** A header's value with what is secret in it hidden; the scheme of `Authorization` is told. */
export const hideInHeader = (name: string, value: string, hide: Hide = hidden): string => {
  if (!isSecretName(name)) return value
  const [, scheme, rest] = /^([\w-]+) +(\S.*)$/.exec(value) ?? []
  return scheme !== undefined && rest !== undefined && /^(proxy-)?authorization$/i.test(name)
    ? `${scheme} ${hide(rest)}`
    : hide(value)
}

/** No deployment's secret is shorter: what is, a walk made up, and a reader has to see what. */
const minSecretChars = 24

/** What was sent as a secret and is none that is known: hidden all the same where it could be one. */
export const hideMadeUp = (text: string): string => (text.length < minSecretChars ? text : hidden(text))

/** A header that the suite sent, likewise. No walk makes a cookie up: the deployment has set each one. */
export const hideInSentHeader = (name: string, value: string): string =>
  hideInHeader(name, value, /^cookie$/i.test(name) ? hidden : hideMadeUp)

/** A JSON text, whole or cut short: a field's name, and the text behind it where there is one. */
const member = /"((?:[^"\\]|\\[\s\S]|\\$)*)(?:"|$)(?:(\s*:\s*")((?:[^"\\]|\\[\s\S]|\\$)*))?/g

/** A text with the values of secret fields hidden, where it is JSON or begins like it. */
export const hideInJsonText = (text: string, hide: Hide = hidden): string =>
  text.replaceAll(member, (found, name: string, between: string | undefined, value: string | undefined) =>
    between !== undefined && value !== undefined && isSecretName(name) ? `"${name}"${between}${hide(value)}` : found
  )

/** A query or a form that the suite sent, with the values of secret parameters hidden. */
export const hideInPairs = (text: string): string =>
  text.replaceAll(/(^|[?&])([^=&?#\s]+)=([^&#\s]*)/g, (found, before: string, name: string, value: string) =>
    isSecretName(name) ? `${before}${name}=${hideMadeUp(value)}` : found
  )

/** A value with the texts of secret fields hidden, at any depth. */
export const hideInJson = (value: Json, name = "", hide: Hide = hidden): Json => {
  if (typeof value === "string") return isSecretName(name) ? hide(value) : value
  if (Array.isArray(value)) return value.map((item) => hideInJson(item, name, hide))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, hideInJson(inner, isSecretName(name) ? name : key, hide)])
  )
}

/** The texts that stand in secret fields, at any depth, each with the field's name. */
export const secretsIn = (value: Json | undefined, name = ""): ReadonlyArray<readonly [name: string, text: string]> => {
  if (typeof value === "string") return isSecretName(name) ? [[name, value]] : []
  if (Array.isArray(value)) return value.flatMap((item) => secretsIn(item, name))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => secretsIn(inner, isSecretName(name) ? name : key))
}
