import { NewerSurface } from "@wcs/api/NewerSurface"
import { BulkLinkBody, BulkTransferBody, TransferBody } from "@wcs/api/OwnershipBodies"
import { type BatchSelection, Credentials } from "@wcs/domain/Credentials"
import { type ErrorCode, ErrorCodes } from "@wcs/domain/ErrorCode"
import { InvalidArgument } from "@wcs/domain/InvalidArgument"
import { isObject } from "@wcs/domain/Json"
import { type BatchItem, type Command, OwnerReference } from "@wcs/domain/Ownership"
import { RequestId } from "@wcs/domain/RequestId"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { collectionHandlers, one } from "./CollectionHandlers.ts"
import * as JsonBody from "./JsonBody.ts"
import { type Refusal, textOf } from "./RefusalText.ts"
import { refusing } from "./Refused.ts"

/** The owner that a body is, or that it has under a name (decisions, section 3). */
const readOwner = (name: "to" | "from") => {
  const named = JsonBody.decodeAs(OwnerReference, name)
  const bare = JsonBody.decodeAs(OwnerReference)
  return Effect.flatMap(JsonBody.read(), (body) =>
    isObject(body) && body[name] !== undefined ? named(body[name]) : bare(body)
  )
}

const readLink = Effect.map(readOwner("to"), (to): Command => ({ _tag: "Link", to }))
const readUnlink = Effect.map(readOwner("from"), (from): Command => ({ _tag: "Unlink", from }))
const readTransfer = Effect.map(JsonBody.readAs(TransferBody), (body): Command => ({ _tag: "Transfer", ...body }))

/** Ids where they are given, an empty list too; else all that `from` holds (section 4.2). */
const selectionOf = (
  credentialIds: ReadonlyArray<string> | undefined,
  from: OwnerReference | undefined
): Effect.Effect<BatchSelection, InvalidArgument> => {
  if (credentialIds !== undefined) return Effect.succeed({ _tag: "Ids", ids: credentialIds })
  if (from !== undefined) return Effect.succeed({ _tag: "HeldBy", owner: from })
  return Effect.fail(new InvalidArgument({ field: "credentialIds", reason: "is needed where from is left out" }))
}

const errorOf = (codes: ErrorCodes["Service"], reason: NonNullable<BatchItem["reason"]>) => {
  const code: ErrorCode = codes.codeOf(reason._tag)
  return { code, message: textOf(reason) }
}

/** The bulk envelope: skipped items failed, the others succeeded (section 2.2; BLK-18). */
const batch = Effect.fnUntraced(function* (
  codes: ErrorCodes["Service"],
  items: ReadonlyArray<BatchItem>,
  warnings: ReadonlyArray<string>
) {
  const requestId = yield* RequestId
  const failed = items.filter(({ status }) => status === "skipped").length
  const data = items.map(({ credentialId, reason, status }) => ({
    credentialId,
    status,
    ...(reason === undefined ? {} : { error: errorOf(codes, reason) })
  }))
  const counts = { total: items.length, succeeded: items.length - failed, failed }
  return HttpServerResponse.jsonUnsafe({
    data,
    meta: { ...counts, requestId, ...(warnings.length === 0 ? {} : { warnings }) }
  })
})

export const layer = HttpApiBuilder.group(
  NewerSurface,
  "credentials",
  Effect.fn(function* (handlers) {
    const credentials = yield* Credentials
    const codes = yield* ErrorCodes
    const { create, list, patch, read, remove, replace } = collectionHandlers(credentials, "credentials")

    const own =
      <E extends Refusal, R>(readCommand: Effect.Effect<Command, E, R>) =>
      ({ params }: { readonly params: { readonly id: string } }) =>
        readCommand.pipe(
          Effect.flatMap((command) => credentials.own(params.id, command)),
          Effect.flatMap((shown) => one(shown))
        )

    const bulkLink = Effect.gen(function* () {
      const { credentialIds, from, to } = yield* JsonBody.readAs(BulkLinkBody)
      const selection = yield* selectionOf(credentialIds, from)
      const items = yield* credentials.ownBatch(selection, { _tag: "Link", to })
      const isUnused = credentialIds !== undefined && from !== undefined
      return yield* batch(codes, items, isUnused ? ["from is ignored beside credentialIds"] : [])
    })

    const bulkTransfer = Effect.gen(function* () {
      const { credentialIds, from, to } = yield* JsonBody.readAs(BulkTransferBody)
      const selection = yield* selectionOf(credentialIds, from)
      return yield* batch(codes, yield* credentials.ownBatch(selection, { _tag: "Transfer", from, to }), [])
    })

    return handlers
      .handle("list", list)
      .handleRaw("create", create)
      .handle("read", read)
      .handleRaw("replace", replace)
      .handleRaw("patch", patch)
      .handle("remove", remove)
      .handleRaw("link", (request) => refusing(own(readLink)(request)))
      .handleRaw("unlink", (request) => refusing(own(readUnlink)(request)))
      .handleRaw("transfer", (request) => refusing(own(readTransfer)(request)))
      .handleRaw("bulkLink", () => refusing(bulkLink))
      .handleRaw("bulkTransfer", () => refusing(bulkTransfer))
  })
)
