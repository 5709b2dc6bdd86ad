import { Context, Effect, Layer, type Stream } from "effect"
import { Caller } from "../access/Caller.ts"
import { Resources } from "../crud/Resources.ts"
import { type DocumentNotFound, type FilesView, type StoredDocument, shownDocument } from "../document/Document.ts"
import { prepareAct, requireDocumentId } from "../document/DocumentActs.ts"
import { DocumentFiles } from "../document/DocumentFiles.ts"
import { DocumentStore } from "../document/DocumentStore.ts"
import type { ResourceNotFound } from "../resource/Resource.ts"
import { Answer } from "../screening/Answer.ts"
import { Ids } from "../shared/Id.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { RequestId } from "../shared/RequestId.ts"

type Unreached = InvalidArgument | ResourceNotFound

/** Photos and scans of answers, for the officer who decides (DECISIONS.md#answers). Who finds the answer finds its files. */
export class AnswerDocuments extends Context.Service<
  AnswerDocuments,
  {
    readonly list: (answerId: string) => Effect.Effect<FilesView, Unreached, Caller>
    /** Returns a file with its content. The audit log has who looked, also if the transfer breaks off. */
    readonly look: (
      answerId: string,
      documentId: string
    ) => Effect.Effect<
      { readonly document: StoredDocument; readonly content: Stream.Stream<Uint8Array> },
      Unreached | DocumentNotFound,
      Caller | RequestId
    >
  }
>()("@wcs/domain/AnswerDocuments") {}

export const make = Effect.gen(function* () {
  const resources = yield* Resources
  const store = yield* DocumentStore
  const files = yield* DocumentFiles
  const ids = yield* Ids
  const auditId = ids.source("audit")

  const ownerOf = (id: string) => Effect.as(resources.read(Answer, id, {}), { type: "answer", id } as const)

  return AnswerDocuments.of({
    list: Effect.fn("AnswerDocuments.list")(function* (answerId) {
      const owner = yield* ownerOf(answerId)
      const all = yield* store.list((yield* Caller).tenantId, owner)
      return { documents: all.flatMap((document) => shownDocument(document) ?? []) }
    }),
    look: Effect.fn("AnswerDocuments.look")(function* (answerId, documentId) {
      const owner = yield* ownerOf(answerId)
      yield* Effect.fromResult(requireDocumentId(documentId))
      const { lookIn, tenantId } = yield* prepareAct(auditId, owner, documentId, "look")
      const document = yield* store.look(tenantId, documentId, lookIn)
      return { document, content: yield* files.content(document) }
    })
  })
})

export const layer: Layer.Layer<AnswerDocuments, never, Resources | DocumentStore | DocumentFiles | Ids> = Layer.effect(
  AnswerDocuments,
  make
)
