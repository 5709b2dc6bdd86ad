import { assert, layer } from "@effect/vitest"
import { DocumentStore } from "@wcs/domain/document/DocumentStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { noOwners } from "@wcs/domain/ownership/Ownership"
import { auditEntry, auditLog, created, credentialFields, freshTenant, mint, put } from "@wcs/store-suite/Fixtures"
import { Deferred, Effect, Fiber, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { postgresStore } from "../engines.ts"

layer(postgresStore, { excludeTestServices: true })("a look at a document on Postgres", (it) => {
  it.effect("does not wait for changes of the document and its card", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* DocumentStore
      const [tenantId, card, id] = [freshTenant(), mint("credential"), mint("document")]
      yield* put(Credential, tenantId, created(card, credentialFields({ worker: mint("worker") })))
      const begun = { id, tenantId, owner: { type: "credential", id: card }, status: "STORED", bytes: 9 } as const
      const further = { people: noOwners, sealedKey: "s", name: "n", content: null, account: "urn:wcs:account:acc_1" }
      yield* store.begin({ ...begun, ...further, createdAt: 0, deletion: null }, () => Result.void)

      const [isLocked, isOver] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const steps = [
        sql`SELECT 1 FROM credential WHERE tenant_id = ${tenantId} AND id = ${card} FOR UPDATE`,
        sql`SELECT 1 FROM document WHERE tenant_id = ${tenantId} AND id = ${id} FOR UPDATE`,
        Deferred.succeed(isLocked, undefined),
        Deferred.await(isOver)
      ]
      const holder = yield* Effect.forkChild(sql.withTransaction(Effect.all(steps)))
      yield* Deferred.await(isLocked)
      const audit = [auditEntry(id, { entityType: "document", action: "look" })]
      const seen = yield* store.look(tenantId, id, ({ document, hasOwner }) =>
        hasOwner && Option.isSome(document) ? Result.succeed({ document: document.value, audit }) : Result.fail("gone")
      )
      assert.strictEqual(seen.id, id)
      assert.deepStrictEqual((yield* auditLog(tenantId)).at(-1)?.action, "look")
      yield* Deferred.succeed(isOver, undefined)
      yield* Fiber.join(holder)
    })
  )
})
