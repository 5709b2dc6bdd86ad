import { assert, it } from "@effect/vitest"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { putTenant } from "@wcs/store-suite/access/AccessFixtures"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { postgresStore } from "../engines.ts"

for (const [conflict, state] of [
  ["a deadlock", "40P01"],
  ["a serialization failure", "40001"]
] as const) {
  it.live(`runs a write of access data again after ${conflict}, and stores its effects once`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // The last statement of the transaction fails twice. A sequence counts also what is rolled back.
      yield* sql`CREATE SEQUENCE attempt`
      yield* sql.unsafe(`CREATE FUNCTION loses_twice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('attempt') < 3 THEN RAISE SQLSTATE '${state}'; END IF; RETURN NEW; END $$`)
      yield* sql`CREATE TRIGGER loses_twice BEFORE INSERT ON access_epoch FOR EACH ROW EXECUTE FUNCTION loses_twice()`
      yield* putTenant
      assert.lengthOf(yield* AccessStore.use((store) => store.listTenants), 1)
      assert.lengthOf(yield* sql`SELECT 1 FROM audit_event`, 2) // the tenant and its administrator
    }).pipe(Effect.provide(postgresStore))
  )
}
