import { batchLimit, OwnerReference, ownerTypes } from "@wcs/domain/ownership/Ownership"
import { errorCodes } from "@wcs/domain/shared/ErrorCode"
import { enforcedElsewhere } from "@wcs/domain/shared/Text"
import { Schema } from "effect"
import { BatchMeta } from "./Envelope.ts"

/** The accepted bodies of each ownership call, as error messages show them. */
const owner = `{ "type": ${ownerTypes.map((type) => `"${type}"`).join(" or ")}, "id": "…" }`
const under = (name: "to" | "from") => `"${name}": ${owner}`
const optionalIds = `"credentialIds": [ … ]`
export const ownershipShapes = {
  link: [owner, `{ ${under("to")} }`],
  unlink: [owner, `{ ${under("from")} }`],
  transfer: [`{ ${under("from")}, ${under("to")} }`],
  bulkLink: [`{ ${under("to")}, ${optionalIds} }`, `{ ${under("to")}, ${under("from")} }`],
  bulkTransfer: [`{ ${under("from")}, ${under("to")} }, and may have ${optionalIds}`]
} as const

const to = OwnerReference.annotateKey({
  description: "The new owner. It must exist, and it fills the slot of its type."
})
const from = OwnerReference.annotateKey({
  description: "The present owner. Another owner in its slot is a conflict, unless `to` owns the credential already."
})

/** The body of link: the owner, or `{ to: owner }` (DECISIONS.md#ownership). */
export const LinkBody = Schema.Union([Schema.Struct({ to }), OwnerReference])

/** The body of unlink: the owner, or `{ from: owner }`. */
export const UnlinkBody = Schema.Union([
  Schema.Struct({ from: OwnerReference.annotateKey({ description: "The owner that leaves its slot." }) }),
  OwnerReference
])

/** The body of transfer: `{ from, to }` (§2.2). */
export const TransferBody = Schema.Struct({ from, to })

// A malformed id skips its item and does not fail the batch (BLK-13). So the schema accepts any string.
const CredentialIds = Schema.Array(Schema.String)
  .check(enforcedElsewhere({ maxItems: batchLimit }))
  .annotate({
    description: `At most ${batchLimit} ids. If absent, all credentials of \`from\`. If empty, none.`,
    valueFormat: `an array of at most ${batchLimit} credential ids`
  })

/** The body of bulk link. Without ids, `from` selects the credentials. */
export const BulkLinkBody = Schema.Struct({
  to,
  from: Schema.optionalKey(OwnerReference).annotateKey({
    description:
      "Selects all credentials of this owner if `credentialIds` is absent. Otherwise ignored, with a warning. The owner " +
      "stays linked."
  }),
  credentialIds: Schema.optionalKey(CredentialIds)
})

/** The body of bulk transfer. Without ids, all credentials of `from` are transferred. */
export const BulkTransferBody = Schema.Struct({
  from,
  to,
  credentialIds: Schema.optionalKey(CredentialIds)
})

const ErrorCode = Schema.Literals(errorCodes).annotate({ identifier: "ErrorCode" })

/** The bulk envelope (§2.2). Only skipped items have an `error`. */
export const Batch = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      credentialId: Schema.String.annotate({ description: "Id of the credential, as the request named it." }),
      status: Schema.Literals(["linked", "transferred", "noop", "skipped"]).annotate({
        description: "noop: the credential needed no change. skipped: nothing changed, see `error`."
      }),
      error: Schema.optionalKey(
        Schema.Struct({
          code: ErrorCode.annotateKey({ description: "Cause of the error, for programs. Codes are stable." }),
          message: Schema.String.annotate({ description: "For people. The text may change." })
        })
      ).annotate({ description: "Why the item was skipped. Absent on all other items." })
    })
  ).annotate({
    description:
      "One item for each id of `credentialIds`, in their order. Without ids, one for each credential, in the order of ids."
  }),
  meta: BatchMeta
}).annotate({ identifier: "Batch" })
