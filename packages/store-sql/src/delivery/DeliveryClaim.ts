import type { Instant } from "@wcs/domain/shared/Instant"
import { inTurns } from "@wcs/domain/shared/Turns"
import type { Claim, Claimed, ClaimedDelivery } from "@wcs/domain/webhook/DeliveryStore"
import { type Hold, isWorn } from "@wcs/domain/webhook/Hold"
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
  readonly due_at: unknown
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

/** A receiver of which deliveries may be handed out: from when on it has a turn, and how many they may be. */
interface Queue extends Turn {
  readonly isNew: boolean
  readonly since: Instant
  readonly room: number
  readonly underWay: ReadonlySet<string>
}

/** A delivery of a receiver that is not under way. */
interface Waiting {
  readonly tenant: string
  readonly place: number
  readonly dueAt: Instant
}

/** A queue, what waits in it, what of that may be handed out, and since when the first of it waits for its turn. */
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
      (at) => sql`SELECT r.tenant_id, r.webhook_id, r.due_at, r.served_at
        FROM receiver AS r${dialect.indexedBy("receiver_due")}
        WHERE r.due_at <= ${at("now")} AND (r.held_until IS NULL OR r.held_until <= ${at("now")})
        ORDER BY r.due_at, r.served_at LIMIT ${at("limit")}${dialect.forUpdateOfFree}`
    ),
    candidates: keepForBatches(
      sql,
      dialect,
      candidateColumns,
      ({ rows: batch }) => sql`WITH n AS MATERIALIZED (${batch})
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
      ({ rows: batch }) => sql`WITH n AS MATERIALIZED (${batch})
        SELECT d.position, ${sql.literal(selectedOfDelivery("d"))}
        FROM n CROSS JOIN delivery AS d WHERE d.tenant_id = n.tenant AND d.position = n.place AND d.due_at <= n.due_by`
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
    ),
    heldByOthers: keep<{ now: Instant; until: Instant; holder: string }, object>(
      sql,
      (at) => sql`SELECT r.webhook_id FROM receiver AS r${dialect.indexedBy("receiver_due")}
        WHERE r.due_at > ${at("now")} AND r.due_at <= ${at("until")} AND r.held_until > ${at("now")}
        AND r.held_by <> ${at("holder")} LIMIT 1`
    )
  }
}

/** Hands out what is due. Who holds a receiver need not lock it; the others are locked before it is read what is due. */
export const makeClaim = (sql: SqlClient.SqlClient, receivers: Receivers) => {
  const { candidates, choose, hand, heldByOthers, next, webhooks } = makeStatements(sql)

  /**
   * Gives back the receivers of which nothing is under way, and prolongs holds that are worn. Answers those that are held
   * still: whose time is over may have been taken by another.
   */
  function* keepHolds({ holder, holdMillis, holds, now }: Claim): Script<ReadonlyArray<Hold>> {
    const holdOf = new Map(holds.map((hold) => [keyOf(hold), hold]))
    const isOwn = ({ heldBy }: Receiver) => heldBy === holder
    const isEmpty = (key: ReceiverKey) => holdOf.get(keyOf(key))?.underWay.size === 0
    const holdsOf = (some: ReadonlyArray<Receiver>) => some.flatMap((one) => holdOf.get(keyOf(one)) ?? [])
    const isLasting = (one: Receiver) => !isEmpty(one) && !isWorn(one.heldUntil ?? now, now, holdMillis)
    const own = (yield* receivers.read(holds)).filter(isOwn)
    const locked = (yield* receivers.lock(own.filter((one) => !isLasting(one)))).filter(isOwn)
    const kept = locked.filter((one) => !isEmpty(one))
    yield* receivers.free(holdsOf(locked.filter(isEmpty)))
    yield* receivers.hold(holdsOf(kept), holder, now + holdMillis)
    return holdsOf([...own.filter(isLasting), ...kept])
  }

  /** The receivers that are held and those that nobody holds, locked, as far as something of them may be due. */
  function* queuesOf(request: Claim, own: ReadonlyArray<Hold>): Script<ReadonlyArray<Queue>> {
    const { holds, limit, now, perWebhook, takesOn } = request
    if (limit <= 0) return []
    const held = own.map((hold): Queue => ({ ...hold, isNew: false, since: hold.servedAt }))
    if (!takesOn) return held
    const chosen = yield* rows(choose({ now, limit }))
    const known = new Map(holds.map((hold) => [keyOf(hold), hold]))
    const taken = chosen.map((row): Queue => {
      const key = { tenantId: row.tenant_id, webhookId: row.webhook_id }
      return {
        ...key,
        isNew: true,
        since: Number(row.due_at),
        servedAt: Number(row.served_at),
        room: known.get(keyOf(key))?.room ?? perWebhook,
        underWay: known.get(keyOf(key))?.underWay ?? nothing
      }
    })
    return [...held, ...taken]
  }

  /** The first deliveries of each queue, in their order, that are not under way, whether they are due or not. */
  function* waitingOf(queues: ReadonlyArray<Queue>): Script<ReadonlyMap<string, ReadonlyArray<Waiting>>> {
    const [first, ...others] = queues
      .filter(({ room }) => room > 0)
      .map(({ room, tenantId, underWay, webhookId }) => ({
        tenant: tenantId,
        webhook: webhookId,
        places: underWay.size + room
      }))
    if (first === undefined) return new Map()
    const found = (yield* rows(candidates([first, ...others]))) as ReadonlyArray<CandidateRow>
    const byReceiver = Map.groupBy(found, (row) => keyOf({ tenantId: row.tenant_id, webhookId: row.webhook_id }))
    return new Map(
      queues.map((queue) => [
        keyOf(queue),
        (byReceiver.get(keyOf(queue)) ?? [])
          .filter(({ id }) => !queue.underWay.has(id))
          .map((row) => ({ tenant: row.tenant_id, place: Number(row.position), dueAt: Number(row.due_at) }))
          .sort((one, two) => one.dueAt - two.dueAt || one.place - two.place)
      ])
    )
  }

  function* handed(places: ReadonlyArray<Waiting>, now: Instant): Script<ReadonlyArray<DeliveryRow>> {
    const [first, ...others] = places.map(({ place, tenant }) => ({ tenant, place, due_by: now }))
    return first === undefined ? [] : ((yield* rows(hand([first, ...others]))) as ReadonlyArray<DeliveryRow>)
  }

  /** The webhooks of some deliveries, by their keys. */
  function* webhooksOf(
    taken: ReadonlyArray<DeliveryRow>
  ): Script<ReadonlyMap<string, Result.Result<WebhookFields, unknown>>> {
    const keys = new Map(taken.map((row) => [keyOf({ tenantId: row.tenant_id, webhookId: row.webhook_id }), row]))
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

  /** What of each queue is due, as far as there is room, those first that have waited longest. */
  const linesOf = (queues: ReadonlyArray<Queue>, waiting: ReadonlyMap<string, ReadonlyArray<Waiting>>, now: Instant) =>
    queues
      .map((queue): Line => {
        const all = waiting.get(keyOf(queue)) ?? []
        const since = Math.max(queue.since, ...all.slice(0, 1).map(({ dueAt }) => dueAt))
        return { queue, all, due: all.filter(({ dueAt }) => dueAt <= now).slice(0, queue.room), since }
      })
      .sort((one, two) => one.since - two.since || one.queue.servedAt - two.queue.servedAt)

  /** When there may be more: of what one holds as soon as it is due, of others when their receivers say. */
  function* nextOf(lines: ReadonlyArray<Line>, isTaken: (one: Waiting) => boolean): Script<Instant | null> {
    const [earliest] = yield* rows(next({}))
    if (earliest === undefined || earliest.due_at === null) return null
    const own = lines.flatMap(({ all, queue: { room } }) => {
      const left = all.filter((one) => !isTaken(one))
      return all.length - left.length < room ? left.map(({ dueAt }) => dueAt) : []
    })
    return Math.min(Number(earliest.due_at), ...own)
  }

  return function* (request: Claim): Script<Claimed> {
    const { holder, holdMillis, limit, now } = request
    const own = yield* keepHolds(request)
    const queues = yield* queuesOf(request, own)
    const lines = linesOf(queues, yield* waitingOf(queues), now)
    const chosen = inTurns(
      lines.map(({ due }) => due),
      limit
    )
    const rowOf = new Map((yield* handed(chosen, now)).map((row) => [Number(row.position), row]))
    const isTaken = (one: Waiting) => rowOf.has(one.place)
    const fields = yield* webhooksOf([...rowOf.values()])
    const fresh = lines.filter(({ queue }) => queue.isNew)
    const served = fresh.filter(({ due }) => due.some(isTaken))
    yield* receivers.hold(
      served.map(({ queue }) => ({ ...queue, servedAt: now })),
      holder,
      now + holdMillis
    )
    yield* receivers.free(fresh.filter(({ due }) => due.length === 0).map(({ queue }) => queue))
    const nextDueAt = yield* nextOf(lines, isTaken)
    const isIdle = own.length + rowOf.size === 0 && nextDueAt !== null
    const others = isIdle ? yield* rows(heldByOthers({ now, until: now + holdMillis, holder })) : []
    const claimed = chosen.flatMap(({ place }): ReadonlyArray<ClaimedDelivery> => {
      const row = rowOf.get(place)
      if (row === undefined) return []
      const delivery = deliveryOf(row)
      const webhook = Option.fromUndefinedOr(fields.get(keyOf(delivery)))
      return [{ delivery, webhook: Result.transposeOption(webhook) }]
    })
    return { claimed, nextDueAt, isHeldByOthers: others.length > 0 }
  }
}
