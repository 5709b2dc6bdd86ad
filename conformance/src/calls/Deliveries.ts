import * as Expect from "../judgement/Expect.ts"
import { at, parse, textsIn } from "../text/Json.ts"
import type { Exchange, Request } from "../wire/Exchange.ts"
import { requestHeader } from "../wire/Signature.ts"
import { hasWord } from "../wire/Words.ts"

/** The header that has the delivery id (§6). */
export const deliveryHeader = "X-Service-Delivery"

/** The delivery id; undefined if absent. */
export const deliveryIdOf = (delivery: Exchange): string | undefined => requestHeader(delivery, deliveryHeader)

/** Every string in a delivery's headers and body, with its position. */
const saidIn = ({ request }: Exchange): ReadonlyArray<readonly [position: string, text: string]> => {
  const found = known.get(request) ?? newSaidIn(request)
  known.set(request, found)
  return found
}

/** A cache: walks that wait ask each delivery again after each further one. */
const known = new WeakMap<Request, ReadonlyArray<readonly [position: string, text: string]>>()

const newSaidIn = (request: Request): ReadonlyArray<readonly [position: string, text: string]> => {
  const json = parse(request.body)
  return [
    ...request.headers.map(([name, value]) => [`header ${name.toLowerCase()}`, value] as const),
    ...(json === undefined
      ? [["body", request.body] as const]
      : textsIn(json).map(([position, text]) => [position === "" ? "body" : `body.${position}`, text] as const))
  ]
}

/**
 * The places of a text in a delivery, as a whole word. The specification does not say how kinds and ids are written.
 */
export const positionsOf = (delivery: Exchange, text: string): ReadonlyArray<string> =>
  saidIn(delivery).flatMap(([position, said]) => (hasWord(said, text) ? [position] : []))

/** Whether a delivery contains a text. */
export const says =
  (text: string) =>
  (delivery: Exchange): boolean =>
    positionsOf(delivery, text).length > 0

/** The delivery has its id in its header. A `deliveryId` in the body is equal. */
export const hasDeliveryId = (delivery: Exchange): Expect.Met => {
  const id = deliveryIdOf(delivery)
  const where = `header ${deliveryHeader.toLowerCase()}`
  if (id === undefined) return Expect.difference(delivery, "missing", where, "a delivery id", null)
  if (id === "") return Expect.difference(delivery, "wrong-value", where, "a delivery id", id)
  const inBody = at(parse(delivery.request.body), "deliveryId")
  return typeof inBody === "string" && inBody !== id
    ? Expect.difference(delivery, "wrong-value", where, inBody, id)
    : []
}

/** The delivery has the same id as an earlier one. */
export const hasSameId = (again: Exchange, first: Exchange): Expect.Met => {
  const [id, before] = [deliveryIdOf(again) ?? null, deliveryIdOf(first) ?? null]
  const where = `header ${deliveryHeader.toLowerCase()}`
  return id === before ? [] : Expect.difference(again, id === null ? "missing" : "wrong-value", where, before, id)
}

/** The delivery contains a text; `words` describes the text. */
export const saysSomewhere = (delivery: Exchange, text: string, words: string): Expect.Met =>
  says(text)(delivery) ? [] : Expect.difference(delivery, "missing", "body or headers", `${words} ${text}`, null)

/** A call caused no delivery. The difference refers to the call. */
export const undelivered = (call: Exchange, words: string): Expect.Met =>
  Expect.difference(call, "missing", "delivery", words, null)
