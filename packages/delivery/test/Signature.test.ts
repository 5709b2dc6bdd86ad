import { assert, describe, it } from "@effect/vitest"
import * as Signature from "@wcs/delivery/Signature"
import { Seal, SealBroken } from "@wcs/domain/shared/Seal"
import { type KeptSecret, purposeOf } from "@wcs/domain/webhook/WebhookSecret"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import { webhookIdOf } from "./Seeds.ts"
import {
  type Arrival,
  always,
  answered,
  deliver,
  hour,
  minute,
  Outside,
  putWebhook,
  rotate,
  second,
  world
} from "./World.ts"

/** The verdict of the public library on an arrival, with the clock at the time of arrival. */
const verify = (secret: Redacted.Redacted, { body, headers }: Pick<Arrival, "body" | "headers">) =>
  Effect.try({
    try: () => new Webhook(Redacted.value(secret)).verify(Buffer.from(body), headers),
    catch: (error) => (error instanceof Error ? error.message : "")
  }).pipe(Effect.match({ onSuccess: () => "verified", onFailure: (message) => message }))

/** Starts virtual time at the real time, because the library uses the machine's clock. */
const fromNow = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.sync(() => Date.now()).pipe(Effect.flatMap(TestClock.setTime), Effect.andThen(effect))

describe("threats 15 and 16: signatures that receivers verify", () => {
  it.effect("verify with the public library, and fail after any change", () =>
    Effect.gen(function* () {
      const secret = yield* putWebhook(1, always(200))
      const stranger = yield* putWebhook(2, always(200))
      const id = yield* deliver(1)
      yield* TestClock.adjust("1 second")
      const [arrival] = (yield* Outside).arrivals
      assert.isDefined(arrival)
      if (arrival === undefined) return
      const { body, headers } = arrival
      assert.deepStrictEqual(Object.keys(headers).sort(), [
        ...["webhook-id", "webhook-signature", "webhook-timestamp"],
        ...["x-service-attempt", "x-service-delivery", "x-service-event", "x-service-webhook"]
      ])
      assert.include(headers, {
        "webhook-id": id,
        "x-service-delivery": id,
        "x-service-event": "credential.verified",
        "x-service-webhook": webhookIdOf(1),
        "x-service-attempt": "1"
      })
      assert.match(headers["webhook-signature"] ?? "", /^v1,[A-Za-z0-9+/]{43}=$/)
      assert.strictEqual(yield* verify(secret, arrival), "verified")
      const late = String(Number(headers["webhook-timestamp"]) - 1)
      const altered: ReadonlyArray<Pick<Arrival, "body" | "headers">> = [
        { body, headers: { ...headers, "webhook-id": "dlv_0000000000000002" } },
        { body, headers: { ...headers, "webhook-timestamp": late } },
        { body: Buffer.from(`${Buffer.from(body)} `), headers }
      ]
      for (const forged of altered) assert.strictEqual(yield* verify(secret, forged), "No matching signature found")
      assert.strictEqual(yield* verify(stranger, arrival), "No matching signature found")
    }).pipe(Effect.provide(world()), fromNow)
  )

  it.effect("carry both signatures after a rotation during a retry, and only the new one after the changeover", () =>
    Effect.gen(function* () {
      const { arrivals } = yield* Outside
      const outcomes: Array<readonly [old: string, fresh: string]> = []
      const old = yield* putWebhook(1, () => Effect.succeed(answered(500)))
      yield* deliver(1)
      yield* TestClock.adjust("1 second")
      assert.lengthOf(arrivals, 1)
      const fresh = yield* rotate(1)
      yield* TestClock.adjust(80 * hour)
      // The library checks timestamps with the machine's clock, so later attempts are signed for the same time.
      const counts = arrivals.map(({ headers }) => (headers["webhook-signature"] ?? "").split(" ").length)
      assert.deepStrictEqual(counts, [1, 2, 2, 2, 2, 2, 2, 1, 1, 1])
      const soon = arrivals.filter(({ at }) => at < (arrivals[0]?.at ?? 0) + minute)
      for (const arrival of soon) outcomes.push([yield* verify(old, arrival), yield* verify(fresh, arrival)])
      assert.deepStrictEqual(outcomes, [
        ["verified", "No matching signature found"],
        ["verified", "verified"]
      ])
      assert.lengthOf(new Set(arrivals.map(({ headers }) => headers["webhook-id"])), 1)
    }).pipe(Effect.provide(world()), fromNow)
  )
})

describe("cached secrets", () => {
  const kept = (sealed: string, retiresAt: number | null = null): KeptSecret => ({
    sealed,
    lastFour: "0000",
    createdAt: 0,
    retiresAt
  })

  /** Counts what it decrypts. A text that begins with "broken" does not decrypt. */
  const counting = (opened: Array<string>) =>
    Layer.succeed(Seal, {
      seal: () => Effect.die("nothing is sealed"),
      reseal: () => Effect.die("nothing is sealed"),
      open: (purpose, sealed) =>
        Effect.suspend(() => {
          opened.push(`${purpose}: ${sealed}`)
          return sealed.startsWith("broken")
            ? new SealBroken({ purpose })
            : Effect.succeed(Redacted.make(`whsec_${Buffer.alloc(32, sealed).toString("base64")}`))
        })
    })

  const of = (webhookId: string) => ({ id: "dlv_1", webhookId, kind: "webhook.test", attemptCount: 0 }) as const

  it.effect("are kept for a minute, per webhook and within a limit", () => {
    const opened: Array<string> = []
    return Effect.gen(function* () {
      const { headers } = yield* Signature.Signature
      const body = Buffer.from("{}")
      for (let n = 0; n < 5; n++) yield* headers(of("whk_1"), body, [kept("a")])
      assert.deepStrictEqual(opened, [`${purposeOf("whk_1")}: a`])
      yield* headers(of("whk_2"), body, [kept("a")])
      assert.lengthOf(opened, 2)
      yield* TestClock.adjust(60 * second)
      yield* headers(of("whk_1"), body, [kept("a")])
      assert.lengthOf(opened, 3)
      for (let n = 0; n < 1000; n++) yield* headers(of(`whk_many_${n}`), body, [kept("a")])
      yield* headers(of("whk_1"), body, [kept("a")])
      assert.lengthOf(opened, 1004)
    }).pipe(Effect.provide(Layer.provide(Signature.layer, counting(opened))))
  })

  it.effect("fail the signature when a valid secret does not decrypt, and ignore expired secrets", () => {
    const opened: Array<string> = []
    return Effect.gen(function* () {
      const { headers } = yield* Signature.Signature
      const body = Buffer.from("{}")
      const failed = yield* Effect.result(headers(of("whk_1"), body, [kept("a"), kept("broken")]))
      assert.strictEqual(failed._tag, "Failure")
      const signed = yield* headers(of("whk_1"), body, [kept("a"), kept("broken", 0)])
      assert.match(signed["webhook-signature"] ?? "", /^v1,\S+$/)
    }).pipe(Effect.provide(Layer.provide(Signature.layer, counting(opened))))
  })
})
