import * as Destinations from "@wcs/delivery/Destinations"
import * as Engine from "@wcs/delivery/Engine"
import * as Resolver from "@wcs/delivery/Resolver"
import * as Signature from "@wcs/delivery/Signature"
import * as UndiciSender from "@wcs/delivery/UndiciSender"
import * as Id from "@wcs/domain/shared/Id"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { Register } from "@wcs/domain/verification/Register"
import { WebhookSettings } from "@wcs/domain/webhook/WebhookSettings"
import * as AuditSignatures from "@wcs/keys/AuditSignatures"
import * as Digest from "@wcs/keys/Digest"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Seal from "@wcs/keys/Seal"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Deferred, Effect, Layer, References, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import ipaddr from "ipaddr.js"
import { Agent } from "undici"
import { storeFile } from "../data/Dataset.ts"
import { idAt } from "../data/Ids.ts"
import { beginDelivery, body, putWebhook, telling } from "./Due.ts"

/** Deliveries to one webhook per port, equally many for each. */
export interface DeliverJob {
  readonly ports: ReadonlyArray<number>
  readonly deliveries: number
  /** Whether to measure memory too, which takes time. */
  readonly weighs: boolean
}

/** The memory of a process in megabytes: heap and buffers, and resident. */
export interface Held {
  readonly heap: number
  readonly resident: number
}

/** The duration of a round, and the memory after a tenth of the outcomes and after all. */
export interface Delivered {
  readonly millis: number
  readonly held: ReadonlyArray<Held>
}

/** The maximum number of attempts in flight of one webhook (DECISIONS.md#webhooks). */
const perWebhook = 8

/** A client that posts the same bytes to receivers. */
export const openBare = () => {
  const agent = new Agent({ allowH2: false, connections: 256, pipelining: 1 })
  const bytes = Buffer.from(body)
  const headers = { "content-type": "application/json", "user-agent": "wcs-webhooks/1" }
  const post = (port: number) =>
    new Promise<void>((resolve, reject) => {
      let status = 0
      agent.dispatch(
        { origin: `http://127.0.0.1:${port}`, path: "/hook", method: "POST", headers, body: bytes },
        {
          onRequestStart: () => undefined,
          onResponseStart: (_, code) => {
            status = code
          },
          onResponseData: () => undefined,
          onResponseEnd: () => (status === 204 ? resolve() : reject(new Error(`the receiver answered ${status}`))),
          onResponseError: (_, error) => reject(error)
        }
      )
    })
  return { post, close: () => agent.destroy() }
}

/** Posts to the same receivers. Returns the duration. */
export const bare = async ({ deliveries, ports }: DeliverJob): Promise<number> => {
  const { close, post } = openBare()
  let left = deliveries
  const begun = performance.now()
  await Promise.all(
    ports.flatMap((port) =>
      Array.from({ length: perWebhook }, async () => {
        while (left-- > 0) await post(port)
      })
    )
  )
  const millis = performance.now() - begun
  await close()
  return millis
}

const masterKey = Result.getOrThrow(MasterKey.fromBytes(new Uint8Array(32).fill(1)))

export const storesIn = (directory: string) =>
  AuditSignatures.layer.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.provide(StoreSqlite.layer, SqliteClient.layer({ filename: storeFile(directory) })),
        Notifications.layer,
        Id.layer,
        Digest.layer,
        Seal.layer
      )
    ),
    Layer.provide(MasterKey.layer(masterKey)),
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "Warn")),
    Layer.provideMerge(Layer.succeed(References.TracerEnabled, false))
  )

const webhookSettings = Layer.succeed(WebhookSettings, {
  allowsHttp: true,
  changeoverSeconds: 86_400,
  webhooksMax: 100
})

/** The production sender, except that it may reach this machine. */
export const sender = UndiciSender.layer.pipe(
  Layer.provide(Destinations.layer),
  Layer.provide(Resolver.layer),
  Layer.provide(Layer.succeed(Destinations.AllowedRanges, [ipaddr.parseCIDR("127.0.0.0/8")])),
  Layer.provide(webhookSettings)
)

/** The production worker. */
export const worker = Engine.layer.pipe(
  Layer.provide(Signature.layer),
  Layer.provide(Layer.succeed(Register, { ask: () => Effect.die("no register is called") })),
  Layer.provide(webhookSettings),
  Layer.fresh
)

/** The webhook of the receiver at a port. */
export const webhookAt = (port: number): string => idAt("webhook", port)

/** The memory of this process after a garbage collection. */
const held = (): Held => {
  globalThis.gc?.()
  const { arrayBuffers, heapUsed, rss } = process.memoryUsage()
  return { heap: (heapUsed + arrayBuffers) / 1e6, resident: rss / 1e6 }
}

/**
 * Runs the worker on the waiting deliveries. Measures until all outcomes are written, and the memory of the
 * running worker.
 */
export const delivering = Effect.fnUntraced(function* ({ deliveries, ports, weighs }: DeliverJob) {
  yield* Effect.forEach(ports, (port) => putWebhook(port, port), { concurrency: 16, discard: true })
  const awaited = Array.from({ length: deliveries }, (_, n) => webhookAt(ports[n % ports.length] ?? 0))
  yield* Effect.forEach(awaited, (webhookId) => beginDelivery(webhookId), { concurrency: 256, discard: true })
  const done = yield* Deferred.make<void>()
  const weighed: Array<Held> = []
  const weigh = () => {
    if (weighs) weighed.push(held())
  }
  let count = 0
  const told = (more: number) =>
    Effect.suspend(() => {
      count += more
      if (weighed.length === 0 && count >= deliveries / 10) weigh()
      return count >= deliveries ? Effect.asVoid(Deferred.succeed(done, undefined)) : Effect.void
    })
  const begun = performance.now()
  return yield* Effect.andThen(
    Deferred.await(done),
    Effect.sync((): Delivered => {
      const millis = performance.now() - begun
      weigh()
      return { millis, held: weighed }
    })
  ).pipe(Effect.provide(Layer.provide(worker, [sender, telling(told)])))
})
