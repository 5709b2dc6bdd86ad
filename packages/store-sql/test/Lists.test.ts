import { assert, it, layer } from "@effect/vitest"
import { Credential } from "@wcs/domain/holding/Credential"
import { Exemption } from "@wcs/domain/holding/Exemption"
import { Worker } from "@wcs/domain/people/Worker"
import { parse } from "@wcs/domain/resource/ListQuery"
import type { Resource } from "@wcs/domain/resource/Resource"
import { ReadLimits } from "@wcs/store-sql/engine/BoundedReads"
import { created, listIds, mint, put, type Stores, start, tenantTest, workerFields } from "@wcs/store-suite/Fixtures"
import { definitions } from "@wcs/store-suite/resource/Definitions"
import { resourceListModelSuite } from "@wcs/store-suite/resource/ResourceListSuite"
import { Layer, References, Result } from "effect"
import { store } from "./temporary.ts"

/** Without a tracer, for which reads would have no limit of characters. */
const limitedTo = (limits: (typeof ReadLimits)["Service"]) =>
  Layer.merge(store, Layer.succeed(References.TracerEnabled, false)).pipe(
    Layer.provide(Layer.succeed(ReadLimits, limits))
  )

/** A way to read does not depend on the resource, but on the filters: these lists have each kind of filter. */
const various: ReadonlyArray<Resource> = [Worker, Credential, Exemption]

it("the lists that are read in each way have each kind of filter", () => {
  const kindsOf = (resources: ReadonlyArray<Resource>) =>
    new Set(resources.flatMap(({ filters }) => Object.values(filters).map(({ by }) => by)))
  assert.deepStrictEqual(
    [...kindsOf(definitions)].filter((kind) => !kindsOf(various).has(kind)),
    []
  )
})

// The ways of SQLite to read many matches. The suite of the ports tests the usual limits, all resources, and Postgres.
for (const [way, limits] of [
  ["sorted", { few: 1_000, examined: 1_000, characters: 1_000_000, decoded: 1 }],
  ["sorted, and fetched one by one", { few: 1_000, examined: 3, characters: 1, decoded: 1 }],
  ["read in short chunks", { few: 1, examined: 2, characters: 1_000_000, decoded: 1 }],
  ["read one by one", { few: 1, examined: 3, characters: 1, decoded: 1 }],
  ["read in one chunk", { few: 1, examined: 1_000, characters: 1_000_000, decoded: 1 }]
] as const) {
  layer<Stores, unknown>(limitedTo(limits), { excludeTestServices: true })(`many matches ${way}`, (it) =>
    resourceListModelSuite(tenantTest(it), various)
  )
}

layer<Stores, unknown>(limitedTo({ few: 1, examined: 1_000, characters: 1, decoded: 1 }), {
  excludeTestServices: true
})("more matches than can be sorted in memory", (it) => {
  tenantTest(it)("are in the order of the list, also if their documents fill several statements", function* (tenant) {
    const worker = yield* put(Worker, tenant, created(mint("worker"), workerFields({ source: { externalId: "E1" } })))
    const fields = { exemptionType: "MEDICAL", worker: { id: worker.id } }
    const ids: Array<string> = []
    for (const later of [0, 1, 2, 3]) {
      const times = { createdAt: start + later, updatedAt: start + later }
      ids.push((yield* put(Exemption, tenant, created(mint("exemption"), fields, times))).id)
    }
    const query = { ownerExternalId: "E1", sort: "updatedAt:desc", pageSize: "1" }
    const selection = Result.getOrThrow(parse(Exemption, query, "2026-01-31"))
    assert.deepStrictEqual(yield* listIds(Exemption, tenant, selection), ids.slice(-1))
  })
})
