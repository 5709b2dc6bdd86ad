import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { run } from "@wcs/wcs/Cli"
import { ConfigProvider, Effect, Layer } from "effect"
import { TestConsole } from "effect/testing"
import type { Environment } from "./Process.ts"

/** Runs a command line without starting a process. Returns the exit code and the output. */
export const inProcess = Effect.fnUntraced(function* (args: ReadonlyArray<string>, settings: Environment) {
  const environment = ConfigProvider.layer(ConfigProvider.fromUnknown(settings))
  const printed = Effect.gen(function* () {
    const code = yield* run(args)
    const stdout = (yield* TestConsole.logLines).join("\n")
    return { code, stdout, stderr: (yield* TestConsole.errorLines).join("\n") }
  })
  return yield* Effect.provide(printed, Layer.mergeAll(NodeServices.layer, environment, TestConsole.layer), {
    local: true
  })
})

/** The same, on a data directory. */
export const cli = (directory: string, args: ReadonlyArray<string>, settings: Environment = {}) =>
  inProcess(args, { WCS_DATA: join(directory, "data"), ...settings })
