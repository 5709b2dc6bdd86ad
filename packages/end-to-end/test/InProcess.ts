import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert } from "@effect/vitest"
import { run } from "@wcs/wcs/Cli"
import { ConfigProvider, Effect, Layer } from "effect"
import { TestConsole } from "effect/testing"
import { type Environment, temporaryDirectory } from "./Process.ts"

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

/** Creates an empty store, as `wcs admin` never does. */
export const migrated = Effect.fnUntraced(function* (settings: Environment) {
  const { code, stderr } = yield* inProcess(["migrate"], settings)
  assert.strictEqual(code, 0, stderr)
})

/** A temporary directory with an empty store in its folder `data`. */
export const withStore = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  yield* migrated({ WCS_DATA: join(directory, "data") })
  return directory
})
