import { assert, describe } from "@effect/vitest"
import { type Scan, scanOutcomes } from "@wcs/domain/Scan"
import { ScanStore } from "@wcs/domain/ScanStore"
import { Effect } from "effect"
import { audited } from "./AccessFixtures.ts"
import { auditEntry, digits, freshTenant, mint, type StoresTest, start } from "./Fixtures.ts"

export const scan = (tenantId: string, overrides: Partial<Scan> = {}): Scan => ({
  correlationId: `01K${digits().padStart(23, "0")}`,
  tenantId,
  credentialType: "WWCC_NSW",
  identifier: "WWC1234567E",
  firstName: "Zoë",
  surname: "O'Neil",
  outcome: "NO_CREDENTIAL",
  credentialId: null,
  account: `urn:wcs:account:${mint("account")}`,
  requestId: "01K0000000000000000000TEST",
  at: start,
  ...overrides
})

const put = Effect.fnUntraced(function* (row: Scan) {
  const store = yield* ScanStore
  yield* store.insert(row, auditEntry(row.correlationId, { entityType: "scan" }))
})

/** What `ScanStore` promises. */
export const scanStoreSuite = (it: StoresTest): void => {
  describe("ScanStore", () => {
    it.effect("keeps a scan as it was given, whatever it came upon, with its entry", () =>
      Effect.gen(function* () {
        const store = yield* ScanStore
        const tenantId = freshTenant()
        const rows = scanOutcomes.map((outcome) =>
          scan(tenantId, { outcome, credentialId: outcome === "MATCHED" ? mint("credential") : null })
        )
        for (const row of rows) yield* put(row)
        assert.deepStrictEqual(yield* store.list(tenantId, "", 100), rows)
        assert.deepStrictEqual(
          yield* audited(tenantId),
          rows.map(({ correlationId }) => correlationId)
        )
      })
    )

    it.effect("lists a tenant's scans by correlation id, page after page", () =>
      Effect.gen(function* () {
        const store = yield* ScanStore
        const [tenantId, neighbour] = [freshTenant(), freshTenant()]
        const rows = [scan(tenantId), scan(tenantId, { at: start - 5 }), scan(tenantId)]
        for (const row of [...rows.toReversed(), scan(neighbour)]) yield* put(row)
        assert.deepStrictEqual(yield* store.list(tenantId, "", 2), rows.slice(0, 2))
        assert.deepStrictEqual(yield* store.list(tenantId, rows[1]?.correlationId ?? "", 2), rows.slice(2))
        assert.deepStrictEqual(yield* store.list(tenantId, rows[2]?.correlationId ?? "", 2), [])
        assert.deepStrictEqual(yield* store.list(freshTenant(), "", 2), [])
      })
    )
  })
}
