import { Context, Effect, Layer } from "effect"
import { type ListWithOwners, makeListWithOwners } from "../crud/IncludedOwners.ts"
import type { LinkNotFound } from "../crud/Links.ts"
import { Resources } from "../crud/Resources.ts"
import { Exemption, type ExemptionFields } from "../holding/Exemption.ts"
import type { Collection } from "../resource/Collection.ts"
import { progressionsOfExemption } from "../screening/Progressions.ts"

/** The standard use cases for exemptions. `include=owners` of the list also needs READ of the people. */
export class Exemptions extends Context.Service<
  Exemptions,
  Omit<Collection<ExemptionFields, never, LinkNotFound>, "list"> & ListWithOwners<ExemptionFields>
>()("@wcs/domain/Exemptions") {}

export const make = Effect.gen(function* () {
  const { collection } = yield* Resources
  const listWithOwners = yield* makeListWithOwners
  const exemptions = collection(Exemption, {
    records: (_before, after, by) => ({ progressions: progressionsOfExemption(after, by) })
  })
  return Exemptions.of({ ...exemptions, ...listWithOwners(exemptions.list) })
})

export const layer = Layer.effect(Exemptions, make)
