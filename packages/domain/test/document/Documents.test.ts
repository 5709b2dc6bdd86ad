import { assert, describe, it } from "@effect/vitest"
import { Caller } from "@wcs/domain/access/Caller"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { DocumentFiles } from "@wcs/domain/document/DocumentFiles"
import { DocumentStore } from "@wcs/domain/document/DocumentStore"
import * as Documents from "@wcs/domain/document/Documents"
import { noOwners } from "@wcs/domain/ownership/Ownership"
import { Ids } from "@wcs/domain/shared/Id"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Effect, Layer, Option, Result, Stream } from "effect"

const card = { id: "cred_0000000000000001", deletedAt: null, hidden: [] as ReadonlyArray<string> }

/** Uploads a file while the credential changes. Returns the refusal, or "stored". */
const uploadedWhile = (owners: object, hidden: ReadonlyArray<string> = [], deletedAt: number | null = null) => {
  let credential = { ...card, fields: { attributes: { owners: { ...noOwners, worker: "wkr_1" } } } }
  const change = Effect.sync(() => {
    credential = { ...card, hidden, deletedAt: deletedAt as null, fields: { attributes: { owners: owners as never } } }
    return new Uint8Array(1)
  })
  const content = { form: "PDF", bytes: 1, sha256: "" } as const
  const stored = { status: "STORED", content, id: "doc_1", name: "n", account: "a", createdAt: 0 }
  const documents = Documents.layer.pipe(
    Layer.provide([
      Layer.mock(DocumentStore, {}),
      Layer.succeed(Ids, Ids.of({ source: () => () => "evt_1" } as never)),
      Layer.mock(ResourceStore, { find: () => Effect.sync(() => Option.some(credential as never)) }),
      Layer.succeed(
        DocumentFiles,
        DocumentFiles.of({
          receive: (_, bytes) => Effect.as(Stream.runDrain(bytes), stored as never),
          content: () => Effect.die("no download")
        })
      )
    ])
  )
  return Documents.Documents.use(({ upload }) =>
    upload(card.id, { name: "n", announcedBytes: undefined }, Stream.fromEffect(change))
  ).pipe(
    Effect.result,
    Effect.map((result) => (Result.isSuccess(result) ? "stored" : result.failure._tag)),
    Effect.provideService(Caller, { tenantId: "tnt_1", account: "a", bearer: null } as never),
    Effect.provideService(RequestId, "req"),
    Effect.provide(documents)
  )
}

describe("threat 88: an upload that takes minutes", () => {
  it.effect("is stored only if the caller still reaches the credential, with the same owners", () =>
    Effect.gen(function* () {
      const owners = { ...noOwners, worker: "wkr_1" }
      assert.strictEqual(yield* uploadedWhile(owners), "stored")
      assert.strictEqual(yield* uploadedWhile({ ...owners, worker: "wkr_2" }), "InvalidArgument")
      assert.strictEqual(yield* uploadedWhile({ ...owners, applicant: "app_1" }), "InvalidArgument")
      assert.strictEqual(yield* uploadedWhile(owners, ["worker_id"]), "OwnerOutside")
      assert.strictEqual(yield* uploadedWhile(owners, [], 1), "ResourceNotFound")
    })
  )
})
