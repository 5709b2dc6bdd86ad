import { readFileSync, writeFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import * as AccessEpoch from "@wcs/store-sql/access/AccessEpoch"
import { distribute, postgres } from "@wcs/store-sql/engine/Dialect"
import { migrate, migrations } from "@wcs/store-sql/engine/Migrations"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { makeRecorder } from "@wcs/store-suite/citus/Recorder"
import { distributedIn, verdictOf } from "@wcs/store-suite/citus/Verdict"
import { RunShare } from "@wcs/store-suite/Property"
import { suite } from "@wcs/store-suite/StoreSuite"
import { Effect, Layer, References } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { postgresClient } from "../engines.ts"

// The statements for a Postgres that is distributed by tenant, on a Postgres that is not. All of them are recorded and
// judged by the rules of Citus.

const citusSql = readFileSync(new URL("../../../../apps/wcs/deploy/citus.sql", import.meta.url), "utf8")
const { note, report } = makeRecorder(distributedIn(citusSql))

const noting: Statement.Transformer = (statement) => {
  note(...statement.compile())
  return Effect.succeed(statement)
}

/** In production each tenant is stored. The suite invents tenants, so their first rows of these tables store them. */
const walked = ["audit_event", "audit_seal", "compliance", "compliance_mark"]

const storeTenants = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE FUNCTION store_tenant() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO tenant (id, name, time_zone) SELECT NEW.tenant_id, '', 'Australia/Sydney' WHERE NEW.tenant_id <> ''
      ON CONFLICT DO NOTHING;
    RETURN NULL; END $$`
  for (const table of walked) {
    yield* sql`CREATE TRIGGER store_tenant AFTER INSERT ON ${sql(table)} FOR EACH ROW EXECUTE FUNCTION store_tenant()`
  }
})

const prepared = Layer.effectDiscard(
  Effect.gen(function* () {
    distribute(yield* SqlClient.SqlClient)
    yield* migrate(migrations)
    yield* storeTenants
  })
)

suite(
  "SQL store on a Postgres that is distributed by tenant",
  Layer.provideMerge(Layer.provide(StoreSql.layerShared, AccessEpoch.layer), prepared).pipe(
    Layer.provideMerge(postgresClient),
    Layer.provideMerge(Layer.succeed(References.TracerEnabled, false)),
    Layer.provideMerge(Layer.succeed(RunShare, 0.1)), // for the forms of statements, not for their effects
    Layer.provideMerge(Layer.succeed(Statement.CurrentTransformer, noting))
  )
)

/** Migrations run before the tables are distributed. */
const beforeDistribution = Effect.map(
  SqlClient.SqlClient,
  (sql) => new Set(migrations.flatMap(({ statements }) => statements(postgres(sql).types)))
)

it.effect("breaks none of the rules of Citus (threat 90)", () =>
  Effect.gen(function* () {
    const isOfMigration = yield* beforeDistribution
    const { count, reasons, text } = report(isOfMigration)
    assert.isAbove(count, 1000)
    const file = process.env["WCS_STATEMENTS"]
    if (file !== undefined) writeFileSync(file, text)
    assert.deepStrictEqual(reasons, [])
  }).pipe(Effect.provide(postgresClient))
)

/** The statements of a trigger's function. The tenant of its row is a literal, and the row has no other values. */
const statementsIn = (body: string): ReadonlyArray<string> =>
  body
    .replace(/^\s*BEGIN/, "")
    .replaceAll(/\b(?:NEW|OLD)\.tenant_id\b/g, "'its tenant'")
    .replaceAll(/\b(?:NEW|OLD)\.\w+/g, "NULL")
    .split(";")
    .map((text) => text.trim())
    .filter((text) => /^(INSERT|UPDATE|DELETE|WITH)\b/.test(text))

it.effect("has triggers that write rows of their tenant only, and none between the coordinator and a node", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* migrate(migrations)
    const triggers = yield* sql<{ readonly name: string; readonly table: string; readonly body: string }>`
      SELECT tgname AS name, tgrelid::regclass::text AS table, prosrc AS body
      FROM pg_trigger JOIN pg_proc AS p ON p.oid = tgfoid WHERE NOT tgisinternal`
    const distributed = distributedIn(citusSql)
    const [onNodes, onCoordinator] = [true, false].map((isOnNode) =>
      triggers.filter(({ table }) => distributed.has(table) === isOnNode)
    )
    assert.deepStrictEqual([...new Set(onCoordinator?.map(({ table }) => table))], ["tenant"])
    assert.isAbove(onNodes?.length ?? 0, 20)
    for (const { body, name } of onNodes ?? []) {
      const statements = statementsIn(body)
      assert.isNotEmpty(statements, name)
      for (const text of statements) {
        const { place, reasons } = verdictOf(text, distributed)
        assert.strictEqual(place, "one tenant", `${name}: ${text}: ${reasons}`)
      }
    }
  }).pipe(Effect.provide(postgresClient))
)
