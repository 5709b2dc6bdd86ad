import * as AdminPort from "@wcs/http-node/admin/AdminPort"
import * as Registers from "@wcs/http-node/Registers"
import * as Serve from "@wcs/http-node/Serve"
import * as Settings from "@wcs/http-node/Settings"
import * as WorkerRecord from "@wcs/http-node/stores/WorkerRecord"
import * as TrustedAuthorities from "@wcs/http-node/TrustedAuthorities"
import * as Telemetry from "@wcs/http-node/telemetry/Telemetry"
import { StartRefused } from "@wcs/node-server/StartRefused"
import { makeExemplars } from "@wcs/node-server/Traffic"
import * as Worker from "@wcs/worker/Worker"
import { Console, Effect, Layer, Option, Ref } from "effect"
import { adminUrl } from "./ListenUrl.ts"
import * as Logging from "./Logging.ts"

/** Fails without a database: the embedded store allows only one process. */
const requireDatabase = Effect.gen(function* () {
  const { database } = yield* Settings.Settings
  if (Option.isSome(database)) return
  return yield* new StartRefused({
    message: "wcs worker needs DATABASE_URL: with the embedded store, the server runs the worker itself."
  })
})

const worker = Layer.unwrap(
  Settings.Settings.use(({ deliveries }) => Effect.succeed(Worker.layer(deliveries.allowedAddresses)))
).pipe(Layer.provide([Registers.layer, WorkerRecord.layer]))

/** Works until a signal. Then takes nothing more, finishes the work in flight, and releases the rest. */
export const run = (isJson: boolean) =>
  Effect.gen(function* () {
    const isStopping = yield* Ref.make(false)
    const adminPort = yield* AdminPort.listen({
      role: "worker",
      isStopping,
      exemplars: makeExemplars(),
      ports: Effect.succeed([])
    })
    yield* Effect.addFinalizer(() => Ref.set(isStopping, true))
    const url = yield* adminUrl(adminPort)
    yield* Console.log(isJson ? JSON.stringify({ adminPort, adminUrl: url }) : `Working\n  health       ${url}/readyz`)
    yield* Effect.logInfo("working")
    return yield* Effect.never
  }).pipe(
    Effect.onInterrupt(() => Effect.logInfo("stopping; finishing work in flight")),
    Effect.scoped,
    Effect.provide(
      worker.pipe(
        Layer.provideMerge(Serve.layerStores),
        Layer.provide(Layer.effectDiscard(requireDatabase)),
        Layer.provideMerge(Telemetry.layer),
        Layer.provide(TrustedAuthorities.layer),
        Layer.provideMerge(Logging.layer),
        Layer.provideMerge(Settings.layer)
      )
    )
  )
