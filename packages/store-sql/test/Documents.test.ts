import { assert, layer } from "@effect/vitest"
import { Credential } from "@wcs/domain/holding/Credential"
import { Worker } from "@wcs/domain/people/Worker"
import { created, credentialFields, find, freshTenant, mint, put, workerFields } from "@wcs/store-suite/Fixtures"
import { Effect } from "effect"
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
        assert.deepStrictEqual(yield* find(Credential, tenantId, credential.id), credential)
      })
    )

    it.effect("are read as they were written, although a rule has become stricter since", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [tenantId, id] = [freshTenant(), mint("worker")]
        const identity = { displayName: " ".repeat(300), birthDate: "2023-02-29" }
        yield* put(Worker, tenantId, created(id, workerFields()))
        yield* sql`UPDATE worker SET document = ${JSON.stringify({ identity })} WHERE tenant_id = ${tenantId}`
        assert.deepStrictEqual((yield* find(Worker, tenantId, id))?.fields.identity, identity)
      })
    )
  })
}
