import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { checkSocket, make, socketOf } from "@wcs/deployment/stores/DataDirectory"
import { settingsOf } from "@wcs/deployment/TestDeployment"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { vi } from "vitest"
import { modeOf, temporaryDirectory } from "./Temporary.ts"

const open = (path: string) =>
  Effect.provide(make, Layer.merge(settingsOf({ WCS_DATA: path }), SecureRandom.layerWebCrypto), { local: true })

/** A directory whose first run is complete. */
const opened = (path: string) => Effect.flatMap(open(path), ({ complete }) => complete)

const refusal = (path: string) => Effect.map(Effect.flip(open(path)), ({ message }) => message)
const keyOf = (path: string) => Effect.map(open(path), ({ masterKey }) => Redacted.value(masterKey))

describe("DataDirectory", () => {
  it.effect("is created with its parents, mode 0700, and its master key with mode 0600", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "a", "b")
      yield* open(path)
      assert.strictEqual(modeOf(path), 0o700)
      assert.strictEqual(modeOf(join(path, "master.key.new")), 0o600)
      assert.deepStrictEqual(readdirSync(path), ["master.key.new"])
    })
  )

  it.effect("gives the key its final name when the first run is complete, even after interrupted runs", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "data")
      const key = yield* keyOf(path)
      writeFileSync(join(path, "wcs.sqlite"), "interrupted midway")
      const again = yield* open(path)
      assert.deepStrictEqual([Redacted.value(again.masterKey), again.isNew], [key, true])
      const asSlow = yield* open(path)
      yield* again.complete
      assert.sameMembers(readdirSync(path), ["master.key", "wcs.sqlite"])
      assert.strictEqual(modeOf(join(path, "master.key")), 0o600)
      yield* asSlow.complete
      const later = yield* open(path)
      assert.deepStrictEqual([Redacted.value(later.masterKey), later.isNew], [key, false])
      yield* later.complete
      // A run was interrupted while the key had both names.
      copyFileSync(join(path, "master.key"), join(path, "master.key.new"))
      assert.deepStrictEqual(yield* keyOf(path), key)
      assert.sameMembers(readdirSync(path), ["master.key", "wcs.sqlite"])
    })
  )

  it.effect("threat 47: a socket of another user is refused; root may use the socket of its user", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "data")
      yield* opened(path)
      const socket = join(path, "admin.sock")
      const own = process.getuid?.() ?? 0
      const checkAs = (uid: number) =>
        Effect.sync(() => vi.spyOn(process, "getuid").mockReturnValue(uid)).pipe(
          Effect.andThen(Effect.exit(checkSocket(path, socket))),
          Effect.map(({ _tag }) => _tag),
          Effect.ensuring(Effect.sync(() => vi.restoreAllMocks()))
        )
      assert.strictEqual(yield* checkAs(own + 1), "Success", "there is no socket yet")
      writeFileSync(socket, "")
      assert.deepStrictEqual(
        [yield* checkAs(own), yield* checkAs(own + 1), yield* checkAs(0)],
        ["Success", "Failure", "Success"]
      )
    })
  )

  it.effect("gives one key to all concurrent starts", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "data")
      const keys = yield* Effect.all(
        Array.from({ length: 8 }, () => keyOf(path)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(keys[0]?.[0] ?? [], 32)
      for (const key of keys) assert.deepStrictEqual(key, keys[0])
      assert.deepStrictEqual(yield* keyOf(path), keys[0])
      assert.notDeepEqual(yield* keyOf(`${path}2`), keys[0])
    })
  )

  it.effect("threat 34: refuses a store whose key is missing, and creates no other key", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "data")
      yield* opened(path)
      writeFileSync(join(path, "wcs.sqlite"), "something")
      rmSync(join(path, "master.key"))
      assert.match(yield* refusal(path), /has no master key: restore master\.key from a backup; nothing was/)
      assert.isFalse(existsSync(join(path, "master.key")))
      assert.strictEqual(readFileSync(join(path, "wcs.sqlite"), "utf8"), "something")
    })
  )

  for (const [name, start] of [
    ["master.key", opened],
    ["master.key.new", open]
  ] as const) {
    it.effect(`threat 34: refuses ${name} if it is malformed, without repeating it, or if others can read it`, () =>
      Effect.gen(function* () {
        const path = join(yield* temporaryDirectory, "data")
        yield* start(path)
        const file = join(path, name)
        for (const mode of [0o604, 0o602, 0o666]) {
          chmodSync(file, mode)
          assert.match(yield* refusal(path), /can be read by other users of this machine \(mode 06.*; run chmod 600/)
        }
        for (const mode of [0o400, 0o440, 0o600]) {
          chmodSync(file, mode)
          yield* open(path)
        }
        writeFileSync(file, "no key at all")
        const message = yield* refusal(path)
        assert.include(message, "is not a master key")
        assert.notInclude(message, "no key at all")
      })
    )
  }

  it.effect("restricts an empty directory that is open to others, and refuses one with files", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "data")
      mkdirSync(path)
      chmodSync(path, 0o755)
      yield* open(path)
      assert.strictEqual(modeOf(path), 0o700)
      chmodSync(path, 0o755)
      assert.match(yield* refusal(path), /is accessible to other users of this machine \(mode 0755, .*; run chmod 700/)
      assert.strictEqual(modeOf(path), 0o755)
    })
  )

  it.effect("threat 47: root refuses the directory of another user, also an empty one", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "data")
      mkdirSync(path, { mode: 0o700 })
      const own = process.getuid?.() ?? 0
      if (own === 0) chownSync(path, 1234, 0)
      vi.spyOn(process, "getuid").mockReturnValue(0)
      const owner = own === 0 ? 1234 : own
      for (const name of ["", "file"]) {
        if (name !== "") writeFileSync(join(path, name), "")
        assert.include(yield* refusal(path), `is accessible to its owner, the user ${owner} (mode 0700, owner ${owner}`)
      }
    }).pipe(Effect.ensuring(Effect.sync(() => vi.restoreAllMocks())))
  )

  it.effect("refuses a file in place of the directory, and a path too long for a socket", () =>
    Effect.gen(function* () {
      const path = yield* temporaryDirectory
      writeFileSync(join(path, "file"), "")
      for (const inTheWay of [join(path, "file"), join(path, "file", "below"), "/proc/wcs", "/proc/wcs/below"]) {
        const sentence = `WCS_DATA must be a directory that can be created, but creating ${inTheWay}`
        assert.isTrue((yield* refusal(inTheWay)).startsWith(sentence.replace(/\/below$/, "")), inTheWay)
      }
      const long = join(path, "x".repeat(120))
      assert.include((yield* Effect.flip(socketOf(long))).message, "WCS_DATA must be a shorter path")
      assert.include(yield* refusal(long), "WCS_DATA must be a shorter path")
      assert.isFalse(existsSync(long))
    })
  )
})
