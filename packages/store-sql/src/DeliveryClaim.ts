import type { ClaimedDelivery } from "@wcs/domain/DeliveryStore"
import type { Instant } from "@wcs/domain/Instant"
import { inTurns } from "@wcs/domain/Turns"
import { Webhook, type WebhookFields } from "@wcs/domain/Webhook"
import { Option, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { keepForBatches } from "./Batch.ts"
import { webhookOf } from "./DeliveryFanOut.ts"
import { type DeliveryRow, deliveryOf, selectedOfDelivery } from "./DeliveryRows.ts"
import { dialectOf } from "./Dialect.ts"
import { keep } from "./Query.ts"
import { keyOf, type Receivers } from "./Receivers.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"
import { rows, type Script } from "./Script.ts"

interface ChosenRow {
  readonly tenant_id: string
  readonly webhook_id: string
  readonly served_at: unknown
}

interface CandidateRow {
  readonly tenant_id: string
  readonly webhook_id: string
  readonly position: unknown
  readonly due_at: unknown
  readonly held: unknown
}

const candidateColumns = { tenant: "TEXT", webhook: "TEXT", due_by: "BIGINT", places: "BIGINT" } as const

/** A receiver that is looked at, with what of it is due and how many of its deliveries others have. */
interface Queue {
  readonly tenantId: string
  readonly webhookId: string
  readonly servedAt: Instant
  readonly held: number
  readonly places: ReadonlyArray<{ readonly tenant: string; readonly place: number }>
}

const makeStatements = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  /** The first due deliveries of a receiver in `n`: those that wait, and those that nobody has settled in time. */
  const firstOf = (index: string, condition: string) => sql`
    SELECT f.due_at, f.position FROM (
      SELECT x.due_at, x.position FROM delivery AS x${dialect.indexedBy(index)}
      WHERE x.tenant_id = n.tenant AND x.webhook_id = n.webhook AND ${sql.literal(condition)} AND x.due_at <= n.due_by
      ORDER BY x.due_at, x.position LIMIT (SELECT max(places) FROM n)
    ) AS f`

  return {
    choose: keep<{ now: Instant; limit: number }, ChosenRow>(
      sql,
      (at) => sql`SELECT r.tenant_id, r.webhook_id, r.served_at FROM receiver AS r${dialect.indexedBy("receiver_due")}
        WHERE r.due_at <= ${at("now")} ORDER BY r.due_at, r.served_at LIMIT ${at("limit")}${dialect.forUpdateOfFree}`
    ),
    candidates: keepForBatches(
      sql,
      dialect,
      candidateColumns,
      ({ rows: batch }) => sql`WITH n AS MATERIALIZED (${batch})
        SELECT d.tenant_id, d.webhook_id, d.position, d.due_at, (
          SELECT count(*) FROM delivery AS c${dialect.indexedBy("delivery_claimed")}
          WHERE c.tenant_id = n.tenant AND c.webhook_id = n.webhook AND c.lease IS NOT NULL AND c.due_at > n.due_by
        ) AS held
        FROM n ${dialect.joinEach(
          "delivery",
          "d",
          sql.literal("n.tenant"),
          sql`SELECT o.position FROM (
            ${firstOf("delivery_waiting", "x.lease IS NULL")} UNION ALL
            ${firstOf("delivery_claimed", "x.lease IS NOT NULL")}
          ) AS o ORDER BY o.due_at, o.position LIMIT (SELECT max(places) FROM n)`
        )}`
    ),
    lend: keepForBatches(
      sql,
      dialect,
      { tenant: "TEXT", place: "BIGINT", held_by: "TEXT", held_until: "BIGINT" },
      ({ rows: batch }) => sql`WITH n AS MATERIALIZED (${batch})
        UPDATE delivery SET lease = n.held_by, due_at = n.held_until FROM n
        WHERE delivery.tenant_id = n.tenant AND delivery.position = n.place
        RETURNING delivery.position, ${sql.literal(selectedOfDelivery("delivery"))}`
    ),
    webhooks: keepForBatches(
      sql,
      dialect,
      { tenant: "TEXT", webhook: "TEXT" },
      ({ rows: batch }) => sql`WITH n AS MATERIALIZED (${batch})
        SELECT r.tenant_id, ${sql.literal(tableOf(Webhook).selected)}
        FROM n CROSS JOIN webhook AS r WHERE r.tenant_id = n.tenant AND r.id = n.webhook AND r.deleted_at IS NULL`
    ),
    next: keep<Record<never, never>, { readonly due_at: unknown }>(
      sql,
      () => sql`SELECT min(r.due_at) AS due_at FROM receiver AS r${dialect.indexedBy("receiver_due")}
        WHERE r.due_at IS NOT NULL`
    )
  }
}

/**
 * Takes what is due. The receivers that have something are locked first, and what is counted of them is read after: so
 * no two claims fill the same place, and none waits for another.
 */
export const makeClaim = (sql: SqlClient.SqlClient, receivers: Receivers) => {
  const { candidates, choose, lend, next, webhooks } = makeStatements(sql)

  function* queuesOf(now: Instant, limit: number, perWebhook: number): Script<ReadonlyArray<Queue>> {
    const chosen = yield* rows(choose({ now, limit }))
    const [first, ...others] = chosen.map(({ tenant_id, webhook_id }) => ({
      tenant: tenant_id,
      webhook: webhook_id,
      due_by: now,
      places: perWebhook
    }))
    if (first === undefined) return []
    const found = (yield* rows(candidates([first, ...others]))) as ReadonlyArray<CandidateRow>
    const byReceiver = Map.groupBy(found, (row) => keyOf({ tenantId: row.tenant_id, webhookId: row.webhook_id }))
    return chosen.map(({ served_at, tenant_id, webhook_id }) => {
      const key = { tenantId: tenant_id, webhookId: webhook_id }
      const due = (byReceiver.get(keyOf(key)) ?? [])
        .map((row) => ({ dueAt: Number(row.due_at), position: Number(row.position), held: Number(row.held) }))
        .sort((one, two) => one.dueAt - two.dueAt || one.position - two.position)
      const held = due[0]?.held ?? 0
      const free = Math.max(0, perWebhook - held)
      const places = due.slice(0, free).map(({ position }) => ({ tenant: tenant_id, place: position }))
      return { ...key, servedAt: Number(served_at), held, places }
    })
  }

  function* take(places: Queue["places"], lease: string, heldUntil: Instant): Script<ReadonlyArray<DeliveryRow>> {
    const [first, ...others] = places.map((place) => ({ ...place, held_by: lease, held_until: heldUntil }))
    return first === undefined ? [] : ((yield* rows(lend([first, ...others]))) as ReadonlyArray<DeliveryRow>)
  }

  /** The webhooks of some deliveries, by their keys. */
  function* webhooksOf(
    taken: ReadonlyArray<DeliveryRow>
  ): Script<ReadonlyMap<string, Result.Result<WebhookFields, unknown>>> {
    const keys = new Map(taken.map((row) => [`${row.tenant_id} ${row.webhook_id}`, row]))
    const [first, ...others] = Array.from(keys.values(), ({ tenant_id, webhook_id }) => ({
      tenant: tenant_id,
      webhook: webhook_id
    }))
    if (first === undefined) return new Map()
    const found = (yield* rows(webhooks([first, ...others]))) as ReadonlyArray<ResourceRow>
    return new Map(
      found.map((row) => [keyOf({ tenantId: String(row["tenant_id"]), webhookId: row.id }), webhookOf(row)])
    )
  }

  return function* (request: {
    readonly now: Instant
    readonly lease: string
    readonly leaseMillis: number
    readonly limit: number
    readonly perWebhook: number
  }): Script<{ readonly claimed: ReadonlyArray<ClaimedDelivery>; readonly nextDueAt: Instant | null }> {
    const { lease, leaseMillis, limit, now, perWebhook } = request
    const queues = yield* queuesOf(now, limit, perWebhook)
    const places = inTurns(
      queues.map((queue) => queue.places),
      limit
    )
    const taken = yield* take(places, lease, now + leaseMillis)
    const fields = yield* webhooksOf(taken)
    const isTaken = new Set(places)
    yield* receivers.turned(
      queues.map(({ held, places: due, servedAt, tenantId, webhookId }) => {
        const count = due.filter((place) => isTaken.has(place)).length
        return { tenantId, webhookId, servedAt: count > 0 ? now : servedAt, isFull: held + count >= perWebhook }
      }),
      now
    )
    const [earliest] = yield* rows(next({}))
    const nextDueAt = earliest?.due_at ?? null
    const byPosition = new Map(taken.map((row) => [Number(row.position), deliveryOf(row)]))
    const claimed = places.flatMap(({ place }): ReadonlyArray<ClaimedDelivery> => {
      const delivery = byPosition.get(place)
      return delivery === undefined
        ? []
        : [{ delivery, lease, webhook: Result.transposeOption(Option.fromUndefinedOr(fields.get(keyOf(delivery)))) }]
    })
    return { claimed, nextDueAt: nextDueAt === null ? null : Number(nextDueAt) }
  }
}
