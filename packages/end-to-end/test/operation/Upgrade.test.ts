import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { migrations } from "@wcs/store-sql/engine/Migrations"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Predicate, Redacted, type Scope } from "effect"
import { dataOf, done, stopped } from "../Calls.ts"
import { cli } from "../InProcess.ts"
import { type Environment, serving, temporaryDirectory } from "../Process.ts"

// `schema-1.gz` is a backup that the first release wrote, and `schema-1.json` has the answers that its server gave. A
// new schema adds such a pair, and keeps the older ones.

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const file = pathOf("schema-1.gz")
const { answers, masterKey, token } = JSON.parse(readFileSync(pathOf("schema-1.json"), "utf8"))

/** Whether a value has at least the fields of an older one: later releases may add some. */
const hasAll = (value: unknown, older: unknown): boolean => {
  if (Array.isArray(older)) {
    return Array.isArray(value) && value.length === older.length && older.every((item, n) => hasAll(value[n], item))
  }
  if (!Predicate.isObject(older)) return Object.is(value, older)
  return (
    Predicate.isObject(value) && Object.entries(older).every(([name, item]) => hasAll(Reflect.get(value, name), item))
  )
}

/** The old store, restored. The next program that opens it migrates it. */
const restored = Effect.fnUntraced(function* (settings: Environment) {
  const home = yield* temporaryDirectory
  mkdirSync(join(home, "data"), { mode: 0o700 })
  writeFileSync(join(home, "data/master.key"), masterKey, { mode: 0o600 })
  const { code, stderr } = yield* cli(home, ["restore", file, "--unauthenticated"], settings)
  assert.strictEqual(code, 0, stderr)
  return { ...settings, WCS_DATA: join(home, "data") }
})

const engines: ReadonlyArray<readonly [string, Effect.Effect<Environment, never, Scope.Scope>]> = [
  ["SQLite", Effect.succeed({})],
  ["Postgres", Effect.map(freshDatabase, (url) => ({ DATABASE_URL: Redacted.value(url) }))]
]

describe("an upgrade from the first release", () => {
  it("begins with a backup of the first schema", () => {
    const [head = ""] = gunzipSync(readFileSync(file)).toString("utf8").split("\n")
    assert.deepStrictEqual(
      JSON.parse(head).migrations.map(({ name }: { readonly name: string }) => name),
      migrations.slice(0, 1).map(({ name }) => name)
    )
  })

  for (const [engine, settings] of engines) {
    it.live(`keeps tokens, documents, history and the sealed audit log on ${engine}`, () =>
      Effect.gen(function* () {
        const environment = yield* restored(yield* settings)
        const server = yield* serving(environment)
        for (const [path, older] of Object.entries(answers)) {
          const data = yield* dataOf(server, token, path)
          assert.isTrue(hasAll(data, older), `${path}: ${JSON.stringify(data)}`)
        }
        yield* dataOf(server, token, "/workers", { identity: { displayName: "Cy Example" } })
        yield* stopped(server)
        const { tenants } = yield* done(environment, "audit", "verify")
        assert.isTrue(tenants.every(({ seals }: { readonly seals: number }) => seals > 0))
      })
    )
  }
})
