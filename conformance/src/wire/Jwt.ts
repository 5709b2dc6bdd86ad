import { Result } from "effect"
import { Base64Url } from "effect/encoding"
import { isObject, type Json, parse } from "../text/Json.ts"
import type { Exchange } from "./Exchange.ts"

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

/** The seconds from issue to expiry in the payload; undefined if absent. */
export const lifetimeOf = ({ payload }: Jwt): number | undefined => {
  const { exp, iat } = payload
  return typeof exp === "number" && typeof iat === "number" ? exp - iat : undefined
}

/**
 * Whether a JWT was past its `exp` when the deployment answered, by the answer's `Date`; false if either is missing.
 */
export const hasExpired = (token: string, { answer }: Exchange): boolean => {
  const exp = jwtOf(token)?.payload["exp"]
  return typeof exp === "number" && exp * 1000 <= Date.parse(answer?.headers["date"] ?? "")
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

/** A forged token that must be refused, and how it was made from a valid one. */
export interface Forgery {
  readonly how: string
  readonly token: string
}

const ofJwt = (token: string, { header, payload, signature }: Jwt): ReadonlyArray<Forgery> => {
  const [first = "", second = ""] = token.split(".")
  return [
    { how: "the signature cut off", token: `${first}.${second}` },
    { how: "half the signature cut off", token: token.slice(0, -Math.ceil(signature.length / 2)) },
    { how: "the payload changed", token: `${first}.${encoded({ ...payload, conformance: true })}.${signature}` },
    { how: "the signature changed", token: `${first}.${second}.${altered(signature)}` },
    { how: "the end of the signature changed", token: `${first}.${second}.${alteredAtEnd(signature)}` },
    { how: "alg none, no signature", token: `${encoded({ ...header, alg: "none" })}.${second}.` },
    { how: "alg none, the signature kept", token: `${encoded({ ...header, alg: "none" })}.${second}.${signature}` }
  ]
}

const swapped = (text: string): string =>
  text.replaceAll(/[a-zA-Z]/g, (char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase()))

const ofOpaque = (token: string): ReadonlyArray<Forgery> =>
  [
    { how: "one character changed", token: altered(token) },
    { how: "one character more", token: `${token}A` },
    { how: "one character less", token: token.slice(0, -1) },
    { how: "the other letter case", token: swapped(token) }
  ].filter((forgery) => forgery.token !== token)

/** Forgeries of a valid token. */
export const forgeriesOf = (token: string): ReadonlyArray<Forgery> => {
  const jwt = jwtOf(token)
  return jwt === undefined ? ofOpaque(token) : ofJwt(token, jwt)
}
