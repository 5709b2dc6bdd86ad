import type { Placed, ReachChange, RequestChange } from "@wcs/domain/message/Message"
import { Option } from "effect"
import type { SqlClient } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { makeRead, makeWrite, storedOf } from "../resource/ResourceRows.ts"

/** Makes the changes of other rows that the end of a message brings. Returns false if somebody else was first. */
export const makeFollow = (sql: SqlClient.SqlClient) => {
  const records = makeRecordsWriter(sql)
  const readForUpdate = makeRead(sql, dialectOf(sql).forUpdate)
  const write = makeWrite(sql)

  function* changeReach(tenantId: string, { decide, id, resource }: ReachChange): Script<void> {
    const current = storedOf(resource)(yield* rows(readForUpdate(resource, tenantId, id)))
    const isUnreachable = Option.isNone(current) ? undefined : decide(current.value)
    if (isUnreachable === undefined) return
    const [test, value] = isUnreachable ? ["IS NULL", "true"] : ["IS NOT NULL", null]
    yield* changes(sql`UPDATE ${sql.literal(resource.type)} SET unreachable = ${value}
      WHERE tenant_id = ${tenantId} AND id = ${id} AND unreachable ${sql.literal(test)}`)
  }

  function* changeRequest(tenantId: string, { decide, id, resource }: RequestChange): Script<boolean> {
    const current = storedOf(resource)(yield* rows(readForUpdate(resource, tenantId, id)))
    const change = Option.isNone(current) ? undefined : decide(current.value)
    if (change === undefined) return true
    if (!(yield* write(resource, tenantId, current, change.next))) return false
    yield* records.audit(tenantId, [change.audit])
    return true
  }

  return function* (tenantId: string, { reach, request }: Placed): Script<boolean> {
    // The request before its person, as a change of a request locks them.
    if (request !== undefined && !(yield* changeRequest(tenantId, request))) return false
    if (reach !== undefined) yield* changeReach(tenantId, reach)
    return true
  }
}
