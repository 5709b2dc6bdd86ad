import { createHash, randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { grant, statusOf } from "./Calls.ts"
import { migrated } from "./InProcess.ts"
import { type Environment, serving, starting, temporaryDirectory, wcs } from "./Process.ts"

/** The files of a first run: a token and a client. */
const place = Effect.map(temporaryDirectory, (home) => {
  const data = join(home, "data")
  mkdirSync(data, { mode: 0o700 })
  const tokenFile = join(home, "token")
  const clientFile = join(home, "client.json")
  const environment: Environment = {
    WCS_DATA: data,
    WCS_ADMIN_EMAIL: "root@example.com",
    WCS_ADMIN_TOKEN_FILE: tokenFile,
    WCS_CLIENT_FILE: clientFile
  }
  return { home, data, tokenFile, clientFile, environment }
})

/** Starts a first run and kills it when a file with this name appears. */
const killedAt = (name: RegExp, home: string, data: string, environment: Environment) =>
  Effect.promise(
    () =>
      new Promise<void>((resolve) => {
        const child = starting(environment)
        const look = (_: unknown, changed: string | null) => {
          if (name.test(changed ?? "")) child.kill("SIGKILL")
        }
        const watchers = [watch(home, look), watch(data, look)]
        child.stdout?.once("data", () => child.kill("SIGKILL")) // the run was faster
        child.once("close", () => {
          for (const watcher of watchers) watcher.close()
          resolve()
        })
      })
  )

/** The files of a first run, in the order of creation. */
const steps = [
  /^master\.key\.new$/,
  /^wcs\.sqlite$/,
  /^wcs\.sqlite-wal$/,
  /^\.token\./,
  /^token$/,
  /^\.client\.json\./,
  /^client\.json$/,
  /^master\.key$/
]

const digestOf = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex")

describe("the next start", () => {
  for (const name of steps) {
    it.live(`completes a first run that was killed when ${name.source} appeared`, () =>
      Effect.gen(function* () {
        const { clientFile, data, environment, home, tokenFile } = yield* place
        yield* killedAt(name, home, data, environment)
        const server = yield* serving(environment)
        assert.strictEqual(yield* statusOf(server, readFileSync(tokenFile, "utf8").trim()), 200)
        assert.strictEqual((yield* grant(server, JSON.parse(readFileSync(clientFile, "utf8")))).status, 200)
        assert.sameMembers(readdirSync(home), ["data", "token", "client.json"])
        assert.include(readdirSync(data), "master.key")
        assert.notInclude(readdirSync(data), "master.key.new")
      })
    )
  }
})

describe("a data directory with mismatched parts", () => {
  it.live("threat 34: wcs admin and serve refuse another master key and write nothing", () =>
    Effect.gen(function* () {
      const { data, environment } = yield* place
      yield* migrated(environment)
      const made = yield* wcs(["admin", "create-client", "--name", "first"], environment)
      assert.strictEqual(made.code, 0)
      writeFileSync(join(data, "master.key"), randomBytes(32).toString("hex"))
      const store = join(data, "wcs.sqlite")
      const before = digestOf(store)
      const served = yield* wcs(["serve"], { ...environment, WCS_PORT: "0", WCS_ADMIN_PORT: "0" })
      assert.deepStrictEqual([served.code, served.stdout], [2, ""])
      assert.match(served.stderr, /^wcs: [^\n]+ under another master key; nothing was changed\.\n$/)
      // The first key that does not open is named, and keys are opened concurrently.
      const unnamed = (text: string) => text.replace(/signing key \S+ /, "signing key ")
      for (const args of [["create-client", "--name", "second"], ["list-clients"]]) {
        const refused = yield* wcs(["admin", ...args], environment)
        assert.deepStrictEqual([refused.code, refused.stdout, unnamed(refused.stderr)], [2, "", unnamed(served.stderr)])
      }
      assert.strictEqual(digestOf(store), before)
    })
  )

  it.live("refuses a key with a missing or empty store in one sentence instead of starting a first run", () =>
    Effect.gen(function* () {
      const { data, environment } = yield* place
      yield* migrated(environment)
      assert.strictEqual((yield* wcs(["admin", "list-clients"], environment)).code, 0)
      const store = join(data, "wcs.sqlite")
      for (const [spoil, isThere] of [
        [() => writeFileSync(store, ""), true],
        [() => rmSync(store), false]
      ] as const) {
        for (const name of readdirSync(data)) if (name.startsWith("wcs.sqlite-")) rmSync(join(data, name))
        spoil()
        const served = yield* wcs(["serve"], { ...environment, WCS_PORT: "0", WCS_ADMIN_PORT: "0" })
        assert.deepStrictEqual([served.code, served.stdout], [2, ""])
        assert.match(
          served.stderr,
          /^wcs: The data directory \S+ has a master key but no store: restore wcs\.sqlite from [^\n]+\.\n$/
        )
        const refused = yield* wcs(["admin", "list-clients"], environment)
        assert.deepStrictEqual([refused.code, refused.stdout, refused.stderr], [2, "", served.stderr])
        assert.strictEqual(existsSync(store), isThere)
        if (isThere) assert.strictEqual(readFileSync(store, "utf8"), "")
      }
    })
  )
})
