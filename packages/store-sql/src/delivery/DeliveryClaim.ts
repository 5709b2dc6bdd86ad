import type { Instant } from "@wcs/domain/shared/Instant"
import { inTurns } from "@wcs/domain/shared/Turns"
import type { Claim, Claimed, ClaimedDelivery } from "@wcs/domain/webhook/DeliveryStore"
import { type Lease, needsRenewal } from "@wcs/domain/webhook/Lease"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import { Option, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { keepForBatches } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"
import { rows, type Script } from "../engine/Script.ts"
import { type ResourceRow, tableOf } from "../resource/ResourceTable.ts"
import { webhookOf } from "./DeliveryFanOut.ts"
import { type DeliveryRow, deliveryOf, selectedOfDelivery } from "./DeliveryRows.ts"
import { keyOf, type Receiver, type ReceiverKey, type Receivers, type Turn } from "./Receivers.ts"

interface ChosenRow {
  readonly tenant_id: string
  readonly webhook_id: string
  readonly claim_at: unknown
  readonly served_at: unknown
}

interface CandidateRow {
  readonly tenant_id: string
  readonly webhook_id: string
  readonly position: unknown
  readonly id: string
  readonly due_at: unknown
}

const candidateColumns = { tenant: "TEXT", webhook: "TEXT", places: "BIGINT" } as const

/** A webhook whose deliveries may be claimed: since when it waits, and the maximum number of deliveries to claim. */
interface Queue extends Turn {
  readonly isNew: boolean
  readonly since: Instant
  readonly room: number
  readonly unsettled: ReadonlySet<string>
}

/** A delivery that is not in flight. */
interface Waiting {
  readonly tenant: string
  readonly place: number
  readonly dueAt: Instant
}

/** A queue with its open deliveries, the due ones that may be claimed, and since when the queue waits. */
interface Line {
  readonly queue: Queue
  readonly all: ReadonlyArray<Waiting>
  readonly due: ReadonlyArray<Waiting>
  readonly since: Instant
}

const nothing: ReadonlySet<string> = new Set()

const makeStatements = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  return {
    choose: keep<{ now: Instant; limit: number }, ChosenRow>(
      sql,
      (at) => sql`SELECT r.tenant_id, r.webhook_id, r.claim_at, r.served_at
        FROM receiver AS r${dialect.indexedBy("receiver_by_claim")}
        WHERE r.claim_at <= ${at("now")} AND (r.leased_until IS NULL OR r.leased_until <= ${at("now")})
        ORDER BY r.claim_at, r.served_at LIMIT ${at("limit")}${dialect.forUpdateOfFree}`
    ),
    candidates: keepForBatches(
      sql,
      dialect,
      candidateColumns,
      ({ rows: batch }) => sql<CandidateRow>`WITH n AS MATERIALIZED (${batch})
        SELECT d.tenant_id, d.webhook_id, d.position, d.id, d.due_at FROM n ${dialect.joinEach(
          "delivery",
          "d",
          sql.literal("n.tenant"),
          sql`SELECT x.position FROM delivery AS x${dialect.indexedBy("delivery_waiting")}
            WHERE x.tenant_id = n.tenant AND x.webhook_id = n.webhook AND x.due_at IS NOT NULL
            ORDER BY x.due_at, x.position LIMIT (SELECT max(places) FROM n)`
        )}`
    ),
    hand: keepForBatches(
      sql,
      dialect,
      { tenant: "TEXT", place: "BIGINT", due_by: "BIGINT" },
      ({ rows: batch }) => sql<DeliveryRow>`WITH n AS MATERIALIZED (${batch})
        SELECT d.position, ${sql.literal(selectedOfDelivery("d"))}
        FROM n CROSS JOIN delivery AS d WHERE d.tenant_id = n.tenant AND d.position = n.place AND d.due_at <= n.due_by`
    ),
    webhooks: keepForBatches(
      sql,
      dialect,
      { tenant: "TEXT", webhook: "TEXT" },
      ({ rows: batch }) => sql<ResourceRow>`WITH n AS MATERIALIZED (${batch})
        SELECT r.tenant_id, ${sql.literal(tableOf(Webhook).selected)}
        FROM n CROSS JOIN webhook AS r WHERE r.tenant_id = n.tenant AND r.id = n.webhook AND r.deleted_at IS NULL`
    ),
    next: keep<Record<never, never>, { readonly claim_at: unknown }>(
      sql,
      () => sql`SELECT min(r.claim_at) AS claim_at FROM receiver AS r${dialect.indexedBy("receiver_by_claim")}
        WHERE r.claim_at IS NOT NULL`
    ),
    leasedByOthers: keep<{ now: Instant; until: Instant; holder: string }, object>(
      sql,
      (at) => sql`SELECT r.webhook_id FROM receiver AS r${dialect.indexedBy("receiver_by_claim")}
        WHERE r.claim_at > ${at("now")} AND r.claim_at <= ${at("until")} AND r.leased_until > ${at("now")}
        AND r.leased_by <> ${at("holder")} LIMIT 1`
    )
  }
}

/** The due deliveries of each queue that fit its room, longest-waiting queue first. */
const linesOf = (queues: ReadonlyArray<Queue>, waiting: ReadonlyMap<string, ReadonlyArray<Waiting>>, now: Instant) =>
  queues
    .map((queue): Line => {
      const all = waiting.get(keyOf(queue)) ?? []
      const since = Math.max(queue.since, ...all.slice(0, 1).map(({ dueAt }) => dueAt))
      return { queue, all, due: all.filter(({ dueAt }) => dueAt <= now).slice(0, queue.room), since }
    })
    .sort((one, two) => one.since - two.since || one.queue.servedAt - two.queue.servedAt)

/**
 * Releases the leases without unsettled deliveries and renews those that need it. Returns the leases that are still
 * valid; an expired one may belong to another worker now.
 */
function* renewLeases(receivers: Receivers, { holder, leaseMillis, leases, now }: Claim): Script<ReadonlyArray<Lease>> {
  const leaseOf = new Map(leases.map((lease) => [keyOf(lease), lease]))
  const isOwn = ({ leasedBy }: Receiver) => leasedBy === holder
  const isEmpty = (key: ReceiverKey) => leaseOf.get(keyOf(key))?.unsettled.size === 0
  const leasesOf = (some: ReadonlyArray<Receiver>) => some.flatMap((one) => leaseOf.get(keyOf(one)) ?? [])
  const isLasting = (one: Receiver) => !isEmpty(one) && !needsRenewal(one.leasedUntil ?? now, now, leaseMillis)
  const own = (yield* receivers.read(leases)).filter(isOwn)
  const locked = (yield* receivers.lock(own.filter((one) => !isLasting(one)))).filter(isOwn)
  const kept = locked.filter((one) => !isEmpty(one))
  yield* receivers.release(leasesOf(locked.filter(isEmpty)))
  yield* receivers.lease(leasesOf(kept), holder, now + leaseMillis)
  return leasesOf([...own.filter(isLasting), ...kept])
}

/** The reads of a claim. */
const makeReads = (sql: SqlClient.SqlClient) => {
  const { candidates, choose, hand, leasedByOthers, next, webhooks } = makeStatements(sql)

  /** The webhooks that the worker leases, and unleased ones with due deliveries, locked. */
  function* queuesOf(request: Claim, own: ReadonlyArray<Lease>): Script<ReadonlyArray<Queue>> {
    const { leases, limit, now, perWebhook, acquires } = request
    if (limit <= 0) return []
    const leased = own.map((lease): Queue => ({ ...lease, isNew: false, since: lease.servedAt }))
    if (!acquires) return leased
    const chosen = yield* rows(choose({ now, limit }))
    const known = new Map(leases.map((lease) => [keyOf(lease), lease]))
    const taken = chosen.map((row): Queue => {
      const key = { tenantId: row.tenant_id, webhookId: row.webhook_id }
      return {
        ...key,
        isNew: true,
        since: Number(row.claim_at),
        servedAt: Number(row.served_at),
        room: known.get(keyOf(key))?.room ?? perWebhook,
        unsettled: known.get(keyOf(key))?.unsettled ?? nothing
      }
    })
    return [...leased, ...taken]
  }

  /** The first deliveries of each queue that are not in flight, due or not. */
  function* waitingOf(queues: ReadonlyArray<Queue>): Script<ReadonlyMap<string, ReadonlyArray<Waiting>>> {
    const [first, ...others] = queues
      .filter(({ room }) => room > 0)
      .map(({ room, tenantId, unsettled, webhookId }) => ({
        tenant: tenantId,
        webhook: webhookId,
        places: unsettled.size + room
      }))
    if (first === undefined) return new Map()
    const found = yield* rows(candidates([first, ...others]))
    const byReceiver = Map.groupBy(found, (row) => keyOf({ tenantId: row.tenant_id, webhookId: row.webhook_id }))
    return new Map(
      queues.map((queue) => [
        keyOf(queue),
        (byReceiver.get(keyOf(queue)) ?? [])
          .filter(({ id }) => !queue.unsettled.has(id))
          .map((row) => ({ tenant: row.tenant_id, place: Number(row.position), dueAt: Number(row.due_at) }))
          .sort((one, two) => one.dueAt - two.dueAt || one.place - two.place)
      ])
    )
  }

  function* claimedRows(places: ReadonlyArray<Waiting>, now: Instant): Script<ReadonlyArray<DeliveryRow>> {
    const [first, ...others] = places.map(({ place, tenant }) => ({ tenant, place, due_by: now }))
    return first === undefined ? [] : yield* rows(hand([first, ...others]))
  }

  /** The webhooks of these deliveries, by key. */
  function* webhooksOf(
    taken: ReadonlyArray<DeliveryRow>
  ): Script<ReadonlyMap<string, Result.Result<WebhookFields, unknown>>> {
    const keys = new Map(taken.map((row) => [keyOf({ tenantId: row.tenant_id, webhookId: row.webhook_id }), row]))
    const [first, ...others] = Array.from(keys.values(), ({ tenant_id, webhook_id }) => ({
      tenant: tenant_id,
      webhook: webhook_id
    }))
    if (first === undefined) return new Map()
    const found = yield* rows(webhooks([first, ...others]))
    return new Map(
      found.map((row) => [keyOf({ tenantId: String(row["tenant_id"]), webhookId: row.id }), webhookOf(row)])
    )
  }

  /** When more may be due: the next delivery of own webhooks, or the `claim_at` of the others. */
  function* nextOf(lines: ReadonlyArray<Line>, isTaken: (one: Waiting) => boolean): Script<Instant | null> {
    const [earliest] = yield* rows(next({}))
    if (earliest === undefined || earliest.claim_at === null) return null
    const own = lines.flatMap(({ all, queue: { room } }) => {
      const left = all.filter((one) => !isTaken(one))
      return all.length - left.length < room ? left.map(({ dueAt }) => dueAt) : []
    })
    return Math.min(Number(earliest.claim_at), ...own)
  }

  return { claimedRows, leasedByOthers, nextOf, queuesOf, waitingOf, webhooksOf }
}

/**
 * Claims due deliveries. A worker need not lock the receivers that it leases. Others are locked before their due
 * deliveries are read.
 */
export const makeClaim = (sql: SqlClient.SqlClient, receivers: Receivers) => {
  const { claimedRows, leasedByOthers, nextOf, queuesOf, waitingOf, webhooksOf } = makeReads(sql)

  return function* (request: Claim): Script<Claimed> {
    const { holder, leaseMillis, limit, now } = request
    const own = yield* renewLeases(receivers, request)
    const queues = yield* queuesOf(request, own)
    const lines = linesOf(queues, yield* waitingOf(queues), now)
    const chosen = inTurns(
      lines.map(({ due }) => due),
      limit
    )
    const rowOf = new Map((yield* claimedRows(chosen, now)).map((row) => [Number(row.position), row]))
    const isTaken = (one: Waiting) => rowOf.has(one.place)
    const fields = yield* webhooksOf([...rowOf.values()])
    const fresh = lines.filter(({ queue }) => queue.isNew)
    const served = fresh.filter(({ due }) => due.some(isTaken))
    yield* receivers.lease(
      served.map(({ queue }) => ({ ...queue, servedAt: now })),
      holder,
      now + leaseMillis
    )
    yield* receivers.release(fresh.filter(({ due }) => due.length === 0).map(({ queue }) => queue))
    const nextDueAt = yield* nextOf(lines, isTaken)
    const isIdle = own.length + rowOf.size === 0 && nextDueAt !== null
    const others = isIdle ? yield* rows(leasedByOthers({ now, until: now + leaseMillis, holder })) : []
    const claimed = chosen.flatMap(({ place }): ReadonlyArray<ClaimedDelivery> => {
      const row = rowOf.get(place)
      if (row === undefined) return []
      const delivery = deliveryOf(row)
      const webhook = Option.fromUndefinedOr(fields.get(keyOf(delivery)))
      return [{ delivery, webhook: Result.transposeOption(webhook) }]
    })
    return { claimed, nextDueAt, isLeasedByOthers: others.length > 0 }
  }
}
