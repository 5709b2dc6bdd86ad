// A worker in a process of its own. It kills itself like `kill -9` at a given step, or works until SIGTERM.
import * as Engine from "@wcs/delivery/Engine"
import { EngineSettings } from "@wcs/delivery/EngineSettings"
import { Sender } from "@wcs/delivery/Sender"
import { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Effect, Fiber, Layer } from "effect"
import { outside, stores } from "./Deployment.ts"
import type { Orders, Step } from "./KillPoint.ts"

const orders: Orders = JSON.parse(process.argv[2] ?? "")

let left = orders.kill?.number ?? 0

const passes = (step: Step, when: "before" | "after") =>
  Effect.sync(() => {
    if (orders.kill?.step === step && orders.kill.when === when && --left === 0) process.kill(process.pid, "SIGKILL")
  })

const watched = <A, E>(step: Step, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  passes(step, "before").pipe(
    Effect.andThen(effect),
    Effect.tap(() => passes(step, "after"))
  )

const watchedPorts = Layer.mergeAll(
  Layer.effect(
    DeliveryStore,
    Effect.map(DeliveryStore, (store) =>
      DeliveryStore.of({
        ...store,
        fanOut: (request, decide) => watched("fanOut", store.fanOut(request, decide)),
        readDue: (request) => watched("readDue", store.readDue(request)),
        settle: (settlements, now, assess) => watched("settle", store.settle(settlements, now, assess))
      })
    )
  ),
  Layer.effect(
    VerificationStore,
    Effect.map(VerificationStore, (store) =>
      VerificationStore.of({
        ...store,
        conclude: (tenantId, credentialId, holder, decide) =>
          watched("conclude", store.conclude(tenantId, credentialId, holder, decide))
      })
    )
  ),
  Layer.effect(
    Sender,
    Effect.map(Sender, (sender) => Sender.of({ send: (outgoing) => watched("send", sender.send(outgoing)) }))
  )
)

/** Short leases, so that the next worker need not wait long. */
const settings = Layer.succeed(EngineSettings, {
  ...EngineSettings.defaultValue(),
  questionMillis: 200,
  leaseMillis: 500,
  pollMillis: 50,
  portion: 4
})

const worker = Engine.layer.pipe(
  Layer.provide(watchedPorts),
  Layer.provide(outside),
  Layer.provide(stores(orders.database)),
  Layer.provide(settings)
)

const working = Effect.runFork(Layer.launch(worker))
process.once("SIGTERM", () => Effect.runFork(Fiber.interrupt(working)))
