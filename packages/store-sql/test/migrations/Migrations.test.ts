import { assert, describe, it } from "@effect/vitest"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { Worker } from "@wcs/domain/people/Worker"
import { dialectOf } from "@wcs/store-sql/engine/Dialect"
import { migrate, migrations } from "@wcs/store-sql/engine/Migrations"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { created, put, workerFields } from "@wcs/store-suite/Fixtures"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { recording } from "../recording.ts"
import { client, clientOf, filename } from "../temporary.ts"
import { named, withLater } from "./later.ts"

/** In the format of `applied`. */
const all = withLater.map(({ id, name }) => `${id} ${name}`)
const known = all.slice(0, migrations.length)

const applied = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ readonly id: number; readonly name: string }>`SELECT id, name FROM migration ORDER BY id`, (rows) =>
    rows.map(({ id, name }) => `${id} ${name}`)
  )
)

const tables = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly name: string }>`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`,
    (rows) => rows.map(({ name }) => name)
  )
)

describe("migrations", () => {
  it("are numbered from 1 without gaps, with unique names", () => {
    assert.deepStrictEqual(
      migrations.map(({ id }) => id),
      migrations.map((_, index) => index + 1)
    )
    assert.strictEqual(new Set(migrations.map(({ name }) => name)).size, migrations.length)
  })

  it.effect("build indexes of one present table per transaction, which changes no table: reads go on meanwhile", () =>
    Effect.gen(function* () {
      const { types } = dialectOf(yield* SqlClient.SqlClient)
      for (const { name, statements } of migrations.slice(2)) {
        const texts = statements(types)
        const own = texts.map((text) => /^CREATE TABLE (\w+)/.exec(text)?.[1])
        const built = texts.map((text) => /^CREATE INDEX \w+ ON (\w+)/.exec(text)?.[1])
        const heads = built.map((table) => (own.includes(table) ? "no index" : (table ?? "no index")))
        assert.strictEqual(new Set(heads).size, 1, name)
      }
    }).pipe(Effect.provide(client))
  )

  it.effect("are applied once, and a later start applies new ones only", () =>
    Effect.gen(function* () {
      yield* migrate(migrations)
      const again = yield* recording(migrate(migrations))
      assert.deepStrictEqual(
        again.ran.filter(({ text }) => /CREATE (TABLE|INDEX|UNIQUE)/.test(text) && !text.includes("IF NOT EXISTS")),
        []
      )
      yield* migrate(withLater)
      assert.deepStrictEqual(yield* applied, all)
      assert.include(yield* tables, "extra")
    }).pipe(Effect.provide(client))
  )

  it.effect("threat 52: users with a password or a login through a provider have joined, and others have not", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const before = migrations.findIndex(({ name }) => name === "joined users")
      yield* migrate(migrations.slice(0, before))
      for (const id of ["password", "bound", "invited"]) {
        const account = { tenant_id: "t", id, kind: "user", role: '"Admin"', created_at: 7 }
        const invite = { invite_hash: id, invite_expires_at: 9, password_hash: id === "password" ? "hash" : null }
        yield* sql`INSERT INTO account ${sql.insert({ ...account, ...invite })}`
      }
      const binding = { tenant_id: "t", provider_id: "p", subject: "s", account_id: "bound" }
      yield* sql`INSERT INTO sso_subject ${sql.insert(binding)}`
      yield* migrate(migrations)
      const users = yield* sql`SELECT id, joined_at, invite_hash, invited_by FROM account ORDER BY position`
      assert.deepStrictEqual(
        users.map((row) => ({ ...row })),
        [
          { id: "password", joined_at: 7, invite_hash: null, invited_by: null },
          { id: "bound", joined_at: 7, invite_hash: null, invited_by: null },
          { id: "invited", joined_at: null, invite_hash: "invited", invited_by: null }
        ]
      )
    }).pipe(Effect.provide(client))
  )

  it.effect("keep the rows of an earlier program as first versions, known since the last change of the tenant", () =>
    Effect.gen(function* () {
      const nth = migrations.findIndex(({ name }) => name === "resource versions")
      const sql = yield* SqlClient.SqlClient
      yield* migrate(migrations.slice(0, nth))
      for (const [tenant, id, version, at] of [
        ["t1", "w1", 3, 50],
        ["t1", "w2", 1, 90],
        ["t2", "w3", 1, 20]
      ] as const) {
        yield* sql`INSERT INTO worker (tenant_id, id, version, created_at, updated_at, document, checksum, external_id,
          source_system, display_name, last_name)
          VALUES (${tenant}, ${id}, ${version}, 10, ${at}, ${`{"of":"${id}"}`}, 0, '', '', '', '')`
      }
      yield* migrate(migrations)
      yield* sql`UPDATE worker SET document = '{}', version = 4, updated_at = 95 WHERE id = 'w1'`
      yield* sql`UPDATE worker SET version = 2 WHERE id = 'w2'`
      yield* sql`UPDATE worker SET document = '{"by":"hand"}' WHERE id = 'w3'`
      const kept = yield* sql`SELECT tenant_id, kind, id, version, worker_id, updated_at, document FROM resource_version
        ORDER BY id, version`
      const row = (
        tenant_id: string,
        id: string,
        version: number,
        updated_at: number,
        document = `{"of":"${id}"}`
      ) => ({
        ...{ tenant_id, kind: "worker", id, version, worker_id: id, updated_at, document }
      })
      const expected = [
        row("t1", "w1", 3, 50),
        row("t1", "w1", 4, 95, "{}"),
        row("t1", "w2", 1, 90),
        row("t2", "w3", 1, 20, '{"by":"hand"}')
      ]
      assert.deepStrictEqual(kept, expected)
      const starts = yield* sql`SELECT tenant_id, known_since FROM history_start ORDER BY tenant_id`
      assert.deepStrictEqual(starts, [
        { tenant_id: "t1", known_since: 90 },
        { tenant_id: "t2", known_since: 20 }
      ])
    }).pipe(Effect.provide(client))
  )

  it.effect("evaluate the applicants who had cards before there were tasks of applicants", () =>
    Effect.gen(function* () {
      const nth = migrations.findIndex(({ name }) => name === "tasks of applicants")
      const sql = yield* SqlClient.SqlClient
      yield* migrate(migrations.slice(0, nth))
      const card = {
        ...{ tenant_id: "t1", version: 1, created_at: 1, updated_at: 1, document: "{}", checksum: 0, words: "" },
        ...Object.fromEntries(Object.keys(Credential.columns).map((column) => [column, ""]))
      }
      const cards: ReadonlyArray<Record<string, string | number | null>> = [
        { ...card, id: "c1", applicant_id: "a1", deleted_at: null },
        { ...card, id: "c2", applicant_id: "a1", worker_id: "w1", deleted_at: null },
        { ...card, id: "c3", applicant_id: "a2", deleted_at: 1 }
      ]
      for (const each of cards) yield* sql`INSERT INTO credential ${sql.insert(each)}`
      yield* sql`DELETE FROM compliance_mark`
      yield* migrate(migrations)
      const marked = yield* sql`SELECT tenant_id, worker_id, cause FROM compliance_mark`
      assert.deepStrictEqual(marked, [{ tenant_id: "t1", worker_id: "a1", cause: "CREDENTIAL" }])
    }).pipe(Effect.provide(client))
  )

  it.effect("leave nothing of a failed one, and keep earlier ones", () =>
    Effect.gen(function* () {
      const broken = named(
        "later",
        "CREATE TABLE extra (id INTEGER PRIMARY KEY) STRICT",
        "CREATE TABLE worker (id INTEGER)"
      )
      const error = yield* Effect.flip(migrate([...migrations, broken]))
      assert.strictEqual(error.reason._tag, "MigrationFailed")
      assert.include(
        error.message,
        `Migration ${migrations.length + 1} (later) could not be applied (table worker already exists)`
      )
      assert.deepStrictEqual(yield* applied, known)
      assert.notInclude(yield* tables, "extra")
      yield* migrate(withLater)
      assert.deepStrictEqual(yield* applied, all)
    }).pipe(Effect.provide(client))
  )

  it.effect("are applied once by concurrent starts", () =>
    Effect.gen(function* () {
      yield* Effect.all(
        Array.from({ length: 4 }, () => migrate(withLater)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* applied, all)
    }).pipe(Effect.provide(client))
  )

  it.effect("keep stored data", () =>
    Effect.gen(function* () {
      const file = yield* filename
      const open = Layer.fresh(Layer.provideMerge(StoreSql.layer, clientOf({ filename: file })))
      const worker = created("wkr_0000000000000001", workerFields())
      yield* put(Worker, "tnt_1", worker).pipe(Effect.provide(open))
      const found = yield* Effect.flatMap(ResourceStore, (resources) =>
        resources.find(Worker, "tnt_1", worker.id)
      ).pipe(Effect.provide(open))
      assert.deepStrictEqual(found, Option.some(worker))
    })
  )
})

describe("a refused store", () => {
  const refused = Effect.fnUntraced(function* (file: string) {
    const layer = Layer.fresh(Layer.provide(StoreSql.layer, clientOf({ filename: file })))
    return yield* Effect.flip(Effect.scoped(Layer.build(layer)))
  })
  const written = (file: string, write: Effect.Effect<unknown, unknown, SqlClient.SqlClient>) =>
    write.pipe(Effect.provide(Layer.fresh(clientOf({ filename: file }))))

  it.effect("of a newer program: the error says to run that one", () =>
    Effect.gen(function* () {
      const file = yield* filename
      yield* written(file, migrate(withLater))
      const error = yield* refused(file)
      assert.strictEqual(error._tag, "StoreError")
      assert.strictEqual(
        error.message,
        `The store was written by a newer program (migration ${migrations.length + 1}; this program knows ${migrations.length}): run the newer program, or restore a backup from before its first start.`
      )
      yield* written(
        file,
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* applied, all)
        })
      )
    })
  )

  it.effect("with other migrations under the same numbers, or with other tables", () =>
    Effect.gen(function* () {
      const other = yield* filename
      yield* written(other, migrate([{ ...named("theirs"), id: 1 }]))
      const foreign = yield* refused(other)
      assert.include(foreign.message, "The store was made by another program")
      assert.include(foreign.message, "(migration 1 is theirs, not schema)")
      const occupied = yield* filename
      yield* written(
        occupied,
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE TABLE worker (id TEXT)`)
      )
      const failed = yield* refused(occupied)
      assert.include(failed.message, "Migration 1 (schema) could not be applied (table worker already exists)")
    })
  )

  it.effect("of a version before the first release, which had more migrations", () =>
    Effect.gen(function* () {
      const file = yield* filename
      const steps = Array.from({ length: 31 }, (_, index) => ({ ...named(`step ${index + 1}`), id: index + 1 }))
      yield* written(file, migrate(steps))
      const error = yield* refused(file)
      assert.strictEqual(
        error.message,
        "The store was made by another program, or by a version before the first release (migration 1 is step 1, not schema): choose another database."
      )
    })
  )
})
