import { Context, type Effect, type Option } from "effect"

/**
 * Stores the encrypted content of documents in pieces, numbered from 0. It need not be in the database: an object store
 * can have it. Infrastructure failures are defects.
 */
export class DocumentContent extends Context.Service<
  DocumentContent,
  {
    /** Stores a piece. It is durable when this returns. A repeated call replaces the piece. */
    readonly put: (tenantId: string, documentId: string, piece: number, sealed: Uint8Array) => Effect.Effect<void>

    /** Returns a piece; none if there is no such piece. */
    readonly read: (tenantId: string, documentId: string, piece: number) => Effect.Effect<Option.Option<Uint8Array>>

    /** Removes at most `limit` pieces of a document. Returns whether more may be left. */
    readonly remove: (tenantId: string, documentId: string, limit: number) => Effect.Effect<boolean>
  }
>()("@wcs/domain/DocumentContent") {}
