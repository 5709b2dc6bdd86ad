import { assert, layer } from "@effect/vitest"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { Worker } from "@wcs/domain/people/Worker"
import {
  auditEntry,
  auditLog,
  created,
  credentialFields,
  freshTenant,
  mint,
  put,
  start,
  workerFields
} from "@wcs/store-suite/Fixtures"
import { Cause, Effect, Exit, Option, Result } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { store } from "./temporary.ts"

/**
 * Simulates another writer between read and write, as on Postgres: before each of the first `times` UPDATEs of the
 * table it raises the versions of its rows. It uses the same connection, so a rollback undoes that.
 */
const meddling = (
  sql: SqlClient.SqlClient,
  table: string,
  rows: Statement.Fragment,
  times: number
): Statement.Transformer => {
  let left = times
  return (statement) => {
    const [text] = statement.compile()
    if (!text.includes(`UPDATE ${table} SET`) || text.includes("meddled") || left === 0)
      return Effect.succeed(statement)
    left--
    const meddled = sql`UPDATE ${sql.literal(table)} SET version = version + 1 WHERE ${rows} /* meddled */`
    return Effect.as(Effect.orDie(meddled), statement)
  }
}

const rename = Effect.fnUntraced(function* (tenantId: string, id: string, times: number) {
  const resources = yield* ResourceStore
  const sql = yield* SqlClient.SqlClient
  let decisions = 0
  const exit = yield* resources
    .change(Worker, tenantId, id, [], ({ current }) => {
      decisions++
      const before = Option.getOrThrow(current)
      const next = { ...before, version: before.version + 1, fields: workerFields({ source: { externalId: "new" } }) }
      return Result.succeed({ _tag: "Changed", next, records: { audit: [auditEntry(id)], events: [] } })
    })
    .pipe(
      Effect.provideService(Statement.CurrentTransformer, meddling(sql, "worker", sql`id = ${id}`, times)),
      Effect.exit
    )
  return { decisions, exit }
})

layer(store)("a lost race", (it) => {
  it.effect("is retried: decided again and written once", () =>
    Effect.gen(function* () {
      const tenantId = freshTenant()
      const id = mint("worker")
      yield* put(Worker, tenantId, created(id, workerFields()))
      const { decisions, exit } = yield* rename(tenantId, id, 2)
      assert.isTrue(Exit.isSuccess(exit))
      assert.strictEqual(decisions, 3)
      const found = yield* (yield* ResourceStore).find(Worker, tenantId, id)
      assert.strictEqual(Option.getOrThrow(found).version, 2)
      assert.strictEqual((yield* auditLog(tenantId)).length, 1)
    })
  )

  it.effect("is tried five times, then dies without a write", () =>
    Effect.gen(function* () {
      const tenantId = freshTenant()
      const id = mint("worker")
      yield* put(Worker, tenantId, created(id, workerFields()))
      const { decisions, exit } = yield* rename(tenantId, id, 100)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.strictEqual(decisions, 5)
      const found = yield* (yield* ResourceStore).find(Worker, tenantId, id)
      assert.strictEqual(Option.getOrThrow(found).version, 1)
      assert.deepStrictEqual(yield* auditLog(tenantId), [])
    })
  )

  it.effect("of a batch rolls back the written rows and retries all", () =>
    Effect.gen(function* () {
      const tenantId = freshTenant()
      const sql = yield* SqlClient.SqlClient
      const [from, to] = [mint("worker"), mint("worker")]
      yield* put(Worker, tenantId, created(to, workerFields()))
      const ids = [mint("credential"), mint("credential")]
      for (const id of ids) yield* put(Credential, tenantId, created(id, credentialFields({ worker: from })))
      let decisions = 0
      const meddle = meddling(sql, "credential", sql`id = ${ids[1]}`, 1)
      const owners = { worker: to, applicant: null }
      yield* (yield* OwnershipStore)
        .transition(tenantId, { _tag: "Ids", ids }, { type: "worker", id: to }, (found) => {
          decisions++
          const changes = new Map(found.map(({ id }) => [id, owners]))
          const audit = found.map(({ id }) => auditEntry(id))
          return Result.succeed({ answer: undefined, changes, records: { audit, events: [] }, at: start })
        })
        .pipe(Effect.provideService(Statement.CurrentTransformer, meddle))
      assert.strictEqual(decisions, 2)
      for (const id of ids) {
        const found = Option.getOrThrow(yield* (yield* ResourceStore).find(Credential, tenantId, id))
        assert.strictEqual(found.version, 2)
        assert.deepStrictEqual(found.fields.attributes.owners, owners)
      }
      assert.strictEqual((yield* auditLog(tenantId)).length, 2)
    })
  )
})
