import { assert, describe } from "@effect/vitest"
import { type Scan, scanOutcomes, scanStatuses } from "@wcs/domain/holding/Scan"
import { ScanStore } from "@wcs/domain/legacy/ScanStore"
import { Effect } from "effect"
import { audited } from "./access/AccessFixtures.ts"
import { auditEntry, digits, everything, mint, start, type TenantTest } from "./Fixtures.ts"

export const scan = (tenantId: string, overrides: Partial<Scan> = {}): Scan => ({
  correlationId: `01K${digits().padStart(23, "0")}`,
  tenantId,
  credentialType: "WWCC_NSW",
  identifier: "WWC1234567E",
  firstName: "Zoë",
  surname: "O'Neil",
  status: "unmatched",
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

export const rowsOf = Effect.fnUntraced(function* (tenantId: string) {
  const store = yield* ScanStore
  return (yield* store.list(tenantId, everything)).items.map(({ position: _, ...row }) => row)
})

/** Tests the contract of `ScanStore`. */
export const scanStoreSuite = (it: TenantTest): void => {
  describe("ScanStore", () => {
    it("stores a scan of every status and outcome, with its audit entry", function* (tenantId) {
      const rows = scanStatuses.flatMap((status) =>
        scanOutcomes.map((outcome) =>
          scan(tenantId, { status, outcome, credentialId: outcome === "MATCHED" ? mint("credential") : null })
        )
      )
      for (const row of rows) yield* put(row)
      assert.deepStrictEqual(yield* rowsOf(tenantId), rows)
      assert.deepStrictEqual(
        yield* audited(tenantId),
        rows.map(({ correlationId }) => correlationId)
      )
    })
  })
}
