import type { Instant } from "@wcs/domain/shared/Instant"
import type { DeliveryDraft } from "@wcs/domain/webhook/Delivery"
import type { FailedEvent, Subscriber, WaitingEvent } from "@wcs/domain/webhook/FanOut"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import { Result } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { inStatements, keepForBatches } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { type ResourceRow, tableOf } from "../resource/ResourceTable.ts"
import { deadLetterColumns } from "./DeadLetterRows.ts"
import { type EventRow, eventOf, selectedOfEvent } from "./EventStoreSql.ts"

interface UnsentRow extends EventRow {
  readonly tenant_id: string
  readonly state: "pending" | "retrying"
  readonly traceparent: string | null
  readonly keeps_answers: unknown
}

interface PlaceRow {
  readonly tenant_id: string
  readonly position: unknown
  readonly retry_at: unknown
}

/** The place after which events are read, and their number. */
interface PlacesAfter {
  readonly now: Instant
  readonly retryAt: number
  readonly position: number
  readonly limit: number
}

/** The subscribers of a kind, and the faults of those that cannot be read. */
interface Audience {
  readonly subscribers: ReadonlyArray<Subscriber>
  readonly faults: ReadonlyArray<unknown>
}

/** The columns of an event that was sent. */
const sent = { state: "sent", retry_at: null }

const nobody: Audience = { subscribers: [], faults: [] }

/** The webhook of a row, or why it cannot be decoded. */
export const webhookOf = (row: ResourceRow): Result.Result<WebhookFields, unknown> =>
  Result.try(() => tableOf(Webhook).decode(row).fields)

const faultsOf = (results: ReadonlyArray<Result.Result<unknown, unknown>>): ReadonlyArray<unknown> =>
  results.filter(Result.isFailure).map(({ failure }) => failure)

const makeStatements = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const selected = sql.literal(`r.tenant_id, r.state, r.traceparent, r.keeps_answers, ${selectedOfEvent}`)
  /** The first unsent events that meet a condition, in the order of the index. */
  const ordered = (columns: Statement.Fragment, which: Statement.Fragment, limit: Statement.Fragment) =>
    sql`SELECT ${columns} FROM event AS r${dialect.indexedBy("event_unsent")} WHERE r.state <> 'sent' AND ${which}
        ORDER BY r.retry_at, r.position LIMIT ${limit}`
  const first = (which: Statement.Fragment, limit: Statement.Fragment) =>
    sql`SELECT f.* FROM (${ordered(selected, which, limit)}${dialect.forUpdateOfFree}) AS f`
  const placeOf = sql.literal("r.tenant_id, r.position, r.retry_at")
  return {
    /** The next places of pending events of all tenants, and of retrying ones that are due, without locks. */
    pending: keep<PlacesAfter, PlaceRow>(
      sql,
      (at) => sql`${ordered(placeOf, sql`r.state = 'pending' AND r.position > ${at("position")}`, sql`${at("limit")}`)}`
    ),
    retrying: keep<PlacesAfter, PlaceRow>(
      sql,
      (at) =>
        sql`${ordered(
          placeOf,
          sql`r.state = 'retrying' AND r.retry_at <= ${at("now")}
          AND (r.retry_at, r.position) > (${at("retryAt")}, ${at("position")})`,
          sql`${at("limit")}`
        )}`
    ),
    /** Locks events that are still unsent and due, and are not locked. */
    lock: keepForBatches(
      sql,
      dialect,
      { tenant: "TEXT", place: "BIGINT", due_by: "BIGINT" },
      ({ rows: batch, fieldOf }) => sql<UnsentRow>`WITH n AS MATERIALIZED (${batch})
        SELECT ${selected} FROM n CROSS JOIN event AS r
        WHERE r.tenant_id = ${fieldOf("tenant")} AND r.position = n.place
        AND (r.state = 'pending' OR r.state = 'retrying' AND r.retry_at <= n.due_by) ORDER BY r.position${dialect.forUpdateOfFree}`
    ),
    /** Pending events, then retrying ones. The second SELECT runs only if the first finds fewer than the limit. */
    unsent: keep<{ now: Instant; limit: number }, UnsentRow>(sql, (at) => {
      const limit = sql`${at("limit")}`
      return sql`${first(sql`r.state = 'pending'`, limit)}
        UNION ALL ${first(sql`r.state = 'retrying' AND r.retry_at <= ${at("now")}`, limit)} LIMIT ${limit}`
    }),
    subscribers: keepForBatches(
      sql,
      dialect,
      { tenant: "TEXT", wanted: "TEXT" },
      ({ rows: batch, fieldOf }) => sql<ResourceRow>`WITH n AS MATERIALIZED (${batch})
        SELECT r.tenant_id, s.kind, ${sql.literal(tableOf(Webhook).selected)}
        FROM n CROSS JOIN subscription AS s CROSS JOIN webhook AS r
        WHERE s.tenant_id = ${fieldOf("tenant")} AND s.kind = n.wanted
        AND r.tenant_id = s.tenant_id AND r.id = s.subscriber_id AND r.deleted_at IS NULL`
    ),
    mark: keepForBatches(
      sql,
      dialect,
      { tenant: "TEXT", place: "BIGINT", state: "TEXT", retry_at: "BIGINT" },
      ({ rows: batch, fieldOf }) => sql`WITH n AS MATERIALIZED (${batch})
        UPDATE event SET state = n.state, retry_at = n.retry_at FROM n
        WHERE event.tenant_id = ${fieldOf("tenant")} AND event.position = n.place`
    )
  }
}

/** Sends pending events to their subscribers and marks them as sent or as dead letters. */
export const makeFanOut = (
  sql: SqlClient.SqlClient,
  insert: (drafts: ReadonlyArray<DeliveryDraft>) => Script<void>
) => {
  const dialect = dialectOf(sql)
  const { lock, mark, pending, retrying, subscribers, unsent } = makeStatements(sql)

  /** Locks events of one state, tenant by tenant. Looks beyond events that other transactions have locked. */
  function* lockedOf(
    find: typeof pending,
    { limit, now }: { readonly now: Instant; readonly limit: number }
  ): Script<ReadonlyArray<UnsentRow>> {
    const locked: Array<UnsentRow> = []
    for (let [retryAt, position] = [0, 0]; locked.length < limit; ) {
      const found = yield* rows(find({ now, retryAt, position, limit: limit - locked.length }))
      const places = found.map((row) => ({ tenant: row.tenant_id, place: Number(row.position), due_by: now }))
      const taken: Array<UnsentRow> = []
      for (const batch of inStatements(dialect, places, ({ tenant }) => tenant))
        taken.push(...(yield* rows(lock(batch))))
      const order = new Map(places.map(({ place }, index) => [place, index]))
      const placeOf = ({ position }: UnsentRow) => order.get(Number(position)) ?? 0
      locked.push(...taken.sort((one, two) => placeOf(one) - placeOf(two)))
      const last = found.at(-1)
      if (last === undefined || taken.length === found.length) break
      retryAt = Number(last.retry_at ?? 0)
      position = Number(last.position)
    }
    return locked
  }

  /** Locks the first unsent events. */
  function* unsentOf(request: { readonly now: Instant; readonly limit: number }): Script<ReadonlyArray<UnsentRow>> {
    if (!dialect.isDistributed) return yield* rows(unsent(request))
    const first = yield* lockedOf(pending, request)
    return [...first, ...(yield* lockedOf(retrying, { ...request, limit: request.limit - first.length }))]
  }

  /** The subscribers of these events, by tenant and kind. */
  function* audienceOf(events: ReadonlyArray<UnsentRow>): Script<ReadonlyMap<string, Audience>> {
    const kinds = new Map(
      events.map(({ kind, tenant_id }) => [`${tenant_id} ${kind}`, { tenant: tenant_id, wanted: kind }])
    )
    const found: Array<ResourceRow> = []
    for (const batch of inStatements(dialect, [...kinds.values()], ({ tenant }) => tenant)) {
      found.push(...(yield* rows(subscribers(batch))))
    }
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
    request: { readonly now: Instant; readonly limit: number; readonly retryAt: (at: Instant) => Instant | null },
    decide: (event: WaitingEvent, subscribers: ReadonlyArray<Subscriber>) => ReadonlyArray<DeliveryDraft>
  ): Script<{ readonly taken: number; readonly deadLettered: ReadonlyArray<FailedEvent> }> {
    const events = yield* unsentOf(request)
    const audience = yield* audienceOf(events)
    const outcomes = events.map((row) => {
      const tenantId = row.tenant_id
      const { faults, subscribers } = audience.get(`${tenantId} ${row.kind}`) ?? nobody
      const drafts = Result.try(() => {
        const { position: _, ...event } = eventOf(row)
        const { state, traceparent } = row
        return decide({ ...event, tenantId, traceparent, isRetry: state === "retrying" }, subscribers)
      })
      const all = [...faultsOf([drafts]), ...faults]
      const failed =
        all.length === 0
          ? undefined
          : { tenantId, eventId: row.id, until: request.retryAt(Number(row.at)), fault: all[0] }
      return { row, drafts: Result.getOrElse(drafts, () => []), failed }
    })
    if (outcomes.length === 0) return { taken: 0, deadLettered: [] }
    const marked = outcomes.map(({ failed, row }) => ({
      tenant: row.tenant_id,
      place: Number(row.position),
      ...(failed === undefined ? sent : deadLetterColumns(failed.until))
    }))
    yield* insert(
      outcomes.flatMap(({ drafts, row }) =>
        drafts.map((draft) => ({ ...draft, keepsAnswers: Number(row.keeps_answers) === 1 }))
      )
    )
    for (const batch of inStatements(dialect, marked, ({ tenant }) => tenant)) yield* changes(mark(batch))
    return { taken: events.length, deadLettered: outcomes.flatMap(({ failed }) => failed ?? []) }
  }
}
