import { Context, Effect, Layer, Option, Result, Stream } from "effect"
import { Caller } from "../access/Caller.ts"
import { actorOf } from "../audit/AuditEntry.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Credential } from "../holding/Credential.ts"
import { type OwnerOutside, requireOwners } from "../people/Oversight.ts"
import { ResourceNotFound, requireId } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { Ids } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { RequestId } from "../shared/RequestId.ts"
import {
  type DeletionReason,
  DocumentNotFound,
  DocumentQuotaOf,
  type DocumentsFull,
  type DocumentsView,
  type DocumentView,
  deleted,
  deletionReasons,
  type StoredDocument,
  shownDocument,
  shownDocuments
} from "./Document.ts"
import { prepareAct, requireDocumentId } from "./DocumentActs.ts"
import * as DocumentFiles from "./DocumentFiles.ts"
import type { DocumentOwner } from "./DocumentOwner.ts"
import { DocumentStore } from "./DocumentStore.ts"

/** Why a caller may not reach the documents of a credential. */
type Unreached = InvalidArgument | ResourceNotFound | OwnerOutside

/** Documents of credentials: scans of cards and letters (DECISIONS.md#documents). */
export class Documents extends Context.Service<
  Documents,
  {
    /** Stores a file. Its form is found by its content. `announcedBytes` is what the sender announces, if it does. */
    readonly upload: <E>(
      credentialId: string,
      file: { readonly name: string; readonly announcedBytes: number | undefined },
      bytes: Stream.Stream<Uint8Array, E>
    ) => Effect.Effect<DocumentView, E | Unreached | DocumentsFull | DocumentNotFound, Caller | RequestId>
    readonly list: (credentialId: string) => Effect.Effect<DocumentsView, Unreached, Caller>
    /** Returns the document with its content. The audit log has who looked at which one, also if the transfer breaks off. */
    readonly look: (
      credentialId: string,
      documentId: string
    ) => Effect.Effect<
      { readonly document: StoredDocument; readonly content: Stream.Stream<Uint8Array> },
      Unreached | DocumentNotFound,
      Caller | RequestId
    >
    /** Deletes the content and the name for good, for one of the `deletionReasons`. Who deleted it and why stays. A repeated call changes nothing. */
    readonly remove: (
      credentialId: string,
      documentId: string,
      reason: string | undefined
    ) => Effect.Effect<void, Unreached | DocumentNotFound, Caller | RequestId>
  }
>()("@wcs/domain/Documents") {}

const requireIds = (credentialId: string, documentId: string): Result.Result<void, InvalidArgument> =>
  Result.andThen(requireId(Credential, credentialId), () => requireDocumentId(documentId))

const requireReason = (given: string | undefined): Result.Result<DeletionReason, InvalidArgument> => {
  const found = deletionReasons.find((reason) => reason === given)
  const reason = `must be one of ${deletionReasons.join(", ")}`
  return found === undefined ? Result.fail(new InvalidArgument({ field: "reason", reason })) : Result.succeed(found)
}

export const make = Effect.gen(function* () {
  const store = yield* DocumentStore
  const files = yield* DocumentFiles.DocumentFiles
  const resources = yield* ResourceStore
  const ids = yield* Ids
  const quota = yield* DocumentQuotaOf
  const auditId = ids.source("audit")

  /** The credential as the owner of documents, if the caller reaches all its people. */
  const ownerOf = Effect.fnUntraced(function* (id: string) {
    const { tenantId } = yield* Caller
    const credentialId = yield* Effect.fromResult(requireId(Credential, id))
    const found = yield* resources.find(Credential, tenantId, credentialId)
    if (Option.isNone(found) || !isVisible(found.value, false)) {
      return yield* new ResourceNotFound({ entityType: "credential", id })
    }
    yield* Effect.fromResult(requireOwners("document", found.value))
    const owner: DocumentOwner = { type: "credential", id: credentialId }
    return { owner, people: found.value.fields.attributes.owners }
  })

  /** Ends an upload, which can take minutes: fails unless the caller still reaches the credential, and its people are the same. */
  const unchanged = (id: string, { people }: Effect.Success<ReturnType<typeof ownerOf>>) =>
    Stream.drain(
      Stream.fromEffect(
        Effect.flatMap(ownerOf(id), ({ people: { applicant, worker } }) =>
          worker === people.worker && applicant === people.applicant
            ? Effect.void
            : Effect.fail(
                new InvalidArgument({ field: "file", reason: "must arrive before the owners change. Try again" })
              )
        )
      )
    )

  /** Finds what an act on a document of a credential needs: who acts, its audit entries, and the document itself. */
  const prepare = Effect.fnUntraced(function* (credentialId: string, documentId: string, act: "look" | "delete") {
    yield* Effect.fromResult(requireIds(credentialId, documentId))
    const { owner } = yield* ownerOf(credentialId)
    return yield* prepareAct(auditId, owner, documentId, act)
  })

  return Documents.of({
    upload: Effect.fn("Documents.upload")(function* (credentialId, file, bytes) {
      const reached = yield* ownerOf(credentialId)
      const caller = yield* Caller
      const actor = actorOf(caller, yield* RequestId)
      const arrival = { tenantId: caller.tenantId, actor, ...reached, ...file }
      const stored = yield* files.receive(arrival, Stream.concat(bytes, unchanged(credentialId, reached)))
      return shownDocument(stored) ?? (yield* new DocumentNotFound({ documentId: stored.id }))
    }),
    list: Effect.fn("Documents.list")(function* (credentialId) {
      const { owner } = yield* ownerOf(credentialId)
      const { tenantId } = yield* Caller
      const all = yield* store.list(tenantId, owner)
      return shownDocuments(all, yield* store.usage(tenantId, owner), quota)
    }),
    look: Effect.fn("Documents.look")(function* (credentialId, documentId) {
      const { lookIn, tenantId } = yield* prepare(credentialId, documentId, "look")
      const document = yield* store.look(tenantId, documentId, lookIn)
      return { document, content: yield* files.content(document) }
    }),
    remove: Effect.fn("Documents.remove")(function* (credentialId, documentId, given) {
      yield* Effect.fromResult(requireIds(credentialId, documentId))
      const reason = yield* Effect.fromResult(requireReason(given))
      const { actor, audit, missing, now, ownedIn, tenantId } = yield* prepare(credentialId, documentId, "delete")
      yield* store.change(tenantId, documentId, (basis) =>
        Result.flatMap(ownedIn(basis), (before) => {
          if (before.status === "STORED") return Result.succeed({ next: deleted(before, actor, reason, now), audit })
          const isRepeated = before.deletion !== null && before.deletion.reason !== null
          return isRepeated ? Result.succeed({ next: before, audit: [] }) : missing
        })
      )
    })
  })
})

export const layer: Layer.Layer<Documents, never, DocumentStore | DocumentFiles.DocumentFiles | ResourceStore | Ids> =
  Layer.effect(Documents, make)
