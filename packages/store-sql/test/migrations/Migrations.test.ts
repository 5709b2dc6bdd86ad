import { assert, describe, it } from "@effect/vitest"
import { AccessStore } from "@wcs/domain/access/AccessStore"
import type { Account } from "@wcs/domain/access/Account"
import { Credential } from "@wcs/domain/credential/Credential"
import { ScanStore } from "@wcs/domain/legacy/ScanStore"
import { Worker } from "@wcs/domain/people/Worker"
import { parse } from "@wcs/domain/resource/ListQuery"
import { ResourceStore } from "@wcs/domain/resource/ResourceStore"
import { UserStore } from "@wcs/domain/user/UserStore"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import type { Migration } from "@wcs/store-sql/engine/Migration"
import { migrate, migrations } from "@wcs/store-sql/engine/Migrations"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { auditLog, created, everything, put, start, workerFields } from "@wcs/store-suite/Fixtures"
import { claimRuns } from "@wcs/store-suite/verification/VerificationFixtures"
import { Deferred, Effect, Fiber, Layer, Option, Result } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { recording } from "../recording.ts"
import { client, filename } from "../temporary.ts"

/** A migration of a later program. */
const later = (...statements: ReadonlyArray<string>): Migration => ({
  id: migrations.length + 1,
  name: "later",
  statements: () => statements
})

/** In the format of `applied`. */
const known = migrations.map(({ id, name }) => `${id} ${name}`)
const withLater = [...known, `${migrations.length + 1} later`]

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

  it.effect("are applied once, and a later start applies new ones only", () =>
    Effect.gen(function* () {
      yield* migrate(migrations)
      const again = yield* recording(migrate(migrations))
      assert.deepStrictEqual(
        again.ran.filter(({ text }) => /CREATE (TABLE|INDEX|UNIQUE)/.test(text) && !text.includes("IF NOT EXISTS")),
        []
      )
      yield* migrate([...migrations, later("CREATE TABLE extra (id INTEGER PRIMARY KEY) STRICT")])
      assert.deepStrictEqual(yield* applied, withLater)
      assert.include(yield* tables, "extra")
    }).pipe(Effect.provide(client))
  )

  it.effect("leave nothing of a failed one, and keep earlier ones", () =>
    Effect.gen(function* () {
      const broken = later("CREATE TABLE extra (id INTEGER PRIMARY KEY) STRICT", "CREATE TABLE worker (id INTEGER)")
      const error = yield* Effect.flip(migrate([...migrations, broken]))
      assert.strictEqual(error.reason._tag, "MigrationFailed")
      assert.include(
        error.message,
        `Migration ${migrations.length + 1} (later) could not be applied (table worker already exists)`
      )
      assert.deepStrictEqual(yield* applied, known)
      assert.notInclude(yield* tables, "extra")
      yield* migrate([...migrations, later("CREATE TABLE extra (id INTEGER PRIMARY KEY) STRICT")])
      assert.deepStrictEqual(yield* applied, withLater)
    }).pipe(Effect.provide(client))
  )

  it.effect("continue after an interruption at any statement", () =>
    Effect.gen(function* () {
      const { ran } = yield* recording(migrate(migrations)).pipe(Effect.provide(client))
      for (let stop = 0; stop < ran.length; stop += 3) {
        yield* Effect.gen(function* () {
          const reached = yield* Deferred.make<void>()
          let count = 0
          const stopThere: Statement.Transformer = (statement) =>
            count++ === stop
              ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
              : Effect.succeed(statement)
          const started = yield* Effect.forkChild(
            migrate(migrations).pipe(Effect.provideService(Statement.CurrentTransformer, stopThere))
          )
          yield* Deferred.await(reached)
          yield* Fiber.interrupt(started)
          const done = ran.slice(0, stop).filter(({ text }) => text.startsWith("INSERT INTO migration")).length
          const left = done === 0 ? tables : applied
          assert.deepStrictEqual(yield* left, known.slice(0, done), `interrupted before statement ${stop}`)
          yield* migrate(migrations)
          assert.deepStrictEqual(yield* applied, known)
        }).pipe(Effect.provide(Layer.fresh(client)))
      }
    })
  )

  it.effect("are applied once by concurrent starts", () =>
    Effect.gen(function* () {
      yield* Effect.all(
        Array.from({ length: 4 }, () => migrate([...migrations, later("CREATE TABLE extra (id TEXT) STRICT")])),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(yield* applied, withLater)
    }).pipe(Effect.provide(client))
  )

  it.effect("keep stored data", () =>
    Effect.gen(function* () {
      const file = yield* filename
      const open = Layer.fresh(Layer.provideMerge(StoreSql.layer, SqliteClient.layer({ filename: file })))
      const worker = created("wkr_0000000000000001", workerFields())
      yield* put(Worker, "tnt_1", worker).pipe(Effect.provide(open))
      const found = yield* Effect.flatMap(ResourceStore, (resources) =>
        resources.find(Worker, "tnt_1", worker.id)
      ).pipe(Effect.provide(open))
      assert.deepStrictEqual(found, Option.some(worker))
    })
  )
})

it.effect("give no rate limit to an existing account", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* migrate(migrations.slice(0, 1))
    const role = JSON.stringify("Viewer")
    yield* sql`INSERT INTO account ${sql.insert({ id: "acc_1", tenant_id: "tnt_1", kind: "user", email: "ann@example.org", role, created_at: 7 })}`
    const found = yield* Effect.flatMap(AccessStore, (store) => store.findAccount("tnt_1", "acc_1")).pipe(
      Effect.provide(StoreSql.layer)
    )
    assert.deepStrictEqual(
      found,
      Option.some({
        id: "acc_1",
        tenantId: "tnt_1",
        kind: "user",
        email: "ann@example.org",
        role: "Viewer",
        rateLimit: null,
        deactivatedAt: null,
        createdAt: 7
      } satisfies Account)
    )
  }).pipe(Effect.provide(client))
)

it.effect("find audit entries of tokens and clients by the wire names given later", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* migrate(
      migrations.slice(
        0,
        migrations.findIndex(({ name }) => name === "access_pages")
      )
    )
    for (const entityType of ["personalToken", "oauthClient", "worker"]) {
      const told = { account: "urn:wcs:operator", operation: "CREATE", action: "create", request_id: "r", at: 7 }
      yield* sql`INSERT INTO audit_event ${sql.insert({ id: entityType, tenant_id: "tnt_1", entity_type: entityType, entity_id: "id", ...told })}`
    }
    const records = yield* auditLog("tnt_1").pipe(Effect.provide(StoreSql.layer))
    assert.deepStrictEqual(
      records.map(({ entityType, id }) => [id, entityType]),
      [
        ["personalToken", "accessToken"],
        ["oauthClient", "apiClient"],
        ["worker", "worker"]
      ]
    )
  }).pipe(Effect.provide(client))
)

it.effect("take the maker of existing tokens and clients from the audit log, if it is there", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* migrate(
      migrations.slice(
        0,
        migrations.findIndex(({ name }) => name === "created_by")
      )
    )
    const urn = "urn:wcs:account:acc_1"
    const told = { tenant_id: "tnt_1", operation: "CREATE", action: "create", request_id: "r", at: 7 }
    const byToken = { account: urn, bearer_kind: "personal", bearer_id: "pat_0" }
    const byOperator = { account: "urn:wcs:operator", bearer_kind: null, bearer_id: null }
    for (const [id, maker] of [
      ["pat_1", byToken],
      ["pat_2", byOperator],
      ["wcs_oauth_1", byToken]
    ] as const) {
      const entity_type = id.startsWith("pat") ? "accessToken" : "apiClient"
      yield* sql`INSERT INTO audit_event ${sql.insert({ ...told, ...maker, id, entity_type, entity_id: id })}`
      const revoked = { ...told, ...byOperator, action: "revoke", id: `${id} again`, entity_type, entity_id: id }
      yield* sql`INSERT INTO audit_event ${sql.insert(revoked)}`
      const foreign = { ...told, ...byOperator, tenant_id: "tnt_2", id: `${id} there`, entity_type, entity_id: id }
      yield* sql`INSERT INTO audit_event ${sql.insert(foreign)}`
    }
    const common = { tenant_id: "tnt_1", name: "old", created_at: 7 }
    for (const id of ["pat_1", "pat_2", "pat_3"]) {
      const row = { ...common, id, account_id: "acc_1", token_hash: id, last_four: "abcd" }
      yield* sql`INSERT INTO personal_token ${sql.insert(row)}`
    }
    for (const client_id of ["wcs_oauth_1", "wcs_oauth_2"]) {
      const row = { ...common, client_id, secret_hash: "", secret_last_four: "wxyz" }
      yield* sql`INSERT INTO oauth_client ${sql.insert(row)}`
    }
    const [tokens, clients] = yield* Effect.flatMap(AccessStore, (store) =>
      Effect.all([store.listPersonalTokens("tnt_1"), store.listClients("tnt_1")])
    ).pipe(Effect.provide(StoreSql.layer))
    const shown = { account: urn, bearer: { kind: "personal", id: "pat_0" } } as const
    assert.deepStrictEqual(
      tokens.map(({ createdBy }) => createdBy),
      [shown, { account: "urn:wcs:operator", bearer: null }, null]
    )
    assert.deepStrictEqual(
      clients.map(({ createdBy, expiresAt }) => [createdBy, expiresAt]),
      [
        [shown, null],
        [null, null]
      ]
    )
  }).pipe(Effect.provide(client))
)

it.effect("find existing credentials, people and tenants by columns added with users", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* migrate(
      migrations.slice(
        0,
        migrations.findIndex(({ name }) => name === "users")
      )
    )
    yield* sql`INSERT INTO tenant ${sql.insert({ id: "tnt_1", name: "Acme" })}`
    const role = JSON.stringify("Viewer")
    yield* sql`INSERT INTO account ${sql.insert({ id: "acc_1", tenant_id: "tnt_1", kind: "user", email: "ann@example.org", role, created_at: 7 })}`
    const identifiers = ["WWC1234567E", 'Zoë "1" \\ \u{1F600}', undefined]
    for (const [index, identifier] of identifiers.entries()) {
      const document = JSON.stringify({ attributes: { credentialType: "WWCC_NSW", identifier } })
      const owners = { worker_id: "wkr_0000000000000001", applicant_id: "" }
      const columns = { credential_type: "WWCC_NSW", jurisdiction: "", eligibility: "", expiry_date: "" }
      const row = { tenant_id: "tnt_1", id: `crd_${index}`, version: 1, created_at: 1, updated_at: 1 }
      yield* sql`INSERT INTO credential ${sql.insert({ ...row, ...owners, ...columns, document })}`
    }
    yield* Effect.gen(function* () {
      const resources = yield* ResourceStore
      for (const [index, identifier] of identifiers.entries()) {
        const selection = Result.getOrThrow(
          parse(Credential, identifier === undefined ? {} : { identifier }, "2026-01-31")
        )
        const { items } = yield* resources.list(Credential, "tnt_1", selection)
        const expected = identifier === undefined ? ["crd_0", "crd_1", "crd_2"] : [`crd_${index}`]
        assert.deepStrictEqual(
          items.map(({ id }) => id),
          expected
        )
      }
      const stored = yield* sql`SELECT identifier FROM credential ORDER BY id`
      assert.deepStrictEqual(
        stored.map((row) => row["identifier"]),
        identifiers.map((identifier) => identifier ?? "")
      )
      const users = yield* UserStore
      assert.deepStrictEqual(yield* users.organization("tnt_1"), { number: 1, name: "Acme", abn: "" })
      const { account, ...rest } = Option.getOrThrow(yield* users.findByEmail("tnt_1", "ann@example.org"))
      assert.strictEqual(account.id, "acc_1")
      assert.deepStrictEqual(rest, {
        number: 1,
        firstName: "",
        surname: "",
        passwordHash: null,
        verifiedAt: null,
        invite: null
      })
    }).pipe(Effect.provide(StoreSql.layer))
  }).pipe(Effect.provide(client))
)

it.effect("give existing runs a queue by their credentials", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* migrate(
      migrations.slice(
        0,
        migrations.findIndex(({ name }) => name === "verification_turn")
      )
    )
    const document = JSON.stringify({ attributes: { credentialType: "WWCC_NSW" } })
    const owners = { worker_id: "wkr_0000000000000001", applicant_id: "" }
    const columns = { credential_type: "WWCC_NSW", jurisdiction: "", identifier: "", eligibility: "", expiry_date: "" }
    const row = { tenant_id: "tnt_1", id: "cred_1", version: 1, created_at: 1, updated_at: 1 }
    yield* sql`INSERT INTO credential ${sql.insert({ ...row, ...owners, ...columns, document })}`
    for (const [index, credential_id] of ["cred_1", "cred_of_nobody"].entries()) {
      const run = { tenant_id: "tnt_1", credential_id, due_at: start + index, attempts: 0 }
      yield* sql`INSERT INTO verification_run ${sql.insert(run)}`
    }
    yield* migrate(migrations)
    const later = { tenant_id: "tnt_2", credential_id: "cred_2", due_at: start + 2, attempts: 0 }
    yield* sql`INSERT INTO verification_run ${sql.insert(later)}` // by a server of the older version
    const { runs } = yield* claimRuns(start + 2).pipe(Effect.provide(StoreSql.layer))
    assert.deepStrictEqual(
      runs.map(({ credentialId, credentialType }) => [credentialId, credentialType]),
      [
        ["cred_1", "WWCC_NSW"],
        ["cred_2", ""],
        ["cred_of_nobody", ""]
      ]
    )
  }).pipe(Effect.provide(client))
)

describe("a refused store", () => {
  const refused = Effect.fnUntraced(function* (file: string) {
    const layer = Layer.fresh(StoreSql.layer.pipe(Layer.provide(SqliteClient.layer({ filename: file }))))
    return yield* Effect.flip(Effect.scoped(Layer.build(layer)))
  })
  const written = (file: string, write: Effect.Effect<unknown, unknown, SqlClient.SqlClient>) =>
    write.pipe(Effect.provide(Layer.fresh(SqliteClient.layer({ filename: file }))))

  it.effect("of a newer program: the error says to run that one", () =>
    Effect.gen(function* () {
      const file = yield* filename
      yield* written(file, migrate([...migrations, later("CREATE TABLE extra (id TEXT) STRICT")]))
      const error = yield* refused(file)
      assert.strictEqual(error._tag, "StoreError")
      assert.strictEqual(
        error.message,
        `The store was written by a newer program (migration ${migrations.length + 1}; this program knows ${migrations.length}): run the newer program, or restore a backup from before its first start.`
      )
      yield* written(
        file,
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* applied, withLater)
        })
      )
    })
  )

  it.effect("with other migrations under the same numbers, or with other tables", () =>
    Effect.gen(function* () {
      const other = yield* filename
      yield* written(other, migrate([{ id: 1, name: "theirs", statements: () => [] }]))
      const foreign = yield* refused(other)
      assert.include(foreign.message, "The store belongs to another program (migration 1 is theirs, not initial)")
      const occupied = yield* filename
      yield* written(
        occupied,
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE TABLE worker (id TEXT)`)
      )
      const failed = yield* refused(occupied)
      assert.include(failed.message, "Migration 1 (initial) could not be applied (table worker already exists)")
    })
  )
})

it.effect("keeps scans from before they were listed, in order, with their final status", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* migrate(
      migrations.slice(
        0,
        migrations.findIndex(({ name }) => name === "scan_list")
      )
    )
    const before: ReadonlyArray<ReadonlyArray<string>> = [
      ["C", "WWCC_NSW", "MATCHED", "queued"],
      ["A", "WWCC_NSW", "NAME_DIFFERS", "unmatched"],
      ["B", "FIRST_AID", "MATCHED", "not_verifiable"]
    ]
    const common = { identifier: "1", first_name: "Ann", surname: "Example", account: "urn", request_id: "r", at: 7 }
    for (const [correlation_id, credential_type, outcome] of before) {
      yield* sql`INSERT INTO scan ${sql.insert({ tenant_id: "tnt_1", correlation_id, credential_type, outcome, credential_id: null, ...common })}`
    }
    const { items } = yield* Effect.flatMap(ScanStore, (store) => store.list("tnt_1", everything)).pipe(
      Effect.provide(StoreSql.layer)
    )
    assert.deepStrictEqual(
      items.map((scan) => [scan.correlationId, scan.credentialType, scan.outcome, scan.status]),
      before.map((_, index) => [...(before[(index + 1) % 3] ?? [])])
    )
    assert.deepInclude(items[0], { tenantId: "tnt_1", firstName: "Ann", credentialId: null, requestId: "r", at: 7 })
  }).pipe(Effect.provide(client))
)
