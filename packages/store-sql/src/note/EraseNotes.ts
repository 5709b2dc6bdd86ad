import type { SqlClient } from "effect/sql"
import { changes, type Script } from "../engine/Script.ts"

/** Deletes a note with its mentions. Returns how many notes there were. */
export const makeRemoveNote = (sql: SqlClient.SqlClient) =>
  function* (tenantId: string, id: string): Script<number> {
    yield* changes(sql`DELETE FROM note_mention WHERE tenant_id = ${tenantId} AND note_id = ${id}`)
    return yield* changes(sql`DELETE FROM note WHERE tenant_id = ${tenantId} AND id = ${id}`)
  }

/** Deletes the notes about a person and about its tasks, their mentions, and who looks after the person. */
export const makeEraseNotes = (sql: SqlClient.SqlClient) =>
  function* (tenantId: string, personId: string): Script<void> {
    yield* changes(sql`DELETE FROM note_mention WHERE tenant_id = ${tenantId} AND note_id IN (
      SELECT r.id FROM note AS r WHERE r.tenant_id = ${tenantId} AND r.person_id <> '' AND r.person_id = ${personId})`)
    yield* changes(sql`DELETE FROM note
      WHERE tenant_id = ${tenantId} AND person_id <> '' AND person_id = ${personId}`)
    yield* changes(sql`DELETE FROM caretaker WHERE tenant_id = ${tenantId} AND person_id = ${personId}`)
  }
