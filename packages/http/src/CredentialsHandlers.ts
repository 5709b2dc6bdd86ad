import { NewerSurface } from "@wcs/api/NewerSurface"
import { BulkLinkBody, BulkTransferBody, TransferBody } from "@wcs/api/OwnershipBodies"
import type { Collection } from "@wcs/domain/Collection"
import type { CredentialFields } from "@wcs/domain/Credential"
import { Credentials, chooseForLink, chooseForTransfer } from "@wcs/domain/Credentials"
import { type ErrorCode, ErrorCodes } from "@wcs/domain/ErrorCode"
import { isObject } from "@wcs/domain/Json"
import { type BatchItem, type Command, type OwnerNotFound, OwnerReference } from "@wcs/domain/Ownership"
import { remarksOn } from "@wcs/domain/UnknownFields"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { batch, collectionHandlers, one } from "./CollectionHandlers.ts"
import * as JsonBody from "./JsonBody.ts"
import { type Refusal, textOf } from "./RefusalText.ts"
import { refusing } from "./Refused.ts"

/** The owner that a body is, or that it has under a name (decisions, section 3). */
const readOwner = (name: "to" | "from") => {
  const named = JsonBody.decodeAs(OwnerReference, name)
  const bare = JsonBody.decodeAs(OwnerReference)
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
  readOwner("to"),
  commanding((to) => ({ _tag: "Link", to }))
)
const readUnlink = Effect.map(
  readOwner("from"),
  commanding((from) => ({ _tag: "Unlink", from }))
)
const readTransfer = Effect.map(
  JsonBody.readAs(TransferBody),
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

/** Skipped items failed, the others succeeded. */
const batchOf = (codes: ErrorCodes["Service"], items: ReadonlyArray<BatchItem>, warnings: ReadonlyArray<string>) =>
  batch(
    items.map((item) => itemOf(codes, item)),
    items.filter(({ status }) => status === "skipped").length,
    warnings
  )

export const layer = HttpApiBuilder.group(
  NewerSurface,
  "credentials",
  Effect.fn(function* (handlers) {
    const credentials = yield* Credentials
    const codes = yield* ErrorCodes
    const all: Collection<CredentialFields, OwnerNotFound> = credentials
    const { create, list, patch, read, remove, replace } = collectionHandlers(all, "credentials")

    const own =
      <E extends Refusal, R>(readCommand: Effect.Effect<JsonBody.Understood<Command>, E, R>) =>
      ({ params }: { readonly params: { readonly id: string } }) =>
        Effect.gen(function* () {
          const { value: command, warnings } = yield* readCommand
          const shown = yield* credentials.own(params.id, command)
          return yield* one({ ...shown, warnings: [...warnings, ...shown.warnings] })
        })

    const bulkLink = Effect.gen(function* () {
      const { value, warnings } = yield* JsonBody.readAs(BulkLinkBody)
      const chosen = yield* Effect.fromResult(chooseForLink(value))
      const items = yield* credentials.ownBatch(chosen.selection, { _tag: "Link", to: value.to })
      return yield* batchOf(codes, items, [...warnings, ...chosen.warnings])
    })

    const bulkTransfer = Effect.gen(function* () {
      const { value, warnings } = yield* JsonBody.readAs(BulkTransferBody)
      const { from, to } = value
      const items = yield* credentials.ownBatch(chooseForTransfer(value), { _tag: "Transfer", from, to })
      return yield* batchOf(codes, items, warnings)
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
