import { Clock, Context, Effect, Layer, Option, Result, Stream } from "effect"
import { withoutCaller } from "../access/Caller.ts"
import { type Actor, type AuditEntry, entryOf } from "../audit/AuditEntry.ts"
import type { Owners } from "../ownership/Ownership.ts"
import { Ids } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import {
  type Content,
  DocumentNotFound,
  DocumentQuotaOf,
  type DocumentsFull,
  deleted,
  documentLimits,
  fileName,
  piecesOf,
  requireSpace,
  type StoredDocument
} from "./Document.ts"
import { DocumentContent } from "./DocumentContent.ts"
import { makeInspection } from "./DocumentForm.ts"
import type { DocumentOwner } from "./DocumentOwner.ts"
import { DocumentSeal } from "./DocumentSeal.ts"
import { DocumentStore } from "./DocumentStore.ts"

/** A file that arrives. */
export interface Arrival {
  readonly tenantId: string
  readonly owner: DocumentOwner
  /** Code of the type of the card that the file shows, of an answer's file. */
  readonly card?: string
  /** The people whom the record is about now. */
  readonly people: Owners
  /** The name of the file, one line. */
  readonly name: string
  /** The bytes that the sender announces; undefined if it does not. More never arrive. */
  readonly announcedBytes: number | undefined
  readonly actor: Actor
}

/**
 * Receives files and returns them, for callers that have judged who may do it: use cases of records that have documents.
 */
export class DocumentFiles extends Context.Service<
  DocumentFiles,
  {
    /**
     * Stores a file as it arrives, in at most two pieces of memory, and finds its form by its content. Nothing is kept if
     * the stream fails, the content is refused, or the owner is deleted meanwhile.
     */
    readonly receive: <E, R>(
      arrival: Arrival,
      bytes: Stream.Stream<Uint8Array, E, R>
    ) => Effect.Effect<StoredDocument, E | InvalidArgument | DocumentsFull | DocumentNotFound, R>
    /**
     * The content of a STORED document, one piece after another. The first piece is read before this returns: it is missing if
     * the document was deleted meanwhile. Another piece that is missing, or an altered one, is a defect.
     */
    readonly content: (document: StoredDocument) => Effect.Effect<Stream.Stream<Uint8Array>, DocumentNotFound>
  }
>()("@wcs/domain/DocumentFiles") {}

const isUploading = ({ status }: StoredDocument): boolean => status === "UPLOADING"

const operations = { upload: "CREATE", look: "READ", delete: "DELETE", move: "UPDATE" } as const

/** The audit entries of an act: one of the document, and one of its record, which outlives the document. */
export const entriesOf = (
  auditId: () => string,
  actor: Actor,
  act: keyof typeof operations,
  { id, owner }: Pick<StoredDocument, "id" | "owner">,
  now: Instant
): ReadonlyArray<AuditEntry> => {
  const operation = operations[act]
  const ofDocument = { operation, action: act, entityType: "document", entityId: id } as const
  const ofRecord = { operation, action: `${act}Document`, entityType: owner.type, entityId: owner.id } as const
  return [ofDocument, ofRecord].map((entry) => entryOf(auditId(), actor, entry, now))
}

/** Joins the chunks of a stream to pieces of one size. The last piece is handed over by `end`, and can be empty. */
const makePieces = <E, R>(put: (piece: Uint8Array, isLast: boolean) => Effect.Effect<void, E, R>) => {
  let piece = new Uint8Array(documentLimits.pieceBytes)
  let filled = 0
  return {
    add: Effect.fnUntraced(function* (chunk: Uint8Array) {
      for (let at = 0; at < chunk.length; ) {
        if (filled === piece.length) {
          yield* put(piece, false)
          piece = new Uint8Array(documentLimits.pieceBytes)
          filled = 0
        }
        const taken = chunk.subarray(at, at + piece.length - filled)
        piece.set(taken, filled)
        filled += taken.length
        at += taken.length
      }
    }),
    end: Effect.suspend(() => put(piece.subarray(0, filled), true))
  }
}

export const make = Effect.gen(function* () {
  const store = yield* DocumentStore
  const content = yield* DocumentContent
  const sealing = yield* DocumentSeal
  const ids = yield* Ids
  const quota = yield* DocumentQuotaOf

  /** Inspects, encrypts and stores the pieces of a file. Returns what is known of it. */
  const receivePieces = Effect.fnUntraced(function* <E, R>(
    { bytes: most, id, tenantId }: StoredDocument,
    { seal, sha256 }: Effect.Success<ReturnType<DocumentSeal["Service"]["begin"]>>,
    bytes: Stream.Stream<Uint8Array, E, R>
  ) {
    const inspection = makeInspection()
    let length = 0
    let piece = 0
    const pieces = makePieces((part, isLast) =>
      Effect.gen(function* () {
        length += part.length
        if (length > most) {
          return yield* new InvalidArgument({ field: "file", reason: `must have at most ${most} bytes` })
        }
        if (part.length > 0) yield* Effect.fromResult(inspection.add(part))
        yield* content.put(tenantId, id, piece, seal({ piece, isLast }, part))
        piece += 1
      })
    )
    yield* Stream.runForEach(bytes, pieces.add)
    yield* pieces.end
    const known = yield* Effect.fromResult(inspection.end())
    return { ...known, bytes: length, sha256: sha256() } satisfies Content
  })

  const finish = Effect.fnUntraced(function* (begun: StoredDocument, actor: Actor, known: Content) {
    const now = yield* Clock.currentTimeMillis
    const audit = entriesOf(ids.source("audit"), actor, "upload", begun, now)
    return yield* store.change(begun.tenantId, begun.id, ({ document, hasOwner }) => {
      if (!hasOwner || !Option.exists(document, isUploading)) {
        return Result.fail(new DocumentNotFound({ documentId: begun.id }))
      }
      const name = fileName(begun.name, known.form)
      return Result.succeed({ next: { ...begun, status: "STORED", bytes: known.bytes, content: known, name }, audit })
    })
  })

  /** Lets the sweep remove what a failed upload has stored. One that was cut off after its end stays. */
  const abandon = ({ id, tenantId }: StoredDocument, actor: Actor) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      store.change(tenantId, id, ({ document }) =>
        Option.isSome(document) && isUploading(document.value)
          ? Result.succeed({ next: deleted(document.value, actor, null, now), audit: [] })
          : Result.fail(new DocumentNotFound({ documentId: id }))
      )
    )

  return DocumentFiles.of({
    receive: Effect.fn("DocumentFiles.receive")(function* (arrival, bytes) {
      const { actor, announcedBytes, card, name, owner, people, tenantId } = arrival
      const id = yield* ids.mint("document")
      const sealed = yield* sealing.begin(id)
      const most = Math.min(announcedBytes ?? documentLimits.bytes, documentLimits.bytes)
      const begun: StoredDocument = {
        ...{ id, tenantId, owner, status: "UPLOADING", bytes: most, sealedKey: sealed.sealedKey, name, content: null },
        ...{ people, account: actor.account, createdAt: yield* Clock.currentTimeMillis, deletion: null },
        ...(card === undefined ? {} : { card })
      }
      yield* store.begin(begun, (usage) => requireSpace(usage, quota, most))
      return yield* receivePieces(begun, sealed, bytes).pipe(
        Effect.flatMap((known) => finish(begun, actor, known)),
        Effect.onError(() => Effect.ignoreCause(withoutCaller(abandon(begun, actor))))
      )
    }),
    content: Effect.fn("DocumentFiles.content")(function* ({ bytes, id, sealedKey, tenantId }) {
      const open = yield* Effect.orDie(sealing.open(id, sealedKey))
      const count = piecesOf(bytes)
      const read = Effect.fnUntraced(function* (piece: number) {
        const sealed = yield* content.read(tenantId, id, piece)
        if (Option.isNone(sealed)) return yield* new DocumentNotFound({ documentId: id }) // deleted meanwhile
        return yield* Effect.orDie(Effect.fromResult(open({ piece, isLast: piece === count - 1 }, sealed.value)))
      })
      const first = yield* read(0)
      const others = Stream.mapEffect(Stream.range(1, count - 1), (piece) => Effect.orDie(read(piece)))
      return count === 1 ? Stream.make(first) : Stream.concat(Stream.make(first), others)
    })
  })
})

export const layer: Layer.Layer<DocumentFiles, never, DocumentStore | DocumentContent | DocumentSeal | Ids> =
  Layer.effect(DocumentFiles, make)
