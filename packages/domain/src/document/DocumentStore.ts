import { Context, type Effect, type Option, type Result } from "effect"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Instant } from "../shared/Instant.ts"
import type { DocumentUsage, StoredDocument } from "./Document.ts"
import type { DocumentOwner } from "./DocumentOwner.ts"

/** The basis of a decision about a document. */
export interface DocumentBasis {
  readonly document: Option.Option<StoredDocument>
  /** Whether the record that owns it is there and not deleted. It stays so until the commit. */
  readonly hasOwner: boolean
}

/** The decision: the document to store, and its audit entries. The same document changes nothing. */
export interface DocumentChange {
  readonly next: StoredDocument
  readonly audit: ReadonlyArray<AuditEntry>
}

/** The decision about a look: the document that is shown, and its audit entries. */
export interface DocumentLook {
  readonly document: StoredDocument
  readonly audit: ReadonlyArray<AuditEntry>
}

/** Stores what is known of documents, without their content. Infrastructure failures are defects. */
export class DocumentStore extends Context.Service<
  DocumentStore,
  {
    /**
     * Stores a document whose upload begins, if `decide` allows it by what its record and tenant have. Nothing is added to
     * them meanwhile, and the bytes of the document count from now on.
     */
    readonly begin: <E>(
      document: StoredDocument,
      decide: (usage: DocumentUsage) => Result.Result<void, E>
    ) => Effect.Effect<void, E>

    /** Reads a document, calls `decide`, which is pure, and writes its decision, in one transaction. */
    readonly change: <E>(
      tenantId: string,
      id: string,
      decide: (basis: DocumentBasis) => Result.Result<DocumentChange, E>
    ) => Effect.Effect<StoredDocument, E>

    /**
     * Reads a document, calls `decide`, which is pure, and writes the audit entries that it returns, in one transaction. Locks
     * nothing, so it never waits for a change: the document and its record may change before the commit.
     */
    readonly look: <E>(
      tenantId: string,
      id: string,
      decide: (basis: DocumentBasis) => Result.Result<DocumentLook, E>
    ) => Effect.Effect<StoredDocument, E>

    /** The documents of a record: all STORED ones, newest first, then the last that somebody deleted, the last one first. */
    readonly list: (tenantId: string, owner: DocumentOwner) => Effect.Effect<ReadonlyArray<StoredDocument>>

    /** What the record and the tenant have. */
    readonly usage: (tenantId: string, owner: DocumentOwner) => Effect.Effect<DocumentUsage>

    /**
     * Gives STORED documents of a record to another one, as `decide` returns them, and returns them. Undefined leaves a
     * document. The limit of the other record does not count: nobody who approves should have to delete first. Uploads of the
     * record that go on are ended. If the other record is not there, the documents are deleted, and the list is empty.
     */
    readonly move: (
      tenantId: string,
      from: DocumentOwner,
      to: DocumentOwner,
      at: Instant,
      decide: (document: StoredDocument) => DocumentChange | undefined
    ) => Effect.Effect<ReadonlyArray<StoredDocument>>

    /** Changes each document of a record that is UPLOADING or STORED, in one transaction. */
    readonly changeAll: (
      tenantId: string,
      owner: DocumentOwner,
      decide: (document: StoredDocument) => DocumentChange
    ) => Effect.Effect<void>

    /** The STORED documents of a tenant with ids after this one, in order of id. */
    readonly page: (
      tenantId: string,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StoredDocument>>

    /** Documents of all tenants whose content must go: DELETING ones, and UPLOADING and ENDED ones from before `uploadsBefore`. */
    readonly ending: (uploadsBefore: Instant, limit: number) => Effect.Effect<ReadonlyArray<StoredDocument>>

    /**
     * Records by `statusWithoutContent` that the content is gone, and keeps the last `tracesMax` deleted documents of the record.
     * Changes nothing that is UPLOADING or STORED.
     */
    readonly ended: (tenantId: string, id: string, uploadsBefore: Instant) => Effect.Effect<void>
  }
>()("@wcs/domain/DocumentStore") {}
