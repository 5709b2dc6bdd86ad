import { PayloadTooLarge } from "@wcs/domain/service/HttpRefusal"
import { Call } from "@wcs/http/pipeline/Call"
import { Effect, Stream } from "effect"

/** A request body with headers. */
export interface Sent {
  readonly body: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** Builds the call that a handler receives. */
export const callOf = ({ body, headers = {} }: Sent): Call => {
  const content = typeof body === "string" ? new TextEncoder().encode(body) : body
  const request = {
    method: "POST",
    url: "/",
    headers: { host: "localhost", ...headers },
    peer: { address: "192.0.2.1", secure: true },
    ambiguity: undefined,
    waitedMillis: () => 0,
    bytes: (limitBytes: number) =>
      content.length > limitBytes ? Effect.fail(new PayloadTooLarge({ limitBytes })) : Effect.succeed(content),
    pieces: Stream.make(content)
  }
  return new Call(request, "01J00000000000000000000000", {
    whole: ({ request }, limit) => request.bytes(limit, () => true),
    pieces: ({ request }) => request.pieces
  })
}
