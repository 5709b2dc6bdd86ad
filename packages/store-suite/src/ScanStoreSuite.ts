import { assert, describe } from "@effect/vitest"
import { type Scan, type ScanField, scanOutcomes, scanStatuses } from "@wcs/domain/holding/Scan"
import { ScanStore } from "@wcs/domain/legacy/ScanStore"
import type { SeriesSelection } from "@wcs/domain/resource/Series"
import { Effect } from "effect"
import { audited } from "./access/AccessFixtures.ts"
import { auditEntry, digits, everything, freshTenant, mint, start, type TenantTest } from "./Fixtures.ts"

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

/** A page without positions, which are specific to the store. */
const listed = Effect.fnUntraced(function* (tenantId: string, selection: Partial<SeriesSelection<ScanField>> = {}) {
  const store = yield* ScanStore
  const { hasMore, items, total } = yield* store.list(tenantId, { ...everything, ...selection })
  return { rows: items.map(({ position: _, ...row }) => row), last: items.at(-1)?.position, hasMore, total }
})

export const rowsOf = (tenantId: string) => Effect.map(listed(tenantId), ({ rows }) => rows)

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

    it("lists a tenant's scans in the order of writing, in both directions, page by page", function* (tenantId) {
      const neighbour = freshTenant()
      // Neither the ids nor the times are in the order of writing.
      const rows = [scan(tenantId), scan(tenantId, { at: start - 5 }), scan(tenantId)].toReversed()
      for (const row of [...rows, scan(neighbour)]) yield* put(row)
      for (const [direction, expected] of [
        ["asc", rows],
        ["desc", rows.toReversed()]
      ] as const) {
        const first = yield* listed(tenantId, { direction, pageSize: 2, includeTotal: true })
        assert.deepStrictEqual(first.rows, expected.slice(0, 2))
        assert.deepStrictEqual([first.hasMore, first.total], [true, 3])
        const second = yield* listed(tenantId, { direction, pageSize: 2, after: first.last })
        assert.deepStrictEqual([second.rows, second.hasMore], [expected.slice(2), false])
      }
      assert.deepStrictEqual(yield* rowsOf(freshTenant()), [])
    })

    it("filters by correlation id, identifier, credential and status combined", function* (tenantId) {
      const credentialId = mint("credential")
      const matched = { status: "queued", outcome: "MATCHED", credentialId } as const
      const [a, b, c] = [
        scan(tenantId, { identifier: "1", ...matched }),
        scan(tenantId, { identifier: "1" }),
        scan(tenantId, { identifier: "2", ...matched })
      ] as const
      for (const row of [a, b, c]) yield* put(row)
      const cases: ReadonlyArray<readonly [SeriesSelection<ScanField>["conditions"], ReadonlyArray<Scan>]> = [
        [[{ field: "correlationId", value: b.correlationId }], [b]],
        [[{ field: "identifier", value: "1" }], [a, b]],
        [[{ field: "credentialId", value: credentialId }], [a, c]],
        [[{ field: "status", value: "queued" }], [a, c]],
        [[{ field: "status", value: "unmatched" }], [b]],
        [
          [
            { field: "status", value: "queued" },
            { field: "identifier", value: "2" }
          ],
          [c]
        ],
        [[{ field: "identifier", value: "3" }], []],
        [undefined, []]
      ]
      for (const [conditions, expected] of cases) {
        assert.deepStrictEqual((yield* listed(tenantId, { conditions })).rows, expected)
      }
    })
  })
}
