import type { MessageDraft } from "@wcs/domain/event/MessageDraft"
import { Message, type MessageFields, type Placed } from "@wcs/domain/message/Message"
import { defaultSettings, MessageSettings } from "@wcs/domain/message/MessageSettings"
import type { MessagingTenant } from "@wcs/domain/message/MessageStore"
import { placedAll, tellingKey, tellingMillis } from "@wcs/domain/message/Telling"
import { priorityOf } from "@wcs/domain/message/Turns"
import { Array as Arr, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { changes, rows, type Script } from "../engine/Script.ts"
import { jsonOf } from "../engine/StoredJson.ts"
import { keepTenants } from "../engine/StoredTenants.ts"
import { tableOf } from "../resource/ResourceTable.ts"

/** Messages that one statement inserts. */
const insertedMax = 200

export const messageTable = tableOf<MessageFields>(Message)

// Checks ran at the write. A rule that became stricter must not stop a tenant's messages.
const decode = Schema.decodeUnknownSync(MessageSettings, { disableChecks: true })

/** The settings in a document; those of nobody's choice without one. */
export const settingsOf = (tenantId: string, document: string | null): MessageSettings =>
  document === null
    ? defaultSettings
    : decode({ ...defaultSettings, ...jsonOf(document, `the message settings of ${tenantId}`) })

/** The row of a message in the queue; undefined if nothing is due of it. */
const queueRow = (tenantId: string, { dueAt, message: { fields, id } }: Placed) =>
  dueAt === null ? undefined : { tenant_id: tenantId, id, due_at: dueAt, priority: priorityOf(fields) }

/** Writes messages with what is due of them. */
export const makeOutbox = (sql: SqlClient.SqlClient) => {
  /** Sets when something is due of a message, or that nothing is. */
  function* queue(tenantId: string, id: string, placed: Placed | null): Script<void> {
    const row = placed === null ? undefined : queueRow(tenantId, placed)
    yield* changes(
      row === undefined
        ? sql`DELETE FROM message_queue WHERE tenant_id = ${tenantId} AND id = ${id}`
        : sql`INSERT INTO message_queue ${sql.insert(row)}
          ON CONFLICT (tenant_id, id) DO UPDATE SET due_at = excluded.due_at, priority = excluded.priority`
    )
  }

  /** A message is left out if its recipient has one of the kind for the cause. */
  function* insertAll(tenantId: string, placed: ReadonlyArray<Placed>): Script<number> {
    let stored = 0
    for (const some of Arr.chunksOf(placed, insertedMax)) {
      const values = Arr.map(some, ({ message }) => messageTable.inserted(tenantId, message))
      const inserted = yield* rows(sql<{ readonly id: string }>`INSERT INTO message ${sql.insert(values)}
        ON CONFLICT DO NOTHING RETURNING id`)
      const ids = new Set(inserted.map(({ id }) => id))
      const [first, ...others] = some.flatMap((one) => (ids.has(one.message.id) ? (queueRow(tenantId, one) ?? []) : []))
      if (first !== undefined) yield* changes(sql`INSERT INTO message_queue ${sql.insert([first, ...others])}`)
      stored += ids.size
    }
    return stored
  }

  const tenants = keepTenants(sql)

  /** The messages of a tenant that sends any, else undefined. */
  function* sendingTenant(tenantId: string): Script<Pick<MessagingTenant, "settings" | "timeZone"> | undefined> {
    const [row] = yield* rows(sql<{ readonly document: string }>`SELECT m.document FROM message_tenant AS m
      WHERE m.tenant_id = ${tenantId} AND m.enabled = 1`)
    if (row === undefined) return undefined
    const [tenant] = yield* rows(tenants({ ids: JSON.stringify([tenantId]) }))
    return tenant && { settings: settingsOf(tenantId, row.document), timeZone: tenant.time_zone }
  }

  /** Queues the messages of drafts that the tenant has chosen. Returns how many. */
  function* tell(tenantId: string, drafts: ReadonlyArray<MessageDraft>): Script<number> {
    const [first] = drafts
    const tenant = first === undefined ? undefined : yield* sendingTenant(tenantId)
    if (first === undefined || tenant === undefined) return 0
    const people = [...new Set(drafts.map(({ recipient }) => recipient.id))]
    const lately = yield* rows(sql<{
      readonly recipient_id: string
      readonly kind: MessageDraft["kind"]
      readonly count: unknown
    }>`SELECT r.recipient_id, r.kind, count(*) AS count FROM message AS r
      WHERE r.tenant_id = ${tenantId} AND ${sql.in("r.recipient_id", people)}
      AND r.created_at > ${first.at - tellingMillis} GROUP BY r.recipient_id, r.kind`)
    const before = new Map(
      lately.map((row) => [
        tellingKey({ kind: row.kind, recipient: { type: "worker", id: row.recipient_id } }),
        Number(row.count)
      ])
    )
    return yield* insertAll(tenantId, placedAll(drafts, tenant, before))
  }

  return { insertAll, queue, sendingTenant, tell }
}
