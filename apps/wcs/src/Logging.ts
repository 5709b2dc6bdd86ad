import { Settings } from "@wcs/http-node/Settings"
import * as TracedLogs from "@wcs/http-node/telemetry/TracedLogs"
import { Effect, Layer, Logger, References } from "effect"

/** Logs to standard error. Standard output is only for the addresses of the process. */
export const layer = Layer.unwrap(
  Settings.use(({ logFormat, logLevel }) =>
    Effect.succeed(
      Layer.merge(
        Logger.layer([Logger.withConsoleError(logFormat === "json" ? TracedLogs.json : TracedLogs.text)]),
        Layer.succeed(References.MinimumLogLevel, logLevel)
      )
    )
  )
)
