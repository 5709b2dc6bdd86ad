import { Clock, Effect, Option, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import { actorOf } from "../audit/AuditEntry.ts"
import { idFormat, isId } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { RequestId } from "../shared/RequestId.ts"
import { DocumentNotFound, type StoredDocument } from "./Document.ts"
import { entriesOf } from "./DocumentFiles.ts"
import { type DocumentOwner, isSameOwner } from "./DocumentOwner.ts"
import type { DocumentBasis } from "./DocumentStore.ts"

/** Fails unless a text has the form of a document's id. */
export const requireDocumentId = (documentId: string): Result.Result<void, InvalidArgument> =>
  isId("document", documentId)
    ? Result.void
    : Result.fail(new InvalidArgument({ field: "documentId", reason: `must be ${idFormat("document")}` }))

/**
 * Finds what an act on a document of a record needs: who acts, its audit entries, and the document itself. The caller was found
 * to reach the record.
 */
export const prepareAct = Effect.fnUntraced(function* (
  auditId: () => string,
  owner: DocumentOwner,
  documentId: string,
  act: "look" | "delete"
) {
  const caller = yield* Caller
  const actor = actorOf(caller, yield* RequestId)
  const now = yield* Clock.currentTimeMillis
  const audit = entriesOf(auditId, actor, act, { id: documentId, owner }, now)
  const missing = Result.fail(new DocumentNotFound({ documentId }))
  /** The document, if the record owns it. */
  const ownedIn = ({ document, hasOwner }: DocumentBasis): Result.Result<StoredDocument, DocumentNotFound> => {
    const found = Option.getOrUndefined(document)
    return found !== undefined && hasOwner && isSameOwner(found.owner, owner) ? Result.succeed(found) : missing
  }
  /** A look at the document, which must be whole. */
  const lookIn = (basis: DocumentBasis) =>
    Result.flatMap(ownedIn(basis), (found) =>
      found.status === "STORED" ? Result.succeed({ document: found, audit }) : missing
    )
  return { actor, audit, missing, now, ownedIn, lookIn, tenantId: caller.tenantId }
})
