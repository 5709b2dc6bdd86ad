import { Data, Effect } from "effect"
import { DeliveryTooLarge } from "./SignedDelivery.ts"

/** The body ended early or was too slow. */
export class BodyUnread extends Data.TaggedError("BodyUnread")<{ readonly problem: "ended early" | "is too slow" }> {
  override get message(): string {
    return `The body ${this.problem}.`
  }
}

/** All bytes of a body. Fails as soon as the body is too large, and reads no further. */
export const read = (
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
  secondsMax: number
): Effect.Effect<Uint8Array, DeliveryTooLarge | BodyUnread> =>
  Effect.tryPromise({
    try: () => collect(chunks, bytesMax),
    catch: () => new BodyUnread({ problem: "ended early" })
  }).pipe(
    Effect.flatMap((body) =>
      body === undefined ? Effect.fail(new DeliveryTooLarge({ what: "body", bytesMax })) : Effect.succeed(body)
    ),
    Effect.timeoutOrElse({
      duration: secondsMax * 1000,
      orElse: () => Effect.fail(new BodyUnread({ problem: "is too slow" }))
    })
  )

const collect = async (chunks: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Uint8Array | undefined> => {
  const parts: Array<Uint8Array> = []
  let size = 0
  for await (const part of chunks) {
    size += part.length
    if (size > bytesMax) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}
