import { assert, layer } from "@effect/vitest"
import type { AuditSeal } from "@wcs/domain/audit/AuditSeal"
import { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import { ProofStore } from "@wcs/domain/proof/ProofStore"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { engines } from "./engines.ts"
import * as Postgres from "./postgres/postgresPlans.ts"
import { planOf, recording } from "./recording.ts"

/** Audit entries of 200 tenants. */
const entries = 20_000

const seal: AuditSeal = {
  tenantId: "tnt_0000000000000007",
  number: 1,
  count: 1,
  firstId: "aud_1",
  lastId: "aud_1",
  lastPosition: 7,
  entriesHash: "",
  contents: [],
  previousHash: "",
  sealedAt: 0,
  signature: ""
}

/** Everything that sealing and verifying a tenant reads and writes. */
const work = Effect.gen(function* () {
  const store = yield* AuditSealStore
  const { tenantId } = seal
  yield* store.tenants(null, 10)
  yield* store.tenants(tenantId, 10)
  yield* store.entries(tenantId, { after: null, upTo: 1000 }, 10)
  yield* store.entries(tenantId, { after: 7, upTo: 1000 }, 10)
  yield* store.newestSeal(tenantId)
  yield* store.seals(tenantId, 0, 10)
  yield* store.unsealedVersions(tenantId, "credential", ["cred_1", "cred_2"], 10)
  yield* store.insert(seal, [{ kind: "credential", id: "cred_1", version: 1, salt: "salt" }])
  const proofs = yield* ProofStore
  yield* proofs.versions(tenantId, "credential", [{ id: "cred_1", version: 1 }])
  yield* proofs.entries(tenantId, ["cred_1"], [7], 10)
  yield* proofs.sealsAt(tenantId, [7])
  yield* proofs.seals(tenantId, [8, 208])
})

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const row = `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${entries})`
  const tenant = sql.onDialectOrElse({
    pg: () => "'tnt_' || lpad(CAST(n % 200 AS TEXT), 16, '0')",
    orElse: () => "printf('tnt_%016d', n % 200)"
  })
  yield* sql.unsafe(`INSERT INTO audit_event
    (tenant_id, id, account, operation, action, entity_type, entity_id, request_id, at)
    ${row} SELECT ${tenant}, 'aud_' || n, '', '', '', '', '', '', n FROM n`)
  yield* sql.unsafe(`INSERT INTO audit_seal
    (tenant_id, number, count, first_id, last_id, last_position, entries_hash, contents, previous_hash, sealed_at, signature)
    ${row} SELECT ${tenant}, n + 1, 1, '', '', n, '', '[]', '', 0, '' FROM n`)
  yield* sql.unsafe(`INSERT INTO resource_version
    (tenant_id, kind, id, version, worker_id, applicant_id, created_at, updated_at, document)
    ${row} SELECT ${tenant}, 'credential', 'cred_' || n, 1, '', '', 0, 0, '{}' FROM n`)
  yield* sql.unsafe(`INSERT INTO record_seal (tenant_id, kind, id, version, number, salt)
    ${row} SELECT ${tenant}, 'credential', 'cred_' || n, 2, 1, '' FROM n`)
  yield* sql`ANALYZE`
})

/** The full scans of a statement. A walk through the tenants scans its own steps only, and a list is scanned whole. */
const scansOf = Effect.fnUntraced(function* (ran: Parameters<typeof planOf>[0]) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.onDialectOrElse({
    pg: () =>
      Effect.map(Postgres.planOf(ran), (plan) => plan.filter(Postgres.isScan).map((node) => Postgres.shown([node]))),
    orElse: () =>
      Effect.map(planOf(ran), (plan) =>
        plan.filter((line) => /^SCAN (?!(walk|n|json_each|sealed)\b|CONSTANT ROW|\(subquery)/.test(line))
      )
  })
})

for (const [name, store] of engines) {
  layer(store, { excludeTestServices: true })(`sealing the audit log on ${name}`, (it) => {
    it.effect("reads index entries only, with one statement each", () =>
      Effect.gen(function* () {
        yield* fill
        const { ran } = yield* recording(work)
        assert.lengthOf(ran, 15)
        for (const statement of ran) assert.deepStrictEqual(yield* scansOf(statement), [], statement.text)
      })
    )
  })
}
