import { assert, layer } from "@effect/vitest"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { Worker } from "@wcs/domain/people/Worker"
import { created, credentialFields, freshTenant, mint, put, workerFields } from "@wcs/store-suite/Fixtures"
import { Cause, Effect, Exit, Option } from "effect"
import { SqlClient } from "effect/sql"
import { engines } from "./engines.ts"

for (const [engine, stores] of engines) {
  layer(stores)(`documents at rest, on ${engine}`, (it) => {
    it.effect("do not contain owners, which are read from their columns", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tenantId = freshTenant()
        const worker = mint("worker")
        const credential = created(mint("credential"), credentialFields({ worker }, { identifier: "WWC0000001E" }))
        yield* put(Credential, tenantId, credential)
        const [row] = yield* sql`SELECT document, worker_id, applicant_id FROM credential WHERE tenant_id = ${tenantId}`
        assert.deepStrictEqual(
          { ...row },
          {
            document: '{"attributes":{"credentialType":"WWCC_NSW","identifier":"WWC0000001E","owners":{}}}',
            worker_id: worker,
            applicant_id: ""
          }
        )
        const found = yield* (yield* ResourceStore).find(Credential, tenantId, credential.id)
        assert.deepStrictEqual(found, Option.some(credential))
      })
    )

    it.effect("die when read if they do not fit their definition", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tenantId = freshTenant()
        const worker = created(mint("worker"), workerFields())
        yield* put(Worker, tenantId, worker)
        yield* sql`UPDATE worker SET document = '{"identity":{}}' WHERE tenant_id = ${tenantId}`
        const exit = yield* Effect.exit((yield* ResourceStore).find(Worker, tenantId, worker.id))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      })
    )
  })
}
