import { Schema } from "effect"
import type { EventKind } from "../event/EventKind.ts"

/** A header field. The name is in lower case. A list, because a receiver chooses the names. */
const Header = Schema.Struct({
  name: Schema.String.annotate({ description: "Name of the field, in lower case." }),
  value: Schema.String.annotate({ description: "Value of the field, shortened." })
}).annotate({ identifier: "DeliveryHeader" })
type Header = typeof Header.Type

/** How many header fields of an answer are kept, and how many characters of each text and of all. */
export const keptHeaders = { fields: 32, characters: 256, together: 2048 } as const

/** How many exchanges of a delivery are kept: the latest. */
export const exchangesKept = 20

/** What an attempt sent and got. */
export const Exchange = Schema.Struct({
  number: Schema.Int.annotate({ description: "Number of the attempt." }),
  requestHeaders: Schema.Array(Header).annotate({
    description: "Headers that were sent. Of each signature only the beginning is kept. Empty if nothing was sent."
  }),
  responseHeaders: Schema.Array(Header).annotate({
    description:
      `Headers of the answer: at most ${keptHeaders.fields}, shortened, and none that sets a cookie or can hold another ` +
      "secret. Empty if there was no answer."
  }),
  responseBody: Schema.NullOr(Schema.String).annotate({
    description: "The start of the body of the answer, at most 1 KiB. Null if there was no answer."
  })
}).annotate({ identifier: "DeliveryExchange" })
export type Exchange = typeof Exchange.Type

/** The characters of a signature that are kept. They tell two secrets apart, and cannot sign a delivery. */
const signatureCharacters = 8

const shortened = (signature: string): string => `${signature.slice(0, "v1,".length + signatureCharacters)}…`

/** Header fields of an answer that can hold a secret of the receiver. */
const canBeSecret = /cookie|auth|token|secret|session|key/i

/** Text that every store can keep: NUL and lone surrogates are replaced. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd")

/** The headers of a request as they are kept, with shortened signatures. */
export const sentHeaders = (headers: Readonly<Record<string, string>>): ReadonlyArray<Header> =>
  Object.entries(headers).map(([name, value]) => ({
    name,
    value: name === "webhook-signature" ? value.split(" ").map(shortened).join(" ") : value
  }))

const short = (text: string): string => storable(text.slice(0, keptHeaders.characters))

/** The headers of an answer as they are kept. */
export const answeredHeaders = (headers: ReadonlyArray<Header>): ReadonlyArray<Header> => {
  const kept: Array<Header> = []
  let together = 0
  for (const header of headers) {
    if (canBeSecret.test(header.name)) continue
    const [name, value] = [short(header.name), short(header.value)]
    together += name.length + value.length
    if (kept.length === keptHeaders.fields || together > keptHeaders.together) break
    kept.push({ name: name.toLowerCase(), value })
  }
  return kept
}

/**
 * Whether the answers of receivers to deliveries of a kind are kept. Not those to the end of an erasure: an answer could
 * name the person again.
 */
export const keepsAnswers = (kind: EventKind): boolean => kind !== "worker.erased"
