import { Context, Effect, Layer, Schema } from "effect"
import * as CredentialType from "../credential/CredentialType.ts"
import type { Collection } from "../resource/Collection.ts"
import type { DuplicateId, Resource } from "../resource/Resource.ts"
import { coded, Resources } from "../resource/Resources.ts"
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
export const ScreeningPackage: Resource<ScreeningPackageFields> = {
  type: "screeningPackage",
  naming: { by: "code", path: ["code"] },
  collection: "screening-packages",
  fields: ScreeningPackageFields,
  computed: [],
  fixed: [{ path: ["code"] }],
  defaults: [{ path: ["active"], value: true }],
  links: [],
  columns: {
    name: { path: ["name"], folded: true },
    active: { path: ["active"] }
  },
  filters: {
    active: { by: "equal", column: "active", among: ["true", "false"] },
    query: { by: "prefix", columns: ["name"] }
  },
  sorts: { name: "name" }
}

/** The standard use cases for screening packages. Their ids are codes. */
export class ScreeningPackages extends Context.Service<
  ScreeningPackages,
  Collection<ScreeningPackageFields, DuplicateId>
>()("@wcs/domain/ScreeningPackages") {}

export const make = Effect.map(Resources, (resources) =>
  ScreeningPackages.of(resources.collection(ScreeningPackage, coded(ScreeningPackage)))
)

export const layer: Layer.Layer<ScreeningPackages, never, Resources> = Layer.effect(ScreeningPackages, make)
