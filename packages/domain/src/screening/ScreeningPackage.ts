import { Schema } from "effect"
import * as CredentialType from "../holding/CredentialType.ts"
import type { Resource } from "../resource/Resource.ts"
import { Code } from "../shared/Id.ts"
import { line } from "../shared/Text.ts"

const names = Schema.Array(line(100)).check(Schema.isMaxLength(100, { message: "must have at most 100 names" }))

/** The requirements of a screening package. */
export const Requirements = Schema.Struct({
  credentialTypes: Schema.optionalKey(CredentialType.Codes).annotateKey({
    description: "Codes of the credential types that the person must hold or be exempt from. If absent, none."
  }),
  exemptionTypes: Schema.optionalKey(names).annotateKey({
    description: "Values of `exemptionType`. The person must hold an exemption of each. If absent, none."
  }),
  banChecks: Schema.optionalKey(names).annotateKey({
    description: "Names of ban checks. No record meets one, so the service never completes such a recruitment check."
  })
})
export type Requirements = typeof Requirements.Type

export const ScreeningPackageFields = Schema.Struct({
  code: Code.annotateKey({
    description: "The caller's name for the package, equal to `id`. It cannot change. A deleted package keeps its code."
  }),
  name: line(200).annotateKey({ description: "Name for people. Lists search and sort by it." }),
  description: Schema.optionalKey(line(2000)).annotateKey({ description: "Explanation for people. Absent if none." }),
  requirements: Schema.optionalKey(Requirements).annotateKey({
    description: "Requirements of the position. A recruitment check copies them on creation. If absent, none."
  }),
  active: Schema.Boolean.annotate({
    description: "Whether new recruitment checks can use the package; true by default. Otherwise their creation is 422."
  })
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
    query: { by: "words" }
  },
  searched: { names: [["name"]], ids: [["code"]] },
  sorts: { name: "name" }
} as const satisfies Resource<ScreeningPackageFields>
