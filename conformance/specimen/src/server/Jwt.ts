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
