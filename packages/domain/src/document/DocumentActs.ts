import { Clock, Effect, Option, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import { actorOf } from "../audit/AuditEntry.ts"
import { idFormat, isId } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { RequestId } from "../shared/RequestId.ts"
import { DocumentNotFound, type StoredDocument } from "./Document.ts"
import { entriesOf } from "./DocumentFiles.ts"
import { type DocumentOwner, isSameOwner } from "./DocumentOwner.ts"
import type { DocumentStore } from "./DocumentStore.ts"

/** Fails unless a text has the form of a document's id. */
export const requireDocumentId = (documentId: string): Result.Result<void, InvalidArgument> =>
  isId("document", documentId)
    ? Result.void
    : Result.fail(new InvalidArgument({ field: "documentId", reason: `must be ${idFormat("document")}` }))

/**
 * Returns a function that looks at a document of a record or deletes it, with audit entries, for a caller who was found to
 * reach the record. A repeated deletion changes nothing.
 */
export const makeAct = (store: DocumentStore["Service"], auditId: () => string) =>
  Effect.fnUntraced(function* (
    owner: DocumentOwner,
    documentId: string,
    kind: "look" | "delete",
    next: (document: StoredDocument, now: number) => StoredDocument
  ) {
    const caller = yield* Caller
    const actor = actorOf(caller, yield* RequestId)
    const now = yield* Clock.currentTimeMillis
    const audit = entriesOf(auditId, actor, kind, { id: documentId, owner }, now)
    const missing = Result.fail(new DocumentNotFound({ documentId }))
    return yield* store.change(caller.tenantId, documentId, ({ document, hasOwner }) => {
      const before = Option.getOrUndefined(document)
      if (before === undefined || !isSameOwner(before.owner, owner) || !hasOwner) return missing
      if (before.status === "STORED") return Result.succeed({ next: next(before, now), audit })
      const isRepeated = kind === "delete" && before.deletion !== null && before.deletion.reason !== null
      return isRepeated ? Result.succeed({ next: before, audit: [] }) : missing
    })
  })
