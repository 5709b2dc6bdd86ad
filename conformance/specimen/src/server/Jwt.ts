import { createHmac } from "node:crypto"
import type { Fields } from "./World.ts"

const base64 = (value: Fields): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const signatureOf = (text: string, key: string): string => createHmac("sha256", key).update(text).digest("base64url")

/** A JWT with HMAC-SHA-256. */
export const sign = (payload: Fields, key: string): string => {
  const text = `${base64({ typ: "JWT", alg: "HS256" })}.${base64(payload)}`
  return `${text}.${signatureOf(text, key)}`
}

/** The fault of a JWT; undefined if its signature is right. */
export const flawOf = (token: string, key: string, wasIssued: (payload: string) => boolean): string | undefined => {
  const [header = "", payload = "", signature, ...more] = token.split(".")
  if (signature === undefined || more.length > 0) return header.length > 0 && payload.length > 0 ? "cut" : "no JWT"
  if (signatureOf(`${header}.${payload}`, key) === signature) return undefined
  if (signature === "") return "no signature"
  return wasIssued(payload) ? "another signature" : "another payload"
}

const headerOf = (token: string): string => token.split(".")[0] ?? ""

/** The changed part of a JWT whose signature is wrong. */
export const changedPart = (token: string, key: string, wasIssued: (payload: string) => boolean): string => {
  const [header = "", payload = "", signature = ""] = token.split(".")
  const right = signatureOf(`${header}.${payload}`, key)
  if (headerOf(sign({}, key)) !== header)
    return /"none"/i.test(Buffer.from(header, "base64url").toString()) ? "algorithm none" : "the header"
  if (!wasIssued(payload)) return "the payload"
  if (signature !== "" && right.startsWith(signature)) return "the end of the signature"
  const isLast = signature.length === right.length && right.startsWith(signature.slice(0, -1))
  return isLast ? "the last character of the signature" : "the signature"
}
