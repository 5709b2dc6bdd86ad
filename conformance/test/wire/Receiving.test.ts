import { assert, describe, it } from "@effect/vitest"
import { makeFrom } from "@wcs/conformance/calls/Resources"
import { judge } from "@wcs/conformance/judgement/Judge"
import * as Receiving from "@wcs/conformance/judgement/Receiving"
import { Session } from "@wcs/conformance/judgement/Session"
import { walk } from "@wcs/conformance/judgement/Walk"
import type { Exchange, Request } from "@wcs/conformance/wire/Exchange"
import * as Handles from "@wcs/conformance/wire/Handles"
import { Receiver, type Take } from "@wcs/conformance/wire/Receiver"
import { Clock, Effect, Fiber, Ref } from "effect"
import { inTime, keeping, profile, runOver } from "../Invented.ts"

const url = (number: number) => `https://receiver.example/${number}`

/** A receiver without sockets: the test passes in the deliveries. */
const byHand = () => {
  const takes: Array<Take> = []
  const deliver = (body: string, number = 1) => {
    const request: Request = { method: "POST", url: url(number), headers: [["X-Service-Delivery", body]], body }
    return takes[number - 1]?.(request) ?? Effect.succeed(410)
  }
  return {
    deliver,
    receiver: {
      open: (take: Take) => Effect.sync(() => url(takes.push(take))),
      closed: (name: string) => Effect.succeed(`https://receiver.example/${name}`)
    }
  }
}

const webhook = {
  create: { body: { url: "{{receiver}}" } },
  delete: { method: "DELETE", path: "/webhooks/{{id}}" }
} as const

/** Makes one walk with such a receiver. Returns all events. */
const receiving = (steps: (deliver: ReturnType<typeof byHand>["deliver"]) => Effect.Effect<void, never, Session>) => {
  const { deliver, receiver } = byHand()
  const one = walk({ name: "events/one", judges: ["EVT-14"], impact: "mutate-own", needs: [] })(
    Effect.andThen(steps(deliver), judge("EVT-14", [], []))
  )
  const given = { ...profile, groups: { ...profile.groups, webhook }, receiver: { timeoutSeconds: 5 } }
  return inTime(runOver({ ...keeping(), profile: given, walks: [one] })).pipe(Effect.provideService(Receiver, receiver))
}

const listening = (refuses?: Receiving.Refuses) => Session.use(({ listen }) => Effect.orDie(listen(refuses)))

const bodies = (came: ReadonlyArray<Exchange>) => came.map(({ request }) => request.body)

/** Continues after all due work is done. */
const afterAll = Effect.callback<void>((resume) => {
  setImmediate(() => setImmediate(() => resume(Effect.void)))
})

describe("a delivery to a walk", () => {
  it.live("is waited for without counting pauses of the suite itself", () =>
    Effect.gen(function* () {
      const { deliver, receiver } = byHand()
      const { delivered } = Handles.make(profile, new Map())
      const options = { timeoutSeconds: 0.5, numbers: yield* Ref.make(0), delivered, record: () => Effect.void }
      const { listen } = yield* Effect.provideService(Receiving.make(options), Receiver, receiver)
      const address = yield* listen("events/one", 1, () => false)
      const waiting = yield* Effect.forkChild(address.until((came) => came.length > 0))
      yield* afterAll
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
      yield* afterAll // all earlier work comes first
      yield* deliver("late")
      assert.deepStrictEqual(bodies(yield* Fiber.join(waiting)), ["late"])
    }).pipe(Effect.scoped)
  )

  it.effect("is numbered with the requests and recorded as an exchange, with its answer", () =>
    Effect.gen(function* () {
      const { exchanges } = yield* receiving((deliver) =>
        Effect.gen(function* () {
          const { send } = yield* Session
          yield* listening((_, before) => before.length === 0)
          yield* Effect.orDie(send({ method: "GET", path: "/workers" }))
          assert.deepStrictEqual([yield* deliver("one"), yield* deliver("two")], [500, 200])
          yield* Effect.orDie(send({ method: "GET", path: "/workers" }))
        })
      )
      const told = exchanges.filter(({ walk: of }) => of === "events/one")
      assert.deepStrictEqual(
        told.map(({ kind, number }) => [kind, number]),
        [
          ["call", 2],
          ["delivery", 3],
          ["delivery", 4],
          ["call", 5]
        ]
      )
      const delivered = told.filter(({ kind }) => kind === "delivery")
      assert.deepStrictEqual(
        delivered.map(({ answer, request, step }) => [step, request.body, answer?.status]),
        [
          [1, "one", 500],
          [1, "two", 200]
        ]
      )
    })
  )

  it.effect("is waited for until it arrives, within the timeout of the profile", () =>
    Effect.gen(function* () {
      yield* receiving((deliver) =>
        Effect.gen(function* () {
          const { until } = yield* listening()
          const start = yield* Clock.currentTimeMillis
          const soon = Effect.andThen(Effect.sleep("2 seconds"), deliver("soon"))
          const [came] = yield* Effect.all([until((some) => some.length > 0), soon], { concurrency: 2 })
          assert.deepStrictEqual(bodies(came), ["soon"])
          assert.strictEqual((yield* Clock.currentTimeMillis) - start, 2000)
          assert.deepStrictEqual(bodies(yield* until((some) => some.length > 1)), ["soon"])
          assert.strictEqual((yield* Clock.currentTimeMillis) - start, 7000)
        })
      )
    })
  )

  it.effect("does not end the wait of walks that need more deliveries", () =>
    Effect.gen(function* () {
      yield* receiving((deliver) =>
        Effect.gen(function* () {
          const { until } = yield* listening()
          const all = Effect.forEach(["one", "two", "three"], (body) => deliver(body))
          const waits = [until((some) => some.length > 2), until((some) => some.length > 1), all] as const
          const [three] = yield* Effect.all(waits, { concurrency: 3 })
          assert.deepStrictEqual(bodies(three), ["one", "two", "three"])
        })
      )
    })
  )

  it.effect("arrives at its address, and shows for all addresses that the receiver is reachable", () =>
    Effect.gen(function* () {
      yield* receiving((deliver) =>
        Effect.gen(function* () {
          const [one, other] = [yield* listening(), yield* listening()]
          assert.isFalse(yield* one.isReached)
          yield* deliver("for the other", 2)
          assert.deepStrictEqual([bodies(yield* one.came), bodies(yield* other.came)], [[], ["for the other"]])
          assert.isTrue(yield* one.isReached)
        })
      )
    })
  )

  it.effect("is refused when there are too many", () =>
    Effect.gen(function* () {
      yield* receiving((deliver) =>
        Effect.gen(function* () {
          const { came } = yield* listening()
          for (let count = 0; count < 1000; count += 1) yield* deliver("x")
          assert.strictEqual(yield* deliver("too much"), 503)
          assert.lengthOf(yield* came, 1000)
        })
      )
    })
  )
})

describe("a webhook that expects no deliveries", () => {
  it.effect("is created for a URL that discards deliveries, or for a dead one without a receiver", () =>
    Effect.gen(function* () {
      const urls: Array<string> = []
      const making = Effect.gen(function* () {
        const { exchange } = yield* Effect.orDie(makeFrom("webhook", {}))
        urls.push(JSON.parse(exchange.request.body).url)
      })
      yield* receiving(() => making)
      const one = walk({ name: "events/one", judges: ["EVT-14"], impact: "mutate-own", needs: [] })(
        Effect.andThen(making, judge("EVT-14", [], []))
      )
      yield* runOver({ ...keeping(), profile: { ...profile, groups: { ...profile.groups, webhook } }, walks: [one] })
      assert.deepStrictEqual(urls, [
        "https://receiver.example/conf-invented-00001x",
        "https://receiver.invalid/conf-invented-00001x"
      ])
    })
  )
})
