import { Context, Data, Result, Schema } from "effect"
import type { Actor } from "../audit/AuditEntry.ts"
import { CodeOfType } from "../holding/CredentialType.ts"
import type { Owners } from "../ownership/Ownership.ts"
import { createdAt, typeField } from "../resource/ShownFields.ts"
import { DocumentId } from "../shared/Id.ts"
import { type Instant, toRfc3339 } from "../shared/Instant.ts"
import { type ActiveContent, activeContents } from "./ActiveContent.ts"
import { type DocumentForm, documentForms, formNames } from "./DocumentForm.ts"
import type { DocumentOwner } from "./DocumentOwner.ts"

/** The most of one document, and of one record. */
export const documentLimits = {
  bytes: 10 * 1024 * 1024,
  /** The bytes of each stored piece, besides the last one of a document. */
  pieceBytes: 128 * 1024,
  ofRecord: 20,
  nameCharacters: 150
}

/** The most that a tenant keeps. */
export interface DocumentQuota {
  readonly bytes: number
  readonly documents: number
}
export const DocumentQuotaOf = Context.Reference<DocumentQuota>("@wcs/domain/DocumentQuota", {
  defaultValue: () => ({ bytes: 5 * 1024 ** 3, documents: 20_000 })
})

/** An upload that takes longer counts as lost. */
export const uploadMillis = 3_600_000

/** Why a document is deleted. A code and no text: a text could name the person, and the deletion stays on record. */
export const deletionReasons = ["WRONG_DOCUMENT", "REPLACED", "NOT_NEEDED", "PERSON_ASKED", "OTHER"] as const
export const DeletionReason = Schema.Literals(deletionReasons).annotate({ identifier: "DocumentDeletionReason" })
export type DeletionReason = typeof DeletionReason.Type

/**
 * UPLOADING: the pieces arrive. STORED: whole. DELETING, DELETED: the content is being removed, is gone. ENDED: gone without a
 * trace, but a last piece of its upload may still arrive.
 */
export type DocumentStatus = "UPLOADING" | "STORED" | "DELETING" | "DELETED" | "ENDED"

/** What is known of the content. */
export interface Content {
  readonly form: DocumentForm
  readonly bytes: number
  /** SHA-256 of the content before encryption, hex. */
  readonly sha256: string
  /** Absent in documents from before this was looked for. */
  readonly activeContent?: ActiveContent
}

/** Who deleted a document, when and why. */
export interface Deletion {
  readonly account: string
  readonly at: Instant
  /** Null if the document goes with its person or its answer, or if its upload failed: then no trace stays. */
  readonly reason: DeletionReason | null
}

/** A document without its content. */
export interface StoredDocument {
  readonly id: string
  readonly tenantId: string
  readonly owner: DocumentOwner
  /** Code of the type of the card that the file shows, as the person said it. Only of an answer's file. */
  readonly card?: string
  readonly status: DocumentStatus
  /** The bytes of the content; while it is uploaded, the most that it may have. */
  readonly bytes: number
  /** The key of the content, sealed under the master key. Empty once the document is deleted: then nothing opens the content. */
  readonly sealedKey: string
  /** The name of the file; empty once the document is deleted. */
  readonly name: string
  /** Null before the upload ends and once the document is deleted. */
  readonly content: Content | null
  /** The people whom the record was about at the upload. The document goes with the erasure of each of them. */
  readonly people: Owners
  /** The URN of the account that uploaded it. */
  readonly account: string
  readonly createdAt: Instant
  readonly deletion: Deletion | null
}

/** What a record and its tenant keep, with the uploads in progress. */
export interface DocumentUsage {
  readonly ofRecord: number
  readonly documents: number
  readonly bytes: number
}

/** The record or the tenant has as many documents or bytes as it may. */
export class DocumentsFull extends Data.TaggedError("DocumentsFull")<{
  readonly limit: "record" | "tenant" | "bytes"
  readonly most: number
}> {}

/** The record has no such document. */
export class DocumentNotFound extends Data.TaggedError("DocumentNotFound")<{ readonly documentId: string }> {}

/** Fails if a document of so many bytes is one too many. */
export const requireSpace = (
  usage: DocumentUsage,
  quota: DocumentQuota,
  bytes: number
): Result.Result<void, DocumentsFull> => {
  const { ofRecord } = documentLimits
  if (usage.ofRecord >= ofRecord) return Result.fail(new DocumentsFull({ limit: "record", most: ofRecord }))
  if (usage.documents >= quota.documents)
    return Result.fail(new DocumentsFull({ limit: "tenant", most: quota.documents }))
  return usage.bytes + bytes > quota.bytes
    ? Result.fail(new DocumentsFull({ limit: "bytes", most: quota.bytes }))
    : Result.void
}

/** The document as deleted: without a name, a key and a hash. Who uploaded and deleted it stays on record. */
export const deleted = (
  document: StoredDocument,
  { account }: Pick<Actor, "account">,
  reason: DeletionReason | null,
  at: Instant
): StoredDocument => ({
  ...document,
  ...{ status: "DELETING", sealedKey: "", name: "", content: null, deletion: { account, at, reason } }
})

// Format characters can turn the order of letters around, so that `fdp.exe` looks like `exe.pdf`.
const unfit = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]/gu

/** The name under which a document is saved: without characters that a file system refuses, ending as its form says. */
export const fileName = (name: string, form: DocumentForm): string => {
  const { extension } = documentForms[form]
  const base = [
    ...name
      .toWellFormed()
      .replace(unfit, "_")
      .replace(/^[.\s]+|[.\s]+$/gu, "")
  ]
    .slice(0, documentLimits.nameCharacters)
    .join("")
  const isFit = base.toLowerCase().endsWith(`.${extension}`) || (form === "JPEG" && /\.jpeg$/i.test(base))
  return isFit ? base : `${base === "" ? "document" : base}.${extension}`
}

/** The document with another owner. */
export const movedTo = ({ card: _, ...document }: StoredDocument, owner: DocumentOwner): StoredDocument => ({
  ...document,
  owner
})

/** The status after the content is removed; undefined if nothing of the document stays. */
export const statusWithoutContent = (
  { createdAt: at, deletion }: StoredDocument,
  uploadsBefore: Instant
): "DELETED" | "ENDED" | undefined => {
  if (deletion !== null && deletion.reason !== null) return "DELETED"
  return at < uploadsBefore ? undefined : "ENDED"
}

/** The deleted documents of a record that keep a trace. */
export const tracesMax = 20

/** The purpose under which the key of a document is sealed. */
export const purposeOf = (documentId: string): string => `document ${documentId}`

/** The number of pieces of a content. */
export const piecesOf = (bytes: number): number => Math.ceil(bytes / documentLimits.pieceBytes)

/** A document as the API shows it. */
export const DocumentView = Schema.Struct({
  id: DocumentId,
  type: typeField("document"),
  name: Schema.String.annotate({ description: "Name of the file. A download is saved under this name." }),
  form: Schema.Literals(formNames).annotate({ description: "Form of the file, found by its content." }),
  bytes: Schema.Int.annotate({ description: "Size of the file in bytes." }),
  sha256: Schema.String.annotate({ description: "SHA-256 of the file, in hex." }),
  card: Schema.optionalKey(CodeOfType).annotateKey({
    description: "Type of the card that the file shows, as the person said. Only of an answer's file."
  }),
  activeContent: Schema.Literals(activeContents).annotate({
    description:
      "Whether a PDF has scripts, programs, attached files or forms that send. UNKNOWN: it has compressed or encrypted parts, " +
      "which are not opened, or it was uploaded before this was looked for."
  }),
  account: Schema.String.annotate({ description: "URN of the account that uploaded the document." }),
  createdAt
})
export type DocumentView = typeof DocumentView.Type

/** A deleted document as the API shows it. */
export const DeletedDocumentView = Schema.Struct({
  id: DocumentId,
  type: typeField("document"),
  account: Schema.String.annotate({ description: "URN of the account that uploaded the document." }),
  createdAt,
  deletedAt: Schema.String.annotate({ format: "date-time", description: "When the document was deleted." }),
  deletedBy: Schema.String.annotate({ description: "URN of the account that deleted the document." }),
  reason: DeletionReason.annotateKey({ description: "Why the document was deleted." })
})
export type DeletedDocumentView = typeof DeletedDocumentView.Type

const Space = Schema.Struct({
  documentsOfRecord: Schema.Int.annotate({ description: "Documents that the record can still have." }),
  documents: Schema.Int.annotate({ description: "Documents that the organization can still have." }),
  bytes: Schema.Int.annotate({ description: "Bytes that the organization can still have." }),
  bytesOfDocument: Schema.Int.annotate({ description: "Most bytes of one document." })
}).annotate({ description: "The space that is left." })

/** The documents of a record. */
export const DocumentsView = Schema.Struct({
  documents: Schema.Array(DocumentView).annotate({ description: "The documents, newest first." }),
  deleted: Schema.Array(DeletedDocumentView).annotate({ description: "The last 20 deleted documents, newest first." }),
  space: Space
})
export type DocumentsView = typeof DocumentsView.Type

/** The files of an answer. */
export const FilesView = Schema.Struct({
  documents: Schema.Array(DocumentView).annotate({ description: "The files, newest first." })
})
export type FilesView = typeof FilesView.Type

/** A stored document as the API shows it; undefined for any other. */
export const shownDocument = (document: StoredDocument): DocumentView | undefined => {
  const { account, card, content, createdAt: at, id, name, status } = document
  if (status !== "STORED" || content === null) return undefined
  // Unknown for a PDF from before this was looked for.
  const activeContent = content.form === "PDF" ? "UNKNOWN" : "NOT_FOUND"
  const shownCard = card === undefined ? {} : { card }
  return { id, type: "document", name, activeContent, ...content, ...shownCard, account, createdAt: toRfc3339(at) }
}

const shownDeletion = ({ account, createdAt: at, deletion, id }: StoredDocument): DeletedDocumentView | undefined => {
  if (deletion === null || deletion.reason === null) return undefined
  const { account: deletedBy, at: deletedAt, reason } = deletion
  return {
    ...{ id, type: "document", account, createdAt: toRfc3339(at) },
    ...{ deletedAt: toRfc3339(deletedAt), deletedBy, reason }
  }
}

/** The documents of a record as the API shows them, from those that the store lists. */
export const shownDocuments = (
  all: ReadonlyArray<StoredDocument>,
  usage: DocumentUsage,
  quota: DocumentQuota
): DocumentsView => ({
  documents: all.flatMap((document) => shownDocument(document) ?? []),
  deleted: all.flatMap((document) => shownDeletion(document) ?? []),
  space: {
    documentsOfRecord: Math.max(0, documentLimits.ofRecord - usage.ofRecord),
    documents: Math.max(0, quota.documents - usage.documents),
    bytes: Math.max(0, quota.bytes - usage.bytes),
    bytesOfDocument: documentLimits.bytes
  }
})
