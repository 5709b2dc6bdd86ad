import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { Note } from "@wcs/domain/note/Note"
import { NoteStore } from "@wcs/domain/note/NoteStore"
import { isId } from "@wcs/domain/shared/Id"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { AccessEpoch } from "../access/AccessEpoch.ts"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { makeAtomically } from "../engine/Atomic.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { makeRemoveNote } from "./EraseNotes.ts"

interface NoteRow {
  readonly tenant_id: string
  readonly id: string
  readonly about_id: string
  readonly person_id: string
  readonly account: string
  readonly created_at: unknown
  readonly text: string
  readonly mentions: string
}

const columns = "r.tenant_id, r.id, r.about_id, r.person_id, r.account, r.created_at, r.text, r.mentions"

const noteOf = (row: NoteRow): Note => ({
  id: row.id,
  tenantId: row.tenant_id,
  about: row.about_id,
  personId: row.person_id === "" ? null : row.person_id,
  account: row.account,
  text: row.text,
  mentions: JSON.parse(row.mentions),
  createdAt: Number(row.created_at)
})

const makeWrites = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const records = makeRecordsWriter(sql)
  const removeNote = makeRemoveNote(sql)
  return {
    insert: function* <E>(
      note: Note,
      audit: AuditEntry,
      decide: (others: number) => Result.Result<void, E>
    ): Script<Result.Result<void, E>> {
      const { about, account, createdAt, id, mentions, personId, tenantId, text } = note
      const locked = dialect.lockTenant("note", tenantId)
      if (locked !== undefined) yield* rows(locked)
      const [counted] = yield* rows(sql<{ readonly count: unknown }>`SELECT count(*) AS count FROM note AS r
        WHERE r.tenant_id = ${tenantId} AND r.about_id = ${about}`)
      const decided = decide(Number(counted?.count))
      if (Result.isFailure(decided)) return decided
      const row = { tenant_id: tenantId, id, about_id: about, person_id: personId ?? "", account }
      const further = { created_at: createdAt, text, mentions: JSON.stringify(mentions) }
      yield* changes(sql`INSERT INTO note ${sql.insert({ ...row, ...further })}`)
      for (const accountId of mentions) {
        const mention = { tenant_id: tenantId, account_id: accountId, created_at: createdAt, note_id: id }
        yield* changes(sql`INSERT INTO note_mention ${sql.insert(mention)}`)
      }
      yield* records.audit(tenantId, [audit])
      return Result.void
    },

    remove: function* (tenantId: string, id: string, audit: AuditEntry): Script<Result.Result<void>> {
      if ((yield* removeNote(tenantId, id)) > 0) yield* records.audit(tenantId, [audit])
      return Result.void
    },

    setCaretaker: function* (
      tenantId: string,
      personId: string,
      accountId: string | null,
      audit: AuditEntry
    ): Script<Result.Result<void>> {
      if (accountId === null) {
        yield* changes(sql`DELETE FROM caretaker WHERE tenant_id = ${tenantId} AND person_id = ${personId}`)
      } else {
        const row = { tenant_id: tenantId, person_id: personId, account_id: accountId }
        yield* changes(sql`INSERT INTO caretaker ${sql.insert(row)}
          ON CONFLICT (tenant_id, person_id) DO UPDATE SET account_id = excluded.account_id`)
      }
      yield* records.audit(tenantId, [audit])
      return Result.void
    }
  }
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const atomically = yield* makeAtomically
  const writes = makeWrites(sql)
  const selected = sql.literal(columns)

  /** The workers that were merged into this one over any number of merges. */
  const mergedInto = (tenantId: string, workerId: string) => sql`WITH RECURSIVE person (id) AS (
      SELECT m.from_id FROM worker_merge AS m
      WHERE m.tenant_id = ${tenantId} AND m.worker_id = ${workerId} AND m.status = 'MERGED'
      UNION SELECT m.from_id FROM person AS p, worker_merge AS m
      WHERE m.tenant_id = ${tenantId} AND m.worker_id = p.id AND m.status = 'MERGED') SELECT id FROM person`

  return NoteStore.of({
    insert: (note, audit, decide) => atomically(() => writes.insert(note, audit, decide)),
    remove: (tenantId, id, audit) => atomically(() => writes.remove(tenantId, id, audit)),
    setCaretaker: (tenantId, personId, accountId, audit) =>
      atomically(() => writes.setCaretaker(tenantId, personId, accountId, audit)),
    list: Effect.fn("NoteStore.list")(function* (tenantId, about, { after, direction, includeTotal, pageSize }) {
      const test = isId("worker", about)
        ? sql`r.person_id <> '' AND (r.person_id = ${about}
          OR ${dialect.isAmongRows("r.person_id", mergedInto(tenantId, about))})`
        : sql`r.about_id = ${about}`
      const all = sql`FROM note AS r WHERE r.tenant_id = ${tenantId} AND ${test}`
      const [beyond, order] = direction === "asc" ? [">", "ASC"] : ["<", "DESC"]
      const from = after === undefined ? all : sql`${all} AND r.position ${sql.literal(beyond)} ${after}`
      // At most 500 notes are about one record, and a person has few tasks and merged records: no count is limited.
      const found = yield* Effect.orDie(sql<NoteRow & { readonly position: unknown }>`SELECT r.position, ${selected}
        ${from} ORDER BY r.position ${sql.literal(order)} LIMIT ${pageSize + 1}`)
      const counted = includeTotal
        ? yield* Effect.orDie(sql<{ readonly total: unknown }>`SELECT count(*) AS total ${all}`)
        : []
      return {
        items: found.slice(0, pageSize).map((row) => ({ ...noteOf(row), position: Number(row.position) })),
        hasMore: found.length > pageSize,
        total: includeTotal ? Number(counted[0]?.total) : undefined
      }
    }),
    find: Effect.fn("NoteStore.find")((tenantId, id) =>
      sql<NoteRow>`SELECT ${selected} FROM note AS r WHERE r.tenant_id = ${tenantId} AND r.id = ${id}`.pipe(
        Effect.orDie,
        Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), noteOf))
      )
    ),
    mentioning: Effect.fn("NoteStore.mentioning")((tenantId, accountId, { before, since = 0 }, limit) =>
      sql<NoteRow>`SELECT ${selected} FROM note_mention AS m${dialect.indexedBy("note_mention_of_account_id")}
        JOIN note AS r ON r.tenant_id = m.tenant_id AND r.id = m.note_id
        WHERE m.tenant_id = ${tenantId} AND m.account_id = ${accountId} AND m.created_at > ${since}
        AND (m.created_at, m.note_id) < (${before?.createdAt ?? Number.MAX_SAFE_INTEGER}, ${before?.id ?? ""})
        ORDER BY m.created_at DESC, m.note_id DESC LIMIT ${limit}`.pipe(
        Effect.orDie,
        Effect.map((found) => found.map(noteOf))
      )
    ),
    caretakers: Effect.fn("NoteStore.caretakers")((tenantId, personIds) =>
      sql<{ readonly person_id: string; readonly account_id: string }>`SELECT r.person_id, r.account_id
        FROM caretaker AS r WHERE r.tenant_id = ${tenantId}
        AND ${dialect.isAmong("r.person_id", JSON.stringify(personIds))}`.pipe(
        Effect.orDie,
        Effect.map((found) => new Map(found.map((row) => [row.person_id, row.account_id])))
      )
    )
  })
})

export const layer: Layer.Layer<NoteStore, never, SqlClient.SqlClient | AccessEpoch> = Layer.effect(NoteStore, make)
