import { DocumentContent } from "@wcs/domain/document/DocumentContent"
import { Effect, Layer, Option, Result } from "effect"
import { Base64 } from "effect/encoding"
import { SqlClient } from "effect/sql"
import type { AccessEpoch } from "../access/AccessEpoch.ts"
import { makeAtomically } from "../engine/Atomic.ts"
import { changes, type Script } from "../engine/Script.ts"

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically

  function* put(tenantId: string, documentId: string, piece: number, content: string): Script<Result.Result<void>> {
    yield* changes(sql`INSERT INTO document_piece ${sql.insert({ tenant_id: tenantId, document_id: documentId, piece, content })}
      ON CONFLICT (tenant_id, document_id, piece) DO UPDATE SET content = excluded.content`)
    return Result.void
  }

  function* remove(tenantId: string, documentId: string, limit: number): Script<Result.Result<boolean>> {
    const removed = yield* changes(sql`DELETE FROM document_piece
      WHERE tenant_id = ${tenantId} AND document_id = ${documentId} AND piece IN (SELECT r.piece FROM document_piece AS r
        WHERE r.tenant_id = ${tenantId} AND r.document_id = ${documentId} ORDER BY r.piece LIMIT ${limit})`)
    return Result.succeed(removed === limit)
  }

  return DocumentContent.of({
    put: (tenantId, documentId, piece, sealed) =>
      atomically(() => put(tenantId, documentId, piece, Base64.encode(sealed))),
    read: Effect.fn("DocumentContent.read")((tenantId, documentId, piece) =>
      sql<{ readonly content: string }>`SELECT r.content FROM document_piece AS r
        WHERE r.tenant_id = ${tenantId} AND r.document_id = ${documentId} AND r.piece = ${piece}`.pipe(
        Effect.orDie,
        Effect.map(([row]) =>
          Option.map(Option.fromUndefinedOr(row), ({ content }) => Result.getOrThrow(Base64.decode(content)))
        )
      )
    ),
    remove: (tenantId, documentId, limit) => atomically(() => remove(tenantId, documentId, limit))
  })
})

export const layer: Layer.Layer<DocumentContent, never, SqlClient.SqlClient | AccessEpoch> = Layer.effect(
  DocumentContent,
  make
)
