import { Context, Effect, Layer } from "effect"
import type { Collection } from "./Collection.ts"
import { Exemption, type ExemptionFields } from "./Exemption.ts"
import type { LinkNotFound } from "./Links.ts"
import { progressionsOfExemption } from "./Progression.ts"
import { linking, Resources } from "./Resources.ts"

/** Exemptions: as every group. */
export class Exemptions extends Context.Service<Exemptions, Collection<ExemptionFields, never, LinkNotFound>>()(
  "@wcs/domain/Exemptions"
) {}

export const make = Effect.map(Resources, (resources) =>
  Exemptions.of(resources.collection(Exemption, { ...linking(Exemption), progressions: progressionsOfExemption }))
)

export const layer: Layer.Layer<Exemptions, never, Resources> = Layer.effect(Exemptions, make)
