import { assert, layer } from "@effect/vitest"
import { Worker } from "@wcs/domain/people/Worker"
import { created, find, freshTenant, mint, put, workerFields } from "@wcs/store-suite/Fixtures"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { engines } from "./engines.ts"

for (const [engine, stores] of engines) {
  layer(stores)(`a rule that has become stricter, on ${engine}`, (it) => {
    const stored = Effect.fnUntraced(function* (identity: unknown) {
      const [tenant, id] = [freshTenant(), mint("worker")]
      yield* put(Worker, tenant, created(id, workerFields()))
      const sql = yield* SqlClient.SqlClient
      const document = JSON.stringify({ identity })
      yield* sql`UPDATE worker SET document = ${document} WHERE tenant_id = ${tenant} AND id = ${id}`
      return yield* Effect.exit(find(Worker, tenant, id))
    })

    it.effect("hides nothing that was written before", () =>
      Effect.gen(function* () {
        const identity = { displayName: " ".repeat(300), birthDate: "2023-02-29" }
        const exit = yield* stored(identity)
        assert.deepStrictEqual(Exit.isSuccess(exit) ? exit.value?.fields.identity : undefined, identity)
      })
    )

    it.effect("does not accept data of the wrong type", () =>
      Effect.gen(function* () {
        for (const identity of [{ displayName: 42 }, { displayName: null }, {}, "Ann"]) {
          assert.isTrue(Exit.isFailure(yield* stored(identity)), JSON.stringify(identity))
        }
      })
    )
  })
}
