import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { Change } from "@wcs/domain/crud/ResourceStore"
import { initialHealth, isAttempted, type WebhookHealth } from "@wcs/domain/event/WebhookHealth"
import type { Stored } from "@wcs/domain/resource/Resource"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { Delivery, DeliveryDraft } from "@wcs/domain/webhook/Delivery"
import { type Assessed, DeliveryStore, type Redrive, type Settlement } from "@wcs/domain/webhook/DeliveryStore"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { makeRecordsWriter, type RecordsWriter } from "../audit/RecordsWriter.ts"
import { type LostRace, makeAtomically } from "../engine/Atomic.ts"
import { inStatements, insertAll, keepForBatches } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, run, type Script } from "../engine/Script.ts"
import { markUnavailable } from "../engine/StoreFailures.ts"
import { makeChange } from "../resource/ResourceChange.ts"
import { makeRead } from "../resource/ResourceRows.ts"
import { makeBacklogs } from "./Backlogs.ts"
import { makeDeadLetters } from "./DeadLetterRows.ts"
import { makeDue } from "./DeliveryDue.ts"
import { makeFanOut } from "./DeliveryFanOut.ts"
import { makeDeliveryList } from "./DeliveryList.ts"
import {
  type DeliveryRow,
  deliveryColumns,
  deliveryOf,
  deliveryRow,
  selectedOfDelivery,
  settledColumns,
  settledRow
} from "./DeliveryRows.ts"
import { type Exchanges, makeExchanges } from "./ExchangeRows.ts"
import { keyOf, makeReceivers, type Receivers } from "./Receivers.ts"

interface DueRow {
  readonly tenant_id: string
  readonly webhook_id: string
  readonly due_at: unknown
}

interface IdRow {
  readonly tenant_id: string
  readonly id: string
}

interface WrittenRow extends IdRow {
  readonly keeps_answers: unknown
}

/** Inserts new deliveries, unless the event already has one for the webhook, and marks the receivers as due. */
const makeInsert = (sql: SqlClient.SqlClient, receivers: Receivers) => {
  const insert = keepForBatches(
    sql,
    dialectOf(sql),
    deliveryColumns,
    (batch) => sql<DueRow>`${insertAll(sql, "delivery", deliveryColumns, batch)}
      ON CONFLICT (tenant_id, event_id, webhook_id) DO NOTHING RETURNING tenant_id, webhook_id, due_at`
  )
  return function* (drafts: ReadonlyArray<DeliveryDraft>): Script<void> {
    const inserted: Array<DueRow> = []
    for (const batch of inStatements(dialectOf(sql), drafts.map(deliveryRow), (row) => row.tenant_id)) {
      inserted.push(...(yield* rows(insert(batch))))
    }
    // A receiver that is marked without a due delivery would be read first for ever, because a read writes nothing.
    yield* receivers.due(
      inserted.flatMap(({ due_at, tenant_id, webhook_id }) =>
        due_at === null ? [] : [{ tenantId: tenant_id, webhookId: webhook_id, dueAt: Number(due_at) }]
      )
    )
  }
}

/** Stores results. Locks the receivers first, in the common lock order. */
const makeSettle = (sql: SqlClient.SqlClient, receivers: Receivers, exchanges: Exchanges) => {
  const dialect = dialectOf(sql)
  const update = keepForBatches(
    sql,
    dialect,
    settledColumns,
    ({
      isOne,
      rows: batch,
      fieldOf
    }) => sql<WrittenRow>`WITH n AS ${sql.literal(isOne ? "" : "MATERIALIZED ")}(${batch})
      UPDATE delivery SET state = n.state, attempt_count = n.attempt_count, failures = n.failures,
        due_at = n.due_at, delivered_at = n.delivered_at, attempts = n.attempts,
        last_response = CASE WHEN delivery.keeps_answers = 1 THEN n.last_response END
      FROM n WHERE delivery.tenant_id = ${fieldOf("tenant")} AND delivery.id = n.delivery
        AND delivery.due_at = n.was_due_at AND delivery.attempt_count = n.attempted
      RETURNING tenant_id, id, keeps_answers`
  )

  return function* (
    settlements: ReadonlyArray<Settlement>,
    now: Instant,
    assess: (health: WebhookHealth, succeeded: boolean, delivery: Delivery) => WebhookHealth
  ): Script<ReadonlyArray<Assessed>> {
    if (settlements.length === 0) return []
    const locked = yield* receivers.lock(settlements.map(({ delivery }) => delivery))
    const written: Array<WrittenRow> = []
    for (const batch of inStatements(dialect, settlements.map(settledRow), ({ tenant }) => tenant)) {
      written.push(...(yield* rows(update(batch))))
    }
    const isWritten = new Set(written.map(({ id, tenant_id }) => `${tenant_id} ${id}`))
    const counted = settlements.filter(({ delivery: { id, tenantId } }) => isWritten.has(`${tenantId} ${id}`))
    const keeps = new Set(
      written.flatMap(({ id, keeps_answers, tenant_id }) => (Number(keeps_answers) === 1 ? [`${tenant_id} ${id}`] : []))
    )
    yield* exchanges.add(settlements.filter(({ delivery: { id, tenantId } }) => keeps.has(`${tenantId} ${id}`)))
    const health = new Map(locked.map((receiver) => [keyOf(receiver), receiver.health]))
    const assessed = new Map<string, Assessed>()
    for (const { delivery, succeeded } of counted) {
      const { tenantId, webhookId } = delivery
      const before = health.get(keyOf(delivery))
      if (succeeded === null || before === undefined) continue
      const after = assess(before, succeeded, delivery)
      health.set(keyOf(delivery), after)
      assessed.set(keyOf(delivery), { tenantId, webhookId, health: after })
    }
    const after = locked.map((receiver) => ({ ...receiver, health: health.get(keyOf(receiver)) ?? receiver.health }))
    yield* receivers.settled(after, now)
    return [...assessed.values()]
  }
}

/** Makes deliveries due again. Locks the receiver first, in the common lock order. */
const makeRedrive = (sql: SqlClient.SqlClient, receivers: Receivers, records: RecordsWriter) => {
  const dialect = dialectOf(sql)
  const isFree = (alias: string, now: Instant) => {
    const of = sql.literal(alias)
    return sql`(${of}.due_at IS NULL OR ${of}.due_at > ${now})`
  }

  const matching = (tenantId: string, webhookId: string, redrive: Redrive, now: Instant) => {
    const { deliveryIds, from, limit, states, to } = redrive
    const conditions = [
      sql`x.tenant_id = ${tenantId}`,
      sql`x.webhook_id = ${webhookId}`,
      isFree("x", now),
      ...(from === null ? [] : [sql`x.created_at >= ${from}`]),
      ...(to === null ? [] : [sql`x.created_at < ${to}`])
    ]
    const given = dialect.texts(JSON.stringify(states))
    // One row above the limit shows whether more match.
    return deliveryIds === null
      ? sql<{ readonly position: unknown }>`SELECT d.position FROM ${given} ${dialect.joinEach(
          "delivery",
          "d",
          (columns) => sql`SELECT x.${columns} FROM delivery AS x${dialect.indexedBy("delivery_of_state")}
            WHERE ${sql.and([...conditions, sql`x.state = value`])} ORDER BY x.position LIMIT ${limit + 1}`
        )} ORDER BY d.position LIMIT ${limit + 1}`
      : sql<{ readonly position: unknown }>`SELECT x.position FROM delivery AS x WHERE ${sql.and(conditions)}
          AND x.id IN (SELECT value FROM ${dialect.texts(JSON.stringify(deliveryIds))})
          AND x.state IN (SELECT value FROM ${given}) ORDER BY x.position LIMIT ${limit + 1}`
  }

  const count = (tenantId: string, webhookId: string, redrive: Redrive, now: Instant) =>
    sql<{ readonly matching: unknown }>`SELECT count(*) AS matching
      FROM (${matching(tenantId, webhookId, { ...redrive, limit: redrive.limit - 1 }, now)}) AS found`

  const run = function* (
    tenantId: string,
    webhookId: string,
    redrive: Redrive,
    audit: AuditEntry
  ): Script<{ readonly redriven: number; readonly hasMore: boolean }> {
    const now = audit.at
    yield* records.audit(tenantId, [audit])
    yield* receivers.lock([{ tenantId, webhookId }])
    const found = yield* rows(matching(tenantId, webhookId, redrive, now))
    const positions = found.slice(0, redrive.limit).map(({ position }) => Number(position))
    const redriven = yield* changes(sql`UPDATE delivery
      SET state = 'PENDING', failures = 0, due_at = ${now}, delivered_at = NULL
      WHERE tenant_id = ${tenantId} AND ${isFree("delivery", now)}
      AND position IN (SELECT CAST(value AS BIGINT) FROM ${dialect.texts(JSON.stringify(positions))})`)
    if (redriven > 0) yield* receivers.due([{ tenantId, webhookId, dueAt: now }])
    return { redriven, hasMore: found.length > redrive.limit }
  }

  return { count, run }
}

/** Changes a webhook by its health. */
const makeChangeWebhook = (sql: SqlClient.SqlClient, receivers: Receivers) => {
  const change = makeChange(sql)
  const lockWebhook = makeRead(sql, dialectOf(sql).forUpdate)

  return function* (
    tenantId: string,
    webhookId: string,
    decide: (webhook: Stored<WebhookFields>, health: WebhookHealth) => Change<WebhookFields>
  ): Script<Result.Result<Change<WebhookFields>, LostRace | "gone">> {
    // A change of the webhook that resets its health locks in this order too.
    yield* rows(lockWebhook(Webhook, tenantId, webhookId))
    const [receiver] = yield* receivers.lock([{ tenantId, webhookId }])
    const decideOn = ({ current }: { readonly current: Option.Option<Stored<WebhookFields>> }) =>
      Result.map(
        Result.fromOption(current, () => "gone" as const),
        (webhook) => decide(webhook, receiver?.health ?? initialHealth)
      )
    return yield* change(Webhook, tenantId, webhookId, [], decideOn, null)
  }
}

/** Deletes old deliveries and events. */
const makeForget = (sql: SqlClient.SqlClient, exchanges: Exchanges) => {
  const dialect = dialectOf(sql)

  /** Deletes matching events without deliveries, in the order of the index. */
  function* forgetEvents(index: string, which: Statement.Fragment, order: string, limit: number): Script<number> {
    const first = sql`ORDER BY ${sql.literal(order)} LIMIT ${limit}`
    if (!dialect.isDistributed) {
      return yield* changes(sql`DELETE FROM event WHERE ${dialect.rowPlace} IN (
        SELECT e.${dialect.rowPlace} FROM event AS e${dialect.indexedBy(index)} WHERE ${which}
        AND NOT EXISTS (SELECT 1 FROM delivery AS d WHERE d.tenant_id = e.tenant_id AND d.event_id = e.id) ${first})`)
    }
    const found = yield* rows(sql<{ readonly tenant_id: string; readonly position: unknown }>`
      SELECT e.tenant_id, e.position FROM event AS e
      LEFT JOIN delivery AS d ON d.tenant_id = e.tenant_id AND d.event_id = e.id WHERE ${which} AND d.id IS NULL ${first}`)
    let deleted = 0
    for (const batch of inStatements(dialect, found, ({ tenant_id }) => tenant_id)) {
      const [{ tenant_id: tenantId }] = batch
      const positions = JSON.stringify(batch.map(({ position }) => String(position)))
      // The condition is repeated, because an event can change between the two statements.
      deleted += yield* changes(sql`DELETE FROM event AS e WHERE e.tenant_id = ${tenantId}
        AND e.position IN (SELECT CAST(value AS BIGINT) FROM ${dialect.texts(positions)}) AND ${which}
        AND NOT EXISTS (SELECT 1 FROM delivery AS d WHERE d.tenant_id = ${tenantId} AND d.event_id = e.id)`)
    }
    return deleted
  }

  /** Deletes old settled deliveries of all tenants, on a distributed Postgres tenant by tenant. */
  function* forgetDeliveries(before: Instant, limit: number): Script<ReadonlyArray<IdRow>> {
    const chosen = sql`delivery AS d${dialect.indexedBy("delivery_by_created_at")}
      WHERE d.created_at < ${before} AND d.due_at IS NULL ORDER BY d.created_at LIMIT ${limit}`
    if (!dialect.isDistributed) {
      return yield* rows(sql<IdRow>`DELETE FROM delivery WHERE ${dialect.rowPlace} IN (
        SELECT d.${dialect.rowPlace} FROM ${chosen}) AND due_at IS NULL RETURNING tenant_id, id`)
    }
    const found = yield* rows(sql<IdRow>`SELECT d.tenant_id, d.id FROM ${chosen}`)
    const deleted: Array<IdRow> = []
    for (const batch of inStatements(dialect, found, ({ tenant_id }) => tenant_id)) {
      const [{ tenant_id: tenantId }] = batch
      deleted.push(
        ...(yield* rows(sql<IdRow>`DELETE FROM delivery WHERE tenant_id = ${tenantId} AND due_at IS NULL
          AND ${dialect.isAmong("id", JSON.stringify(batch.map(({ id }) => id)))} RETURNING tenant_id, id`))
      )
    }
    return deleted
  }

  return function* ({ deadBefore, before, limit }: Parameters<DeliveryStore["Service"]["forget"]>[0]): Script<number> {
    const deliveries = yield* forgetDeliveries(before, limit)
    yield* exchanges.remove(deliveries)
    const sent = yield* forgetEvents("event_sent", sql`e.state = 'sent' AND e.at < ${before}`, "e.at", limit)
    const isDead = sql`e.state <> 'sent' AND e.state = 'dead' AND e.at < ${deadBefore}`
    const dead = yield* forgetEvents("event_unsent", isDead, "e.retry_at, e.position", limit)
    return deliveries.length + sent + dead
  }
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const receivers = makeReceivers(sql)
  const records = makeRecordsWriter(sql)
  const insert = makeInsert(sql, receivers)
  const fanOut = makeFanOut(sql, insert)
  const deadLetters = makeDeadLetters(sql, records)
  const due = makeDue(sql)
  const exchanges = makeExchanges(sql)
  const settle = makeSettle(sql, receivers, exchanges)
  const redrive = makeRedrive(sql, receivers, records)
  const forget = makeForget(sql, exchanges)
  const changeWebhook = makeChangeWebhook(sql, receivers)
  const backlogs = makeBacklogs(sql)

  function* begin(draft: DeliveryDraft, audit: AuditEntry, traceparent: string | null): Script<void> {
    yield* insert([{ ...draft, traceparent }])
    yield* records.audit(draft.tenantId, [audit])
  }

  /** Runs a script that cannot fail, in one transaction. */
  const transaction = <A>(script: (traceparent: string | null) => Script<A>): Effect.Effect<A> =>
    atomically(function* (traceparent) {
      return Result.succeed(yield* script(traceparent))
    })

  return DeliveryStore.of({
    fanOut: (request, decide) => markUnavailable(transaction(() => fanOut(request, decide))),

    deadLetter: Effect.fn("DeliveryStore.deadLetter")((tenantId, eventId, until) =>
      Effect.orDie(Effect.asVoid(deadLetters.set(tenantId, eventId, until)))
    ),
    listDeadLetters: Effect.fn("DeliveryStore.listDeadLetters")((tenantId, limit) =>
      Effect.orDie(deadLetters.list(tenantId, limit))
    ),
    retryDeadLetters: (tenantId, eventId, limit, audit) =>
      transaction(() => deadLetters.retry(tenantId, eventId, limit, audit)),

    begin: (draft, audit) => transaction((traceparent) => begin(draft, audit, traceparent)),
    readDue: Effect.fn("DeliveryStore.readDue")((request) =>
      Effect.orDie(Effect.suspend(() => run(due.readDue(request))))
    ),
    webhooks: Effect.fn("DeliveryStore.webhooks")((keys) =>
      Effect.orDie(Effect.suspend(() => run(due.webhooks(keys))))
    ),
    settle: (settlements, now, assess) => transaction(() => settle(settlements, now, assess)),

    find: Effect.fn("DeliveryStore.find")((tenantId, id) =>
      sql<DeliveryRow>`SELECT ${sql.literal(selectedOfDelivery("r"))} FROM delivery AS r
        WHERE r.tenant_id = ${tenantId} AND r.id = ${id}`.pipe(
        Effect.orDie,
        Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), deliveryOf))
      )
    ),

    exchanges: Effect.fn("DeliveryStore.exchanges")((tenantId, deliveryId) => exchanges.read(tenantId, deliveryId)),

    list: yield* makeDeliveryList,

    redrive: (tenantId, webhookId, chosen, audit) => transaction(() => redrive.run(tenantId, webhookId, chosen, audit)),

    countRedrive: Effect.fn("DeliveryStore.countRedrive")((tenantId, webhookId, chosen, now) =>
      redrive.count(tenantId, webhookId, chosen, now).pipe(
        Effect.orDie,
        Effect.map(([row]) => Number(row?.matching ?? 0))
      )
    ),

    health: Effect.fn("DeliveryStore.health")((tenantId, webhookIds) =>
      Effect.suspend(() => run(receivers.read(webhookIds.map((webhookId) => ({ tenantId, webhookId }))))).pipe(
        Effect.orDie,
        Effect.map(
          (found) =>
            new Map(
              found.flatMap(({ health, webhookId }) => (isAttempted(health) ? [[webhookId, health] as const] : []))
            )
        )
      )
    ),

    backlog: Effect.fn("DeliveryStore.backlog")((tenantId, webhookIds) => backlogs.of(tenantId, webhookIds)),
    failing: Effect.fn("DeliveryStore.failing")((tenantId) => backlogs.failing(tenantId)),

    changeWebhook: (tenantId, webhookId, decide) =>
      atomically(() => changeWebhook(tenantId, webhookId, decide)).pipe(
        Effect.option,
        Effect.map(Option.exists(({ _tag }) => _tag === "Changed"))
      ),
    forget: (request) => transaction(() => forget(request))
  })
})

export const layer = Layer.effect(DeliveryStore, make)
