import { adapters } from "@wcs/deployment/Adapters"
import * as Deployment from "@wcs/deployment/Deployment"
import type { Serving } from "@wcs/deployment/Serving"
import * as Settings from "@wcs/deployment/Settings"
import * as Logging from "@wcs/deployment/telemetry/Logging"
import { Effect, Layer } from "effect"

const server = Deployment.layer(adapters).pipe(Layer.provideMerge(Logging.layer), Layer.provideMerge(Settings.layer))

/** Serves until a signal. Then accepts nothing more and finishes the requests in flight. */
export const main = <E>(announce: Effect.Effect<void, E, Serving | Settings.Settings>) =>
  announce.pipe(
    Effect.andThen(Effect.logInfo("serving")),
    Effect.andThen(Effect.never),
    Effect.onInterrupt(() => Effect.logInfo("stopping; finishing requests in flight")),
    Effect.provide(server)
  )
