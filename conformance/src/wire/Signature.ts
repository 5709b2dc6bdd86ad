import { createHmac } from "node:crypto"
import type { SignatureScheme } from "../profile/Profile.ts"
import type { Exchange } from "./Exchange.ts"

/** What stands in the value of a header. */
const valueIn = "([A-Za-z0-9+/_=.:-]+?)(?=$|[\\s,;])"

const name = /\{\{(\w+)\}\}/g

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

/** Each name of a form, and what stands before it there: `v1,{{signature}}` has `v1,` before `signature`. */
const partsOf = (form: string): ReadonlyArray<readonly [name: string, before: string]> => {
  let end = 0
  return [...form.matchAll(name)].map((match) => {
    const before = form.slice(end, match.index).replace(/^[\s,;]+/, "")
    end = match.index + match[0].length
    return [match[1] ?? "", before]
  })
}

/** The values that a header has for a name of the form, the first first. */
const valuesOf = (header: string, before: string): ReadonlyArray<string> =>
  [...header.matchAll(new RegExp(`(?<=^|[\\s,;])${escaped(before)}${valueIn}`, "g"))].map(([, value = ""]) => value)

/** The header of a request; undefined where it has none of the name. */
export const requestHeader = ({ request }: Exchange, wanted: string): string | undefined =>
  request.headers.find(([one]) => one.toLowerCase() === wanted.toLowerCase())?.[1]

/** The key that a webhook's secret stands for; undefined where it is not as the scheme says. */
const keyOf = ({ key }: SignatureScheme, secret: string): Buffer | undefined => {
  if (key === undefined) return Buffer.from(secret, "utf8")
  const { encoding, prefix = "" } = key
  if (!secret.startsWith(prefix)) return undefined
  return Buffer.from(secret.slice(prefix.length), encoding === "text" ? "utf8" : encoding)
}

/** What is signed, of one delivery; undefined where it lacks a part of it. */
const signedOf = (scheme: SignatureScheme, delivery: Exchange, header: string): string | undefined => {
  const inHeader = new Map(
    partsOf(scheme.form ?? "").flatMap(([one, before]) => {
      const [value] = valuesOf(header, before)
      return value === undefined ? [] : [[one, value] as const]
    })
  )
  const partOf = (one: string): string | undefined => {
    if (one === "body") return delivery.request.body
    const wanted = scheme.headers?.[one]
    return wanted === undefined ? inHeader.get(one) : requestHeader(delivery, wanted)
  }
  const names = [...scheme.signed.matchAll(name)].map(([, one = ""]) => one)
  if (names.some((one) => partOf(one) === undefined)) return undefined
  return scheme.signed.replaceAll(name, (_, one: string) => partOf(one) ?? "")
}

/** Letter case says nothing in hexadecimal, and neither do padding and the other alphabet in base64 (RFC 4648). */
const plain = ({ encoding }: SignatureScheme, text: string): string =>
  encoding === "hex" ? text.toLowerCase() : text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "")

/** The signatures that a delivery carries, as the scheme has them; undefined where it has no such header. */
export const signaturesIn = (scheme: SignatureScheme, delivery: Exchange): ReadonlyArray<string> | undefined => {
  const header = requestHeader(delivery, scheme.header)
  const [, before = ""] = partsOf(scheme.form ?? "{{signature}}").at(-1) ?? []
  return header === undefined ? undefined : valuesOf(header, before)
}

/** Whether one of the signatures that a delivery carries was made with a secret. */
export const isSignedWith = (scheme: SignatureScheme, delivery: Exchange, secret: string): boolean => {
  const key = keyOf(scheme, secret)
  const signed = signedOf(scheme, delivery, requestHeader(delivery, scheme.header) ?? "")
  if (key === undefined || signed === undefined) return false
  const mac = createHmac(scheme.algorithm, key).update(signed, "utf8").digest(scheme.encoding)
  const wanted = plain(scheme, mac)
  return (signaturesIn(scheme, delivery) ?? []).some((text) => plain(scheme, text) === wanted)
}
