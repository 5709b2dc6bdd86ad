import { assert, layer } from "@effect/vitest"
import { Credential } from "@wcs/domain/holding/Credential"
import { DuplicateStore, type Place, type Reason } from "@wcs/domain/merge/DuplicateStore"
import { Worker } from "@wcs/domain/people/Worker"
import { ReadLimits } from "@wcs/store-sql/engine/BoundedReads"
import { created, credentialFields, freshTenant, mint, put, workerFields } from "@wcs/store-suite/Fixtures"
import { Effect, Layer } from "effect"
import { lookupsOf, planOf, recording, tableScansOf } from "./recording.ts"
import { store } from "./temporary.ts"

const reasons: ReadonlyArray<Reason> = ["EXTERNAL_ID", "NAME", "CARD"]

/** One row more than a statement examines has one key, and other keys are on the borders of chunks. */
const keysOf = (n: number): string => (n < 12 ? "a" : n < 20 ? `b${n}` : n < 22 ? "c" : `d${n >> 1}`)

layer(Layer.provide(store, Layer.succeed(ReadLimits, { few: 1, examined: 1, characters: 1_000, decoded: 1_000 })))(
  "groups of duplicates, in chunks of ten entries",
  (it) => {
    it.effect("are those of a comparison of all keys, from each place on", () =>
      Effect.gen(function* () {
        const tenantId = freshTenant()
        const counts = new Map<string, number>()
        for (let n = 0; n < 40; n++) {
          const externalId = keysOf(n)
          counts.set(externalId, (counts.get(externalId) ?? 0) + 1)
          yield* put(Worker, tenantId, created(mint("worker"), workerFields({ source: { externalId } })))
        }
        const expected = [...counts].filter(([, count]) => count > 1).map(([key]) => key)
        const { groups } = yield* DuplicateStore
        for (const limit of [1, 2, 100]) {
          const found: Array<string | undefined> = []
          let place: Place | null | undefined
          do {
            const page = yield* groups(tenantId, "EXTERNAL_ID", place ?? undefined, limit)
            found.push(...page.groups.map(({ key }) => key[0]))
            place = page.next
          } while (place !== null)
          assert.deepStrictEqual(found, expected.sort())
        }
      })
    )
  }
)

layer(store)("how duplicates are found", (it) => {
  for (const reason of reasons) {
    it.effect(`${reason}: reads index entries alone, without sorting, and the rows of equal keys by their key`, () =>
      Effect.gen(function* () {
        const tenantId = freshTenant()
        for (let n = 0; n < 2; n++) {
          const identity = { displayName: "Ann", birthDate: "1990-04-17" }
          const fields = workerFields({ identity, source: { externalId: "hr-1" } })
          const worker = yield* put(Worker, tenantId, created(mint("worker"), fields))
          const card = credentialFields({ worker: worker.id }, { identifier: "1234" })
          yield* put(Credential, tenantId, created(mint("credential"), card))
        }
        const { groups } = yield* DuplicateStore
        const { answer, ran } = yield* recording(groups(tenantId, reason, undefined, 10))
        assert.deepStrictEqual(
          answer.groups.map(({ workers }) => workers.length),
          [2]
        )
        assert.lengthOf(ran, 3)
        const [end = [], entries = [], rows = []] = yield* Effect.forEach(ran, planOf)
        for (const plan of [end, entries]) {
          assert.lengthOf(plan, 1)
          assert.match(String(plan), /^SEARCH r USING COVERING INDEX .*\(tenant_id=\? AND /)
        }
        assert.deepStrictEqual(tableScansOf(rows), [])
        for (const line of lookupsOf(rows)) assert.match(line, /^SEARCH r USING INDEX .*\(tenant_id=\? AND \w+=\?\)/)
      })
    )
  }
})
