import { assert, describe, it } from "@effect/vitest"
import { tokenLength } from "@wcs/domain/access/OpaqueToken"
import { defaultRateLimits, RateLimiter, untouched } from "@wcs/domain/access/RateLimitTier"
import { noAccess } from "@wcs/domain/answer/AnswerAccess"
import { AnswerAccessStore } from "@wcs/domain/answer/AnswerAccessStore"
import { make } from "@wcs/domain/answer/AnswerForm"
import * as AnswerVisit from "@wcs/domain/answer/AnswerVisit"
import { type Change, ResourceStore } from "@wcs/domain/crud/ResourceStore"
import type { StoredDocument } from "@wcs/domain/document/Document"
import { DocumentFiles } from "@wcs/domain/document/DocumentFiles"
import { DocumentStore } from "@wcs/domain/document/DocumentStore"
import { defaultSettings } from "@wcs/domain/message/MessageSettings"
import { noOwners } from "@wcs/domain/ownership/Ownership"
import type { Stored } from "@wcs/domain/resource/Resource"
import type { AnswerFields } from "@wcs/domain/screening/Answer"
import { Digest } from "@wcs/domain/shared/Digest"
import { Ids } from "@wcs/domain/shared/Id"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Effect, Layer, Option, Redacted, Result, Stream } from "effect"

const [secret, device] = ["s".repeat(tokenLength), "d".repeat(tokenLength)]
const requestId = "cap_0000000000000001"

const request: Stored = {
  ...{ id: requestId, version: 1, createdAt: 0, updatedAt: 0, deletedAt: null },
  fields: {
    worker: { id: "wkr_0000000000000001" },
    requestedCredentialTypes: ["FIRST_AID"],
    ...{ expiryDays: 14, status: "SENT", expiryDate: "2026-02-14" }
  }
}

/** An answer that was rejected and forgotten after its term. */
const forgotten: Stored<AnswerFields> = {
  ...{ id: "ans_0000000000000001", version: 7, createdAt: 1, updatedAt: 2, deletedAt: 2 },
  fields: {
    ...{ state: "REJECTED", request: { type: "captureRequest", id: requestId } },
    worker: { id: "wkr_0000000000000001" },
    consent: { version: "1", text: "I agreed", notice: "Why", at: "2025-01-31T00:00:00.000Z" },
    ...{ cards: [], submittedAt: "2025-01-31T00:00:00.000Z" },
    decision: { by: { id: "acc_0000000000000001" }, at: "2025-01-31T00:00:00.000Z" }
  }
}

const tenant = { id: "tnt_1", name: "Example Care", timeZone: "UTC", hosts: [] }

const services = (written: Array<Change<AnswerFields>>) =>
  Layer.mergeAll(
    Layer.mock(ResourceStore, {
      find: (() => Effect.succeed(Option.some(request))) as never,
      change: ((
        _resource: unknown,
        _tenant: unknown,
        _id: unknown,
        _references: unknown,
        decide: (basis: object) => unknown
      ) =>
        Effect.map(
          Effect.fromResult(
            decide({ current: Option.some(forgotten), references: [Option.some(request)] }) as Result.Result<
              Change<AnswerFields>
            >
          ),
          (change) => {
            written.push(change)
            return change
          }
        )) as never
    }),
    Layer.mock(AnswerAccessStore, {
      find: () => Effect.succeed(Option.some({ requestId, access: { ...noAccess, device: `hash of ${device}` } }))
    }),
    Layer.mock(RateLimiter, {
      limits: defaultRateLimits,
      take: () => Effect.succeed(untouched({ calls: 1, windowSeconds: 1 }))
    }),
    Layer.mock(DocumentFiles, {}),
    Layer.mock(DocumentStore, {}),
    Layer.succeed(Digest, { sha256: (text) => `hash of ${text}`, equals: (one, two) => one === two }),
    Layer.mock(Ids, { source: () => () => "aud_1", ulidAt: () => "" })
  )

describe("a file that arrives while an officer approves the answer", () => {
  it.effect("is deleted again, because the approval has moved the files that were there", () => {
    const changes: Array<unknown> = []
    const states = ["WAITING", "APPROVED"] as const
    let reads = 0
    const owner = { type: "answer", id: "ans_0000000000000001" } as const
    const stored: StoredDocument = {
      ...{ id: "doc_1", tenantId: tenant.id, owner, status: "STORED", bytes: 7, sealedKey: "key", name: "card.pdf" },
      ...{ content: { form: "PDF", bytes: 7, sha256: "ab" }, people: noOwners, account: "urn:wcs:answerer" },
      ...{ createdAt: 0, deletion: null }
    }
    const answer = () => ({
      ...forgotten,
      deletedAt: null,
      fields: {
        ...forgotten.fields,
        state: states[reads++] ?? "APPROVED",
        cards: [{ credentialType: "FIRST_AID", identifier: "HLT-1" }]
      }
    })
    const overtaken = Layer.mergeAll(
      Layer.mock(ResourceStore, {
        find: ((resource: { readonly type: string }) =>
          Effect.sync(() => Option.some(resource.type === "answer" ? answer() : request))) as never
      }),
      Layer.mock(DocumentFiles, { receive: () => Effect.succeed(stored) }),
      Layer.mock(DocumentStore, {
        change: ((_tenant: string, id: string, decide: (basis: object) => Result.Result<{ readonly next: object }>) =>
          Effect.sync(() => {
            const { next } = Result.getOrThrow(decide({ document: Option.some(stored), hasOwner: true }))
            changes.push({ id, ...next })
          })) as never
      })
    )
    return Effect.gen(function* () {
      const form = yield* make
      const visitor = {
        ...{ secret: Redacted.make(secret), device: Redacted.make(device) },
        ...{ language: "en" as const, settings: defaultSettings }
      }
      const file = { name: "card.pdf", announcedBytes: 7, bytes: Stream.empty, card: "" }
      const refusal = yield* Effect.flip(form.upload(tenant, visitor, file))
      assert.strictEqual(refusal._tag, "AnswerClosed")
      assert.lengthOf(changes, 1)
      assert.deepInclude(changes[0], { id: "doc_1", status: "DELETING" })
    }).pipe(Effect.provide(Layer.merge(services([]), overtaken)), Effect.provideService(RequestId, "01K0"))
  })
})

describe("an answer to a request that was opened again", () => {
  it.effect("is whole after the answer before was forgotten: it is there again, and has nothing of the other", () => {
    const written: Array<Change<AnswerFields>> = []
    return Effect.gen(function* () {
      const form = yield* make
      const { noticeTo } = yield* AnswerVisit.make
      const visitor = {
        ...{ secret: Redacted.make(secret), device: Redacted.make(device) },
        ...{ language: "en" as const, settings: defaultSettings }
      }
      const { key } = noticeTo(tenant, "worker", visitor)
      const entered = (name: string) => (name === "FIRST_AID.identifier" ? "HLT-2" : "")
      const sent = yield* form.submit(tenant, visitor, { entered, agreesTo: key })
      assert.isTrue(Result.isSuccess(sent))
      const [change] = written
      const next = change?._tag === "Changed" ? change.next : undefined
      assert.deepInclude(next, { deletedAt: null, version: 8, createdAt: 0, updatedAt: 0 })
      assert.isUndefined(next?.fields.previous)
      assert.strictEqual(next?.fields.cards[0]?.identifier, "HLT-2")
    }).pipe(Effect.provide(services(written)), Effect.provideService(RequestId, "01K0"))
  })
})
