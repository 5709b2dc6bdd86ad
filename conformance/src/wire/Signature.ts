import { createHmac } from "node:crypto"
import type { SignatureScheme } from "../profile/Deliveries.ts"
import type { Exchange } from "./Exchange.ts"

/** The value in a header. */
const valueIn = "([A-Za-z0-9+/_=.:-]+?)(?=$|[\\s,;])"

const name = /\{\{(\w+)\}\}/g

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

/** Each name in a form, and the text before it: in `v1,{{signature}}`, `v1,` precedes `signature`. */
const partsOf = (form: string): ReadonlyArray<readonly [name: string, before: string]> => {
  let end = 0
  return [...form.matchAll(name)].map((match) => {
    const before = form.slice(end, match.index).replace(/^[\s,;]+/, "")
    end = match.index + match[0].length
    return [match[1] ?? "", before]
  })
}

/** The values in a header for a name of the form, in order. */
const valuesOf = (header: string, before: string): ReadonlyArray<string> =>
  [...header.matchAll(new RegExp(`(?<=^|[\\s,;])${escaped(before)}${valueIn}`, "g"))].map(([, value = ""]) => value)

/** The header of a request; undefined if absent. */
export const requestHeader = ({ request }: Exchange, wanted: string): string | undefined =>
  request.headers.find(([one]) => one.toLowerCase() === wanted.toLowerCase())?.[1]

/** The key in a webhook's secret; undefined if the secret does not match the scheme. */
const keyOf = ({ key }: SignatureScheme, secret: string): Buffer | undefined => {
  if (key === undefined) return Buffer.from(secret, "utf8")
  const { encoding, prefix = "" } = key
  if (!secret.startsWith(prefix)) return undefined
  return Buffer.from(secret.slice(prefix.length), encoding === "text" ? "utf8" : encoding)
}

/** The signed text of a delivery; undefined if a part is missing. */
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

/** Ignores letter case in hexadecimal, and padding and alphabet in base64 (RFC 4648). */
const plain = ({ encoding }: SignatureScheme, text: string): string =>
  encoding === "hex" ? text.toLowerCase() : text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "")

/** The signatures of a delivery according to the scheme; undefined without the header. */
export const signaturesIn = (scheme: SignatureScheme, delivery: Exchange): ReadonlyArray<string> | undefined => {
  const header = requestHeader(delivery, scheme.header)
  const [, before = ""] = partsOf(scheme.form ?? "{{signature}}").at(-1) ?? []
  return header === undefined ? undefined : valuesOf(header, before)
}

/** Whether one of a delivery's signatures was made with a secret. */
export const isSignedWith = (scheme: SignatureScheme, delivery: Exchange, secret: string): boolean => {
  const key = keyOf(scheme, secret)
  const signed = signedOf(scheme, delivery, requestHeader(delivery, scheme.header) ?? "")
  if (key === undefined || signed === undefined) return false
  const mac = createHmac(scheme.algorithm, key).update(signed, "utf8").digest(scheme.encoding)
  const wanted = plain(scheme, mac)
  return (signaturesIn(scheme, delivery) ?? []).some((text) => plain(scheme, text) === wanted)
}
