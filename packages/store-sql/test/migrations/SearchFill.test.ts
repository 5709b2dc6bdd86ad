import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { ScanStore } from "@wcs/domain/legacy/ScanStore"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Worker } from "@wcs/domain/people/Worker"
import { parse, type Query } from "@wcs/domain/resource/ListQuery"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { personKey } from "@wcs/domain/shared/PersonKey"
import { parseSearch } from "@wcs/domain/shared/SearchWords"
import { UserStore } from "@wcs/domain/user/UserStore"
import * as AccessEpoch from "@wcs/store-sql/access/AccessEpoch"
import { migrate, migrations } from "@wcs/store-sql/engine/Migrations"
import { isUnsearched, searchTables } from "@wcs/store-sql/migrations/SearchTables"
import { tableOf } from "@wcs/store-sql/resource/ResourceTable"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import type { Stores } from "@wcs/store-suite/Fixtures"
import {
  applicantFields,
  auditEntry,
  created,
  credentialFields,
  mint,
  put,
  revise,
  workerFields
} from "@wcs/store-suite/Fixtures"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Layer, Result, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { clientOf, filename } from "../temporary.ts"

const tenantId = "tnt_0000000000000000"
const many = 1_100

/** A database: its client, and the store on it. */
interface Opened {
  readonly client: Layer.Layer<SqlClient.SqlClient, unknown>
  readonly store: Layer.Layer<Stores | SqlClient.SqlClient, unknown>
}

const onPostgres = Effect.map(freshDatabase, (url): Opened => {
  const client = PgClient.layer({ url })
  const store = Layer.provide(StoreSql.layerShared, AccessEpoch.layer)
  return { client: Layer.fresh(client), store: Layer.fresh(Layer.provideMerge(store, client)) }
})

/** A new database of each engine. */
const engines: ReadonlyArray<readonly [string, Effect.Effect<Opened, never, Scope.Scope>]> = [
  [
    "SQLite",
    Effect.map(filename, (file) => {
      const client = clientOf({ filename: file })
      return { client: Layer.fresh(client), store: Layer.fresh(Layer.provideMerge(StoreSql.layer, client)) }
    })
  ],
  ["Postgres", onPostgres]
]

/** Inserts a row as the first release did: without words, and with the card number as sent. */
const insert = Effect.fnUntraced(function* (resource: Resource, row: Stored) {
  const sql = yield* SqlClient.SqlClient
  const { name_key: ___, words: _, words_of: __, ...columns } = tableOf(resource).inserted(tenantId, row)
  const raw = resource === Credential ? { identifier: "wwc 1234567e" } : {}
  yield* sql`INSERT INTO ${sql.literal(resource.type)} ${sql.insert({ ...columns, ...raw })}`
})

/** Changes a row as the first release did. */
const update = Effect.fnUntraced(function* (resource: Resource, before: Stored, after: Stored, raw = {}) {
  const sql = yield* SqlClient.SqlClient
  const { words: _, ...columns } = tableOf(resource).updated(before, after)
  yield* sql`UPDATE ${sql.literal(resource.type)} SET ${sql.update({ ...columns, ...raw })}
    WHERE tenant_id = ${tenantId} AND id = ${after.id}`
})

const next = <Fields extends JsonObject>(before: Stored<Fields>, fields: Fields): Stored<Fields> => ({
  ...before,
  version: before.version + 1,
  fields
})

const usersOf = Effect.fnUntraced(function* (query: string) {
  const sought = parseSearch(query) ?? assert.fail()
  const page = { conditions: [], direction: "asc", pageSize: 25, after: undefined } as const
  const flags = { includeDeleted: false, includeTotal: true }
  const { items } = yield* (yield* UserStore).page(tenantId, { ...page, ...flags, sought })
  return items.map(({ account }) => account.id)
})

const entries = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly word: string }>`SELECT word FROM search_word WHERE id = ${id} ORDER BY word`
  return rows.map(({ word }) => word)
})

const found = Effect.fnUntraced(function* (resource: Resource, query: Query) {
  const selection = Result.getOrThrow(parse(resource, { includeTotal: "true", ...query }, "2026-01-31"))
  const { items, total } = yield* (yield* ResourceStore).list(resource, tenantId, selection)
  return [items[0]?.id, total]
})

describe("words of rows that an earlier version wrote", () => {
  for (const [engine, open] of engines) {
    it.live(`are computed by the next start, on ${engine}`, () =>
      Effect.gen(function* () {
        const { client, store } = yield* open
        const named = (displayName: string) => workerFields({ identity: { displayName } })
        const born = { displayName: "Nguyễn Thị Hồng", birthDate: "1990-04-17" }
        const hong = created(mint("worker"), workerFields({ identity: born }))
        const applicant = created(mint("applicant"), applicantFields({ displayName: "Seán O’Brien" }))
        const card = created(
          mint("credential"),
          credentialFields({ worker: hong.id }, { identifier: "wwc 1234567e", holder: { lastName: "Strauß" } })
        )
        yield* Effect.gen(function* () {
          yield* migrate(migrations.slice(0, searchTables.id - 1))
          const sql = yield* SqlClient.SqlClient
          yield* insert(Worker, hong)
          for (let n = 0; n < many; n++) yield* insert(Worker, created(mint("worker"), named(`Person ${n}`)))
          yield* insert(Applicant, applicant)
          yield* insert(Credential, card)
          yield* sql`INSERT INTO account (tenant_id, id, kind, email, role, first_name, surname, created_at)
            VALUES (${tenantId}, 'acc_1', 'user', 'zoe@example.org', '"Viewer"', 'Zoë', 'Ørsted', 1)`
          yield* sql`INSERT INTO scan (tenant_id, correlation_id, credential_type, identifier, first_name, surname,
              status, outcome, account, request_id, at)
            VALUES (${tenantId}, 'scan_1', 'WWCC_NSW', 'wwc 1234567e', 'A', 'B', 'queued', 'MATCHED', 'a', 'r', 1)`
        }).pipe(Effect.provide(client))

        yield* Effect.gen(function* () {
          assert.deepStrictEqual(yield* found(Worker, { query: "hong nguyen" }), [hong.id, 1])
          const sql = yield* SqlClient.SqlClient
          const keys = yield* sql`SELECT name_key FROM worker WHERE name_key <> ''`
          assert.deepStrictEqual(keys, [{ name_key: personKey("Hong Thi Nguyen", born.birthDate) }])
          assert.deepStrictEqual((yield* found(Worker, { query: "pers" }))[1], many)
          assert.deepStrictEqual(yield* found(Applicant, { query: "obrien" }), [applicant.id, 1])
          assert.deepStrictEqual(yield* found(Credential, { query: "strauss" }), [card.id, 1])
          assert.deepStrictEqual(yield* found(Credential, { identifier: "WWC1234567E" }), [card.id, 1])
          const sought = parseSearch("orsted") ?? assert.fail()
          const all = { conditions: [], direction: "asc", pageSize: 25, after: undefined } as const
          const flags = { includeDeleted: false, includeTotal: false }
          const { items } = yield* (yield* UserStore).page(tenantId, { ...all, ...flags, sought })
          assert.deepStrictEqual(
            items.map(({ account }) => account.id),
            ["acc_1"]
          )
          const conditions = [{ field: "identifier", value: "WWC1234567E" }] as const
          const scans = yield* (yield* ScanStore).list(tenantId, { ...all, ...flags, conditions })
          assert.deepStrictEqual(
            scans.items.map(({ correlationId, identifier }) => [correlationId, identifier]),
            [["scan_1", "wwc 1234567e"]]
          )
          // An earlier version that still runs writes on, until it is replaced.
          yield* insert(Worker, created(mint("worker"), named("Late Łukasz")))
          assert.deepStrictEqual(yield* found(Worker, { query: "lukasz" }), [undefined, 0])
        }).pipe(Effect.provide(store))

        const [late] = yield* Effect.provide(found(Worker, { query: "lukasz" }), store)
        assert.isDefined(late)
      })
    )

    it.live(`are computed again after its changes, on ${engine}`, () =>
      Effect.gen(function* () {
        const { store } = yield* open
        const named = (displayName: string) => workerFields({ identity: { displayName } })
        const [ann, eve] = [created(mint("worker"), named("Ann Early")), created(mint("worker"), named("Eve Early"))]
        const numbered = (identifier: string) => credentialFields({ worker: ann.id }, { identifier })
        const card = created(mint("credential"), numbered("WWC0000001E"))
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          for (const worker of [ann, eve]) yield* put(Worker, tenantId, worker)
          yield* put(Credential, tenantId, card)
          yield* sql`INSERT INTO account (tenant_id, id, kind, email, role, first_name, surname, created_at)
            VALUES (${tenantId}, 'acc_1', 'user', 'zoe@example.org', '"Viewer"', 'Ann', 'Early', 1),
              (${tenantId}, 'acc_2', 'user', 'eve@example.org', '"Viewer"', 'Eve', 'Early', 1)`
        }).pipe(Effect.provide(store))

        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          assert.deepStrictEqual(yield* usersOf("early"), ["acc_1", "acc_2"])
          yield* update(Worker, ann, next(ann, named("Ann Late")))
          yield* update(Credential, card, next(card, numbered("WWC0000002E")), { identifier: "wwc 0000002e" })
          yield* sql`UPDATE account SET surname = 'Late' WHERE id = 'acc_1'`
          // A change by this version between two others does not hide what is missing.
          yield* update(Worker, eve, next(eve, named("Zoe Late")))
          yield* sql`UPDATE account SET surname = 'Late' WHERE id = 'acc_2'`
          yield* (yield* UserStore).change(tenantId, "acc_2", (user) =>
            Result.succeed({ next: { ...user, verifiedAt: 5 }, audit: auditEntry("acc_2") })
          )
          yield* revise(Worker, tenantId, eve.id, (current) =>
            next(current, { ...current.fields, source: { ...current.fields.source, sourceSystem: "HRX" } })
          )
        }).pipe(Effect.provide(store))

        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          assert.deepStrictEqual(yield* found(Worker, { query: "ann late" }), [ann.id, 1])
          assert.deepStrictEqual(yield* found(Worker, { query: "zoe late" }), [eve.id, 1])
          assert.deepStrictEqual(yield* found(Worker, { query: "early" }), [undefined, 0])
          assert.deepStrictEqual(yield* entries(ann.id), ["ann", "late"])
          assert.deepStrictEqual(yield* found(Credential, { identifier: "WWC0000002E" }), [card.id, 1])
          assert.deepStrictEqual([yield* usersOf("late"), yield* usersOf("early")], [["acc_1", "acc_2"], []])
          for (const table of ["worker", "credential", "account"]) {
            const rows = yield* sql`SELECT 1 FROM ${sql.literal(table)} WHERE ${sql.literal(isUnsearched(table))}`
            assert.lengthOf(rows, 0, table)
          }
        }).pipe(Effect.provide(store))
      })
    )
  }

  it.live("are computed although a server's write collides with the start", () =>
    Effect.gen(function* () {
      const { client, store } = yield* onPostgres
      const worker = created(mint("worker"), workerFields({ identity: { displayName: "Ann Early" } }))
      yield* Effect.gen(function* () {
        yield* migrate(migrations)
        const sql = yield* SqlClient.SqlClient
        yield* insert(Worker, worker)
        yield* sql`CREATE SEQUENCE attempt`
        yield* sql.unsafe(`CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF nextval('attempt') = 1 THEN RAISE EXCEPTION USING ERRCODE = '40P01', MESSAGE = 'deadlock detected'; END IF;
          RETURN NEW; END $$`)
        yield* sql`CREATE TRIGGER collision BEFORE INSERT ON search_word FOR EACH ROW EXECUTE FUNCTION collide()`
      }).pipe(Effect.provide(client))
      assert.deepStrictEqual(yield* Effect.provide(found(Worker, { query: "ann" }), store), [worker.id, 1])
    })
  )
})
