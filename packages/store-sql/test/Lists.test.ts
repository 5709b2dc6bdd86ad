import { layer } from "@effect/vitest"
import { ReadLimits } from "@wcs/store-sql/engine/BoundedReads"
import { type Stores, tenantTest } from "@wcs/store-suite/Fixtures"
import { resourceListModelSuite } from "@wcs/store-suite/resource/ResourceListSuite"
import { Layer, References } from "effect"
import { store } from "./temporary.ts"

/** Without a tracer, for which reads would have no limit of characters. */
const limitedTo = (limits: (typeof ReadLimits)["Service"]) =>
  Layer.merge(store, Layer.succeed(References.TracerEnabled, false)).pipe(
    Layer.provide(Layer.succeed(ReadLimits, limits))
  )

// The ways of SQLite to read many matches. The suite of the ports tests the usual limits, and Postgres.
for (const [way, limits] of [
  ["sorted", { few: 1_000, examined: 1_000, characters: 1_000_000, decoded: 1 }],
  ["sorted, and fetched one by one", { few: 1_000, examined: 3, characters: 1, decoded: 1 }],
  ["read in short chunks", { few: 1, examined: 2, characters: 1_000_000, decoded: 1 }],
  ["read one by one", { few: 1, examined: 3, characters: 1, decoded: 1 }],
  ["read in one chunk", { few: 1, examined: 1_000, characters: 1_000_000, decoded: 1 }]
] as const) {
  layer<Stores, unknown>(limitedTo(limits), { excludeTestServices: true })(`many matches ${way}`, (it) =>
    resourceListModelSuite(tenantTest(it))
  )
}
