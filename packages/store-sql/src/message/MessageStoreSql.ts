import type { Placed } from "@wcs/domain/message/Message"
import type { OfficerKind } from "@wcs/domain/message/MessageKind"
import { MessageStore, type MessagingTenant } from "@wcs/domain/message/MessageStore"
import { dayAfter } from "@wcs/domain/shared/Instant"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { AccessEpoch } from "../access/AccessEpoch.ts"
import { userColumns, userOf } from "../access/AccessRows.ts"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { LostRace, makeAtomically } from "../engine/Atomic.ts"
import type { Row } from "../engine/Columns.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import type { ResourceRow } from "../resource/ResourceTable.ts"
import { always, declinedBy, makeChoices } from "./ChoiceRows.ts"
import { makeFollow } from "./MessageEnd.ts"
import { makeQueue } from "./MessageQueue.ts"
import { makeOutbox, settingsOf, messageTable as table } from "./MessageRows.ts"

/** The days without a round after which news are old: nobody is told of them. */
const newsDays = 14

interface NamedRow {
  readonly id: string
  readonly name: string
  readonly time_zone: string
  readonly host: string | null
}

interface SettingsRow {
  readonly id: string
  readonly last_day: string | null
  readonly document: string | null
}

type TenantRow = NamedRow & SettingsRow

type Store = MessageStore["Service"]

const tenantOf = (row: TenantRow): MessagingTenant => ({
  tenantId: row.id,
  name: row.name,
  timeZone: row.time_zone,
  host: row.host,
  settings: settingsOf(row.id, row.document),
  lastDay: row.last_day ?? ""
})

/** A tenant whose settings are damaged sends nothing, and stops no other tenant. */
const soundTenantOf = (row: TenantRow): MessagingTenant =>
  Result.getOrElse(
    Result.try(() => tenantOf(row)),
    () => tenantOf({ ...row, document: null })
  )

/** Reads tenants with their settings. On a distributed Postgres they are on different nodes, and read one after the other. */
const makeTenants = (sql: SqlClient.SqlClient) => {
  const named = sql`t.id, t.name, t.time_zone,
    (SELECT h.host FROM tenant_host AS h WHERE h.tenant_id = t.id ORDER BY h.ordinal LIMIT 1) AS host`
  const { isAmong, isDistributed } = dialectOf(sql)
  if (!isDistributed) {
    const selected = sql`${named}, m.last_day, m.document`
    return {
      one: (tenantId: string) => sql<TenantRow>`SELECT ${selected} FROM tenant AS t
        LEFT JOIN message_tenant AS m ON m.tenant_id = t.id WHERE t.id = ${tenantId}`,
      enabled: (after: string, limit: number) => sql<TenantRow>`SELECT ${selected} FROM message_tenant AS m
        JOIN tenant AS t ON t.id = m.tenant_id
        WHERE m.tenant_id > ${after} AND m.enabled = 1 ORDER BY m.tenant_id LIMIT ${limit}`
    }
  }
  const settings = sql`SELECT m.tenant_id AS id, m.last_day, m.document FROM message_tenant AS m`
  const withNames = Effect.fnUntraced(function* (found: ReadonlyArray<SettingsRow>) {
    const ids = JSON.stringify(found.map(({ id }) => id))
    const tenants = yield* sql<NamedRow>`SELECT ${named} FROM tenant AS t WHERE ${isAmong("t.id", ids)}`
    const byId = new Map(tenants.map((tenant) => [tenant.id, tenant]))
    return found.flatMap((row): ReadonlyArray<TenantRow> => {
      const tenant = byId.get(row.id)
      return tenant === undefined ? [] : [{ ...tenant, ...row }]
    })
  })
  return {
    one: (tenantId: string) =>
      Effect.flatMap(sql<SettingsRow>`${settings} WHERE m.tenant_id = ${tenantId}`, ([row]) =>
        withNames([row ?? { id: tenantId, last_day: null, document: null }])
      ),
    enabled: (after: string, limit: number) =>
      Effect.flatMap(
        sql<SettingsRow>`${settings} WHERE m.tenant_id > ${after} AND m.enabled = 1 ORDER BY m.tenant_id LIMIT ${limit}`,
        withNames
      )
  }
}

const makeReads = (sql: SqlClient.SqlClient) => {
  const tenants = makeTenants(sql)

  return {
    tenant: (tenantId: string) =>
      Effect.map(Effect.orDie(tenants.one(tenantId)), ([row]) => {
        if (row === undefined) throw new Error(`there is no tenant ${tenantId}`)
        return tenantOf(row)
      }),
    tenants: (after: string, limit: number) =>
      Effect.map(Effect.orDie(tenants.enabled(after, limit)), (found) => found.map(soundTenantOf)),
    declined: (tenantId: string, accountId: string) =>
      Effect.map(Effect.orDie(declinedBy(sql, tenantId, accountId)), (found) => found.map(({ kind }) => kind)),
    ...makeQueue(sql),
    reddened: (tenantId: string, day: string, after: string, limit: number) =>
      Effect.map(
        Effect.orDie(sql<{ readonly id: string }>`SELECT w.id FROM red_worker AS d
          JOIN worker AS w ON w.tenant_id = d.tenant_id AND w.id = d.worker_id
          WHERE d.tenant_id = ${tenantId} AND d.day = ${day} AND d.worker_id > ${after}
          AND w.compliance = 'FAIL' AND w.deleted_at IS NULL ORDER BY d.worker_id LIMIT ${limit}`),
        (found) => found.map(({ id }) => id)
      )
  }
}

/** Deletes messages of all tenants that ended before an instant. */
const makeForget = (sql: SqlClient.SqlClient) => {
  // By the tenants, each is read by an index. On a distributed Postgres they are on another node.
  const ofTenants = sql.literal(
    dialectOf(sql).isDistributed ? "message AS r" : "tenant AS t JOIN message AS r ON r.tenant_id = t.id"
  )
  return function* (at: number, limit: number): Script<Result.Result<number>> {
    const found = yield* rows(sql<{ readonly tenant_id: string; readonly id: string }>`
      SELECT r.tenant_id, r.id FROM ${ofTenants} WHERE r.updated_at < ${at} AND r.state NOT IN ('QUEUED', 'SENDING') LIMIT ${limit}`)
    for (const [tenantId, some] of Map.groupBy(found, (row) => row.tenant_id)) {
      const ids = some.map(({ id }) => id)
      yield* changes(sql`DELETE FROM message WHERE tenant_id = ${tenantId} AND ${sql.in("id", ids)}`)
    }
    return Result.succeed(found.length)
  }
}

const makeScripts = (sql: SqlClient.SqlClient) => {
  const { forUpdate } = dialectOf(sql)
  const records = makeRecordsWriter(sql)
  const { insertAll, queue, tell } = makeOutbox(sql)
  const follow = makeFollow(sql)

  function* recipients(tenantId: string, after: number, limit: number) {
    const declined = yield* rows(sql<{ readonly account_id: string; readonly kind: OfficerKind }>`
      SELECT d.account_id, d.kind FROM message_declined AS d WHERE d.tenant_id = ${tenantId}`)
    const byAccount = Map.groupBy(declined, (row) => row.account_id)
    const accounts = yield* rows(sql<Row>`SELECT ${sql.literal(userColumns("a"))} FROM account AS a
      WHERE a.tenant_id = ${tenantId} AND a.kind = 'user' AND a.deactivated_at IS NULL
      AND a.position > ${after} ORDER BY a.position LIMIT ${limit}`)
    return accounts.map(userOf).map((user) => ({
      ...user,
      declined: (byAccount.get(user.account.id) ?? []).map(({ kind }) => kind)
    }))
  }

  /** Gives the people who became red the day of a round, and deletes what is old. */
  function* turn(
    { lastDay, tenantId }: Pick<MessagingTenant, "lastDay" | "tenantId">,
    day: string,
    forgetDay: string
  ): Script<void> {
    if (lastDay < dayAfter(day, -newsDays)) {
      yield* changes(sql`DELETE FROM red_worker WHERE tenant_id = ${tenantId} AND day = ''`)
    } else yield* changes(sql`UPDATE red_worker SET day = ${day} WHERE tenant_id = ${tenantId} AND day = ''`)
    yield* changes(sql`DELETE FROM red_worker WHERE tenant_id = ${tenantId} AND day <> '' AND day < ${forgetDay}`)
    yield* changes(sql`UPDATE message_tenant SET last_day = ${day} WHERE tenant_id = ${tenantId}`)
  }

  return {
    tell,

    announce: function* (
      ...[{ lastDay, tenantId }, { day }, forgetDay, limit, decide]: Parameters<Store["announce"]>
    ): Script<Result.Result<number | undefined>> {
      const [stand] = yield* rows(sql<{ readonly last_day: string; readonly enabled: unknown }>`
        SELECT m.last_day, m.enabled FROM message_tenant AS m WHERE m.tenant_id = ${tenantId}${forUpdate}`)
      if (stand === undefined || Number(stand.enabled) !== 1 || stand.last_day !== lastDay) {
        return Result.succeed(undefined)
      }
      let stored = 0
      const reached = new Set<string>()
      for (let after = -1, isMore = true; isMore && reached.size < limit; ) {
        const found = yield* recipients(tenantId, after, limit)
        const placed = decide(found).filter(({ message: { fields } }) => {
          const { id } = fields.recipient
          if (reached.size < limit) reached.add(id)
          return reached.has(id)
        })
        stored += yield* insertAll(tenantId, placed)
        after = found.at(-1)?.number ?? after
        isMore = found.length === limit
      }
      yield* turn({ lastDay, tenantId }, day, forgetDay)
      return Result.succeed(stored)
    },

    insert: function* (
      ...[tenantId, placed, { most, since }, audit]: Parameters<Store["insert"]>
    ): Script<Result.Result<boolean>> {
      const { recipient } = placed.message.fields
      const [counted] = yield* rows(sql<{ readonly count: unknown }>`SELECT count(*) AS count FROM message AS r
        WHERE r.tenant_id = ${tenantId} AND r.recipient_id = ${recipient.id} AND r.created_at > ${since}`)
      if (Number(counted?.count) >= most) return Result.succeed(false)
      const isStored = (yield* insertAll(tenantId, [placed])) > 0
      if (isStored) yield* records.audit(tenantId, [audit])
      return Result.succeed(isStored)
    },

    change: function* (
      ...[tenantId, id, decide, audit]: Parameters<Store["change"]>
    ): Script<Result.Result<Option.Option<Placed | null | undefined>, LostRace>> {
      const where: Statement.Fragment = sql`tenant_id = ${tenantId} AND id = ${id}`
      const [row] = yield* rows(sql<ResourceRow>`SELECT ${sql.literal(table.selected)} FROM message AS r
        WHERE r.tenant_id = ${tenantId} AND r.id = ${id}${forUpdate}`)
      if (row === undefined) return Result.succeed(Option.none())
      const before = table.decode(row)
      const decided = decide(before)
      if (decided === null) {
        yield* changes(sql`DELETE FROM message WHERE ${where}`)
        yield* queue(tenantId, id, null)
      } else if (decided !== undefined) {
        const changed = yield* changes(sql`UPDATE message SET ${sql.update(table.updated(before, decided.message))}
          WHERE ${where} AND version = ${before.version}`)
        if (changed === 0) return Result.fail(new LostRace())
        yield* queue(tenantId, id, decided)
        if (!(yield* follow(tenantId, decided))) return Result.fail(new LostRace())
        if (audit !== undefined) yield* records.audit(tenantId, [audit])
      }
      return Result.succeed(Option.some(decided))
    }
  }
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const scripts = makeScripts(sql)
  const choices = makeChoices(sql)
  const forget = makeForget(sql)

  return MessageStore.of({
    ...makeReads(sql),
    announce: Effect.fn("MessageStore.announce")((...given) => atomically(() => scripts.announce(...given))),
    forget: (...given) => atomically(() => forget(...given)),
    setSettings: (tenantId, settings, day, audit, check = always) =>
      atomically(() => choices.setSettings(tenantId, settings, day, audit, check)),
    decline: (tenantId, accountId, kinds, audit, check = always) =>
      atomically(() => choices.decline(tenantId, accountId, kinds, audit, check)),
    tell: (tenantId, drafts) =>
      drafts.length === 0
        ? Effect.succeed(0)
        : atomically(function* () {
            return Result.succeed(yield* scripts.tell(tenantId, drafts))
          }),
    insert: (...given) => atomically(() => scripts.insert(...given)),
    change: (...given) =>
      Effect.catchTag(
        atomically(() => scripts.change(...given)),
        "LostRace",
        Effect.die
      )
  })
})

export const layer: Layer.Layer<MessageStore, never, SqlClient.SqlClient | AccessEpoch> = Layer.effect(
  MessageStore,
  make
)
