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
      `Headers of the answer that help to find a fault, such as \`server\` or \`retry-after\`, at most ${keptHeaders.fields}. ` +
      "Others can hold secrets and are not kept. Empty if there was no answer."
  }),
  responseBody: Schema.NullOr(Schema.String).annotate({
    description: "The start of the body of the answer, at most 1 KiB. Null if there was no answer."
  })
}).annotate({ identifier: "DeliveryExchange" })
export type Exchange = typeof Exchange.Type

const signatureHeader = "webhook-signature"

/** The characters of a signature that are kept. They tell two secrets apart, and cannot sign a delivery. */
const signatureCharacters = 8

const shortened = (signature: string): string => `${signature.slice(0, "v1,".length + signatureCharacters)}…`

/** The header fields of an answer that are kept: they help to find a fault, and hold no secret of the receiver. */
const fieldsKept: ReadonlySet<string> = new Set([
  ...["age", "allow", "cache-control", "connection", "content-encoding", "content-length", "content-type", "date"],
  ...["location", "retry-after", "server", "transfer-encoding", "vary", "via", "x-powered-by"],
  ...["cf-ray", "traceparent", "x-amz-cf-id", "x-amzn-trace-id", "x-cache", "x-correlation-id", "x-request-id"]
])

/** Text that every store can keep: NUL and lone surrogates are replaced. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd")

/** The headers of a request as they are kept, with shortened signatures. */
export const sentHeaders = (headers: Readonly<Record<string, string>>): ReadonlyArray<Header> =>
  Object.entries(headers).map(([name, value]) => ({
    name,
    value: name === signatureHeader ? value.split(" ").map(shortened).join(" ") : value
  }))

const short = (text: string): string => storable(text.slice(0, keptHeaders.characters))

/** The headers of an answer as they are kept. */
export const answeredHeaders = (headers: ReadonlyArray<Header>): ReadonlyArray<Header> => {
  const kept: Array<Header> = []
  let together = 0
  for (const header of headers) {
    const name = header.name.toLowerCase()
    if (!fieldsKept.has(name)) continue
    // The query of an address can hold a code or a token.
    const value = short(name === "location" ? (header.value.split(/[?#]/, 1)[0] ?? "") : header.value)
    together += name.length + value.length
    if (kept.length === keptHeaders.fields || together > keptHeaders.together) break
    kept.push({ name, value })
  }
  return kept
}

/** A text of an answer in which the signatures of the request are shortened: some receivers return what they got. */
export const concealed = (text: string, { [signatureHeader]: sent = "" }: Readonly<Record<string, string>>): string =>
  sent
    .split(" ")
    .filter((signature) => signature.length > "v1,".length)
    .reduce((told, signature) => told.replaceAll(signature.slice("v1,".length), shortened(signature).slice(3)), text)

/**
 * Whether the answers of receivers to deliveries of a kind are kept. Not those to the end of an erasure: an answer could
 * name the person again.
 */
export const keepsAnswers = (kind: EventKind): boolean => kind !== "worker.erased"
