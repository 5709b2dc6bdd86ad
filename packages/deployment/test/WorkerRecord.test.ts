import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Predecessors } from "@wcs/delivery/lease/Predecessors"
import * as DataDirectory from "@wcs/deployment/stores/DataDirectory"
import * as WorkerRecord from "@wcs/deployment/stores/WorkerRecord"
import { settingsOf } from "@wcs/deployment/TestDeployment"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { temporaryDirectory } from "./Temporary.ts"

const database = { DATABASE_URL: "postgres://wcs@127.0.0.1:1/wcs" }

/** Starts workers with these ids in one process, and returns the predecessors of the last one. The scope ends it. */
const started = Effect.fnUntraced(function* (
  path: string,
  ids: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = database
) {
  const settings = settingsOf({ ...environment, WCS_DATA: path })
  const record = WorkerRecord.layer.pipe(
    Layer.provide(DataDirectory.layer),
    Layer.provide([settings, SecureRandom.layerWebCrypto])
  )
  const context = yield* Layer.build(Layer.fresh(record))
  const predecessorsOf = yield* Effect.provide(Predecessors, context)
  const found = yield* Effect.forEach(ids, predecessorsOf)
  return found.at(-1)
})

describe("the predecessors of a worker", () => {
  it.effect("are those that ran on its data directory", () =>
    Effect.gen(function* () {
      const path = yield* temporaryDirectory
      assert.deepStrictEqual(yield* Effect.scoped(started(path, ["1", "2"])), [])
      assert.deepStrictEqual(yield* Effect.scoped(started(path, ["3"])), ["1", "2"])
      assert.deepStrictEqual(yield* Effect.scoped(started(path, ["4"])), ["1", "2", "3"])
    }).pipe(Effect.scoped)
  )

  it.effect("are at most 24: the latest", () =>
    Effect.gen(function* () {
      const path = yield* temporaryDirectory
      const ids = Array.from({ length: 30 }, (_, n) => `${n}`)
      yield* Effect.scoped(started(path, ids))
      assert.deepStrictEqual(yield* Effect.scoped(started(path, ["30"])), ids.slice(6))
    }).pipe(Effect.scoped)
  )

  it.effect("are none while another worker uses the data directory", () =>
    Effect.gen(function* () {
      const path = yield* temporaryDirectory
      yield* started(path, ["1"])
      assert.deepStrictEqual(yield* Effect.scoped(started(path, ["2"])), [])
    }).pipe(Effect.scoped)
  )

  it.effect("are none if the file cannot be used, and the worker starts", () =>
    Effect.gen(function* () {
      const [damaged, blocked] = [yield* temporaryDirectory, yield* temporaryDirectory]
      writeFileSync(join(damaged, "workers.sqlite"), "not a database, but long enough to be read as one ".repeat(20))
      mkdirSync(join(blocked, "workers.sqlite"))
      assert.deepStrictEqual(yield* started(damaged, ["1"]), [])
      assert.deepStrictEqual(yield* started(blocked, ["1"]), [])
    }).pipe(Effect.scoped)
  )

  it.effect("are not recorded with the embedded store, whose leases end with the process", () =>
    Effect.gen(function* () {
      const path = yield* temporaryDirectory
      assert.deepStrictEqual(yield* Effect.scoped(started(path, ["1"], {})), [])
      assert.deepStrictEqual(yield* Effect.scoped(started(path, ["2"])), [])
    }).pipe(Effect.scoped)
  )
})
