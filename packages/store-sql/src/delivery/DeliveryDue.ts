import type { Instant } from "@wcs/domain/shared/Instant"
import type { Due, DueRequest, KnownQueue, WebhookKey, Webhooks } from "@wcs/domain/webhook/DeliveryStore"
import { Webhook } from "@wcs/domain/webhook/Webhook"
import { Option, Result } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { inStatements, keepForBatches } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"
import { rows, type Script } from "../engine/Script.ts"
import { type ResourceRow, tableOf } from "../resource/ResourceTable.ts"
import { webhookOf } from "./DeliveryFanOut.ts"
import { type DeliveryRow, deliveryOf, selectedOfDelivery } from "./DeliveryRows.ts"

interface CandidateRow {
  readonly tenant_id: string
  readonly webhook_id: string
  readonly position: unknown
  readonly id: string
  readonly due_at: unknown
}

/** An open delivery that the worker does not know. */
interface Waiting {
  readonly tenant: string
  readonly place: number
  readonly dueAt: Instant
}

const nothing: ReadonlySet<string> = new Set()

const makeStatements = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const index = dialect.indexedBy("receiver_due")
  return {
    receivers: keep<
      { now: Instant; limit: number; partitions: string },
      { readonly tenant_id: string; readonly webhook_id: string }
    >(
      sql,
      (at) => sql`SELECT r.tenant_id, r.webhook_id FROM receiver AS r${index} WHERE r.next_at <= ${at("now")}
        AND r.partition IN (SELECT CAST(value AS BIGINT) FROM ${dialect.texts(at("partitions"))})
        ORDER BY r.next_at LIMIT ${at("limit")}`
    ),
    next: keep<{ now: Instant; partitions: string }, { readonly next_at: unknown }>(
      sql,
      (at) => sql`SELECT r.next_at FROM receiver AS r${index} WHERE r.next_at > ${at("now")}
        AND r.partition IN (SELECT CAST(value AS BIGINT) FROM ${dialect.texts(at("partitions"))})
        ORDER BY r.next_at LIMIT 1`
    ),
    candidates: keepForBatches(
      sql,
      dialect,
      { tenant: "TEXT", webhook: "TEXT", places: "BIGINT" },
      ({ rows: batch, fieldOf }) => sql<CandidateRow>`WITH n AS MATERIALIZED (${batch})
        SELECT d.tenant_id, d.webhook_id, d.position, d.id, d.due_at FROM n ${dialect.joinEach(
          "delivery",
          "d",
          (columns) => sql`SELECT x.${columns} FROM delivery AS x${dialect.indexedBy("delivery_waiting")}
            WHERE x.tenant_id = ${fieldOf("tenant")} AND x.webhook_id = n.webhook AND x.due_at IS NOT NULL
            ORDER BY x.due_at, x.position LIMIT (SELECT max(places) FROM n)`
        )}`
    ),
    deliveries: keepForBatches(
      sql,
      dialect,
      { tenant: "TEXT", place: "BIGINT", due_by: "BIGINT" },
      ({ rows: batch, fieldOf }) => sql<DeliveryRow>`WITH n AS MATERIALIZED (${batch})
        SELECT d.position, ${sql.literal(selectedOfDelivery("d"))}
        FROM n CROSS JOIN delivery AS d WHERE d.tenant_id = ${fieldOf("tenant")} AND d.position = n.place AND d.due_at <= n.due_by`
    ),
    webhooks: keepForBatches(
      sql,
      dialect,
      { tenant: "TEXT", webhook: "TEXT" },
      ({ rows: batch, fieldOf }) => sql<ResourceRow>`WITH n AS MATERIALIZED (${batch})
        SELECT r.tenant_id, ${sql.literal(tableOf(Webhook).selected)}
        FROM n CROSS JOIN webhook AS r WHERE r.tenant_id = ${fieldOf("tenant")} AND r.id = n.webhook AND r.deleted_at IS NULL`
    )
  }
}

/** Reads due deliveries and webhooks, without locks. */
export const makeDue = (sql: SqlClient.SqlClient) => {
  const { candidates, deliveries, next, receivers, webhooks } = makeStatements(sql)

  /** The rows that a statement finds for a list. */
  function* all<Wanted extends { readonly tenant: string }, Row>(
    wanted: ReadonlyArray<Wanted>,
    statement: (batch: readonly [Wanted, ...ReadonlyArray<Wanted>]) => Statement.Statement<Row>
  ): Script<ReadonlyArray<Row>> {
    const found: Array<Row> = []
    for (const batch of inStatements(dialectOf(sql), wanted, ({ tenant }) => tenant)) {
      found.push(...(yield* rows(statement(batch))))
    }
    return found
  }

  /** The first deliveries of each queue that the worker does not know, due or not, by webhook. */
  function* waitingOf(queues: ReadonlyArray<KnownQueue>): Script<ReadonlyMap<string, ReadonlyArray<Waiting>>> {
    const wanted = queues.map(({ known, room, tenantId, webhookId }) => ({
      tenant: tenantId,
      webhook: webhookId,
      places: known.size + room
    }))
    const found = Map.groupBy(yield* all(wanted, candidates), (row) => row.webhook_id)
    return new Map(
      queues.map(({ known, webhookId }) => [
        webhookId,
        (found.get(webhookId) ?? [])
          .filter(({ id }) => !known.has(id))
          .map((row) => ({ tenant: row.tenant_id, place: Number(row.position), dueAt: Number(row.due_at) }))
          .sort((one, two) => one.dueAt - two.dueAt || one.place - two.place)
      ])
    )
  }

  function* rowsAt(places: ReadonlyArray<Waiting>, now: Instant): Script<ReadonlyArray<DeliveryRow>> {
    const wanted = places.map(({ place, tenant }) => ({ tenant, place, due_by: now }))
    const order = new Map(places.map(({ place }, index) => [place, index]))
    const placeOf = ({ position }: DeliveryRow) => order.get(Number(position)) ?? 0
    const found = yield* all(wanted, deliveries)
    return found.toSorted((one, two) => placeOf(one) - placeOf(two))
  }

  return {
    readDue: function* ({ limit, now, partitions: own, perWebhook, queues }: DueRequest): Script<Due> {
      const partitions = JSON.stringify(own)
      const isKnown = new Set(queues.map(({ webhookId }) => webhookId))
      const further = (yield* rows(receivers({ now, partitions, limit: queues.length + limit })))
        .filter(({ webhook_id }) => !isKnown.has(webhook_id))
        .slice(0, limit)
        .map((row) => ({ tenantId: row.tenant_id, webhookId: row.webhook_id, known: nothing, room: perWebhook }))
      const read = [...queues.filter(({ room }) => room > 0), ...further]
      const waiting = yield* waitingOf(read)
      const chosen = read.flatMap(({ room, webhookId }) =>
        (waiting.get(webhookId) ?? []).filter(({ dueAt }) => dueAt <= now).slice(0, room)
      )
      const due = yield* rowsAt(chosen, now)
      const later = [...waiting.values()].flat().flatMap(({ dueAt }) => (dueAt > now ? dueAt : []))
      for (const { next_at } of yield* rows(next({ now, partitions }))) later.push(Number(next_at))
      return {
        deliveries: due.map(deliveryOf),
        isLimited: further.length === limit,
        nextDueAt: later.length === 0 ? null : Math.min(...later)
      }
    },

    webhooks: function* (keys: ReadonlyArray<WebhookKey>): Script<Webhooks> {
      const wanted = keys.map(({ tenantId, webhookId }) => ({ tenant: tenantId, webhook: webhookId }))
      const found = new Map((yield* all(wanted, webhooks)).map((row) => [row.id, row]))
      return new Map(
        keys.map(({ webhookId }) => {
          const row = Option.fromUndefinedOr(found.get(webhookId))
          return [webhookId, Result.transposeOption(Option.map(row, webhookOf))]
        })
      )
    }
  }
}
