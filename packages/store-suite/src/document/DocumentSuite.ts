import { assert, describe } from "@effect/vitest"
import { serverActing } from "@wcs/domain/audit/AuditEntry"
import {
  DocumentNotFound,
  DocumentsFull,
  deleted,
  documentLimits,
  movedTo,
  type StoredDocument,
  uploadMillis
} from "@wcs/domain/document/Document"
import { DocumentContent } from "@wcs/domain/document/DocumentContent"
import * as DocumentFiles from "@wcs/domain/document/DocumentFiles"
import type { DocumentOwner } from "@wcs/domain/document/DocumentOwner"
import { DocumentSeal } from "@wcs/domain/document/DocumentSeal"
import { DocumentStore } from "@wcs/domain/document/DocumentStore"
import * as DocumentSweep from "@wcs/domain/document/DocumentSweep"
import { Credential } from "@wcs/domain/holding/Credential"
import { noOwners } from "@wcs/domain/ownership/Ownership"
import { Answer, type AnswerFields } from "@wcs/domain/screening/Answer"
import * as Id from "@wcs/domain/shared/Id"
import { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import { Clock, Effect, Layer, Option, Result, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { auditEntry, auditLog, created, credentialFields, mint, put, remove, type TenantTest } from "../Fixtures.ts"

/** Turns each byte around, so that a piece is stored as it is sealed. The keys have the real cipher. */
const fakeSeal = Layer.succeed(
  DocumentSeal,
  DocumentSeal.of({
    begin: () =>
      Effect.succeed({
        sealedKey: "sealed",
        seal: (_, bytes) => bytes.map((byte) => byte ^ 0xff),
        sha256: () => "hash"
      }),
    open: () => Effect.succeed((_, sealed) => Result.succeed(sealed.map((byte) => byte ^ 0xff)))
  })
)

const files = DocumentFiles.layer.pipe(Layer.provide([fakeSeal, Layer.provide(Id.layer, SecureRandom.layerWebCrypto)]))

/** A PDF of a size. */
const pdfOf = (size: number): Uint8Array => {
  const file = new Uint8Array(size).fill(0x20)
  const ends = ["%PDF-1.7\n", "startxref\n0\n%%EOF"].map((text) => new TextEncoder().encode(text))
  file.set(ends[0] ?? [])
  file.set(ends[1] ?? [], size - (ends[1]?.length ?? 0))
  return file
}

/** The chunks in which a file arrives, of uneven sizes. */
const arriving = (file: Uint8Array) => {
  const chunks: Array<Uint8Array> = []
  for (let at = 0, size = 1; at < file.length; at += size, size = (size * 7 + 1) % 70_001) {
    chunks.push(file.subarray(at, at + size))
  }
  return Stream.fromIterable(chunks)
}

const actor = serverActing("01K00000000000000000DOCUMENT".slice(0, 26))

const receive = Effect.fnUntraced(
  function* <E>(
    tenantId: string,
    owner: DocumentOwner,
    bytes: Stream.Stream<Uint8Array, E>,
    announcedBytes?: number,
    ofCard: Pick<StoredDocument, "card"> = {}
  ) {
    const { receive } = yield* DocumentFiles.DocumentFiles
    return yield* receive({ tenantId, owner, people: noOwners, name: "card", announcedBytes, actor, ...ofCard }, bytes)
  },
  (effect) => Effect.provide(effect, files)
)

const content = Effect.fnUntraced(
  function* (document: StoredDocument) {
    const { content } = yield* DocumentFiles.DocumentFiles
    const chunks = yield* Stream.runCollect(yield* content(document))
    return Buffer.concat(Array.from(chunks))
  },
  (effect) => Effect.provide(effect, files)
)

/** An answer that waits, as the owner of documents. */
const beginAnswer = Effect.fnUntraced(function* (tenant: string) {
  const id = mint("answer")
  const at = "2026-01-31T00:00:00.000Z"
  const consent = { version: "1", text: "I agree", notice: "Why", at }
  const request = { type: "captureRequest", id: mint("captureRequest") } as const
  yield* put<AnswerFields>(
    Answer,
    tenant,
    created(id, { state: "WAITING", request, consent, cards: [], submittedAt: at })
  )
  return { type: "answer", id } as const
})

const beginOwner = Effect.fnUntraced(function* (tenant: string) {
  const id = mint("credential")
  yield* put(Credential, tenant, created(id, credentialFields({ worker: mint("worker") })))
  return { type: "credential", id } satisfies DocumentOwner
})

const list = (tenant: string, owner: DocumentOwner) => DocumentStore.use((store) => store.list(tenant, owner))

/** The number of pieces that are stored of a document. */
const piecesOf = Effect.fnUntraced(function* (tenant: string, id: string) {
  const { read } = yield* DocumentContent
  let count = 0
  while (Option.isSome(yield* read(tenant, id, count))) count += 1
  return count
})

/** The documents whose content must go in an hour. */
const endingOf = (tenant: string) =>
  DocumentStore.use((store) =>
    Effect.map(store.ending(Number.MAX_SAFE_INTEGER, 10_000), (all) =>
      all.filter(({ tenantId }) => tenantId === tenant)
    )
  )

const sweep = Effect.gen(function* () {
  const round = yield* DocumentSweep.make
  while (yield* round);
})

const receiveTests = (it: TenantTest): void => {
  it("returns a file as it was received, whatever its size, and counts it", function* (tenant) {
    const owner = yield* beginOwner(tenant)
    const { pieceBytes } = documentLimits
    const sizes = [26, 5000, pieceBytes - 1, pieceBytes, pieceBytes + 1, 3 * pieceBytes]
    for (const size of sizes) {
      const document = yield* receive(tenant, owner, arriving(pdfOf(size)))
      assert.deepInclude(document, { status: "STORED", bytes: size, name: "card.pdf", account: actor.account })
      assert.deepStrictEqual(document.content, { form: "PDF", activeContent: "NOT_FOUND", bytes: size, sha256: "hash" })
      assert.isTrue((yield* content(document)).equals(pdfOf(size)), String(size))
    }
    const listed = yield* list(tenant, owner)
    assert.deepStrictEqual(
      listed.map(({ bytes }) => bytes),
      sizes.toReversed()
    )
    const usage = yield* DocumentStore.use((store) => store.usage(tenant, owner))
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    assert.deepStrictEqual(usage, { ofRecord: sizes.length, documents: sizes.length, bytes })
    const entries = (yield* auditLog(tenant)).filter(({ entityType }) => entityType === "document")
    assert.deepStrictEqual(
      entries.map(({ action, entityId }) => [action, entityId]),
      listed.map(({ id }) => ["upload", id]).reverse()
    )
    const ofCard = (yield* auditLog(tenant)).filter(({ entityId }) => entityId === owner.id)
    assert.deepStrictEqual([...new Set(ofCard.map(({ action }) => action))], ["uploadDocument"])
  })

  it("threat 89: keeps nothing of an upload that fails, is refused, or is too large", function* (tenant) {
    const owner = yield* beginOwner(tenant)
    const failing = Stream.concat(arriving(pdfOf(300_000)), Stream.fail("broken off" as const))
    assert.deepStrictEqual(yield* Effect.result(receive(tenant, owner, failing)), Result.fail("broken off" as const))
    const zeros = Stream.make(new Uint8Array(100))
    for (const [bytes, announced] of [
      [zeros, undefined],
      [arriving(pdfOf(documentLimits.bytes + 1)), undefined],
      [arriving(pdfOf(200_000)), 199_999]
    ] as const) {
      const refused = yield* Effect.result(receive(tenant, owner, bytes, announced))
      assert.isTrue(Result.isFailure(refused) && refused.failure instanceof InvalidArgument)
    }
    assert.deepStrictEqual(yield* list(tenant, owner), [])
    const { usage } = yield* DocumentStore
    assert.deepStrictEqual(yield* usage(tenant, owner), { ofRecord: 0, documents: 0, bytes: 0 })
    assert.deepStrictEqual(
      (yield* auditLog(tenant)).filter(({ entityType }) => entityType === "document"),
      []
    )
    const failed = yield* endingOf(tenant)
    assert.lengthOf(failed, 4)
    assert.isAbove(yield* piecesOf(tenant, failed[0]?.id ?? ""), 0)
    yield* sweep
    for (const { id } of failed) assert.strictEqual(yield* piecesOf(tenant, id), 0)
  })

  it("threat 89: finds the piece of an upload that arrives after its end, in the hour after", function* (tenant) {
    const store = yield* DocumentStore
    const { remove: removePieces } = yield* DocumentContent
    const owner = yield* beginOwner(tenant)
    const stores = yield* Effect.context<DocumentStore | DocumentContent>()
    const erasing = Effect.gen(function* () {
      yield* store.changeAll(tenant, owner, (document) => ({ next: deleted(document, actor, null, 1), audit: [] }))
      yield* sweep
      return new Uint8Array(2 * documentLimits.pieceBytes)
    }).pipe(Effect.provideContext(stores))
    const bytes = Stream.concat(Stream.make(pdfOf(300_000)), Stream.fromEffect(erasing))
    const refused = yield* Effect.result(receive(tenant, owner, bytes))
    assert.isTrue(Result.isFailure(refused))
    const [ended] = yield* endingOf(tenant)
    assert.strictEqual(ended?.status, "ENDED")
    const { id = "" } = ended ?? {}
    while (yield* removePieces(tenant, id, 20));
    yield* store.ended(tenant, id, Number.MAX_SAFE_INTEGER)
    assert.deepStrictEqual(yield* endingOf(tenant), [])
  })

  it("does not store a file whose credential is deleted meanwhile", function* (tenant) {
    const owner = yield* beginOwner(tenant)
    const deleting = Effect.as(remove(Credential, tenant, owner.id), new Uint8Array(10))
    const stores = yield* Effect.context<never>()
    const bytes = Stream.concat(
      Stream.make(pdfOf(50)),
      Stream.fromEffect(Effect.provideContext(deleting as Effect.Effect<Uint8Array>, stores))
    )
    const refused = yield* Effect.result(receive(tenant, owner, bytes))
    assert.isTrue(Result.isFailure(refused) && refused.failure instanceof DocumentNotFound)
    assert.deepStrictEqual(yield* list(tenant, owner), [])
  })

  it("threat 89: never stores more than a record may have, however many uploads run at once", function* (tenant) {
    const owner = yield* beginOwner(tenant)
    const uploads = Array.from({ length: documentLimits.ofRecord + 5 }, () =>
      Effect.result(receive(tenant, owner, arriving(pdfOf(100)), 100))
    )
    const results = yield* Effect.all(uploads, { concurrency: "unbounded" })
    const full = results.filter((result) => Result.isFailure(result) && result.failure instanceof DocumentsFull)
    assert.lengthOf(full, 5)
    assert.lengthOf(yield* list(tenant, owner), documentLimits.ofRecord)
  })
}

const endTests = (it: TenantTest): void => {
  it("deletes a document: nothing but who, when and why is left, and the sweep removes the content", function* (tenant) {
    const store = yield* DocumentStore
    const owner = yield* beginOwner(tenant)
    const kept = yield* receive(tenant, owner, arriving(pdfOf(400_000)))
    const gone = yield* receive(tenant, owner, arriving(pdfOf(400_000)))
    const audit = [auditEntry(gone.id, { entityType: "document" })]
    yield* store.change(tenant, gone.id, ({ document, hasOwner }) => {
      assert.isTrue(hasOwner)
      return Result.succeed({ next: deleted(Option.getOrThrow(document), actor, "REPLACED", 7), audit })
    })
    assert.strictEqual((yield* store.usage(tenant, owner)).bytes, 400_000)
    const traceOf = Effect.map(list(tenant, owner), (all) => all.find(({ id }) => id === gone.id))
    assert.deepInclude(yield* traceOf, { status: "DELETING", name: "", sealedKey: "", content: null })
    assert.strictEqual(yield* piecesOf(tenant, gone.id), 4)
    yield* sweep
    assert.deepInclude(yield* traceOf, {
      status: "DELETED",
      deletion: { account: actor.account, at: 7, reason: "REPLACED" }
    })
    assert.deepStrictEqual([yield* piecesOf(tenant, gone.id), yield* piecesOf(tenant, kept.id)], [0, 4])
  })

  it("removes an upload that was lost, and leaves one that goes on", function* (tenant) {
    const store = yield* DocumentStore
    const { put: putPiece } = yield* DocumentContent
    const owner = yield* beginOwner(tenant)
    const now = yield* Clock.currentTimeMillis
    const begun = (createdAt: number): StoredDocument => ({
      ...{ id: mint("document"), tenantId: tenant, owner, status: "UPLOADING", bytes: 9, sealedKey: "s", name: "n" },
      ...{ content: null, people: noOwners, account: actor.account, createdAt, deletion: null }
    })
    const [lost, running] = [begun(now - uploadMillis - 60_000), begun(now)]
    for (const document of [lost, running]) {
      yield* store.begin(document, () => Result.void)
      yield* putPiece(tenant, document.id, 0, new Uint8Array(3))
    }
    yield* sweep
    assert.deepStrictEqual([yield* piecesOf(tenant, lost.id), yield* piecesOf(tenant, running.id)], [0, 1])
    assert.strictEqual((yield* store.usage(tenant, owner)).documents, 1)
    assert.deepStrictEqual(yield* list(tenant, owner), [])
  })

  it("moves the documents of an answer to a credential, and deletes those of an answer", function* (tenant) {
    const store = yield* DocumentStore
    const owner = yield* beginOwner(tenant)
    const [approved, refused] = [yield* beginAnswer(tenant), yield* beginAnswer(tenant)]
    const one = yield* receive(tenant, approved, arriving(pdfOf(100)))
    yield* receive(tenant, refused, arriving(pdfOf(100)))
    const staying = yield* receive(tenant, approved, arriving(pdfOf(100)), undefined, { card: "WWCC_NSW" })
    const moved = yield* store.move(tenant, approved, owner, 1, (document) =>
      document.id === staying.id
        ? undefined
        : {
            next: movedTo(document, owner),
            audit: [auditEntry(document.id, { entityType: "document", action: "move" })]
          }
    )
    assert.deepStrictEqual(moved, [{ ...one, owner }])
    assert.deepStrictEqual(yield* list(tenant, approved), [staying])
    const [there] = yield* list(tenant, owner)
    assert.deepStrictEqual(there, { ...one, owner })
    assert.isTrue((yield* content({ ...one, owner })).equals(pdfOf(100)))
    assert.strictEqual((yield* auditLog(tenant)).at(-1)?.action, "move")
    yield* store.changeAll(tenant, refused, (document) => ({ next: deleted(document, actor, null, 1), audit: [] }))
    yield* sweep
    assert.deepStrictEqual(yield* list(tenant, refused), [])
    assert.strictEqual((yield* store.usage(tenant, owner)).documents, 2)
  })

  it("threat 89: deletes the documents of an answer whose credential is not there any more", function* (tenant) {
    const store = yield* DocumentStore
    const owner = yield* beginOwner(tenant)
    const answer = yield* beginAnswer(tenant)
    yield* receive(tenant, answer, arriving(pdfOf(100)))
    yield* remove(Credential, tenant, owner.id)
    assert.deepStrictEqual(
      yield* store.move(tenant, answer, owner, 1, (document) => ({ next: document, audit: [] })),
      []
    )
    for (const one of [answer, owner]) assert.deepStrictEqual(yield* list(tenant, one), [])
  })

  it("keeps the traces of the last 20 deleted documents of a record, the last one first", function* (tenant) {
    const store = yield* DocumentStore
    const owner = yield* beginOwner(tenant)
    const ids: Array<string> = []
    for (let count = 0; count < 22; count++) {
      const { id } = yield* receive(tenant, owner, arriving(pdfOf(30)))
      ids.push(id)
      yield* store.change(tenant, id, ({ document }) => {
        const at = count === 0 ? 1000 : count // the first one is deleted last
        return Result.succeed({ next: deleted(Option.getOrThrow(document), actor, "OTHER", at), audit: [] })
      })
    }
    const expected = [ids[0], ...ids.slice(3).reverse()]
    const traces = Effect.map(list(tenant, owner), (all) => all.map(({ id }) => id))
    assert.deepStrictEqual(yield* traces, expected)
    yield* sweep
    assert.deepStrictEqual(yield* traces, expected)
    const gone = yield* store
      .change(tenant, ids[1] ?? "", ({ document }) =>
        Option.isNone(document) ? Result.fail("gone" as const) : Result.succeed({ next: document.value, audit: [] })
      )
      .pipe(Effect.result)
    assert.deepStrictEqual(gone, Result.fail("gone" as const))
  })

  it("pages the stored documents of a tenant in order of id", function* (tenant) {
    const store = yield* DocumentStore
    const owner = yield* beginOwner(tenant)
    const ids: Array<string> = []
    for (let count = 0; count < 3; count++) ids.push((yield* receive(tenant, owner, arriving(pdfOf(50)))).id)
    const first = yield* store.page(tenant, null, 2)
    const rest = yield* store.page(tenant, first.at(-1)?.id ?? "", 2)
    assert.deepStrictEqual(
      [...first, ...rest].map(({ id }) => id),
      ids.toSorted()
    )
  })
}

/** Tests the contracts of the stores of documents. */
export const documentSuite = (it: TenantTest): void => {
  describe("DocumentStore and DocumentContent", () => {
    receiveTests(it)
    endTests(it)
  })
}
