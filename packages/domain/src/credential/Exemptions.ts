import { Context, Effect, Layer } from "effect"
import type { LinkNotFound } from "../crud/Links.ts"
import { Resources } from "../crud/Resources.ts"
import { Exemption, type ExemptionFields } from "../holding/Exemption.ts"
import type { Collection } from "../resource/Collection.ts"
import { progressionsOfExemption } from "../screening/Progressions.ts"

/** The standard use cases for exemptions. */
export class Exemptions extends Context.Service<Exemptions, Collection<ExemptionFields, never, LinkNotFound>>()(
  "@wcs/domain/Exemptions"
) {}

export const make = Effect.map(Resources, ({ collection }) =>
  Exemptions.of(
    collection(Exemption, {
      records: (_before, after, by) => ({ progressions: progressionsOfExemption(after, by) })
    })
  )
)

export const layer: Layer.Layer<Exemptions, never, Resources> = Layer.effect(Exemptions, make)
