import { BulkLinkBody, BulkTransferBody, ownershipShapes, TransferBody } from "@wcs/api/groups/OwnershipBodies"
import { NewerSurface } from "@wcs/api/NewerSurface"
import type { CredentialView } from "@wcs/domain/credential/Credential"
import { Credentials } from "@wcs/domain/credential/Credentials"
import { chooseForLink, chooseForTransfer } from "@wcs/domain/credential/OwnerChanges"
import { type BatchItem, type Command, type OwnerNotFound, OwnerReference } from "@wcs/domain/ownership/Ownership"
import { OwnershipChanges } from "@wcs/domain/ownership/OwnershipChanges"
import type { Writing } from "@wcs/domain/resource/Collection"
import { remarksOn } from "@wcs/domain/resource/UnknownFields"
import { type ErrorCode, ErrorCodes } from "@wcs/domain/shared/ErrorCode"
import { isObject } from "@wcs/domain/shared/Json"
import { Review, Verifications, type VerifyAnswer, VerifyRequest } from "@wcs/domain/verification/Verifications"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { type Refusal, textOf } from "../refusal/RefusalText.ts"
import { refusing } from "../refusal/Refused.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { batch, crudHandlers, listHandler, one, readingHandlers, writingHandlers } from "./CollectionHandlers.ts"

/** Returns the owner of a body: the body itself, or its field `name` (DECISIONS.md#ownership). */
const readOwner = (name: "to" | "from", shapes: ReadonlyArray<string>) => {
  const named = JsonBody.decodeAs(OwnerReference, { within: name, shapes })
  const bare = JsonBody.decodeAs(OwnerReference, { shapes })
  return Effect.flatMap(JsonBody.read(), (body) =>
    isObject(body) && body[name] !== undefined
      ? Effect.map(named(body[name]), ({ value }) => ({ value, warnings: remarksOn(body, { [name]: value }) }))
      : bare(body)
  )
}

const commanding =
  <A>(command: (value: A) => Command) =>
  ({ value, warnings }: JsonBody.Understood<A>): JsonBody.Understood<Command> => ({ value: command(value), warnings })

const readLink = Effect.map(
  readOwner("to", ownershipShapes.link),
  commanding((to) => ({ _tag: "Link", to }))
)
const readUnlink = Effect.map(
  readOwner("from", ownershipShapes.unlink),
  commanding((from) => ({ _tag: "Unlink", from }))
)
const readTransfer = Effect.map(
  JsonBody.readAs(TransferBody, { shapes: ownershipShapes.transfer }),
  commanding(({ from, to }) => ({ _tag: "Transfer", from, to }))
)

const errorOf = (codes: ErrorCodes["Service"], reason: NonNullable<BatchItem["reason"]>) => {
  const code: ErrorCode = codes.codeOf(reason._tag)
  return { code, message: textOf(reason) }
}

const itemOf = (codes: ErrorCodes["Service"], { credentialId, reason, status }: BatchItem) => ({
  credentialId,
  status,
  ...(reason === undefined ? {} : { error: errorOf(codes, reason) })
})

/** Counts skipped items as failed. */
const batchOf = (codes: ErrorCodes["Service"], items: ReadonlyArray<BatchItem>, warnings: ReadonlyArray<string>) =>
  batch(
    items.map((item) => itemOf(codes, item)),
    items.filter(({ status }) => status === "skipped").length,
    warnings
  )

const readVerify = JsonBody.readOptionalAs(VerifyRequest)
const readReview = JsonBody.readAs(Review)

/** Builds the envelope of a verdict and repeats the fields at the top level (§2.2; DECISIONS.md#verification). */
const verified = (answer: VerifyAnswer, warnings: ReadonlyArray<string>) => {
  const { correlationId, eligibility, errorMessage, expiryDate, requestId, statusDetail } = answer
  const data = { eligibility, statusDetail, expiryDate, errorMessage, correlationId, requestId }
  const meta = { requestId, correlationId, ...(warnings.length === 0 ? {} : { warnings }) }
  return HttpServerResponse.jsonUnsafe({ ...data, data, meta })
}

export const layer = HttpApiBuilder.group(
  NewerSurface,
  "credentials",
  Effect.fn(function* (handlers) {
    const credentials = yield* Credentials
    const verifications = yield* Verifications
    const changes = yield* OwnershipChanges
    const codes = yield* ErrorCodes
    const writing: Writing<CredentialView, OwnerNotFound> = credentials

    const own =
      <E extends Refusal, R>(readCommand: Effect.Effect<JsonBody.Understood<Command>, E, R>) =>
      ({ params }: { readonly params: { readonly id: string } }) =>
        Effect.gen(function* () {
          const { value: command, warnings } = yield* readCommand
          const shown = yield* credentials.own(params.id, command)
          return yield* one({ ...shown, warnings: [...warnings, ...shown.warnings] })
        })

    const bulkLink = Effect.gen(function* () {
      const { value, warnings } = yield* JsonBody.readAs(BulkLinkBody, { shapes: ownershipShapes.bulkLink })
      const chosen = yield* Effect.fromResult(chooseForLink(value))
      const items = yield* credentials.ownBatch(chosen.selection, { _tag: "Link", to: value.to })
      return yield* batchOf(codes, items, [...warnings, ...chosen.warnings])
    })

    const bulkTransfer = Effect.gen(function* () {
      const { value, warnings } = yield* JsonBody.readAs(BulkTransferBody, { shapes: ownershipShapes.bulkTransfer })
      const { from, to } = value
      const items = yield* credentials.ownBatch(chooseForTransfer(value), { _tag: "Transfer", from, to })
      return yield* batchOf(codes, items, warnings)
    })

    const verify = Effect.fnUntraced(function* (id: string) {
      const { value, warnings } = yield* readVerify
      return verified(yield* verifications.verify(id, value), warnings)
    })

    const review = Effect.fnUntraced(function* (id: string) {
      const { value, warnings } = yield* readReview
      return yield* one({ ...(yield* verifications.review(id, value)), warnings })
    })

    return crudHandlers(handlers, { ...readingHandlers(credentials), ...writingHandlers(writing, "credentials") })
      .handleRaw("link", (request) => refusing(own(readLink)(request)))
      .handleRaw("unlink", (request) => refusing(own(readUnlink)(request)))
      .handleRaw("transfer", (request) => refusing(own(readTransfer)(request)))
      .handleRaw("verify", ({ params }) => refusing(verify(params.id)))
      .handle("verifications", ({ params }) => listHandler((query) => verifications.history(params.id, query))())
      .handle("ownership", ({ params }) => listHandler((query) => changes.list(params.id, query))())
      .handleRaw("review", ({ params }) => refusing(review(params.id)))
      .handleRaw("bulkLink", () => refusing(bulkLink))
      .handleRaw("bulkTransfer", () => refusing(bulkTransfer))
  })
)
