import { Settings } from "@wcs/http-node/Settings"
import { Effect, Layer, Logger, References } from "effect"

/** Logs to standard error. Standard output is only for the addresses of the process. */
export const layer = Layer.unwrap(
  Settings.use(({ logFormat, logLevel }) =>
    Effect.succeed(
      Layer.merge(
        Logger.layer([Logger.withConsoleError(logFormat === "json" ? Logger.formatJson : Logger.formatLogFmt)]),
        Layer.succeed(References.MinimumLogLevel, logLevel)
      )
    )
  )
)
