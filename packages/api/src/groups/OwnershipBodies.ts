import { batchLimit, OwnerReference } from "@wcs/domain/ownership/Ownership"
import { errorCodes } from "@wcs/domain/shared/ErrorCode"
import { enforcedElsewhere } from "@wcs/domain/shared/Text"
import { Schema } from "effect"
import { BatchMeta } from "../Envelope.ts"

/** The accepted bodies of each ownership call, as error messages show them. */
const owner = '{ "type": "worker" or "applicant", "id": "…" }'
const under = (name: "to" | "from") => `"${name}": ${owner}`
const optionalIds = `"credentialIds": [ … ]`
export const ownershipShapes = {
  link: [owner, `{ ${under("to")} }`],
  unlink: [owner, `{ ${under("from")} }`],
  transfer: [`{ ${under("from")}, ${under("to")} }`],
  bulkLink: [`{ ${under("to")}, ${optionalIds} }`, `{ ${under("to")}, ${under("from")} }`],
  bulkTransfer: [`{ ${under("from")}, ${under("to")} }, and may have ${optionalIds}`]
} as const

/** The body of link: the owner, or `{ to: owner }` (DECISIONS.md#ownership). */
export const LinkBody = Schema.Union([Schema.Struct({ to: OwnerReference }), OwnerReference])

/** The body of unlink: the owner, or `{ from: owner }`. */
export const UnlinkBody = Schema.Union([Schema.Struct({ from: OwnerReference }), OwnerReference])

/** The body of transfer: `{ from, to }` (§2.2). */
export const TransferBody = Schema.Struct({ from: OwnerReference, to: OwnerReference })

// A malformed id skips its item and does not fail the batch (BLK-13). So the schema accepts any string.
const CredentialIds = Schema.Array(Schema.String)
  .check(enforcedElsewhere({ maxItems: batchLimit }))
  .annotate({
    description: `At most ${batchLimit} ids. Default: all credentials of \`from\`.`,
    form: `an array of at most ${batchLimit} credential ids`
  })

/** The body of bulk link. Without ids, `from` selects the credentials. */
export const BulkLinkBody = Schema.Struct({
  to: OwnerReference,
  from: Schema.optionalKey(OwnerReference),
  credentialIds: Schema.optionalKey(CredentialIds)
})

/** The body of bulk transfer. Without ids, all credentials of `from` are transferred. */
export const BulkTransferBody = Schema.Struct({
  from: OwnerReference,
  to: OwnerReference,
  credentialIds: Schema.optionalKey(CredentialIds)
})

const ErrorCode = Schema.Literals(errorCodes).annotate({ identifier: "ErrorCode" })

/** The bulk envelope (§2.2). Only skipped items have an `error`. */
export const Batch = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      credentialId: Schema.String,
      status: Schema.Literals(["linked", "transferred", "noop", "skipped"]),
      error: Schema.optionalKey(Schema.Struct({ code: ErrorCode, message: Schema.String }))
    })
  ),
  meta: BatchMeta
}).annotate({ identifier: "Batch" })
