import { mkdirSync, readdirSync, readFileSync, watch } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { grant, statusOf } from "./Calls.ts"
import { type Environment, serving, starting, temporaryDirectory } from "./Process.ts"

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

/** Files that a first run creates early and late. `FirstRun.test.ts` has the states between. */
const steps = [/^wcs\.sqlite-wal$/, /^\.client\.json\./]

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
