import { Schema } from "effect"
import type { Account } from "../access/Account.ts"
import { PlainRole, plainRole, unitsOf } from "../access/Privilege.ts"
import type { Resource } from "../resource/Resource.ts"
import { UnitId, WorkerId } from "../shared/Id.ts"

/** What a user may reach. Codes and ids only, so an erasure has nothing to remove. */
const UserAccessFields = Schema.Struct({
  role: PlainRole,
  units: Schema.optionalKey(Schema.Array(UnitId)),
  worker: Schema.optionalKey(Schema.Struct({ id: WorkerId }))
})
export type UserAccessFields = typeof UserAccessFields.Type

/** Versions of what each user may reach, for the audit log. The store writes one with each change of it. */
export const UserAccess = {
  type: "user",
  naming: { by: "minting", kind: "account" },
  collection: "users",
  fields: UserAccessFields,
  computed: [],
  fixed: [],
  defaults: [],
  links: [],
  columns: {},
  filters: {},
  sorts: {}
} as const satisfies Resource<UserAccessFields>

/** Returns what an account may reach. */
export const accessOf = ({ role, workerId }: Pick<Account, "role" | "workerId">): UserAccessFields => {
  const units = unitsOf(role)
  return {
    role: plainRole(role),
    ...(units === undefined ? {} : { units }),
    ...(workerId === null ? {} : { worker: { id: workerId } })
  }
}
