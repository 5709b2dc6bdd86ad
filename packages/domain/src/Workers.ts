import { Context, Effect, Layer } from "effect"
import type { Collection } from "./Collection.ts"
import { plain, Resources } from "./Resources.ts"
import { Worker, type WorkerFields } from "./Worker.ts"

/** Workers: as every group. */
export class Workers extends Context.Service<Workers, Collection<WorkerFields>>()("@wcs/domain/Workers") {}

export const make = Effect.map(Resources, (resources) => Workers.of(resources.collection(Worker, plain(Worker))))

export const layer: Layer.Layer<Workers, never, Resources> = Layer.effect(Workers, make)
