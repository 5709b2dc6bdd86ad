import { AllowedRanges } from "@wcs/delivery/Destinations"
import * as Engine from "@wcs/delivery/Engine"
import { EngineSettings } from "@wcs/delivery/EngineSettings"
import * as OutgoingRequests from "@wcs/delivery/OutgoingRequests"
import * as Signature from "@wcs/delivery/Signature"
import * as Deployment from "@wcs/deployment/Deployment"
import { Register } from "@wcs/domain/verification/Register"
import { deliveryRow } from "@wcs/store-sql/delivery/DeliveryRows"
import { Effect, Layer, ManagedRuntime, References } from "effect"
import { SecureRandom } from "effect/crypto"
import ipaddr from "ipaddr.js"
import { databaseOf } from "../data/DatabaseUrl.ts"
import { idAt } from "../data/Ids.ts"
import { fillPostgres } from "../data/PostgresFill.ts"
import { answerQuestions } from "../load/Questions.ts"
import { settingsOf } from "../Ours.ts"
import { connected } from "../Postgres.ts"
import { beginDelivery, draftOf, putWebhook, telling } from "./Due.ts"

/** Deliveries by the workers of a database: to one webhook per port, equally many for each. */
export interface SharedJob {
  readonly ports: ReadonlyArray<number>
  readonly deliveries: number
}

/** The stores of `wcs worker` on the database of a data directory. */
const storesIn = (directory: string) =>
  Deployment.stores().pipe(
    Layer.provideMerge(settingsOf(directory, { WCS_WEBHOOK_HTTP: "allow" })),
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "Warn")),
    Layer.provideMerge(Layer.succeed(References.TracerEnabled, false))
  )

/** The maximum number of attempts in flight of a worker; null for the production default. */
export type AttemptsMax = number | null

/** The worker of `wcs worker`, which may reach this machine. */
const workerWith = (attemptsMax: AttemptsMax) =>
  Engine.layer.pipe(
    Layer.provide([Signature.layer, OutgoingRequests.layer]),
    Layer.provide(Layer.succeed(AllowedRanges, [ipaddr.parseCIDR("127.0.0.0/8")])),
    Layer.provide(Layer.succeed(Register, { ask: () => Effect.die("no register is called") })),
    Layer.provide(
      Layer.effect(
        EngineSettings,
        Effect.map(EngineSettings, (standard) => ({ ...standard, attemptsMax: attemptsMax ?? standard.attemptsMax }))
      )
    ),
    Layer.fresh
  )

/** Replaces all deliveries. The last one of each webhook makes all of them due. */
const makeDue = Effect.fnUntraced(function* (url: string, { deliveries, ports }: SharedJob) {
  const webhooks = ports.map((_, index) => idAt("webhook", index))
  yield* Effect.forEach(ports, (port, index) => putWebhook(index, port), { concurrency: 8, discard: true })
  const drafts = yield* Effect.forEach(
    Array.from({ length: deliveries - webhooks.length }, (_, n) => idAt("webhook", n % webhooks.length)),
    draftOf
  )
  yield* Effect.promise(async () => {
    await connected(url, (client) => client.query("TRUNCATE delivery"))
    await fillPostgres(url, [{ table: "delivery", rows: drafts.map(deliveryRow) }])
  })
  yield* Effect.forEach(webhooks, (webhookId) => beginDelivery(webhookId), { concurrency: 8, discard: true })
})

/** One worker of a database. Delivers on command until the parent process disconnects. */
export const deliverOnPostgres = async (directory: string): Promise<void> => {
  const url = databaseOf(directory)
  if (url === null) throw new Error("separate workers need a store on Postgres")
  const runtime = ManagedRuntime.make(storesIn(directory))
  await runtime.context()
  let working: ManagedRuntime.ManagedRuntime<never, unknown> | undefined
  let delivered = 0
  let tell: (() => void) | undefined
  const told = (more: number) =>
    Effect.sync(() => {
      delivered += more
      if (more > 0) tell?.()
    })

  answerQuestions({
    makeDue: (job: SharedJob) => runtime.runPromise(makeDue(url, job)),
    begin: async (attemptsMax: AttemptsMax) => {
      delivered = 0
      working = ManagedRuntime.make(
        Layer.provide(workerWith(attemptsMax), telling(told)).pipe(
          Layer.provide(Layer.succeedContext(await runtime.context()))
        )
      )
      await working.context()
    },
    /** Waits until the number of written outcomes exceeds `known` or the run has ended. Returns the number. */
    delivered: async (known: number) => {
      if (delivered <= known && working !== undefined) {
        await new Promise<void>((resolve) => {
          tell = resolve
        })
      }
      return delivered
    },
    end: async () => {
      await working?.dispose()
      working = undefined
      tell?.()
    }
  })
}
