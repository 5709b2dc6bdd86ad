import { randomBytes } from "node:crypto"
import { statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isListening } from "@wcs/deployment/admin/SocketProbe"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Redacted } from "effect"
import { until } from "./Machines.ts"
import { ask, bearer, type Environment, serving, temporaryDirectory, wcs } from "./Process.ts"

/** The environments of machines that share only a database and a master key. */
const machines = Effect.fnUntraced(function* (count: number) {
  const url = Redacted.value(yield* freshDatabase)
  const keyFile = join(yield* temporaryDirectory, "master.key")
  writeFileSync(keyFile, randomBytes(32).toString("hex"), { mode: 0o600 })
  return yield* Effect.forEach(Array.from({ length: count }), () =>
    Effect.map(
      temporaryDirectory,
      (path): Environment => ({ DATABASE_URL: url, WCS_MASTER_KEY_FILE: keyFile, WCS_DATA: join(path, "data") })
    )
  )
})

/** Runs a command successfully and returns its JSON object. */
const done = Effect.fnUntraced(function* (environment: Environment, ...args: ReadonlyArray<string>) {
  const { code, stderr, stdout } = yield* wcs([...args, "--json"], environment)
  assert.strictEqual(code, 0, stderr)
  const result: Readonly<Record<string, unknown>> = JSON.parse(stdout)
  return result
})

describe("wcs on a database", () => {
  it.live("migrate creates the schema and exits; a second run changes nothing", () =>
    Effect.gen(function* () {
      const [machine = {}] = yield* machines(1)
      const first = yield* done(machine, "migrate")
      assert.isAtLeast(Number(first["migrations"]), 1)
      assert.match(String(first["store"]), /^\S+ on \S+$/)
      assert.deepStrictEqual(yield* done(machine, "migrate"), first)
      const away = { ...machine, DATABASE_URL: "postgres://wcs:hidden-secret@127.0.0.1:1/wcs" }
      const refused = yield* wcs(["migrate"], away)
      assert.strictEqual(refused.code, 2)
      assert.match(refused.stderr, /^wcs: DATABASE_URL must name a usable Postgres database, but [^\n]*\.\n$/)
      assert.notInclude(refused.stderr, "hidden-secret")
    })
  )

  it.live(
    "threat 47: a second server on one data directory leaves the socket to the first and says so; a dead socket is replaced",
    () =>
      Effect.gen(function* () {
        const [machine = {}] = yield* machines(1)
        const socket = join(machine["WCS_DATA"] ?? "", "admin.sock")
        const first = yield* serving(machine)
        const { ino } = statSync(socket)
        const second = yield* serving(machine)
        second.signal("SIGTERM")
        const { code, stderr } = yield* second.ended
        assert.strictEqual(code, 0)
        assert.match(
          stderr,
          /another server uses \S+ and keeps answering wcs admin there, for its own store; set WCS_DATA to another directory/
        )
        assert.strictEqual(statSync(socket).ino, ino)
        assert.isTrue(yield* isListening(socket))
        first.signal("SIGKILL")
        yield* first.ended
        assert.isFalse(yield* isListening(socket))
        const third = yield* serving(machine)
        assert.isTrue(yield* isListening(socket))
        third.signal("SIGTERM")
        assert.notInclude((yield* third.ended).stderr, "another server uses")
      })
  )

  it.live("AUT-12: admin works from any machine, with effect on the servers of other machines", () =>
    Effect.gen(function* () {
      const [here = {}, there = {}] = yield* machines(2)
      const server = yield* serving(there)
      const email = "ann@example.com"
      yield* done(here, "admin", "create-user", "--email", email, "--role", "Super Admin")
      const made = yield* done(here, "admin", "create-token", "--email", email, "--name", "laptop")
      const asked = ask(server, "/openapi/v1/workers", { headers: bearer(String(made["token"])) })
      assert.strictEqual((yield* asked).status, 200)
      yield* done(here, "admin", "revoke-token", String(made["id"]))
      yield* until(asked, ({ status }) => status === 401)
    })
  )
})
