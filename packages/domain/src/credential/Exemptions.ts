import { Context, Effect, Layer } from "effect"
import type { Collection } from "../resource/Collection.ts"
import type { LinkNotFound } from "../resource/Links.ts"
import { Resources } from "../resource/Resources.ts"
import { progressionsOfExemption } from "../screening/Progressions.ts"
import { Exemption, type ExemptionFields } from "./Exemption.ts"

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
