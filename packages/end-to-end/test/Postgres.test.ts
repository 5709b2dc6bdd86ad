import { statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isListening } from "@wcs/deployment/admin/SocketProbe"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Redacted } from "effect"
import { done } from "./Calls.ts"
import { sharing } from "./Machines.ts"
import { serving, temporaryDirectory, wcs } from "./Process.ts"

/** A machine with a new database. */
const machine = Effect.gen(function* () {
  const environment = yield* sharing(Redacted.value(yield* freshDatabase))
  return { ...environment, WCS_DATA: join(yield* temporaryDirectory, "data") }
})

describe("wcs on a database", () => {
  it.live("migrate creates the schema and exits; a second run changes nothing", () =>
    Effect.gen(function* () {
      const environment = yield* machine
      const first = yield* done(environment, "migrate")
      assert.isAtLeast(Number(first["migrations"]), 1)
      assert.match(String(first["store"]), /^\S+ on \S+$/)
      assert.deepStrictEqual(yield* done(environment, "migrate"), first)
      const away = { ...environment, DATABASE_URL: "postgres://wcs:hidden-secret@127.0.0.1:1/wcs" }
      const refused = yield* wcs(["migrate"], away)
      assert.strictEqual(refused.code, 2)
      assert.match(refused.stderr, /^wcs: DATABASE_URL must name a usable Postgres database, but [^\n]*\.\n$/)
      assert.notInclude(refused.stderr, "hidden-secret")
    })
  )

  it.live("refuses a worker without a database", () =>
    Effect.gen(function* () {
      const data = join(yield* temporaryDirectory, "data")
      const { code, stderr, stdout } = yield* wcs(["worker"], { WCS_DATA: data, WCS_ADMIN_PORT: "0" })
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.match(stderr, /^wcs: wcs worker needs DATABASE_URL: [^\n]*\.\n$/)
    })
  )

  it.live(
    "threat 47: a second server on one data directory leaves the socket to the first and says so; a dead socket is replaced",
    () =>
      Effect.gen(function* () {
        const environment = yield* machine
        const socket = join(environment.WCS_DATA, "admin.sock")
        const first = yield* serving(environment)
        const { ino } = statSync(socket)
        const second = yield* serving(environment)
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
        const third = yield* serving(environment)
        assert.isTrue(yield* isListening(socket))
        third.signal("SIGTERM")
        assert.notInclude((yield* third.ended).stderr, "another server uses")
      })
  )
})
