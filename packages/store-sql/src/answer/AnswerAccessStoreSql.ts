import { type AnswerAccess, noAccess } from "@wcs/domain/answer/AnswerAccess"
import { type AccessChange, AnswerAccessStore } from "@wcs/domain/answer/AnswerAccessStore"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { AccessEpoch } from "../access/AccessEpoch.ts"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { LostRace, makeAtomically } from "../engine/Atomic.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { makeEndedReads, makeForget } from "./ForgetAnswers.ts"

interface AccessRow {
  readonly request_id: string
  readonly version: unknown
  readonly document: string
}

const accessOf = ({ document }: AccessRow): AnswerAccess => ({ ...noAccess, ...JSON.parse(document) })

const makeScripts = (sql: SqlClient.SqlClient) => {
  const { forUpdate } = dialectOf(sql)
  const records = makeRecordsWriter(sql)

  /** Stores the links of the next access that the one before lacks, and deletes those that it lacks itself. */
  function* linked(tenantId: string, requestId: string, before: AnswerAccess, next: AnswerAccess): Script<void> {
    for (const hash of before.links.filter((one) => !next.links.includes(one))) {
      yield* changes(sql`DELETE FROM answer_link WHERE tenant_id = ${tenantId} AND link_hash = ${hash}`)
    }
    for (const hash of next.links.filter((one) => !before.links.includes(one))) {
      const row = { tenant_id: tenantId, link_hash: hash, request_id: requestId }
      yield* changes(sql`INSERT INTO answer_link ${sql.insert(row)}`)
    }
  }

  function* written(
    tenantId: string,
    requestId: string,
    row: AccessRow | undefined,
    next: AnswerAccess
  ): Script<boolean> {
    const document = JSON.stringify(next)
    if (row === undefined) {
      const first = { tenant_id: tenantId, request_id: requestId, version: 1, document }
      return (yield* changes(sql`INSERT INTO answer_access ${sql.insert(first)} ON CONFLICT DO NOTHING`)) > 0
    }
    const version = Number(row.version)
    return (
      (yield* changes(sql`UPDATE answer_access SET document = ${document}, version = ${version + 1}
        WHERE tenant_id = ${tenantId} AND request_id = ${requestId} AND version = ${version}`)) > 0
    )
  }

  return {
    change: function* <A extends AccessChange>(
      tenantId: string,
      requestId: string,
      decide: (access: AnswerAccess) => A,
      traceparent: string | null
    ): Script<Result.Result<A, LostRace>> {
      const [row] = yield* rows(sql<AccessRow>`SELECT a.request_id, a.version, a.document FROM answer_access AS a
        WHERE a.tenant_id = ${tenantId} AND a.request_id = ${requestId}${forUpdate}`)
      const before = row === undefined ? noAccess : accessOf(row)
      const decided = decide(before)
      const { next, records: kept } = decided
      if (next !== undefined) {
        if (!(yield* written(tenantId, requestId, row, next))) return Result.fail(new LostRace())
        yield* linked(tenantId, requestId, before, next)
        if (kept !== undefined) yield* records.all(tenantId, kept, () => 1, traceparent)
      }
      return Result.succeed(decided)
    }
  }
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const scripts = makeScripts(sql)
  const forget = makeForget(sql)

  return AnswerAccessStore.of({
    find: (tenantId, linkHash) =>
      Effect.map(
        Effect.orDie(sql<AccessRow>`SELECT a.request_id, a.version, a.document FROM answer_link AS l
          JOIN answer_access AS a ON a.tenant_id = l.tenant_id AND a.request_id = l.request_id
          WHERE l.tenant_id = ${tenantId} AND l.link_hash = ${linkHash}`),
        ([row]) =>
          Option.map(Option.fromUndefinedOr(row), (found) => ({ requestId: found.request_id, access: accessOf(found) }))
      ),
    ...makeEndedReads(sql),
    forget: (...given) =>
      Effect.catchTag(
        atomically(() => forget(...given)),
        "LostRace",
        Effect.die
      ),
    change: (tenantId, requestId, decide) =>
      Effect.catchTag(
        atomically((traceparent) => scripts.change(tenantId, requestId, decide, traceparent)),
        "LostRace",
        Effect.die
      )
  })
})

export const layer: Layer.Layer<AnswerAccessStore, never, SqlClient.SqlClient | AccessEpoch> = Layer.effect(
  AnswerAccessStore,
  make
)
