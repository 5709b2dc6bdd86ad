import { Result } from "effect"
import { Base64Url } from "effect/encoding"
import { isObject, type Json, parse } from "../text/Json.ts"

/** A decoded, unverified JSON Web Token. */
export interface Jwt {
  readonly header: { readonly [name: string]: Json }
  readonly payload: { readonly [name: string]: Json }
  readonly signature: string
}

const objectIn = (part: string | undefined): Jwt["header"] | undefined => {
  const text = Base64Url.decodeString(part ?? "")
  const value = Result.isSuccess(text) ? parse(text.success) : undefined
  return isObject(value) ? value : undefined
}

/** The token's parts; undefined if the token is not a JWT of three parts (RFC 7519, section 3). */
export const jwtOf = (token: string): Jwt | undefined => {
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined
  const [first, second, signature] = token.split(".")
  const header = objectIn(first)
  const payload = objectIn(second)
  return header === undefined || payload === undefined || signature === undefined
    ? undefined
    : { header, payload, signature }
}

const encoded = (value: Json): string => Base64Url.encode(JSON.stringify(value))

/** Changes a character in the middle, because the last bits of base64 may be unused. */
export const altered = (text: string): string => {
  const middle = Math.floor(text.length / 2)
  return `${text.slice(0, middle)}${text[middle] === "A" ? "B" : "A"}${text.slice(middle + 1)}`
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/** Changes the first bit of the last character. The last bits of base64 may be unused, the first one never is. */
const alteredAtEnd = (text: string): string => {
  const value = digits.indexOf(text.at(-1) ?? "")
  return `${text.slice(0, -1)}${digits[value ^ 32] ?? "A"}`
}

const ofJwt = (token: string, { header, payload, signature }: Jwt): ReadonlyArray<string> => {
  const [first = "", second = ""] = token.split(".")
  return [
    `${first}.${second}`,
    token.slice(0, -Math.ceil(signature.length / 2)),
    `${first}.${encoded({ ...payload, conformance: true })}.${signature}`,
    `${first}.${second}.${altered(signature)}`,
    `${first}.${second}.${alteredAtEnd(signature)}`,
    `${encoded({ ...header, alg: "none" })}.${second}.`,
    `${encoded({ ...header, alg: "none" })}.${second}.${signature}`
  ]
}

/** The text in the other letter case. */
export const swapped = (text: string): string =>
  text.replaceAll(/[a-zA-Z]/g, (char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase()))

const ofOpaque = (token: string): ReadonlyArray<string> =>
  [altered(token), `${token}A`, token.slice(0, -1), swapped(token)].filter((forgery) => forgery !== token)

/**
 * Forged tokens that must be refused. Of a JWT: without its signature or with half of it; with another payload or
 * signature; and with alg none. Of another token: with a character changed, more or less, and in the other letter case.
 */
export const forgeriesOf = (token: string): ReadonlyArray<string> => {
  const jwt = jwtOf(token)
  return jwt === undefined ? ofOpaque(token) : ofJwt(token, jwt)
}
