import {
  boundBy,
  isUnderWay,
  peek,
  perMinute,
  type Quota,
  type RateKey,
  type RateLimit,
  RateLimiter,
  type RateLimits,
  type RateLimitTier,
  strictest,
  take,
  takeBoth,
  type Window
} from "@wcs/domain/access/RateLimitTier"
import type { Instant } from "@wcs/domain/shared/Instant"
import { Clock, Effect, Layer, Schedule, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { keep } from "./Query.ts"

// Servers that share a database share its windows. Each takes permits from a window in blocks and counts its calls
// against them locally, so all servers together never exceed the limit. A rare caller takes permits one by one, a
// frequent caller some hundred at a time. Unused permits of a block are lost. Every call of a tenant counts against its
// budget too. To save the second statement, a block of a budget has at least a hundredth of it.

/** The clock that ends a window: the database's, shared by all servers, or that of `Effect`. */
type TimeBy = "database" | "caller"

/** The maximum number of permits of a block. */
const blockMax = 1_000
/** The tiers of a tenant's budget, with their smallest block as a part of the limit. */
const smallestBlock: Readonly<Partial<Record<RateLimitTier, number>>> = {
  tenantStandard: 1 / 100,
  tenantIntensive: 1 / 100
}
/** A block that lasted less than this was too small. */
const blockMillis = 250
/** The maximum number of keys in memory. The permits of an evicted key are lost. */
const keysMax = 100_000
/**
 * The tolerance for a clock that seems to go back, as for a statement that had to wait. Windows that begin later than
 * that are invalid.
 */
const slackMillis = 60_000
/** How often expired windows are deleted, and how many per run. */
const sweepEvery = "1 minute"
const sweepMax = 10_000

const moment = (sql: SqlClient.SqlClient, now: unknown) =>
  sql`SELECT COALESCE(CAST(${now} AS BIGINT), CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)) AS now`

interface WindowRow {
  readonly now: unknown
  readonly started_at: unknown
  readonly used: unknown
  readonly granted: unknown
}

interface Asked {
  readonly tier: RateLimitTier
  readonly key: string
  readonly calls: number
  readonly millis: number
  readonly wanted: number
  readonly now: Instant | null
  readonly slack: number
}

const makeStatements = (sql: SqlClient.SqlClient) => ({
  /**
   * `take` of `RateLimitTier` for several calls, up to a tenth of the remainder. It runs in the engine, because only
   * the engine sees the calls of all servers in order. The suite compares it with `RateLimitTier`.
   */
  take: keep<Asked, WindowRow>(sql, (at) => {
    const number = (name: "calls" | "millis" | "wanted" | "slack") => sql`CAST(${at(name)} AS BIGINT)`
    const granted = (used: string) => {
      const left = sql`(${number("calls")} - ${sql.literal(used)})`
      return sql`LEAST(${number("wanted")}, GREATEST(1, ${left} / 10), GREATEST(0, ${left}))`
    }
    return sql<WindowRow>`WITH moment AS MATERIALIZED (${moment(sql, at("now"))})
      INSERT INTO rate_window AS w (tier, key, started_at, ends_at, used, granted)
      SELECT CAST(${at("tier")} AS TEXT), CAST(${at("key")} AS TEXT), now, now + ${number("millis")},
        ${granted("0")}, ${granted("0")} FROM moment
      ON CONFLICT (tier, key) DO UPDATE SET (started_at, ends_at, used, granted) = (
        SELECT began.started_at, began.started_at + ${number("millis")}, began.used + ${granted("began.used")},
          ${granted("began.used")}
        FROM (SELECT CASE WHEN isover THEN excluded.started_at ELSE w.started_at END AS started_at,
            CASE WHEN isover THEN 0 ELSE w.used END AS used
          FROM (SELECT excluded.started_at >= w.started_at + ${number("millis")}
            OR excluded.started_at < w.started_at - ${number("slack")} AS isover) AS judged) AS began)
      RETURNING started_at, used, granted, (SELECT now FROM moment) AS now`
  }),
  peek: keep<Pick<Asked, "tier" | "key" | "now">, WindowRow>(
    sql,
    (at) => sql<WindowRow>`WITH moment AS MATERIALIZED (${moment(sql, at("now"))})
      SELECT m.now, w.started_at, w.used, w.granted FROM moment AS m
      LEFT JOIN rate_window AS w ON w.tier = CAST(${at("tier")} AS TEXT) AND w.key = CAST(${at("key")} AS TEXT)`
  ),
  sweep: sql`DELETE FROM rate_window WHERE ctid IN (
    SELECT ctid FROM rate_window
    WHERE ends_at < CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) - CAST(${slackMillis} AS BIGINT)
    LIMIT ${sweepMax} FOR UPDATE SKIP LOCKED)`
})

/** This process's part of a window. */
interface Block {
  readonly limit: RateLimit
  /** By this process's clock. Permits of other processes count as used. */
  window: Window
  /** Calls that this process may still allow. */
  permits: number
  /** The number of permits that the process asked for. */
  readonly size: number
  readonly askedAt: Instant
}

interface Key {
  readonly turn: Semaphore.Semaphore
  /** Calls that wait for permits. */
  waiting: number
  block: Block | undefined
}

/**
 * A row's window by this process's clock. It ends no later here than in the database, since the row was requested at
 * `askedAt`. If the statement had to wait, the window may have begun since.
 */
const windowOf = ({ now, started_at, used }: WindowRow, unused: number, askedAt: Instant, slack: number): Window => {
  const elapsed = Number(now) - Number(started_at)
  return { startedAt: askedAt - (elapsed < 0 && elapsed >= -slack ? 0 : elapsed), used: Number(used) - unused }
}

/** A key with the limit that applies to a call. */
interface Bound {
  readonly key: Key
  readonly limit: RateLimit
}

/** The quota of a call, and the local part of the window that counted it. */
interface Taken {
  readonly quota: Quota
  readonly block: Block
}

/** Whether the local state decides the next call: permits are left, or the window is known to be exhausted. */
const isTold = (block: Block, limit: RateLimit, now: Instant): boolean =>
  block.limit.calls === limit.calls &&
  block.limit.windowSeconds === limit.windowSeconds &&
  isUnderWay(block.window, limit, now) &&
  (block.permits > 0 || block.window.used >= limit.calls)

/** Returns the local state of a key if it decides the next call. */
const toldOf = ({ key: { block }, limit }: Bound, now: Instant): Block | undefined =>
  block !== undefined && isTold(block, limit, now) ? block : undefined

/** Counts a call against the local permits. Undefined if they do not decide the call. */
const takeLocally = (bound: Bound, now: Instant): Taken | undefined => {
  const block = toldOf(bound, now)
  if (block === undefined) return undefined
  const taken = take(block.window, bound.limit, now)
  block.window = taken.window
  if (!taken.quota.exceeded) block.permits--
  return { quota: taken.quota, block }
}

/** The same for two keys. If one window is exhausted, the other is not needed. */
const takeBothLocally = (first: Bound, second: Bound, now: Instant): Quota | undefined => {
  const [one, other] = [toldOf(first, now), toldOf(second, now)]
  if (one === undefined || other === undefined) {
    const alone = one === undefined ? other : one
    const quota = alone === undefined ? undefined : peek(alone.window, alone.limit, now)
    return quota?.exceeded === true ? quota : undefined
  }
  const { quota, windows } = takeBoth({ ...first, window: one.window }, { ...second, window: other.window }, now)
  if (windows === null) return quota
  one.window = windows[0]
  other.window = windows[1]
  one.permits--
  other.permits--
  return quota
}

/** Returns the permit of a call that was refused by another window. It is lost if a new block came meanwhile. */
const giveBack = ({ block: present }: Key, { block, quota }: Taken): void => {
  if (present !== block || quota.exceeded) return
  block.permits++
  block.window = { ...block.window, used: block.window.used - 1 }
}

/** The known keys, oldest first. */
const makeKeys = () => {
  const keys = new Map<string, Key>()
  return (name: string): Key => {
    const known = keys.get(name)
    if (known !== undefined) return known
    const [oldest] = keys.keys()
    if (keys.size >= keysMax && oldest !== undefined) keys.delete(oldest)
    const key: Key = { turn: Semaphore.makeUnsafe(1), waiting: 0, block: undefined }
    keys.set(name, key)
    return key
  }
}

export const make = Effect.fnUntraced(function* (limits: RateLimits, timeBy: TimeBy) {
  const sql = yield* SqlClient.SqlClient
  const statements = makeStatements(sql)
  const keyOf = makeKeys()
  const timeOf = (now: Instant) => (timeBy === "caller" ? now : null)
  const slack = timeBy === "caller" ? 0 : slackMillis

  /**
   * Takes a block of permits: twice the last size if the last block was used up early, else the smallest, and at least
   * one per waiting call.
   */
  const ask = Effect.fnUntraced(function* ({ key, limit }: Bound, tier: RateLimitTier, name: string) {
    const askedAt = yield* Clock.currentTimeMillis
    const { askedAt: before = 0, size: last = 1 } = key.block ?? {}
    const { calls, windowSeconds } = limit
    const smallest = Math.max(1, Math.ceil(calls * (smallestBlock[tier] ?? 0)))
    const size = Math.min(Math.max(smallest, Math.abs(askedAt - before) < blockMillis ? 2 * last : 1), blockMax)
    const asked = { tier, key: name, calls, millis: windowSeconds * 1000, now: timeOf(askedAt), slack }
    const [row] = yield* Effect.orDie(statements.take({ ...asked, wanted: Math.max(size, key.waiting) }))
    if (row === undefined) return yield* Effect.die(new Error("a rate-limit window was neither created nor found"))
    const permits = Number(row.granted)
    key.block = { limit, window: windowOf(row, permits, askedAt, slack), permits, size, askedAt }
    return (
      takeLocally({ key, limit }, askedAt) ??
      (yield* Effect.die(new Error("permits were granted without a rate-limit window")))
    )
  })

  const boundOf = ({ key, own, tier }: RateKey): Bound => ({
    key: keyOf(`${tier} ${key}`),
    limit: boundBy(perMinute(limits[tier]), own)
  })

  const takeOne = (asked: RateKey, bound: Bound): Effect.Effect<Taken> => {
    const { key } = bound
    const local = Effect.map(Clock.currentTimeMillis, (now) => takeLocally(bound, now))
    const askInTurn = Effect.suspend(() => {
      key.waiting++
      const asking = Effect.flatMap(local, (taken) =>
        taken === undefined ? ask(bound, asked.tier, asked.key) : Effect.succeed(taken)
      )
      return Effect.ensuring(
        key.turn.withPermit(asking),
        Effect.sync(() => {
          key.waiting--
        })
      )
    })
    return Effect.flatMap(local, (taken) => (taken === undefined ? askInTurn : Effect.succeed(taken)))
  }

  /** Counts in both windows at once, and gives back what was counted if the other refuses. */
  const askBoth = Effect.fnUntraced(function* (asked: readonly [RateKey, RateKey], first: Bound, second: Bound) {
    const taking = [takeOne(asked[0], first), takeOne(asked[1], second)] as const
    const [one, other] = yield* Effect.all(taking, { concurrency: "unbounded" })
    const quota = strictest([one.quota, other.quota])
    if (quota.exceeded) {
      giveBack(first.key, one)
      giveBack(second.key, other)
    }
    return quota
  })

  const takeBothAt: RateLimiter["Service"]["takeBoth"] = (first, second, now) => {
    const [one, other] = [boundOf(first), boundOf(second)]
    const quota = takeBothLocally(one, other, now)
    return quota === undefined ? askBoth([first, second], one, other) : Effect.succeed(quota)
  }

  const peekAt: RateLimiter["Service"]["peek"] = Effect.fnUntraced(function* (tier, name, own = null) {
    const bound = boundOf({ tier, key: name, own })
    const { limit } = bound
    const now = yield* Clock.currentTimeMillis
    const block = toldOf(bound, now)
    if (block !== undefined) return peek(block.window, limit, now)
    const [row] = yield* Effect.orDie(statements.peek({ tier, key: name, now: timeOf(now) }))
    return peek(row === undefined || row.used === null ? undefined : windowOf(row, 0, now, slack), limit, now)
  })

  const sweep = Effect.repeat(Effect.ignore(statements.sweep), Schedule.spaced(sweepEvery))
  if (timeBy === "database") yield* Effect.forkScoped(sweep)
  return RateLimiter.of({
    limits,
    take: (tier, key, own = null) => {
      const asked = { tier, key, own }
      return Effect.map(takeOne(asked, boundOf(asked)), ({ quota }) => quota)
    },
    takeBoth: takeBothAt,
    peek: peekAt
  })
})

/** A rate limiter for all processes that share a Postgres database. */
export const layer = (
  limits: RateLimits,
  timeBy: TimeBy = "database"
): Layer.Layer<RateLimiter, never, SqlClient.SqlClient> => Layer.effect(RateLimiter, make(limits, timeBy))
