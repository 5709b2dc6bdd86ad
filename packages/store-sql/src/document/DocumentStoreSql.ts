import {
  type DocumentUsage,
  deleted,
  type StoredDocument,
  statusWithoutContent,
  tracesMax
} from "@wcs/domain/document/Document"
import type { DocumentOwner, DocumentOwnerType } from "@wcs/domain/document/DocumentOwner"
import { isSameOwner } from "@wcs/domain/document/DocumentOwner"
import {
  type DocumentBasis,
  type DocumentChange,
  type DocumentLook,
  DocumentStore
} from "@wcs/domain/document/DocumentStore"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { AccessEpoch } from "../access/AccessEpoch.ts"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { LostRace, makeAtomically } from "../engine/Atomic.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { type DocumentRow, documentColumns, documentOf, makeDocumentRows, valuesOf } from "./DocumentRows.ts"

type Store = DocumentStore["Service"]

/** The tables of owners, which have `deleted_at`. One without a table is always there. */
const ownerTables: Readonly<Record<DocumentOwnerType, string | undefined>> = {
  credential: "credential",
  answer: "answer"
}

const usageOf = (sql: SqlClient.SqlClient, tenantId: string, owner: DocumentOwner) =>
  sql<{ readonly documents: unknown; readonly bytes: unknown; readonly of_record: unknown }>`
    SELECT count(*) AS documents, coalesce(sum(d.bytes), 0) AS bytes, (
      SELECT count(*) FROM document AS o WHERE o.tenant_id = ${tenantId} AND o.owner_type = ${owner.type}
      AND o.owner_id = ${owner.id} AND o.status IN ('UPLOADING', 'STORED')) AS of_record
    FROM document AS d WHERE d.tenant_id = ${tenantId} AND d.status IN ('UPLOADING', 'STORED')`

const usageIn = (
  found: ReadonlyArray<{ readonly documents: unknown; readonly bytes: unknown; readonly of_record: unknown }>
): DocumentUsage => ({
  ofRecord: Number(found[0]?.of_record),
  documents: Number(found[0]?.documents),
  bytes: Number(found[0]?.bytes)
})

/** Whether the record that owns documents is there and not deleted. */
const makeHasOwner = (sql: SqlClient.SqlClient) => {
  const { forShare } = dialectOf(sql)
  return function* (tenantId: string, { id, type }: DocumentOwner, lock = forShare): Script<boolean> {
    const table = ownerTables[type]
    if (table === undefined) return true
    const found = yield* rows(sql`SELECT r.id FROM ${sql.literal(table)} AS r
      WHERE r.tenant_id = ${tenantId} AND r.id = ${id} AND r.deleted_at IS NULL${lock}`)
    return found.length > 0
  }
}

/** Reads without a lock: a look at a document is no reason to wait for a change of its card. */
const makeLook = (sql: SqlClient.SqlClient) => {
  const records = makeRecordsWriter(sql)
  const hasOwner = makeHasOwner(sql)
  const columns = sql.literal(documentColumns)
  return function* <E>(
    tenantId: string,
    id: string,
    decide: (basis: DocumentBasis) => Result.Result<DocumentLook, E>
  ): Script<Result.Result<StoredDocument, E>> {
    const [row] = yield* rows(sql<DocumentRow>`SELECT ${columns} FROM document AS r
      WHERE r.tenant_id = ${tenantId} AND r.id = ${id}`)
    const document = Option.map(Option.fromUndefinedOr(row), documentOf)
    const isOwned = Option.isSome(document) && (yield* hasOwner(tenantId, document.value.owner, sql``))
    const decided = decide({ document, hasOwner: isOwned })
    if (Result.isFailure(decided)) return Result.fail(decided.failure)
    yield* records.audit(tenantId, decided.success.audit)
    return Result.succeed(decided.success.document)
  }
}

const makeScripts = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const records = makeRecordsWriter(sql)
  const documents = makeDocumentRows(sql)
  const hasOwner = makeHasOwner(sql)
  const columns = sql.literal(documentColumns)

  /** Reads a document. The owner is locked before it, as an erasure does. */
  function* basisOf(tenantId: string, id: string): Script<Result.Result<DocumentBasis, LostRace>> {
    const where = sql`FROM document AS r WHERE r.tenant_id = ${tenantId} AND r.id = ${id}`
    const [seen] = yield* rows(sql<DocumentRow>`SELECT ${columns} ${where}`)
    if (seen === undefined) return Result.succeed({ document: Option.none(), hasOwner: false })
    const { owner } = documentOf(seen)
    const isOwned = yield* hasOwner(tenantId, owner)
    const [row] = yield* rows(sql<DocumentRow>`SELECT ${columns} ${where}${dialect.forUpdate}`)
    const document = Option.map(Option.fromUndefinedOr(row), documentOf)
    return Option.exists(document, (found) => !isSameOwner(found.owner, owner))
      ? Result.fail(new LostRace())
      : Result.succeed({ document, hasOwner: isOwned })
  }

  function* store(before: StoredDocument | undefined, { audit, next }: DocumentChange): Script<void> {
    if (next !== before) yield* documents.write(next)
    yield* records.audit(next.tenantId, audit)
  }

  return {
    begin: function* <E>(
      document: StoredDocument,
      decide: (usage: DocumentUsage) => Result.Result<void, E>
    ): Script<Result.Result<void, E>> {
      const { createdAt, id, owner, tenantId } = document
      const locked = dialect.lockTenant("document", tenantId)
      if (locked !== undefined) yield* rows(locked)
      const decided = decide(usageIn(yield* rows(usageOf(sql, tenantId, owner))))
      if (Result.isFailure(decided)) return decided
      const values = { tenant_id: tenantId, id, created_at: createdAt, ...valuesOf(document) }
      yield* changes(sql`INSERT INTO document ${sql.insert(values)}`)
      return Result.void
    },

    change: function* <E>(
      tenantId: string,
      id: string,
      decide: (basis: DocumentBasis) => Result.Result<DocumentChange, E>
    ): Script<Result.Result<StoredDocument, E | LostRace>> {
      const basis = yield* basisOf(tenantId, id)
      if (Result.isFailure(basis)) return Result.fail(basis.failure)
      const decided = decide(basis.success)
      if (Result.isFailure(decided)) return Result.fail(decided.failure)
      yield* store(Option.getOrUndefined(basis.success.document), decided.success)
      return Result.succeed(decided.success.next)
    },

    changeAll: function* (
      tenantId: string,
      owner: DocumentOwner,
      decide: (document: StoredDocument) => DocumentChange
    ): Script<Result.Result<ReadonlyArray<StoredDocument>>> {
      const changed: Array<StoredDocument> = []
      for (const document of yield* documents.kept(tenantId, owner)) {
        const decided = decide(document)
        yield* store(document, decided)
        changed.push(decided.next)
      }
      return Result.succeed(changed)
    },

    move: function* (
      ...[tenantId, from, to, at, decide]: Parameters<Store["move"]>
    ): Script<Result.Result<ReadonlyArray<StoredDocument>>> {
      const isThere = yield* hasOwner(tenantId, to)
      const moved: Array<StoredDocument> = []
      for (const document of yield* documents.kept(tenantId, from)) {
        const decided = document.status === "STORED" ? decide(document) : null
        if (decided === undefined) continue
        if (!isThere || decided === null) {
          yield* documents.write(deleted(document, document, null, at))
          continue
        }
        yield* store(document, decided)
        moved.push(decided.next)
      }
      return Result.succeed(moved)
    },

    ended: function* (tenantId: string, id: string, uploadsBefore: number): Script<Result.Result<void, LostRace>> {
      const basis = yield* basisOf(tenantId, id)
      if (Result.isFailure(basis)) return Result.fail(basis.failure)
      const document = Option.getOrUndefined(basis.success.document)
      if (document === undefined || document.status === "STORED" || document.status === "UPLOADING") return Result.void
      const status = statusWithoutContent(document, uploadsBefore)
      if (status === undefined) {
        yield* changes(sql`DELETE FROM document WHERE tenant_id = ${tenantId} AND id = ${id}`)
        return Result.void
      }
      yield* documents.write({ ...document, status })
      const { id: ownerId, type } = document.owner
      const traces = sql`FROM document AS r WHERE r.tenant_id = ${tenantId} AND r.owner_type = ${type}
        AND r.owner_id = ${ownerId} AND r.deleted_at IS NOT NULL`
      yield* changes(sql`DELETE FROM document WHERE tenant_id = ${tenantId} AND status = 'DELETED' AND id IN (
          SELECT r.id ${traces}) AND id NOT IN (
          SELECT r.id ${traces} ORDER BY r.deleted_at DESC, r.id LIMIT ${tracesMax})`)
      return Result.void
    }
  }
}

const makeReads = (sql: SqlClient.SqlClient): Pick<Store, "list" | "usage" | "page" | "ending"> => {
  const dialect = dialectOf(sql)
  const columns = sql.literal(documentColumns)
  return {
    list: Effect.fn("DocumentStore.list")(function* (tenantId, owner) {
      const ofOwner = sql`r.tenant_id = ${tenantId} AND r.owner_type = ${owner.type} AND r.owner_id = ${owner.id}`
      const stored = yield* Effect.orDie(sql<DocumentRow>`SELECT ${columns} FROM document AS r
        WHERE ${ofOwner} AND r.status IN ('UPLOADING', 'STORED') ORDER BY r.position DESC`)
      const traces = yield* Effect.orDie(sql<DocumentRow>`SELECT ${columns} FROM document AS r
        WHERE ${ofOwner} AND r.deleted_at IS NOT NULL ORDER BY r.deleted_at DESC, r.id LIMIT ${tracesMax}`)
      return [...stored.map(documentOf).filter(({ status }) => status === "STORED"), ...traces.map(documentOf)]
    }),
    usage: Effect.fn("DocumentStore.usage")((tenantId, owner) =>
      Effect.map(Effect.orDie(usageOf(sql, tenantId, owner)), usageIn)
    ),
    page: Effect.fn("DocumentStore.page")((tenantId, after, limit) =>
      sql<DocumentRow>`SELECT ${columns} FROM document AS r
        WHERE r.tenant_id = ${tenantId} AND r.id > ${after ?? ""} AND r.status = 'STORED'
        ORDER BY r.id LIMIT ${limit}`.pipe(
        Effect.orDie,
        Effect.map((found) => found.map(documentOf))
      )
    ),
    ending: Effect.fn("DocumentStore.ending")((uploadsBefore, limit) =>
      sql<DocumentRow>`SELECT ${columns} FROM document AS r${dialect.indexedBy("document_ending")}
        WHERE r.status IN ('UPLOADING', 'DELETING', 'ENDED')
        AND (r.status = 'DELETING' OR r.created_at < ${uploadsBefore})
        ORDER BY r.created_at LIMIT ${limit}`.pipe(
        Effect.orDie,
        Effect.map((found) => found.map(documentOf))
      )
    )
  }
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const scripts = makeScripts(sql)
  const look = makeLook(sql)

  return DocumentStore.of({
    ...makeReads(sql),
    begin: (document, decide) => atomically(() => scripts.begin(document, decide)),
    change: (tenantId, id, decide) => atomically(() => scripts.change(tenantId, id, decide)),
    look: (tenantId, id, decide) => atomically(() => look(tenantId, id, decide)),
    changeAll: (tenantId, owner, decide) => Effect.asVoid(atomically(() => scripts.changeAll(tenantId, owner, decide))),
    move: (...given) => atomically(() => scripts.move(...given)),
    ended: (...given) =>
      Effect.catchTag(
        atomically(() => scripts.ended(...given)),
        "LostRace",
        Effect.die
      )
  })
})

export const layer: Layer.Layer<DocumentStore, never, SqlClient.SqlClient | AccessEpoch> = Layer.effect(
  DocumentStore,
  make
)
