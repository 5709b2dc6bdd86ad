import { createHash, randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, bearer, type Environment, type Server, serving, starting, temporaryDirectory, wcs } from "./Process.ts"

/** What a first run makes beside the store: a token and a client, each told in a file. */
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

const statusOf = (server: Server, token: string) =>
  Effect.map(ask(server, "/openapi/v1/workers", { headers: bearer(token) }), ({ status }) => status)

const exchange = (server: Server, clientFile: string) => {
  const { clientId, clientSecret } = JSON.parse(readFileSync(clientFile, "utf8"))
  return ask(server, "/openapi/v1/oauth/token", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`
  })
}

/** Starts a first run, and kills it as soon as a file of this name is heard of. */
const killedAt = (name: RegExp, home: string, data: string, environment: Environment) =>
  Effect.promise(
    () =>
      new Promise<void>((resolve) => {
        const child = starting(environment)
        const look = (_: unknown, changed: string | null) => {
          if (name.test(changed ?? "")) child.kill("SIGKILL")
        }
        const watchers = [watch(home, look), watch(data, look)]
        child.stdout?.once("data", () => child.kill("SIGKILL")) // it was faster
        child.once("close", () => {
          for (const watcher of watchers) watcher.close()
          resolve()
        })
      })
  )

/** The files of a first run in the order in which they come. */
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

describe("a first start", () => {
  for (const name of steps) {
    it.live(`that is killed when ${name.source} appears is completed by the next one`, () =>
      Effect.gen(function* () {
        const { clientFile, data, environment, home, tokenFile } = yield* place
        yield* killedAt(name, home, data, environment)
        const server = yield* serving(environment)
        assert.strictEqual(yield* statusOf(server, readFileSync(tokenFile, "utf8").trim()), 200)
        assert.strictEqual((yield* exchange(server, clientFile)).status, 200)
        assert.sameMembers(readdirSync(home), ["data", "token", "client.json"])
        assert.include(readdirSync(data), "master.key")
        assert.notInclude(readdirSync(data), "master.key.new")
      })
    )
  }
})

describe("a data directory whose parts do not belong together", () => {
  it.live("threat 34: with another master key wcs admin is refused as serve is, and nothing is written", () =>
    Effect.gen(function* () {
      const { data, environment } = yield* place
      const made = yield* wcs(["admin", "create-client", "--name", "first"], environment)
      assert.strictEqual(made.code, 0)
      writeFileSync(join(data, "master.key"), randomBytes(32).toString("hex"))
      const store = join(data, "wcs.sqlite")
      const before = digestOf(store)
      const served = yield* wcs(["serve"], { ...environment, WCS_PORT: "0", WCS_ADMIN_PORT: "0" })
      assert.deepStrictEqual([served.code, served.stdout], [2, ""])
      assert.match(served.stderr, /^wcs: [^\n]+ under another master key; nothing was changed\.\n$/)
      for (const args of [["create-client", "--name", "second"], ["list-clients"]]) {
        const refused = yield* wcs(["admin", ...args], environment)
        assert.deepStrictEqual([refused.code, refused.stdout, refused.stderr], [1, "", served.stderr])
      }
      assert.strictEqual(digestOf(store), before)
    })
  )

  it.live("a key without its store, or with an empty one, is refused in one sentence; it is no first run", () =>
    Effect.gen(function* () {
      const { data, environment } = yield* place
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
        assert.deepStrictEqual([refused.code, refused.stdout, refused.stderr], [1, "", served.stderr])
        assert.strictEqual(existsSync(store), isThere)
        if (isThere) assert.strictEqual(readFileSync(store, "utf8"), "")
      }
    })
  )
})
