import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { run } from "@wcs/wcs/Cli"
import { ConfigProvider, Effect, Layer } from "effect"
import { TestConsole } from "effect/testing"

/** Runs a command line in this process on a data directory. Returns the exit code and the output. */
export const cli = Effect.fnUntraced(function* (
  directory: string,
  args: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>> = {}
) {
  const given = { WCS_DATA: join(directory, "data"), ...settings }
  const environment = ConfigProvider.layer(ConfigProvider.fromUnknown(given))
  const printed = Effect.gen(function* () {
    const code = yield* run(args)
    const stdout = (yield* TestConsole.logLines).join("\n")
    return { code, stdout, stderr: (yield* TestConsole.errorLines).join("\n") }
  })
  return yield* Effect.provide(printed, Layer.mergeAll(NodeServices.layer, environment, TestConsole.layer), {
    local: true
  })
})
