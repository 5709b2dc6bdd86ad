import type { AnswerAccessStore } from "@wcs/domain/answer/AnswerAccessStore"
import type { EndedRequest } from "@wcs/domain/answer/AnswerRetention"
import { Credential } from "@wcs/domain/holding/Credential"
import { Answer, type AnswerFields, type AskedRequest, answerIdOf, askedResources } from "@wcs/domain/screening/Answer"
import { Effect, Option, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { makeEraseDocuments } from "../document/DocumentRows.ts"
import { LostRace } from "../engine/Atomic.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { makeRead, makeWrite, storedOf } from "../resource/ResourceRows.ts"
import { tableOf } from "../resource/ResourceTable.ts"

type Store = AnswerAccessStore["Service"]

const [fetching, checking] = [tableOf(askedResources.captureRequest).name, tableOf(askedResources.credentialCheck).name]

/** The reads of what may be forgotten. */
export const makeEndedReads = (sql: SqlClient.SqlClient): Pick<Store, "tenants" | "ended"> => ({
  tenants: (after, limit) =>
    Effect.map(
      Effect.orDie(sql<{ readonly tenant_id: string }>`SELECT DISTINCT a.tenant_id FROM answer_access AS a
        WHERE a.tenant_id > ${after} ORDER BY a.tenant_id LIMIT ${limit}`),
      (found) => found.map((row) => row.tenant_id)
    ),
  ended: (tenantId, { at, day }, after, limit) => {
    const lastDay = sql.literal("coalesce(f.expiry_date, c.expiry_date, '')")
    const [deleted, changed] = [
      sql.literal("coalesce(f.deleted_at, c.deleted_at)"),
      sql.literal("coalesce(f.updated_at, c.updated_at, 0)")
    ]
    return Effect.map(
      Effect.orDie(sql<{ readonly request_id: string }>`SELECT a.request_id FROM answer_access AS a
        LEFT JOIN ${sql.literal(fetching)} AS f ON f.tenant_id = ${tenantId} AND f.id = a.request_id
        LEFT JOIN ${sql.literal(checking)} AS c ON c.tenant_id = ${tenantId} AND c.id = a.request_id
        WHERE a.tenant_id = ${tenantId} AND a.request_id > ${after}
        AND ((${lastDay} <> '' AND ${lastDay} < ${day})
          OR ((${lastDay} = '' OR ${deleted} IS NOT NULL) AND ${changed} < ${at}))
        ORDER BY a.request_id LIMIT ${limit}`),
      (found) => found.map((row) => row.request_id)
    )
  }
})

/** Forgets the links of a request, and its answer. */
export const makeForget = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const [readLocked, readShared] = [makeRead(sql, dialect.forUpdate), makeRead(sql, dialect.forShare)]
  const write = makeWrite(sql)
  const records = makeRecordsWriter(sql)
  const eraseDocuments = makeEraseDocuments(sql)

  function* isEngaged(tenantId: string, { credentials = [], previous }: AnswerFields): Script<boolean> {
    const ids = [...credentials, ...(previous?.credentials ?? [])].map(({ id }) => id)
    if (ids.length === 0) return false
    const found = yield* rows(sql`SELECT r.id FROM ${sql.literal(tableOf(Credential).name)} AS r
      WHERE r.tenant_id = ${tenantId} AND ${sql.in("r.id", ids)} AND r.worker_id <> ''`)
    return found.length > 0
  }

  function* knownOf(tenantId: string, { id, type }: AskedRequest): Script<EndedRequest> {
    const resource = askedResources[type]
    const request = storedOf(resource)(yield* rows(readShared(resource, tenantId, id)))
    const answer = storedOf(Answer)(yield* rows(readLocked(Answer, tenantId, answerIdOf(id))))
    return {
      request: Option.getOrUndefined(request),
      answer: Option.getOrUndefined(answer),
      isEngaged: Option.isSome(answer) && (yield* isEngaged(tenantId, answer.value.fields))
    }
  }

  function* endAccess(tenantId: string, requestId: string): Script<void> {
    const [row] = yield* rows(sql<{ readonly document: string }>`SELECT a.document FROM answer_access AS a
      WHERE a.tenant_id = ${tenantId} AND a.request_id = ${requestId}${dialect.forUpdate}`)
    const links: ReadonlyArray<string> = row === undefined ? [] : JSON.parse(row.document).links
    if (links.length > 0) {
      yield* changes(sql`DELETE FROM answer_link WHERE tenant_id = ${tenantId} AND ${sql.in("link_hash", links)}`)
    }
    yield* changes(sql`DELETE FROM answer_access WHERE tenant_id = ${tenantId} AND request_id = ${requestId}`)
  }

  return function* (
    ...[tenantId, request, at, decide]: Parameters<Store["forget"]>
  ): Script<Result.Result<void, LostRace>> {
    const known = yield* knownOf(tenantId, request)
    const decided = decide(known)
    if (decided === undefined) return Result.void
    yield* endAccess(tenantId, request.id)
    // No card took these files, or no officer.
    yield* eraseDocuments(tenantId, { type: "answer", id: answerIdOf(request.id) }, at)
    if (decided.answer === undefined) return Result.void
    const { audit, next } = decided.answer
    if (!(yield* write(Answer, tenantId, Option.fromUndefinedOr(known.answer), next))) {
      return Result.fail(new LostRace())
    }
    yield* records.audit(tenantId, [audit])
    return Result.void
  }
}
