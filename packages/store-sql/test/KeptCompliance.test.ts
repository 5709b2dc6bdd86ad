import { assert, layer } from "@effect/vitest"
import { KeptComplianceStore } from "@wcs/domain/screening/KeptComplianceStore"
import * as World from "@wcs/store-suite/compliance/ComplianceWorld"
import { freshTenant } from "@wcs/store-suite/Fixtures"
import { Effect } from "effect"
import { engines } from "./engines.ts"
import { planOf, recording, tableScansOf } from "./recording.ts"
import { store } from "./temporary.ts"

/** A tenant with cards of 50 workers, in 10 checks. */
const prepared = Effect.gen(function* () {
  const tenant = freshTenant()
  for (let n = 0; n < 10; n++) yield* World.putCheck(tenant, `check-${n}`)
  for (let n = 0; n < 50; n++) {
    const worker = yield* World.putWorker(tenant)
    if (n % 2 === 0) yield* World.putCard(tenant, World.card(worker, "WWCC_NSW", 3))
  }
  return tenant
})

for (const [engine, on] of engines) {
  layer(on, { excludeTestServices: true })(`kept compliance on ${engine}`, (it) => {
    it.effect("a matrix of 50 workers by 10 checks reads all results in one statement", () =>
      Effect.gen(function* () {
        const tenant = yield* prepared
        const matrix = recording(World.matrix(tenant, 0, 50))
        const before = yield* matrix
        yield* World.keepAll(tenant, 0)
        const after = yield* matrix
        const ofResults = after.ran.filter(({ text }) => /\b(?:compliance|credential|exemption|ban)\b/.test(text))
        assert.lengthOf(ofResults, 1)
        assert.lengthOf(after.ran, 3) // the checks, the page of workers, the results
        assert.lengthOf(Object.keys(after.answer), 50)
        assert.deepStrictEqual(after.answer, before.answer)
        assert.isAbove((yield* recording(World.matrix(tenant, 4, 50))).ran.length, 3) // each card has lapsed
      })
    )
  })
}

layer(store, { excludeTestServices: true })("plans of kept compliance", (it) => {
  it.effect("every statement finds its rows by an index that begins with the tenant", () =>
    Effect.gen(function* () {
      const tenant = yield* prepared
      const kept = yield* KeptComplianceStore
      const { ran } = yield* recording(
        Effect.gen(function* () {
          yield* kept.tenants
          yield* World.keepAll(tenant, 0)
          yield* World.filtered(tenant, 0, 20)
          yield* World.putBan(tenant, yield* World.putWorker(tenant))
          yield* World.filtered(tenant, 0, 20)
        })
      )
      const own = ran.filter(({ text }) => /\bcompliance(?:_mark)?\b/.test(text))
      assert.isAbove(own.length, 8)
      for (const statement of own) {
        const plan = yield* planOf(statement)
        assert.deepStrictEqual(
          tableScansOf(plan).filter((line) => !/ (?:f|n|marked|lapsed|outdated|found)$/.test(line)),
          [],
          `${statement.text}\n${plan.join("\n")}`
        )
      }
    })
  )
})
