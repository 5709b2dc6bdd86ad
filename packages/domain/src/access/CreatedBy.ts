import { Schema } from "effect"
import type { Actor } from "../audit/AuditEntry.ts"
import { bearerKinds } from "./Caller.ts"

/** Who made a token or client, and by which bearer. The bearer is null for the operator, who uses none. */
export type CreatedBy = Pick<Actor, "account" | "bearer">

/** The same as the wire shows it. Null: made before this was recorded. */
export const CreatedByDocument = Schema.NullOr(
  Schema.Struct({
    account: Schema.String.annotate({ description: "The URN of the account, or `urn:wcs:operator`." }),
    bearer: Schema.NullOr(Schema.Struct({ kind: Schema.Literals(bearerKinds), id: Schema.String })).annotate({
      description: "The token, client or session that was used. Null for the operator."
    })
  }).annotate({ identifier: "CreatedBy" })
).annotate({ description: "The creator. Null for items from before this was recorded." })

export const createdBy = ({ account, bearer }: Actor): CreatedBy => ({ account, bearer })
