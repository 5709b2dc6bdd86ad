import { readFileSync } from "node:fs"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { migrate, migrations } from "@wcs/store-sql/engine/Migrations"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const script = readFileSync(new URL("../deploy/citus.sql", import.meta.url), "utf8")

/** The tables that stay on the coordinator, as the script lists them. */
const kept = /^-- All other tables stay on the coordinator: (.+)\.$/m.exec(script)?.[1]?.split(", ") ?? []

/**
 * A stand-in for the function of Citus, with its rules: the column exists, every unique key contains it, and no foreign
 * key leads elsewhere.
 */
const standIn = `CREATE FUNCTION create_distributed_table(name REGCLASS, key TEXT, colocate_with TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
  DECLARE place SMALLINT := (SELECT attnum FROM pg_attribute WHERE attrelid = name AND attname = key);
  BEGIN
    IF place IS NULL THEN RAISE EXCEPTION '% has no column %', name, key; END IF;
    IF EXISTS (SELECT 1 FROM pg_index WHERE indrelid = name AND indisunique AND NOT place = ANY (indkey)) THEN
      RAISE EXCEPTION 'a unique key of % lacks %', name, key;
    END IF;
    IF EXISTS (SELECT 1 FROM pg_constraint WHERE contype = 'f' AND name IN (conrelid, confrelid)) THEN
      RAISE EXCEPTION '% has a foreign key', name;
    END IF;
    INSERT INTO distributed VALUES (name, colocate_with);
    INSERT INTO pg_dist_partition VALUES (name);
  END $$`

const database = Layer.unwrap(Effect.map(freshDatabase, (url) => PgClient.layer({ url })))

it.effect(
  "citus.sql distributes every table of tenants by the tenant, together, lists the others, and can be repeated",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrate(migrations)
      const tables = yield* sql<{ readonly name: string }>`SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`
      yield* sql`CREATE TABLE distributed (name TEXT, beside TEXT)`
      yield* sql`CREATE TABLE pg_dist_partition (logicalrelid REGCLASS)`
      yield* sql.unsafe(standIn)
      const statements = script.split(/;\n/).filter((text) => /^(SELECT|DO|CREATE)/m.test(text))
      for (const statement of [...statements, ...statements]) yield* sql.unsafe(statement)
      const distributed = yield* sql<{
        readonly name: string
        readonly beside: string
      }>`SELECT name, beside FROM distributed`
      assert.sameMembers([...distributed.map(({ name }) => name), ...kept], [...tables.map(({ name }) => name)])
      assert.deepStrictEqual(
        distributed.filter(({ beside }) => beside !== "account").map(({ beside, name }) => [name, beside]),
        [["account", "none"]]
      )
      const refused = yield* Effect.exit(sql`SELECT create_distributed_table('tenant_host', 'tenant_id', 'account')`)
      assert.strictEqual(refused._tag, "Failure")
    }).pipe(Effect.provide(database))
)
