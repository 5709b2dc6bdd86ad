import { Effect, Layer, Logger, References } from "effect"
import { Settings } from "../Settings.ts"
import * as TracedLogs from "./TracedLogs.ts"

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
