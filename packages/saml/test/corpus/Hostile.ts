import type { Connection } from "@wcs/saml/Connection"
import type { ResponseReason } from "@wcs/saml/Refusal"
import type { PendingLogin } from "@wcs/saml/ResponseRules"
import { connection, now, pending, toBase64 } from "./Forge.ts"

/** A post to the assertion consumer service, with everything that the check uses. */
export interface Post {
  readonly samlResponse: string
  readonly relayState: string | undefined
  readonly pending: PendingLogin
  readonly connection: Connection
  readonly now: number
}

/** A usual post of this field. */
export const postOf = (samlResponse: string, unusual: Partial<Post> = {}): Post => ({
  samlResponse,
  relayState: pending.relayState,
  pending,
  connection,
  now,
  ...unusual
})

/** One attack: its name, the reason for which it must be refused, and its construction. */
export type Hostile = readonly [name: string, reason: ResponseReason["_tag"], make: () => Post]

/** An attack that consists of XML only. */
export const hostile = (name: string, reason: ResponseReason["_tag"], xml: () => string): Hostile => [
  name,
  reason,
  () => postOf(toBase64(xml()))
]

/** Replaces the only occurrence of `from`. Throws otherwise, since an unchanged forgery proves nothing. */
export const replaced = (text: string, from: string | RegExp, to: string): string => {
  const changed = text.replace(from, () => to)
  if (changed === text) throw new Error(`nothing to replace: ${from}`)
  return changed
}

/** The text of the first element of this name, for example `saml:Assertion`, which must not be nested in itself. */
export const elementIn = (xml: string, name: string): string => {
  const start = xml.indexOf(`<${name}`)
  const end = xml.indexOf(`</${name}>`, start)
  if (start === -1 || end === -1) throw new Error(`no element ${name}`)
  return xml.slice(start, end + name.length + 3)
}

export const without = (xml: string, part: string): string => replaced(xml, part, "")
