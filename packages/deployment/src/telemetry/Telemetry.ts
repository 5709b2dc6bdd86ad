import type { StartRefused } from "@wcs/node-server/StartRefused"
import { Effect, Layer, Option, References } from "effect"
import { Settings } from "../Settings.ts"

/**
 * Exports traces and metrics, if the settings name a collector. Spans exist only in requests that are traced and in the
 * work that they cause: everywhere else they would cost time for nothing.
 */
export const layer: Layer.Layer<never, StartRefused, Settings> = Layer.unwrap(
  Settings.use(({ telemetry }) =>
    Option.match(telemetry, {
      onNone: () => Effect.succeed<Layer.Layer<never, StartRefused>>(Layer.empty),
      // Imported only when it is used, to keep the start fast.
      onSome: (options) =>
        Effect.map(
          Effect.promise(() => import("./Otlp.ts")),
          (otlp) => otlp.layer(options)
        )
    })
  )
).pipe(Layer.merge(Layer.succeed(References.TracerEnabled, false)))
