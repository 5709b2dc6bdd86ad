import * as AdminPort from "@wcs/deployment/admin/AdminPort"
import * as Deployment from "@wcs/deployment/Deployment"
import * as Registers from "@wcs/deployment/Registers"
import * as Settings from "@wcs/deployment/Settings"
import * as Stores from "@wcs/deployment/stores/Stores"
import * as Logging from "@wcs/deployment/telemetry/Logging"
import { StartRefused } from "@wcs/node-server/StartRefused"
import { makeExemplars } from "@wcs/node-server/Traffic"
import { Effect, Layer, Option, Ref } from "effect"

/** Fails without a database: the embedded store allows only one process. */
const requireDatabase = Settings.Settings.use(({ database }) =>
  Option.isSome(database)
    ? Effect.void
    : new StartRefused({
        message: "wcs worker needs DATABASE_URL: with the embedded store, the server runs the worker itself."
      })
)

/** What a worker is made of. `Deployment.worker` wires it with the settings, the keys and outgoing requests. */
const worker = Deployment.worker({ stores: Stores.layer, register: Registers.layer }).pipe(
  Layer.provide(Layer.effectDiscard(requireDatabase)),
  Layer.provideMerge(Logging.layer),
  Layer.provideMerge(Settings.layer)
)

/** Works until a signal. Then takes nothing more, finishes the work in flight, and releases the rest. */
export const main = <E>(announce: (adminPort: number) => Effect.Effect<void, E, Settings.Settings>) =>
  Effect.gen(function* () {
    const isStopping = yield* Ref.make(false)
    const adminPort = yield* AdminPort.listen({
      role: "worker",
      isStopping,
      exemplars: makeExemplars(),
      ports: Effect.succeed([])
    })
    yield* Effect.addFinalizer(() => Ref.set(isStopping, true))
    yield* announce(adminPort)
    yield* Effect.logInfo("working")
    return yield* Effect.never
  }).pipe(
    Effect.onInterrupt(() => Effect.logInfo("stopping; finishing work in flight")),
    Effect.scoped,
    Effect.provide(worker)
  )
