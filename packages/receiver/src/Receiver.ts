/**
 * Receives a delivery from any server: reads the body within limits, verifies the signature and decodes the event. Then
 * it claims, handles and records the delivery, and answers last.
 */
import { Cause, Clock, Data, Effect, Option } from "effect"
import { type BodyUnread, read } from "./Body.ts"
import { DeliveryLog } from "./DeliveryLog.ts"
import { accepted, type SecretRing } from "./SecretRing.ts"
import { DeliveryTooLarge, defaults, type Refused, type VerifiedDelivery, verify } from "./SignedDelivery.ts"
import { decode, type MalformedEvent, type WebhookEvent } from "./WebhookEvent.ts"

/** A request, independent of the server. */
export interface Incoming {
  readonly method: string
  /** One entry per header line, when the server keeps them apart. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: AsyncIterable<Uint8Array>
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A sentence for the operator of the sender about what is wrong; null on success. */
  readonly text: string | null
}

/** A delivery with a verified signature, and its event. */
export interface Delivery extends VerifiedDelivery {
  readonly event: WebhookEvent
}

/** Answers every request. Failures of the handler and of the log are answers, too. */
export type Receiver = (incoming: Incoming) => Effect.Effect<Answer>

export interface Limits {
  /** The allowed difference between a delivery's timestamp and this clock: 300 by default. */
  readonly toleranceSeconds?: number
  /** 1 MiB by default. */
  readonly bodyBytesMax?: number
  /** The time limit of reading a body: 10 by default. */
  readonly bodySecondsMax?: number
  /** The time limit of the handler: 60 by default. The sender waits only 15. */
  readonly handlerSecondsMax?: number
}

export interface ReceiverOptions<E, R> extends Limits {
  /** Read for every delivery, so that a rotation needs no restart. */
  readonly secrets: Effect.Effect<SecretRing>
  /** Called for each delivery until it succeeds. When it fails, the sender retries. */
  readonly handle: (delivery: Delivery) => Effect.Effect<void, E, R>
}

/** The `deliveryId` in the body differs from the header `webhook-id`. */
class OtherDelivery extends Data.TaggedError("OtherDelivery") {
  override get message(): string {
    return "The body's deliveryId is not the header's webhook-id."
  }
}

/** `Retry-After` when the same delivery is being handled. */
const retryAfterSeconds = 30

/** A receiver with its log and the context of its handler. */
export const make = Effect.fnUntraced(function* <E, R>(options: ReceiverOptions<E, R>) {
  const context = yield* Effect.context<R | DeliveryLog>()
  const receive = (incoming: Incoming) =>
    Effect.flatMap(trusted(incoming, options), (delivery) => handledOnce(delivery, options))
  const receiver: Receiver = (incoming) =>
    receive(incoming).pipe(
      Effect.catch((refused) => Effect.succeed(answerTo(refused))),
      Effect.catchCause((cause) =>
        Effect.as(Effect.logError("a delivery could not be recorded", cause), answer(500, "The delivery failed."))
      ),
      Effect.provideContext(context)
    )
  return receiver
})

/** The delivery in a request, once everything about it was verified (EVT-12). */
const trusted = Effect.fnUntraced(function* (
  { body: chunks, headers, method }: Incoming,
  {
    bodyBytesMax = defaults.bodyBytesMax,
    bodySecondsMax = 10,
    secrets,
    toleranceSeconds
  }: Limits & {
    readonly secrets: Effect.Effect<SecretRing>
  }
) {
  if (method !== "POST") return yield* new WrongMethod()
  const declared = headers.find(([name]) => name.toLowerCase() === "content-length")?.[1]
  if (Number(declared ?? 0) > bodyBytesMax) {
    return yield* new DeliveryTooLarge({ what: "body", bytesMax: bodyBytesMax })
  }
  const body = yield* read(chunks, bodyBytesMax, bodySecondsMax)
  const now = yield* Clock.currentTimeMillis
  const options = { secrets: accepted(yield* secrets, now), now, toleranceSeconds, bodyBytesMax }
  const verified = yield* Effect.fromResult(verify({ headers, body }, options))
  const event = yield* Effect.fromResult(decode(body))
  if (event.deliveryId !== verified.id) return yield* new OtherDelivery()
  const delivery: Delivery = { ...verified, event }
  return delivery
})

/** Claims, handles and records a delivery. A concurrent attempt of the same delivery gets 503. */
const handledOnce = Effect.fnUntraced(function* <E, R>(
  delivery: Delivery,
  { handle, handlerSecondsMax = 60 }: ReceiverOptions<E, R>
) {
  const log = yield* DeliveryLog
  // The claim outlasts the time limit, because an interrupted handler may take a moment to end.
  const claim = yield* log.claim(delivery.id, handlerSecondsMax + retryAfterSeconds)
  if (claim._tag === "Handled") return handled
  if (claim._tag === "Busy") return busy
  return yield* Effect.uninterruptibleMask((restore) =>
    Effect.suspend(() => handle(delivery)).pipe(
      Effect.timeoutOption(handlerSecondsMax * 1000),
      restore,
      Effect.matchCauseEffect({
        onSuccess: (ended) =>
          Option.isSome(ended)
            ? Effect.as(log.complete(delivery.id), handled)
            : Effect.as(Effect.logError("The handler of a delivery took too long."), failed),
        onFailure: (cause) =>
          Effect.logError("The handler of a delivery failed.", cause).pipe(
            Effect.andThen(Cause.hasInterrupts(cause) ? Effect.void : log.release(delivery.id, claim.until)),
            Effect.as(failed)
          )
      }),
      Effect.annotateLogs({ deliveryId: delivery.id })
    )
  )
})

/** The method is not POST. */
class WrongMethod extends Data.TaggedError("WrongMethod") {
  override get message(): string {
    return "Deliveries must use POST."
  }
}

const answer = (status: number, text: string | null, headers: Answer["headers"] = {}): Answer => ({
  status,
  headers: text === null ? headers : { "content-type": "text/plain; charset=utf-8", ...headers },
  text
})

const handled = answer(204, null)
const failed = answer(500, "The delivery could not be handled.")
const busy = answer(503, "The delivery is being handled.", { "retry-after": String(retryAfterSeconds) })

/** The answer to a refusal. Its text repeats nothing of the request. */
const answerTo = (refused: Refused | BodyUnread | MalformedEvent | OtherDelivery | WrongMethod): Answer => {
  switch (refused._tag) {
    case "MalformedHeader":
    case "MalformedEvent":
    case "OtherDelivery":
      return answer(400, refused.message)
    case "StaleDelivery":
    case "WrongSignature":
      return answer(401, refused.message)
    case "WrongMethod":
      return answer(405, refused.message, { allow: "POST" })
    case "BodyUnread":
      return answer(408, refused.message)
    case "DeliveryTooLarge":
      return answer(413, refused.message)
  }
}
