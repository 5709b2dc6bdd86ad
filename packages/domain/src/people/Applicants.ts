import { Context, Effect, Layer } from "effect"
import type { Collection } from "../resource/Collection.ts"
import { plain, Resources } from "../resource/Resources.ts"
import { Applicant, type ApplicantFields } from "./Applicant.ts"

/** The standard use cases for applicants. */
export class Applicants extends Context.Service<Applicants, Collection<ApplicantFields>>()("@wcs/domain/Applicants") {}

export const make = Effect.map(Resources, (resources) =>
  Applicants.of(resources.collection(Applicant, plain(Applicant)))
)

export const layer: Layer.Layer<Applicants, never, Resources> = Layer.effect(Applicants, make)
