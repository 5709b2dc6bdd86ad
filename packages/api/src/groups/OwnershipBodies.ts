import { batchLimit, OwnerReference } from "@wcs/domain/ownership/Ownership"
import { errorCodes } from "@wcs/domain/shared/ErrorCode"
import { Schema } from "effect"
import { BatchMeta } from "../Envelope.ts"

/** The bodies of each call about owners, as a refusal shows them. */
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

/** Link: the owner itself, or under `to` (DECISIONS.md#ownership). */
export const LinkBody = Schema.Union([Schema.Struct({ to: OwnerReference }), OwnerReference])

/** Unlink: the owner itself, or under `from`. */
export const UnlinkBody = Schema.Union([Schema.Struct({ from: OwnerReference }), OwnerReference])

/** Transfer: `{ from, to }` (§2.2). */
export const TransferBody = Schema.Struct({ from: OwnerReference, to: OwnerReference })

// Text, and not an id's form: a malformed one is a skipped item and no failed batch (BLK-13).
const CredentialIds = Schema.Array(Schema.String).annotate({
  description: `At most ${batchLimit} ids; where it is left out, all that \`from\` holds.`,
  form: `an array of at most ${batchLimit} credential ids`
})

/** Bulk link: `from` chooses where no ids are given. */
export const BulkLinkBody = Schema.Struct({
  to: OwnerReference,
  from: Schema.optionalKey(OwnerReference),
  credentialIds: Schema.optionalKey(CredentialIds)
})

export const BulkTransferBody = Schema.Struct({
  from: OwnerReference,
  to: OwnerReference,
  credentialIds: Schema.optionalKey(CredentialIds)
})

const ErrorCode = Schema.Literals(errorCodes).annotate({ identifier: "ErrorCode" })

/** The bulk envelope (§2.2): `error` on skipped items and on no others. */
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
