import { assert, layer } from "@effect/vitest"
import { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import { advance, nothingSettled, type Settled } from "@wcs/domain/audit/SettledPosition"
import { Worker } from "@wcs/domain/people/Worker"
import * as Changes from "@wcs/domain/service/Changes"
import { pages } from "@wcs/store-suite/ChangesSuite"
import { auditEntry, auditLog, created, freshTenant, mint, put, workerFields } from "@wcs/store-suite/Fixtures"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { postgresStore } from "../engines.ts"

/** Writes an entry of the tenant. */
const write = (tenant: string) =>
  put(Worker, tenant, created(mint("worker"), workerFields()), { audit: [auditEntry(tenant)], events: [] })

const settle = (settled: Settled) =>
  AuditSealStore.use((store) => Effect.map(store.mark, (mark) => advance(settled, mark)))

/** The positions of the tenant's entries that can be sealed. */
const sealable = Effect.fnUntraced(function* (tenant: string, { position }: Settled) {
  const entries = yield* AuditSealStore.use((store) => store.entries(tenant, { after: null, upTo: position }, 100))
  return entries.map((entry) => entry.position)
})

/** Begins a transaction with an entry. Returns the effect that commits it. */
const openWriter = Effect.fnUntraced(function* (tenant: string) {
  const sql = yield* SqlClient.SqlClient
  const [written, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const fiber = yield* Effect.forkChild(
    sql.withTransaction(
      Effect.andThen(write(tenant), Effect.andThen(Deferred.succeed(written, undefined), Deferred.await(released)))
    )
  )
  yield* Deferred.await(written)
  return Effect.andThen(Deferred.succeed(released, undefined), Fiber.join(fiber))
})

layer(postgresStore, { excludeTestServices: true })("the mark of the audit log on Postgres", (it) => {
  it.effect("shows an open writer, and no entry after its position is sealed before it ends", () =>
    Effect.gen(function* () {
      const tenant = freshTenant()
      yield* write(tenant)
      let settled = yield* settle(nothingSettled)
      const [first = 0] = (yield* auditLog(tenant)).map(({ position }) => position)
      assert.deepStrictEqual(yield* sealable(tenant, settled), [first])

      const commit = yield* openWriter(tenant)
      yield* write(tenant)
      const visible = (yield* auditLog(tenant)).map(({ position }) => position)
      assert.lengthOf(visible, 2)
      for (let round = 0; round < 3; round++) {
        settled = yield* settle(settled)
        assert.deepStrictEqual(yield* sealable(tenant, settled), [first])
      }

      yield* commit
      settled = yield* settle(settled)
      const all = (yield* auditLog(tenant)).map(({ position }) => position)
      assert.lengthOf(all, 3)
      assert.strictEqual(all[1], (visible[1] ?? 0) - 1, "the late entry lies between the others")
      assert.deepStrictEqual(yield* sealable(tenant, settled), all)
    })
  )

  it.effect("shows an open writer to the feed of changes, which ends before its entry", () =>
    Effect.gen(function* () {
      const tenant = freshTenant()
      const page = yield* pages(tenant)
      yield* write(tenant)
      const first = yield* page({})
      assert.lengthOf(first.documents, 1)
      const commit = yield* openWriter(tenant)
      yield* write(tenant)
      assert.deepStrictEqual(yield* page({}), first)
      assert.strictEqual((yield* page({ after: Changes.fromNow })).position, first.position)
      yield* commit
      assert.lengthOf((yield* page({ after: first.position })).documents, 2)
    })
  )

  it.effect("advances although there always is an open writer", () =>
    Effect.gen(function* () {
      const tenant = freshTenant()
      let settled: Settled = nothingSettled
      let commit = yield* openWriter(tenant)
      let sealed = 0
      for (let round = 0; round < 6; round++) {
        settled = yield* settle(settled)
        const next = yield* openWriter(tenant)
        yield* commit
        commit = next
        sealed = (yield* sealable(tenant, settled)).length
      }
      assert.isAtLeast(sealed, 4)
      yield* commit
    })
  )

  it.effect("shows a writer that has a position but no transaction id yet", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tenant = freshTenant()
      const [locked, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const gate = 77_001
      const keeper = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.all([
            sql`SELECT pg_advisory_xact_lock(${gate})`,
            Deferred.succeed(locked, undefined),
            Deferred.await(released)
          ])
        )
      )
      yield* Deferred.await(locked)
      const store = yield* AuditSealStore
      const before = yield* store.mark
      // The row is computed, and its position taken, before it is inserted. The gate holds it in between.
      const insert = yield* Effect.forkChild(
        sql`INSERT INTO audit_event (tenant_id, id, account, operation, action, entity_type, entity_id, at, request_id)
          VALUES (${tenant}, 'aud_1', '', '', '', '', '', 0, CAST(pg_advisory_xact_lock(${gate}) AS TEXT))`
      )
      const waiting = yield* Effect.repeat(
        sql<{ readonly backend_xid: string | null }>`SELECT backend_xid::text FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO audit_event%'`,
        { until: (found) => found.length > 0 }
      )
      assert.deepStrictEqual(waiting, [{ backend_xid: null }])
      const during = yield* store.mark
      assert.lengthOf(during.writers, 1)
      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(keeper)
      yield* Fiber.join(insert)
      const after = yield* store.mark
      assert.deepStrictEqual([after.position, after.writers], [before.position + 1, []])
    })
  )
})
