import { DatabaseSync } from "node:sqlite"
import { assert, layer } from "@effect/vitest"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { parse, type Query } from "@wcs/domain/resource/ListQuery"
import type { Resource } from "@wcs/domain/resource/Resource"
import type { TimelineSelection } from "@wcs/domain/resource/Timeline"
import { ReadLimits } from "@wcs/store-sql/engine/BoundedReads"
import { definitions } from "@wcs/store-suite/resource/Definitions"
import { sortsOf, usesOf } from "@wcs/store-suite/resource/FilterUses"
import { Context, Effect, Fiber, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { type Ran, recording } from "./recording.ts"
import { clientOf, filename, storeOn } from "./temporary.ts"
import { readTenantId, timelineReads } from "./timelineReads.ts"

/** The path of the store, for another connection. */
class StorePath extends Context.Service<StorePath, string>()("@wcs/store-sql/test/StorePath") {}

const rowsEach = 500
const limits = { few: 25, examined: 25, characters: 1_000_000, decoded: 1_000_000 }
/**
 * A statement examines the entries of a chunk, their rows, and the entries again for its end. Few rows are examined
 * for each column of a filter, and for each owner type.
 */
const mostExamined = 10 * limits.examined

/** Every row has the same values and is deleted, so no list matches and every list would examine all rows. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Messages with one value for all would be several for a cause.
  yield* sql`DROP INDEX message_once`
  const numbers = `WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < ${rowsEach})`
  for (const { columns, searched, type } of definitions) {
    const names = Object.keys(columns)
    if (searched !== undefined) {
      names.push("words")
      yield* sql.unsafe(`INSERT INTO search_word (tenant_id, kind, word, id)
        ${numbers} SELECT '${readTenantId}', '${type}', 'same', printf('id%06d', n) FROM series`)
    }
    yield* sql.unsafe(
      `INSERT INTO ${type} (tenant_id, id, version, created_at, updated_at, deleted_at, document, checksum, ${names.join(", ")})
       ${numbers} SELECT '${readTenantId}', printf('id%06d', n), 1, n, n, n, '{}', 0, ${names.map(() => "'same'").join(", ")}
       FROM series`
    )
    if (searched !== undefined) yield* sql.unsafe(`UPDATE ${type} SET words = ' same'`)
  }
  yield* sql.unsafe(
    `INSERT INTO audit_event (tenant_id, id, account, bearer_kind, bearer_id, operation, action, entity_type, entity_id, request_id, at)
     ${numbers} SELECT '${readTenantId}', 'aud_' || n, 'same', 'same', 'same', 'UPDATE', 'same', 'same', 'same', 'same', n FROM series`
  )
  yield* sql.unsafe(
    `INSERT INTO scan (tenant_id, correlation_id, credential_type, identifier, first_name, surname, status, outcome,
       credential_id, account, request_id, at)
     ${numbers} SELECT '${readTenantId}', 'same', 'same', 'same', 'same', 'same', 'same', 'same', 'same', 'same', 'same', n FROM series`
  )
})

const stores = Layer.unwrap(
  Effect.map(filename, (file) =>
    Layer.provideMerge(Layer.effectDiscard(fill), storeOn(clientOf({ filename: file }))).pipe(
      Layer.provideMerge(Layer.succeed(StorePath, file)),
      Layer.provide(Layer.succeed(ReadLimits, limits))
    )
  )
)

/** Runs statements again on a connection that counts the rows that each loop visits. Returns the most of a statement. */
const examinedBy = Effect.fnUntraced(function* (ran: ReadonlyArray<Ran>) {
  using database = new DatabaseSync(yield* StorePath, { readOnly: true })
  let visited = 0
  database.function("visited", { varargs: true }, () => {
    visited++
    return 1
  })
  let most = 0
  for (const { params, text } of ran) {
    const counting = text.replaceAll(
      / AS (\w)((?: INDEXED BY \w+)?)\s+(WHERE|ON) /g,
      " AS $1$2 $3 visited($1.rowid) AND "
    )
    assert.notStrictEqual(counting, text)
    visited = 0
    database.prepare(counting).all(...(params as Array<string>))
    most = Math.max(most, visited)
  }
  return most
})

/** Every use of every filter alone, all filters together, and none. */
const queriesOf = (resource: Resource): ReadonlyArray<Query> => {
  const uses = usesOf(resource, () => "same").map(({ query }) => query)
  return [{}, ...uses, { updatedAfter: "1970-01-01T00:00:00Z" }, Object.assign({}, ...uses)]
}

layer(stores)("threat 43: lists that match nothing", (it) => {
  for (const resource of definitions) {
    it.effect(`a statement of ${resource.collection} examines a bounded number of rows, in every order`, () =>
      Effect.gen(function* () {
        const store = yield* ResourceStore
        let statements = 0
        for (const query of queriesOf(resource)) {
          for (const [place, sort] of Object.keys(sortsOf(resource)).entries()) {
            for (const page of place === 0 ? [{}, { page: "2" }] : [{}]) {
              const asked = { ...query, ...page, sort: `${sort}:desc`, includeTotal: "true", pageSize: "100" }
              const parsed = parse(resource, asked, "2026-01-31")
              if (Result.isFailure(parsed)) continue // a closed set of values, which `same` is not in
              const { answer, ran } = yield* recording(store.list(resource, readTenantId, parsed.success))
              assert.deepStrictEqual(answer, { items: [], hasMore: false, total: 0 })
              assert.isAtMost(yield* examinedBy(ran), mostExamined, JSON.stringify(asked))
              statements += ran.length
            }
          }
        }
        assert.isAbove(statements, rowsEach / limits.examined)
      })
    )
  }

  for (const { lookups, read, what } of timelineReads) {
    it.effect(`a statement of ${what} examines a bounded number of rows`, () =>
      Effect.gen(function* () {
        for (const [fields] of lookups) {
          const conditions = fields.map((field) => ({ field, value: "same" }))
          const common = { conditions, after: undefined, pageSize: 100, includeDeleted: false, includeTotal: true }
          for (const direction of ["asc", "desc"] as const) {
            const { ran } = yield* recording(read({ ...common, direction }))
            assert.isAtMost(yield* examinedBy(ran), mostExamined)
          }
        }
      })
    )
  }

  it.effect.each<readonly [string, Query]>([
    ["between two dates", { expiringFrom: "2026-01-01", expiringBefore: "2026-02-01" }],
    ["between two updates", { updatedAfter: "1970-01-01T00:00:00Z", updatedBefore: "1970-01-01T00:00:00.001Z" }],
    ["of a unit with few people", { updatedAfter: "1970-01-01T00:00:00Z", unit: "unit_0000000000000000" }]
  ])("reads the rows %s only, and none of those that meet another condition", ([, query]) =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const selection = Result.getOrThrow(parse(Credential, { ...query, includeTotal: "true" }, "2026-01-31"))
      const { answer, ran } = yield* recording(store.list(Credential, readTenantId, selection))
      assert.strictEqual(answer.total, 0)
      assert.isAtMost(ran.length, 5)
    })
  )

  it.effect("lets other work run between two statements of a list", () =>
    Effect.gen(function* () {
      const selection: TimelineSelection<"account" | "action"> = {
        conditions: [
          { field: "account", value: "same" },
          { field: "action", value: "none" }
        ],
        direction: "desc",
        after: undefined,
        pageSize: 100,
        includeDeleted: false,
        includeTotal: true
      }
      let turns = 0
      const other = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => {
              turns++
            })
          )
        )
      )
      const { answer, ran } = yield* recording(EventStore.use((store) => store.audit(readTenantId, selection)))
      const meanwhile = turns
      yield* Fiber.interrupt(other)
      assert.deepStrictEqual(answer, { items: [], hasMore: false, total: 0 })
      assert.isAbove(ran.length, (2 * rowsEach) / limits.examined)
      assert.isAtLeast(meanwhile, Math.floor(ran.length / 2) - 1) // `forever` yields, too
    })
  )

  it.effect("runs no further statement when a list is interrupted", () =>
    Effect.gen(function* () {
      const store = yield* ResourceStore
      const [resource] = definitions
      assert.isDefined(resource)
      const selection = Result.getOrThrow(parse(resource, { includeTotal: "true" }, "2026-01-31"))
      const sql = yield* SqlClient.SqlClient
      const { ran } = yield* recording(
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(store.list(resource, readTenantId, selection), {
            startImmediately: true
          })
          yield* Effect.yieldNow
          yield* Fiber.interrupt(fiber)
          yield* sql`SELECT 1`
        })
      )
      assert.isBelow(ran.length, 10)
    })
  )
})
