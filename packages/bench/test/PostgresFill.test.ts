import { assert, describe, it } from "@effect/vitest"
import { fillNewPostgres } from "@wcs/bench/data/PostgresFill"
import { connected } from "@wcs/bench/Postgres"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Redacted } from "effect"

function* rows(count: number) {
  for (let n = 0; n < count; n++) yield { tenant_id: "t", id: `id${n}`, deleted_at: n % 2 === 0 ? null : n }
}

const query = (url: string, statement: string) =>
  Effect.promise(() => connected(url, async (client) => (await client.query(statement)).rows))

describe("filling a table of Postgres", () => {
  it.live("writes every row, and restores keys and indexes", () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* freshDatabase)
      yield* query(
        url,
        `CREATE TABLE thing (tenant_id TEXT COLLATE "C" NOT NULL, id TEXT NOT NULL, deleted_at BIGINT, UNIQUE (id),
           PRIMARY KEY (tenant_id, id));
         CREATE INDEX thing_deleted ON thing (deleted_at, id) WHERE deleted_at IS NOT NULL`
      )
      const shape = "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'thing' ORDER BY indexname"
      const before = yield* query(url, shape)
      yield* Effect.promise(() => fillNewPostgres(url, [{ table: "thing", rows: rows(10_001) }]))
      assert.lengthOf(before, 3)
      assert.deepStrictEqual(yield* query(url, shape), before)
      const [counted] = yield* query(
        url,
        "SELECT count(*) AS all, count(DISTINCT id) AS ids, count(deleted_at) AS deleted, max(deleted_at) AS last FROM thing"
      )
      assert.deepStrictEqual(counted, { all: "10001", ids: "10001", deleted: "5000", last: "9999" })
      const [{ reltuples } = { reltuples: 0 }] = yield* query(
        url,
        "SELECT reltuples FROM pg_class WHERE relname = 'thing'"
      )
      assert.strictEqual(reltuples, 10_001)
    })
  )
})
