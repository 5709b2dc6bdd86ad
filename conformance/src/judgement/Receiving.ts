import { Clock, Deferred, Effect, type Ref } from "effect"
import type { Exchange, Request } from "../wire/Exchange.ts"
import { nextNumber } from "../wire/Exchange.ts"
import { Receiver } from "../wire/Receiver.ts"
import { Blocked } from "./Blocked.ts"

/** An address of a walk, and its deliveries. */
export interface Address {
  readonly url: string
  /** The deliveries so far, in order: exchanges of the kind `delivery`. */
  readonly came: Effect.Effect<ReadonlyArray<Exchange>>
  /**
   * Waits until the deliveries are enough, for at most a part of the profile's timeout (default: all of it). Returns
   * the deliveries so far. Later ones still appear in `came`.
   */
  readonly until: (
    isEnough: (came: ReadonlyArray<Exchange>) => boolean,
    part?: number
  ) => Effect.Effect<ReadonlyArray<Exchange>>
  /** Whether any address of the run has received a request, so that the receiver is reachable. */
  readonly isReached: Effect.Effect<boolean>
}

/** Whether to answer a delivery with 500, for example the first ones, to force a retry. */
export type Refuses = (delivered: Exchange, before: ReadonlyArray<Exchange>) => boolean

/** The maximum number of deliveries kept for an address, and of characters for a run. Others are refused with 503. */
const maxDeliveries = 1000
const maxKeptChars = 16 * 1024 * 1024

/** The status for deliveries that are not kept. */
const overloaded = 503

const deliveryOf = (
  walk: string,
  step: number,
  number: number,
  request: Request,
  startedAt: number,
  status: number
): Exchange => ({
  number,
  lastSent: number,
  walk,
  step,
  kind: "delivery",
  principal: null,
  request,
  answer: { status, headers: {}, text: "", json: undefined },
  silence: null,
  startedAt,
  millis: 0
})

/** The shared state of a run's addresses. */
export interface Options {
  readonly timeoutSeconds: number
  readonly numbers: Ref.Ref<number>
  /** Returns a received request with handles instead of secrets. */
  readonly delivered: (number: number, request: Request) => Request
  /** Called for every delivery. */
  readonly record: (delivery: Exchange) => Effect.Effect<void>
}

const stepMillis = 250

/** Waits in steps, so that a pause of the suite itself does not count as waiting. */
const waited = (millis: number): Effect.Effect<void> =>
  millis <= 0
    ? Effect.void
    : Effect.flatMap(Effect.sleep(Math.min(stepMillis, millis)), () => waited(millis - stepMillis))

/** Opens addresses and records their deliveries. */
export const make = Effect.fnUntraced(function* ({ delivered, numbers, timeoutSeconds, record }: Options) {
  const receiver = yield* Receiver
  let keptChars = 0
  let isReached = false

  /** An address of a walk, open for the lifetime of the scope. `step` is its position in the walk. */
  const listen = Effect.fnUntraced(
    function* (walk: string, step: number, refuses: Refuses) {
      const came: Array<Exchange> = []
      const waiting = new Set<Deferred.Deferred<void>>()

      const take = Effect.fnUntraced(function* (received: Request) {
        isReached = true
        if (came.length >= maxDeliveries || keptChars > maxKeptChars) return overloaded
        keptChars += received.body.length
        const startedAt = yield* Clock.currentTimeMillis
        const number = yield* nextNumber(numbers)
        const request = delivered(number, received)
        const taken = deliveryOf(walk, step, number, request, startedAt, 200)
        const delivery = refuses(taken, came) ? deliveryOf(walk, step, number, request, startedAt, 500) : taken
        came.push(delivery)
        yield* record(delivery)
        // waiters that need more wait again
        yield* Effect.forEach([...waiting], (one) => Deferred.succeed(one, undefined), { discard: true })
        return delivery.answer?.status ?? overloaded
      })

      const url = yield* receiver.open(take)
      const next = Effect.suspend(() => {
        const one = Deferred.makeUnsafe<void>()
        waiting.add(one)
        return Effect.ensuring(
          Deferred.await(one),
          Effect.sync(() => waiting.delete(one))
        )
      })
      const address: Address = {
        url,
        came: Effect.sync(() => [...came]),
        isReached: Effect.sync(() => isReached),
        until: (isEnough, part = 1) => {
          const enough: Effect.Effect<void> = Effect.suspend(() =>
            isEnough(came) ? Effect.void : Effect.flatMap(next, () => enough)
          )
          return Effect.map(Effect.raceFirst(enough, waited(timeoutSeconds * 1000 * part)), () => [...came])
        }
      }
      return address
    },
    Effect.catchTag("NotReceiving", ({ reason }) => Effect.fail(new Blocked({ reason, exchanges: [] })))
  )

  /** A URL for webhooks that expect no deliveries. */
  const closed = (name: string): Effect.Effect<string> =>
    Effect.catchTag(receiver.closed(name), "NotReceiving", () => Effect.succeed(`https://receiver.invalid/${name}`))

  return { closed, listen }
})

/** The receiver for the walks of a run. */
export type Receiving = Effect.Success<ReturnType<typeof make>>
