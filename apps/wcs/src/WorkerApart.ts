import * as AdminPort from "@wcs/http-node/admin/AdminPort"
import * as Registers from "@wcs/http-node/Registers"
import * as Serve from "@wcs/http-node/Serve"
import * as Settings from "@wcs/http-node/Settings"
import { StartRefused } from "@wcs/http-node/StartRefused"
import * as Worker from "@wcs/worker/Worker"
import { Console, Effect, Layer, Option, Ref } from "effect"
import { adminUrl } from "./ListenUrl.ts"
import * as Logging from "./Logging.ts"

/** The embedded store is one process's alone: its server is its worker. */
const requireDatabase = Effect.gen(function* () {
  const { database } = yield* Settings.Settings
  if (Option.isSome(database)) return
  return yield* new StartRefused({
    message: "wcs worker needs DATABASE_URL: on the embedded store the server does a worker's work itself."
  })
})

const worker = Layer.unwrap(
  Settings.Settings.use(({ deliveries }) => Effect.succeed(Worker.layer(deliveries.allowedAddresses)))
).pipe(Layer.provide(Registers.layer))

/** Works until a signal ends it: then nothing more is taken, what was begun is finished, and the rest is given back. */
export const run = (isJson: boolean) =>
  Effect.gen(function* () {
    const isStopping = yield* Ref.make(false)
    const adminPort = yield* AdminPort.listen(isStopping)
    yield* Effect.addFinalizer(() => Ref.set(isStopping, true))
    const url = yield* adminUrl(adminPort)
    yield* Console.log(isJson ? JSON.stringify({ adminPort, adminUrl: url }) : `Working\n  health       ${url}/readyz`)
    yield* Effect.logInfo("working")
    return yield* Effect.never
  }).pipe(
    Effect.onInterrupt(() => Effect.logInfo("stopping: what is in flight is finished first")),
    Effect.scoped,
    Effect.provide(
      worker.pipe(
        Layer.provideMerge(Serve.layerStores),
        Layer.provide(Layer.effectDiscard(requireDatabase)),
        Layer.provideMerge(Logging.layer),
        Layer.provideMerge(Settings.layer)
      )
    )
  )
