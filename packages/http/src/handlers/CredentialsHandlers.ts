import { credentialTable } from "@wcs/api/ListTables"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { BulkLinkBody, BulkTransferBody, ownershipShapes, TransferBody } from "@wcs/api/OwnershipBodies"
import { Credentials } from "@wcs/domain/credential/Credentials"
import { chooseForLink, chooseForTransfer } from "@wcs/domain/credential/OwnerChanges"
import { OwnershipChanges } from "@wcs/domain/credential/OwnershipChanges"
import type { CredentialView } from "@wcs/domain/holding/Credential"
import { DecisionRequest } from "@wcs/domain/holding/Decision"
import { type BatchItem, type Command, type OwnerNotFound, OwnerReference } from "@wcs/domain/ownership/Ownership"
import type { OwnerOutside } from "@wcs/domain/people/Oversight"
import type { Writing } from "@wcs/domain/resource/Collection"
import { parseNone } from "@wcs/domain/resource/ListQuery"
import { remarksOn } from "@wcs/domain/resource/UnknownFields"
import { ErrorCodes, type Refusal, textOf } from "@wcs/domain/service/Refusals"
import type { ErrorCode } from "@wcs/domain/shared/ErrorCode"
import { isObject } from "@wcs/domain/shared/Json"
import { Decisions } from "@wcs/domain/verification/Decisions"
import { NoticeRequest, Notices } from "@wcs/domain/verification/Notices"
import { Review, Verifications, type VerifyAnswer, VerifyRequest } from "@wcs/domain/verification/Verifications"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Call } from "../pipeline/Call.ts"
import { handlersOf } from "../pipeline/Endpoints.ts"
import * as JsonBody from "../request/JsonBody.ts"
import {
  batch,
  type OfOne,
  one,
  oneOf,
  pageOf,
  readingHandler,
  restoringHandlers,
  writingHandlers
} from "./CollectionHandlers.ts"
import * as FileLists from "./FileLists.ts"

/** Returns the owner of a body: the body itself, or its field `name` (DECISIONS.md#ownership). */
const readOwner = (name: "to" | "from", shapes: ReadonlyArray<string>) => {
  const named = JsonBody.decodeAs(OwnerReference, { within: name, shapes })
  const bare = JsonBody.decodeAs(OwnerReference, { shapes })
  return (call: Call) =>
    Effect.flatMap(JsonBody.read(call), (body) => {
      const owner = isObject(body) ? (body[name] ?? undefined) : undefined
      return owner === undefined
        ? bare(body)
        : Effect.map(named(owner), ({ value }) => ({ value, warnings: remarksOn(body, { [name]: value }) }))
    })
}

/** Reads the command of a body. */
const commanding =
  <A, E extends Refusal>(
    read: (call: Call) => Effect.Effect<JsonBody.Understood<A>, E>,
    command: (value: A) => Command
  ) =>
  (call: Call): Effect.Effect<JsonBody.Understood<Command>, E> =>
    Effect.map(read(call), ({ value, warnings }) => ({ value: command(value), warnings }))

const readLink = commanding(readOwner("to", ownershipShapes.link), (to) => ({ _tag: "Link", to }))
const readUnlink = commanding(readOwner("from", ownershipShapes.unlink), (from) => ({ _tag: "Unlink", from }))
const readTransfer = commanding(
  JsonBody.readAs(TransferBody, { shapes: ownershipShapes.transfer }),
  ({ from, to }) => ({ _tag: "Transfer", from, to })
)
const readBulkLink = JsonBody.readAs(BulkLinkBody, { shapes: ownershipShapes.bulkLink })
const readBulkTransfer = JsonBody.readAs(BulkTransferBody, { shapes: ownershipShapes.bulkTransfer })

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
const batchOf = (
  call: Call,
  codes: ErrorCodes["Service"],
  items: ReadonlyArray<BatchItem>,
  warnings: ReadonlyArray<string>
) =>
  batch(
    call,
    items.map((item) => itemOf(codes, item)),
    items.filter(({ status }) => status === "skipped").length,
    warnings
  )

const readVerify = JsonBody.readOptionalAs(VerifyRequest)
const readReview = JsonBody.readAs(Review)
const readDecision = JsonBody.readAs(DecisionRequest)
const readNotice = JsonBody.readAs(NoticeRequest)

/** Builds the envelope of a verdict and repeats the fields at the top level (§2.2; DECISIONS.md#verification). */
const verified = (answer: VerifyAnswer, warnings: ReadonlyArray<string>) => {
  const { correlationId, eligibility, errorMessage, expiryDate, requestId, statusDetail } = answer
  const data = { eligibility, statusDetail, expiryDate, errorMessage, correlationId, requestId }
  const meta = { requestId, correlationId, ...(warnings.length === 0 ? {} : { warnings }) }
  return HttpServerResponse.jsonUnsafe({ ...data, data, meta })
}

/** The ownership calls. */
const ownershipHandlers = Effect.gen(function* () {
  const credentials = yield* Credentials
  const codes = yield* ErrorCodes

  const changeBy =
    <E extends Refusal>(readCommand: (call: Call) => Effect.Effect<JsonBody.Understood<Command>, E>) =>
    (call: OfOne) =>
      Effect.gen(function* () {
        const { value: command, warnings } = yield* readCommand(call)
        const shown = yield* credentials.changeOwner(call.params.id, command)
        return one(call, { ...shown, warnings: [...warnings, ...shown.warnings] })
      })

  return {
    link: changeBy(readLink),
    unlink: changeBy(readUnlink),
    transfer: changeBy(readTransfer),
    bulkLink: (call: Call) =>
      Effect.gen(function* () {
        const { value, warnings } = yield* readBulkLink(call)
        const chosen = yield* Effect.fromResult(chooseForLink(value))
        const items = yield* credentials.changeOwners(chosen.selection, { _tag: "Link", to: value.to })
        return yield* batchOf(call, codes, items, [...warnings, ...chosen.warnings])
      }),
    bulkTransfer: (call: Call) =>
      Effect.gen(function* () {
        const { value, warnings } = yield* readBulkTransfer(call)
        const { from, to } = value
        const items = yield* credentials.changeOwners(chooseForTransfer(value), { _tag: "Transfer", from, to })
        return yield* batchOf(call, codes, items, warnings)
      })
  }
})

export const make = Effect.gen(function* () {
  const credentials = yield* Credentials
  const verifications = yield* Verifications
  const changes = yield* OwnershipChanges
  const notices = yield* Notices
  const decisions = yield* Decisions
  const fileList = yield* FileLists.make
  const writing: Writing<CredentialView, OwnerNotFound, OwnerOutside, OwnerOutside> = credentials
  return handlersOf(NewerSurface, "credentials", {
    read: readingHandler(credentials),
    list: fileList("credentials", credentialTable, credentials.list),
    ...writingHandlers(writing, "credentials"),
    ...restoringHandlers<CredentialView, OwnerOutside>(credentials),
    ...(yield* ownershipHandlers),
    verify: (call: OfOne) =>
      Effect.flatMap(readVerify(call), ({ value, warnings }) =>
        Effect.map(verifications.verify(call.params.id, value), (answer) => verified(answer, warnings))
      ),
    review: (call: OfOne) =>
      Effect.flatMap(readReview(call), ({ value, warnings }) =>
        Effect.map(verifications.review(call.params.id, value), (shown) => one(call, { ...shown, warnings }))
      ),
    decisions: (call: OfOne) =>
      Effect.flatMap(readDecision(call), ({ value, warnings }) =>
        Effect.map(decisions.decide(call.params.id, value), (shown) => one(call, { ...shown, warnings }))
      ),
    decidable: (call: OfOne) =>
      oneOf(call, Effect.andThen(Effect.fromResult(parseNone(call.query)), decisions.bounds(call.params.id))),
    notices: (call: OfOne) =>
      Effect.flatMap(readNotice(call), ({ value, warnings }) =>
        Effect.map(notices.record(call.params.id, value), (shown) =>
          one(call, { ...shown, warnings: [...warnings, ...shown.warnings] })
        )
      ),
    verifications: (call: OfOne) => pageOf(call, verifications.history(call.params.id, call.query)),
    ownership: (call: OfOne) => pageOf(call, changes.list(call.params.id, call.query))
  })
})
