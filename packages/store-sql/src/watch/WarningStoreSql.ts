import type { EventKind } from "@wcs/domain/event/EventKind"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import { isChosen } from "@wcs/domain/message/MessageSettings"
import { ownersIn } from "@wcs/domain/ownership/Ownership"
import type { Owner } from "@wcs/domain/people/Engaged"
import type { Stored } from "@wcs/domain/resource/Resource"
import type { DateRange, Warned } from "@wcs/domain/watch/ExpiryWarning"
import {
  type LastCard,
  type Portion,
  type WarnedRound,
  type WarnedTenant,
  WarningStore
} from "@wcs/domain/watch/WarningStore"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { makeAtomically } from "../engine/Atomic.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { makeWalk } from "../engine/StoredTenants.ts"
import { makeOutbox } from "../message/MessageRows.ts"
import { type ResourceRow, tableOf } from "../resource/ResourceTable.ts"
import { makeReadOwners } from "./OwnerRows.ts"

interface StandRow {
  readonly through: string | null
  readonly round_up_to: string | null
  readonly last_date: string | null
  readonly last_id: string | null
}

interface TenantRow extends StandRow {
  readonly id: string
  readonly time_zone: string
}

/** The stand of a tenant without a row. */
const nowhere: StandRow = { through: null, round_up_to: null, last_date: null, last_id: null }

const kinds: ReadonlyArray<EventKind> = ["credential.expiring", "credential.expired"]

const roundOf = ({ last_date, last_id, round_up_to }: StandRow): WarnedTenant["round"] =>
  round_up_to === null || last_date === null || last_id === null
    ? null
    : { upTo: round_up_to, last: { expiryDate: last_date, id: last_id } }

/** Reads the next living cards of a tenant with last valid days in ranges, after a card. Their rows are locked. */
const makeReadCards = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const table = tableOf(Credential)
  const between = (tenantId: string, { from, to }: DateRange, last: LastCard | undefined, limit: number) => {
    const afterLast = last === undefined ? sql`` : sql` AND (r.expiry_date, r.id) > (${last.expiryDate}, ${last.id})`
    return sql<ResourceRow>`SELECT ${sql.literal(table.selected)}
      FROM credential AS r${dialect.indexedBy("credential_by_expiry_date")}
      WHERE r.tenant_id = ${tenantId} AND r.expiry_date >= ${from} AND r.expiry_date <= ${to}${afterLast}
      AND r.deleted_at IS NULL ORDER BY r.expiry_date, r.id LIMIT ${limit}${dialect.forUpdate}`
  }
  return function* ({ dates, limit, tenant }: Portion): Script<ReadonlyArray<Stored<CredentialFields>>> {
    const found: Array<Stored<CredentialFields>> = []
    for (const range of dates) {
      if (found.length >= limit) break
      const cards = yield* rows(between(tenant.tenantId, range, tenant.round?.last, limit - found.length))
      found.push(...cards.map(table.decode))
    }
    return found
  }
}

/** The row of a tenant after a part of a round that has looked at these cards. */
const standAfter = (
  { after, limit, upTo }: Portion,
  cards: ReadonlyArray<Stored<CredentialFields>>
): StandRow & { readonly through: string } => {
  const last = cards.at(-1)
  return last === undefined || cards.length < limit
    ? { through: upTo, round_up_to: null, last_date: null, last_id: null }
    : {
        through: after,
        round_up_to: upTo,
        last_date: last.fields.attributes.expiryDate ?? "",
        last_id: last.id
      }
}

const makeWarn = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const records = makeRecordsWriter(sql)
  const readCards = makeReadCards(sql)
  const readOwners = makeReadOwners(sql)
  const { sendingTenant, tell } = makeOutbox(sql)

  /** Whether the tenant stands as expected. Others that ask wait until this transaction ends. */
  function* stands({ round, tenantId, through }: WarnedTenant): Script<boolean> {
    const lock = dialect.lockTenant("warned_tenant", tenantId)
    if (lock !== undefined) yield* rows(lock)
    const [row] = yield* rows(sql<StandRow>`SELECT w.through, w.round_up_to, w.last_date, w.last_id
      FROM warned_tenant AS w WHERE w.tenant_id = ${tenantId}`)
    if (row === undefined) return through === null
    const stored = roundOf(row)
    return (
      row.through === through &&
      stored?.upTo === round?.upTo &&
      stored?.last.expiryDate === round?.last.expiryDate &&
      stored?.last.id === round?.last.id
    )
  }

  function* isSubscribed(tenantId: string): Script<boolean> {
    const found = yield* rows(sql`SELECT 1 AS one FROM subscription AS s
      WHERE s.tenant_id = ${tenantId} AND ${sql.in("s.kind", kinds)} LIMIT 1`)
    return found.length > 0
  }

  function* isTelling(tenantId: string): Script<boolean> {
    const sending = yield* sendingTenant(tenantId)
    return sending !== undefined && isChosen(sending.settings, "CARD_EXPIRING")
  }

  return function* (
    portion: Portion,
    decide: (credential: Stored<CredentialFields>, owners: ReadonlyArray<Owner>) => Warned
  ): Script<Result.Result<WarnedRound | undefined>> {
    const { tenantId } = portion.tenant
    if (!(yield* stands(portion.tenant))) return Result.succeed(undefined)
    const hasWebhook = yield* isSubscribed(tenantId)
    const tellsPeople = yield* isTelling(tenantId)
    const cards = hasWebhook || tellsPeople ? yield* readCards(portion) : []
    const owners = yield* readOwners(tenantId, cards)
    const warned = cards.map((card) =>
      decide(
        card,
        ownersIn(card.fields.attributes.owners).flatMap(({ id }) => owners.get(id) ?? [])
      )
    )
    const events = hasWebhook ? warned.flatMap(({ event }) => event ?? []) : []
    const messages = tellsPeople
      ? yield* tell(
          tenantId,
          warned.flatMap(({ message }) => message ?? [])
        )
      : 0
    if (events.length > 0) {
      const subjects = events.map(({ subjectId }) => subjectId)
      yield* changes(sql`UPDATE credential SET version = version + 1
        WHERE tenant_id = ${tenantId} AND ${sql.in("id", subjects)}`)
      yield* records.all(tenantId, { audit: [], events }, () => 0, null)
    }
    const stand = standAfter(portion, cards)
    yield* changes(sql`INSERT INTO warned_tenant ${sql.insert({ tenant_id: tenantId, ...stand })}
      ON CONFLICT (tenant_id) DO UPDATE SET through = excluded.through, round_up_to = excluded.round_up_to,
        last_date = excluded.last_date, last_id = excluded.last_id`)
    const tenant = { ...portion.tenant, through: stand.through, round: roundOf(stand) }
    return Result.succeed({ tenant, events: events.length, messages })
  }
}

/** Reads tenants with their stands. On a distributed Postgres they are on different nodes. */
const makeTenants = (sql: SqlClient.SqlClient) => {
  const stand = sql.literal("w.through, w.round_up_to, w.last_date, w.last_id")
  if (!dialectOf(sql).isDistributed) {
    return (after: string, limit: number) => sql<TenantRow>`SELECT t.id, t.time_zone, ${stand}
      FROM tenant AS t LEFT JOIN warned_tenant AS w ON w.tenant_id = t.id
      WHERE t.id > ${after} ORDER BY t.id LIMIT ${limit}`
  }
  const walk = makeWalk(sql)
  return (after: string, limit: number) =>
    walk(after, limit, ({ id, time_zone }) =>
      Effect.map(
        sql<StandRow>`SELECT ${stand} FROM warned_tenant AS w WHERE w.tenant_id = ${id}`,
        ([row = nowhere]) => [{ id, time_zone, ...row }]
      )
    )
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const warn = makeWarn(sql)
  const tenants = makeTenants(sql)

  return WarningStore.of({
    tenants: Effect.fn("WarningStore.tenants")((after, limit) =>
      tenants(after ?? "", limit).pipe(
        Effect.orDie,
        Effect.map((found) =>
          found.map((row) => ({
            tenantId: row.id,
            timeZone: row.time_zone,
            through: row.through,
            round: roundOf(row)
          }))
        )
      )
    ),
    warn: (portion, decide) => atomically(() => warn(portion, decide))
  })
})

export const layer = Layer.effect(WarningStore, make)
