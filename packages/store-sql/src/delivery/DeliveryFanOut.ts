import type { Instant } from "@wcs/domain/shared/Instant"
import type { DeliveryDraft } from "@wcs/domain/webhook/Delivery"
import type { FailedEvent, Subscriber, WaitingEvent } from "@wcs/domain/webhook/FanOut"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import { Result } from "effect"
import type { SqlClient } from "effect/sql"
import { keepForBatches } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { type ResourceRow, tableOf } from "../resource/ResourceTable.ts"
import { type EventRow, eventOf, selectedOfEvent } from "./EventStoreSql.ts"

interface WaitingRow extends EventRow {
  readonly tenant_id: string
  readonly waiting: unknown
}

/** The subscribers of a kind, and the faults of those that cannot be read. */
interface Audience {
  readonly subscribers: ReadonlyArray<Subscriber>
  readonly faults: ReadonlyArray<unknown>
}

/** The value of `waiting` before the first try. */
export const notTried = 1

const nobody: Audience = { subscribers: [], faults: [] }

/** The webhook of a row, or why it cannot be decoded. */
export const webhookOf = (row: ResourceRow): Result.Result<WebhookFields, unknown> =>
  Result.try(() => tableOf(Webhook).decode(row).fields)

const faultsOf = (results: ReadonlyArray<Result.Result<unknown, unknown>>): ReadonlyArray<unknown> =>
  results.filter(Result.isFailure).map(({ failure }) => failure)

const makeStatements = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  return {
    waiting: keep<{ now: Instant; limit: number }, WaitingRow>(
      sql,
      (at) => sql`SELECT r.tenant_id, r.waiting, ${sql.literal(selectedOfEvent)}
        FROM event AS r${dialect.indexedBy("event_waiting")} WHERE r.waiting <= ${at("now")}
        ORDER BY r.waiting, r.position LIMIT ${at("limit")}${dialect.forUpdateOfFree}`
    ),
    subscribers: keepForBatches(
      sql,
      dialect,
      { tenant: "TEXT", wanted: "TEXT" },
      ({ rows: batch }) => sql`WITH n AS MATERIALIZED (${batch})
        SELECT r.tenant_id, s.kind, ${sql.literal(tableOf(Webhook).selected)}
        FROM n CROSS JOIN subscription AS s CROSS JOIN webhook AS r
        WHERE s.tenant_id = n.tenant AND s.kind = n.wanted
        AND r.tenant_id = s.tenant_id AND r.id = s.subscriber_id AND r.deleted_at IS NULL`
    ),
    /** Sets `waiting`: null when the event is sent, else when it is retried. */
    wait: keepForBatches(
      sql,
      dialect,
      { tenant: "TEXT", place: "BIGINT", until: "BIGINT" },
      ({ rows: batch }) => sql`WITH n AS MATERIALIZED (${batch}) UPDATE event SET waiting = n.until FROM n
        WHERE event.tenant_id = n.tenant AND event.position = n.place`
    )
  }
}

/** Sends pending events to their subscribers and marks them as sent or as dead letters. */
export const makeFanOut = (
  sql: SqlClient.SqlClient,
  insert: (drafts: ReadonlyArray<DeliveryDraft>) => Script<void>
) => {
  const { subscribers, wait, waiting } = makeStatements(sql)

  /** The subscribers of these events, by tenant and kind. */
  function* audienceOf(events: ReadonlyArray<WaitingRow>): Script<ReadonlyMap<string, Audience>> {
    const kinds = new Map(
      events.map(({ kind, tenant_id }) => [`${tenant_id} ${kind}`, { tenant: tenant_id, wanted: kind }])
    )
    const [first, ...others] = kinds.values()
    if (first === undefined) return new Map()
    const found = (yield* rows(subscribers([first, ...others]))) as ReadonlyArray<ResourceRow>
    const decoded = new Map<string, ReturnType<typeof webhookOf>>()
    const decode = (row: ResourceRow) => {
      const key = `${row["tenant_id"]} ${row.id}`
      const webhook = decoded.get(key) ?? webhookOf(row)
      decoded.set(key, webhook)
      return Result.map(webhook, (fields) => ({ webhookId: row.id, createdAt: Number(row["created_at"]), fields }))
    }
    const byKind = Map.groupBy(found, (row) => `${row["tenant_id"]} ${row["kind"]}`)
    return new Map(
      Array.from(byKind, ([key, all]) => {
        const read = all.map(decode)
        return [
          key,
          { subscribers: read.filter(Result.isSuccess).map(({ success }) => success), faults: faultsOf(read) }
        ]
      })
    )
  }

  return function* (
    request: { readonly now: Instant; readonly limit: number; readonly retryAt: (at: Instant) => Instant },
    decide: (event: WaitingEvent, subscribers: ReadonlyArray<Subscriber>) => ReadonlyArray<DeliveryDraft>
  ): Script<{ readonly taken: number; readonly deadLettered: ReadonlyArray<FailedEvent> }> {
    const events = yield* rows(waiting(request))
    const audience = yield* audienceOf(events)
    const outcomes = events.map((row) => {
      const tenantId = row.tenant_id
      const { faults, subscribers } = audience.get(`${tenantId} ${row.kind}`) ?? nobody
      const drafts = Result.try(() => {
        const { position: _, ...event } = eventOf(row)
        return decide({ ...event, tenantId, isRetry: Number(row.waiting) > notTried }, subscribers)
      })
      const all = [...faultsOf([drafts]), ...faults]
      const until = all.length === 0 ? null : request.retryAt(Number(row.at))
      return { row, drafts: Result.getOrElse(drafts, () => []), fault: all[0], until }
    })
    const [first, ...others] = outcomes.map(({ row, until }) => ({
      tenant: row.tenant_id,
      place: Number(row.position),
      until
    }))
    if (first === undefined) return { taken: 0, deadLettered: [] }
    yield* insert(outcomes.flatMap(({ drafts }) => drafts))
    yield* changes(wait([first, ...others]))
    const deadLettered = outcomes.flatMap(({ fault, row, until }) =>
      until === null ? [] : [{ tenantId: row.tenant_id, eventId: row.id, until, fault }]
    )
    return { taken: events.length, deadLettered }
  }
}
