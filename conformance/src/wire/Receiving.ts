import { Clock, Deferred, Effect, type Ref } from "effect"
import { Blocked } from "../engine/Blocked.ts"
import type { Exchange, Request } from "./Exchange.ts"
import { nextNumber } from "./Exchange.ts"
import { Receiver } from "./Receiver.ts"

/** An address of a walk's own, and what came there. */
export interface Address {
  readonly url: string
  /** What has come so far, in the order in which it came: exchanges of the kind `delivery`. */
  readonly came: Effect.Effect<ReadonlyArray<Exchange>>
  /**
   * Waits until what came is enough, no longer than a part of the profile's patience, all of it where none is said;
   * answers what came. What comes later is in `came` all the same.
   */
  readonly until: (
    isEnough: (came: ReadonlyArray<Exchange>) => boolean,
    part?: number
  ) => Effect.Effect<ReadonlyArray<Exchange>>
  /** Whether anything has come to any address of the run: it can be reached. */
  readonly isReached: Effect.Effect<boolean>
}

/** Whether a delivery is to be answered with 500: the first ones, say, so that they are sent again. */
export type Refuses = (delivered: Exchange, before: ReadonlyArray<Exchange>) => boolean

/** As many deliveries of one address are kept, and as many characters of all of a run: more is turned away with 503. */
const maxDeliveries = 1000
const maxKeptChars = 16 * 1024 * 1024

/** What is not kept. */
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

/** What the addresses of a run share. */
export interface Options {
  readonly patienceSeconds: number
  readonly numbers: Ref.Ref<number>
  /** Is told of every delivery. */
  readonly record: (delivery: Exchange) => Effect.Effect<void>
}

/** In milliseconds. */
const stepMillis = 250

/** Waits step by step: for as long as the suite itself stood still, it was not patient with anybody. */
const waited = (millis: number): Effect.Effect<void> =>
  millis <= 0
    ? Effect.void
    : Effect.flatMap(Effect.sleep(Math.min(stepMillis, millis)), () => waited(millis - stepMillis))

/** Opens addresses and records what comes to them. */
export const make = Effect.fnUntraced(function* ({ numbers, patienceSeconds, record }: Options) {
  const receiver = yield* Receiver
  let keptChars = 0
  let isReached = false

  /** An address of a walk, which is open as long as the scope lives; `step` says the how-manieth of the walk it is. */
  const listen = Effect.fnUntraced(
    function* (walk: string, step: number, refuses: Refuses) {
      const came: Array<Exchange> = []
      const waiting = new Set<Deferred.Deferred<void>>()

      const take = Effect.fnUntraced(function* (request: Request) {
        isReached = true
        if (came.length >= maxDeliveries || keptChars > maxKeptChars) return overloaded
        keptChars += request.body.length
        const startedAt = yield* Clock.currentTimeMillis
        const number = yield* nextNumber(numbers)
        const taken = deliveryOf(walk, step, number, request, startedAt, 200)
        const delivery = refuses(taken, came) ? deliveryOf(walk, step, number, request, startedAt, 500) : taken
        came.push(delivery)
        yield* record(delivery)
        // who is not content yet waits anew meanwhile
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
          return Effect.map(Effect.raceFirst(enough, waited(patienceSeconds * 1000 * part)), () => [...came])
        }
      }
      return address
    },
    Effect.catchTag("NotReceiving", ({ reason }) => Effect.fail(new Blocked({ reason, exchanges: [] })))
  )

  /** A URL for webhooks that nothing has to be delivered to. */
  const closed = (name: string): Effect.Effect<string> =>
    Effect.catchTag(receiver.closed(name), "NotReceiving", () => Effect.succeed(`https://receiver.invalid/${name}`))

  return { closed, listen }
})

/** Receives for the walks of a run. */
export type Receiving = Effect.Success<ReturnType<typeof make>>
