import { Schema } from "effect"
import * as CredentialType from "../credential/CredentialType.ts"
import type { Resource } from "../resource/Resource.ts"
import { Code } from "../shared/Id.ts"
import { line } from "../shared/Text.ts"

const names = Schema.Array(line(100)).check(Schema.isMaxLength(100, { message: "must have at most 100 names" }))

/** The requirements of a screening package. */
export const Requirements = Schema.Struct({
  credentialTypes: Schema.optionalKey(CredentialType.Codes),
  exemptionTypes: Schema.optionalKey(names),
  banChecks: Schema.optionalKey(names)
})
export type Requirements = typeof Requirements.Type

export const ScreeningPackageFields = Schema.Struct({
  code: Code,
  name: line(200),
  description: Schema.optionalKey(line(2000)),
  requirements: Schema.optionalKey(Requirements),
  active: Schema.Boolean
})
export type ScreeningPackageFields = typeof ScreeningPackageFields.Type

/** The requirements of a position (DECISIONS.md#fields). */
export const ScreeningPackage = {
  type: "screeningPackage",
  naming: { by: "code", path: ["code"] },
  collection: "screening-packages",
  fields: ScreeningPackageFields,
  computed: [],
  fixed: [{ path: ["code"] }],
  defaults: [{ path: ["active"], value: true }],
  links: [],
  verbatim: {},
  columns: {
    name: { path: ["name"], folded: true },
    active: { path: ["active"] }
  },
  filters: {
    active: { by: "equal", column: "active", among: ["true", "false"] },
    query: { by: "prefix", columns: ["name"] }
  },
  sorts: { name: "name" }
} as const satisfies Resource<ScreeningPackageFields>
