import { Schema } from "effect"
import { BearerFields } from "../access/Caller.ts"
import type { Actor } from "../audit/AuditEntry.ts"

/** The creator of a token or client and the bearer used. The bearer is null for the operator. */
export type CreatedBy = Pick<Actor, "account" | "bearer">

/** `CreatedBy` on the wire. Null if the row is older than this field. */
export const CreatedByDocument = Schema.NullOr(
  Schema.Struct({
    account: Schema.String.annotate({ description: "The URN of the account, or `urn:wcs:operator`." }),
    bearer: Schema.NullOr(BearerFields).annotate({
      description: "The token or other bearer used; null for the operator."
    })
  }).annotate({ identifier: "CreatedBy" })
).annotate({ description: "The creator. Null if the item is older than this field." })

export const createdBy = ({ account, bearer }: Actor): CreatedBy => ({ account, bearer })
