/**
 * What happens to a delivery, whatever server it came by: its body is read within limits, its signature verified, its event
 * decoded; then it is claimed, handled and remembered, and only then answered.
 */
import { Cause, Clock, Data, Effect, Option } from "effect"
import { type BodyUnread, read } from "./Body.ts"
import { DeliveryLog } from "./DeliveryLog.ts"
import { accepted, type SecretRing } from "./SecretRing.ts"
import { DeliveryTooLarge, defaults, type Refused, type VerifiedDelivery, verify } from "./SignedDelivery.ts"
import { decode, type MalformedEvent, type WebhookEvent } from "./WebhookEvent.ts"

/** A request, as any server has it. */
export interface Incoming {
  readonly method: string
  /** Each line by itself where the server tells them apart. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: AsyncIterable<Uint8Array>
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** What is wrong, in a sentence for whoever runs the sender; null where nothing is. */
  readonly text: string | null
}

/** A delivery whose signature was verified, and what it says. */
export interface Delivery extends VerifiedDelivery {
  readonly event: WebhookEvent
}

/** Answers every request: failures of the handler and of the log are answers too. */
export type Receiver = (incoming: Incoming) => Effect.Effect<Answer>

export interface Limits {
  /** How far a delivery's timestamp may lie from this clock: 300 by default. */
  readonly toleranceSeconds?: number
  /** 1 MiB by default. */
  readonly bodyBytesMax?: number
  /** How long a body may take to arrive: 10 by default. */
  readonly bodySecondsMax?: number
  /** How long the handler may take before it is interrupted: 60 by default. The sender itself waits for 15. */
  readonly handlerSecondsMax?: number
}

export interface ReceiverOptions<E, R> extends Limits {
  /** Asked at every delivery, so that a rotation needs no restart. */
  readonly secrets: Effect.Effect<SecretRing>
  /** Called once for each delivery until it succeeds. When it fails the sender tries again. */
  readonly handle: (delivery: Delivery) => Effect.Effect<void, E, R>
}

/** The signed body is another delivery's: its id is not that of the headers. */
class OtherDelivery extends Data.TaggedError("OtherDelivery") {
  override get message(): string {
    return "The body's deliveryId is not the header's webhook-id."
  }
}

/** When a sender who finds its delivery in flight may ask again. */
const retryAfterSeconds = 30

/** A receiver with its log, and with what its handler needs. */
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

/** Claims, handles, remembers. Whoever comes while that is under way is told to come again: nothing is done yet. */
const handledOnce = Effect.fnUntraced(function* <E, R>(
  delivery: Delivery,
  { handle, handlerSecondsMax = 60 }: ReceiverOptions<E, R>
) {
  const log = yield* DeliveryLog
  // A handler that is interrupted may go on for a moment: nobody claims after it at once.
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
            : Effect.as(Effect.logError("a delivery's handler took too long"), failed),
        onFailure: (cause) =>
          Effect.logError("a delivery's handler failed", cause).pipe(
            Effect.andThen(Cause.hasInterrupts(cause) ? Effect.void : log.release(delivery.id, claim.until)),
            Effect.as(failed)
          )
      }),
      Effect.annotateLogs({ deliveryId: delivery.id })
    )
  )
})

/** Deliveries are posted. */
class WrongMethod extends Data.TaggedError("WrongMethod") {
  override get message(): string {
    return "Deliveries come by POST."
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

/** Each refusal stands at one status; its text says what is wrong and repeats nothing of the request. */
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
