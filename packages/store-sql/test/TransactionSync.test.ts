import { assert, layer } from "@effect/vitest"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { Worker } from "@wcs/domain/people/Worker"
import { SqliteClient } from "@wcs/sqlite/SqliteClient"
import { SqliteConnection } from "@wcs/sqlite/SqliteConnection"
import { TransactionSync } from "@wcs/store-sql/engine/TransactionSync"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import {
  auditEntry,
  auditLog,
  created,
  credentialFields,
  eventDraft,
  freshTenant,
  mint,
  put,
  start,
  subscribe,
  workerFields
} from "@wcs/store-suite/Fixtures"
import { Cause, Effect, Exit, Layer, Option, References, Result, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { client } from "./temporary.ts"

/** Intercepts every statement of a connection. */
const intercepting = (before: (sql: string, connection: SqliteConnection) => void) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const { rows, run } = SqliteConnection.prototype
      SqliteConnection.prototype.rows = function (sql, params) {
        before(sql, this)
        return rows.call(this, sql, params)
      }
      SqliteConnection.prototype.run = function (sql, params) {
        before(sql, this)
        return run.call(this, sql, params)
      }
      return { rows, run }
    }),
    (original) => Effect.sync(() => Object.assign(SqliteConnection.prototype, original))
  )

/** Records the statements of an effect in order. */
const recordedIn =
  (ran: Array<string>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.scoped(
      Effect.andThen(
        intercepting((sql) => ran.push(sql)),
        effect
      )
    )

let transactions = 0

/** The store, with its synchronous transactions counted. */
const store = StoreSql.layer.pipe(
  Layer.provide(
    Layer.effect(
      TransactionSync,
      SqliteClient.useSync(({ transactionSync }): TransactionSync["Service"] => (body) => {
        transactions++
        return transactionSync(body)
      })
    )
  ),
  Layer.provideMerge(client)
)

/** Collects the spans of statements. */
const tracing = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return Effect.map(Effect.withTracer(effect, tracer), () => spans.filter(({ kind }) => kind === "client"))
}

/** A tenant with a subscriber, two workers, and credentials of the first. */
const prepared = Effect.fnUntraced(function* (count: number) {
  const tenantId = freshTenant()
  const [from, to] = [mint("worker"), mint("worker")]
  yield* subscribe(tenantId, "whk_1", ["credential.updated"])
  for (const id of [from, to]) yield* put(Worker, tenantId, created(id, workerFields()))
  const ids = Array.from({ length: count }, () => mint("credential"))
  for (const id of ids) yield* put(Credential, tenantId, created(id, credentialFields({ worker: from })))
  return { tenantId, ids, to }
})

type Prepared = Effect.Success<ReturnType<typeof prepared>>

/** Gives all credentials to the second worker. Returns how often the decision ran. */
const move = Effect.fnUntraced(function* (
  { ids, tenantId, to }: Prepared,
  audit: ReadonlyArray<AuditEntry> = ids.map((id) => auditEntry(id))
) {
  let decisions = 0
  const transition = (yield* OwnershipStore).transition(
    tenantId,
    { _tag: "Ids", ids },
    { type: "worker", id: to },
    (found) => {
      decisions++
      return Result.succeed({
        answer: undefined,
        changes: new Map(found.map(({ id }) => [id, { worker: to, applicant: null }])),
        records: { audit, events: ids.map((id) => eventDraft(id)) },
        at: start
      })
    }
  )
  const exit = yield* Effect.exit(transition)
  return { exit, decisions }
})

/** Slots and versions, and the numbers of audit entries and events. */
const stateOf = Effect.fnUntraced(function* ({ ids, tenantId }: Prepared) {
  const resources = yield* ResourceStore
  const events = yield* EventStore
  const found = yield* Effect.forEach(ids, (id) => resources.find(Credential, tenantId, id))
  return {
    credentials: found.map(Option.getOrThrow).map(({ fields, version }) => [fields.attributes.owners.worker, version]),
    records: [(yield* auditLog(tenantId)).length, (yield* events.events(tenantId, 0, 100)).length]
  }
})

layer(store, { excludeTestServices: true })("a synchronous transaction", (it) => {
  it.effect("runs the same statements with a tracer as without, and each has a span", () =>
    Effect.gen(function* () {
      for (const count of [1, 3]) {
        const texts: Array<ReadonlyArray<string>> = []
        for (const isTraced of [false, true]) {
          const scene = yield* prepared(count)
          const ran: Array<string> = []
          transactions = 0
          const spans = yield* move(scene).pipe(
            tracing,
            Effect.tap(() => Effect.sync(() => assert.strictEqual(transactions, 1))),
            recordedIn(ran),
            Effect.provideService(References.TracerEnabled, isTraced)
          )
          texts.push(ran)
          assert.deepStrictEqual(
            spans.map(({ attributes }) => attributes.get("db.query.text")),
            isTraced ? ran.slice(1, -1) : []
          )
          const { credentials, records } = yield* stateOf(scene)
          assert.deepStrictEqual(credentials, Array(count).fill([scene.to, 2]))
          assert.deepStrictEqual(records, [count, count])
        }
        assert.deepStrictEqual(texts[0], texts[1])
        assert.lengthOf(texts[0] ?? [], 6) // BEGIN, COMMIT, and four statements
      }
    })
  )

  it.effect("writes no events without a subscriber", () =>
    Effect.gen(function* () {
      const scene = yield* prepared(1)
      yield* subscribe(scene.tenantId, "whk_1", [])
      const ran: Array<string> = []
      yield* recordedIn(ran)(move(scene))
      assert.deepStrictEqual(
        ran.filter((sql) => sql.includes("INSERT INTO event")),
        []
      )
      assert.deepStrictEqual((yield* stateOf(scene)).records, [1, 0])
    }).pipe(Effect.scoped)
  )

  it.effect("is retried after a lost race: decided again and written once", () =>
    Effect.gen(function* () {
      for (const [count, meddlings, decisions] of [
        [1, 2, 3],
        [3, 1, 2]
      ] as const) {
        const scene = yield* prepared(count)
        let left: number = meddlings
        yield* intercepting((sql, connection) => {
          if (!sql.includes("UPDATE credential SET") || left-- <= 0) return
          connection.exec(`UPDATE credential SET version = version + 1 WHERE id = '${scene.ids[count - 1]}'`)
        })
        assert.strictEqual((yield* move(scene)).decisions, decisions)
        const { credentials, records } = yield* stateOf(scene)
        assert.deepStrictEqual(credentials, Array(count).fill([scene.to, 2]))
        assert.deepStrictEqual(records, [count, count])
      }
    }).pipe(Effect.scoped)
  )

  it.effect("leaves nothing if a later row of a batch is refused, and keeps the others of its group", () =>
    Effect.gen(function* () {
      const [refused, other] = [yield* prepared(3), yield* prepared(3)]
      const before = yield* stateOf(refused)
      // no valid entry is refused by the table, so this one has no action, which is NOT NULL there
      const nameless = { ...auditEntry("crd_3"), action: null } as unknown as AuditEntry
      const audit = [auditEntry("crd_1"), auditEntry("crd_2"), nameless]
      const [kept, lost] = yield* Effect.all([move(other), move(refused, audit)], { concurrency: "unbounded" })
      assert.isTrue(Exit.isFailure(lost.exit) && Cause.hasDies(lost.exit.cause))
      assert.deepStrictEqual(yield* stateOf(refused), before)
      assert.isTrue(Exit.isSuccess(kept.exit))
      assert.deepStrictEqual((yield* stateOf(other)).records, [3, 3])
    })
  )

  it.effect("is tried five times, then dies without a write", () =>
    Effect.gen(function* () {
      const scene = yield* prepared(2)
      const before = yield* stateOf(scene)
      yield* intercepting((sql, connection) => {
        if (sql.includes("UPDATE credential SET")) connection.exec("UPDATE credential SET version = version + 1")
      })
      const { decisions, exit } = yield* move(scene)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.strictEqual(decisions, 5)
      assert.deepStrictEqual(yield* stateOf(scene), before)
    }).pipe(Effect.scoped)
  )

  it.effect("joins the open transaction, if there is one", () =>
    Effect.gen(function* () {
      const scene = yield* prepared(1)
      const before = yield* stateOf(scene)
      const sql = yield* SqlClient.SqlClient
      const undone = Effect.andThen(move(scene), Effect.fail("undone" as const))
      assert.strictEqual(yield* Effect.flip(sql.withTransaction(undone)), "undone")
      assert.deepStrictEqual(yield* stateOf(scene), before)
    })
  )
})
