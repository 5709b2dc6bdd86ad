import { assert, describe } from "@effect/vitest"
import type { AuditEntry, AuditField } from "@wcs/domain/audit/AuditEntry"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { Worker } from "@wcs/domain/people/Worker"
import { totalLimit } from "@wcs/domain/resource/ListQuery"
import { clockSlackMillis, type TimelineSelection } from "@wcs/domain/resource/Timeline"
import { Effect } from "effect"
import fc from "fast-check"
import {
  auditEntry,
  created,
  everything,
  freshTenant,
  mint,
  put,
  start,
  type TenantTest,
  workerFields
} from "./Fixtures.ts"
import { check } from "./Property.ts"

type AuditSelection = TimelineSelection<AuditField>

/** Writes entries of one tenant in one change. */
const keep = Effect.fnUntraced(function* (tenant: string, entries: ReadonlyArray<AuditEntry>) {
  yield* put(Worker, tenant, created(mint("worker"), workerFields()), { audit: entries, events: [] })
})

const idsOf = Effect.fnUntraced(function* (tenant: string, selection: Partial<AuditSelection> = {}) {
  const store = yield* EventStore
  return (yield* store.audit(tenant, { ...everything, ...selection })).items.map(({ id }) => id)
})

/** Every entry, page by page in the selection's direction, each page after the last entry of the previous one. */
const walk = Effect.fnUntraced(function* (tenant: string, selection: Partial<AuditSelection>) {
  const store = yield* EventStore
  const ids: Array<string> = []
  for (let after: number | undefined; ; ) {
    const page = yield* store.audit(tenant, { ...everything, ...selection, after })
    assert.isAtMost(page.items.length, selection.pageSize ?? everything.pageSize)
    ids.push(...page.items.map(({ id }) => id))
    if (!page.hasMore) return ids
    assert.isNotEmpty(page.items)
    after = page.items.at(-1)?.position
  }
})

const countTests = (it: TenantTest): void => {
  it("counts all matches on request, up to the limit, independent of the page", function* (tenant) {
    const store = yield* EventStore
    const entries = Array.from({ length: totalLimit + 1 }, () => auditEntry("wkr_1"))
    yield* keep(tenant, [...entries, auditEntry("wkr_2")])
    const count = (selection: Partial<AuditSelection>) =>
      Effect.map(
        store.audit(tenant, { ...everything, pageSize: 1, includeTotal: true, ...selection }),
        ({ total }) => total
      )
    assert.strictEqual(yield* count({}), totalLimit)
    assert.strictEqual(yield* count({ conditions: [{ field: "entityId", value: "wkr_2" }] }), 1)
    assert.strictEqual(yield* count({ conditions: undefined }), 0, "no entry can match")
    const [first] = (yield* store.audit(tenant, { ...everything, pageSize: 1 })).items
    assert.strictEqual(yield* count({ after: first?.position }), totalLimit)
    assert.isUndefined((yield* store.audit(tenant, everything)).total)
  })
}

/** An entry's field, as the test's plain filter reads it. */
const fieldOf = (entry: AuditEntry, field: AuditField): string | null =>
  field === "bearer" ? (entry.bearer?.kind ?? null) : entry[field]

const anyMoment = fc.integer({ min: -600_000, max: 600_000 }).map((later) => start + later)
const anyEntry = fc.record({
  account: fc.constantFrom("urn:wcs:account:acc_1", "urn:wcs:account:acc_2"),
  action: fc.constantFrom("create", "link"),
  bearer: fc.constantFrom(null, { kind: "oauth", id: "1" } as const, { kind: "session", id: "2" } as const),
  requestId: fc.constantFrom("01K0000000000000000000TES1", "01K0000000000000000000TES2"),
  entityId: fc.constantFrom("wkr_1", "wkr_2"),
  entityType: fc.constantFrom("worker" as const, "credential" as const),
  // Less than clocks may differ between entries.
  strays: fc.integer({ min: -clockSlackMillis / 2 + 1, max: clockSlackMillis / 2 })
})
const anySelection = fc.record({
  from: fc.option(anyMoment, { nil: undefined }),
  to: fc.option(anyMoment, { nil: undefined }),
  direction: fc.constantFrom("asc" as const, "desc" as const),
  pageSize: fc.integer({ min: 1, max: 5 }),
  like: fc.nat(19),
  fields: fc.subarray<AuditField>(["entityType", "entityId", "account", "action", "bearer", "requestId"])
})

const filterTests = (it: TenantTest): void => {
  it("finds the same as a plain filter, by fields and time in any combination, page by page", function* () {
    yield* check(
      fc.record({
        drawn: fc.array(anyEntry, { minLength: 20, maxLength: 20 }),
        selections: fc.array(anySelection, { minLength: 5, maxLength: 5 })
      }),
      Effect.fnUntraced(function* ({ drawn, selections }) {
        const store = yield* EventStore
        const tenant = freshTenant()
        const entries = drawn.map(({ entityId, strays, ...fields }, index) =>
          auditEntry(entityId, { ...fields, at: start + (index - 10) * 60_000 + strays })
        )
        yield* keep(tenant, entries)
        for (const { direction, fields, from, like, pageSize, to } of selections) {
          const conditions = fields.flatMap((field) => {
            const value = fieldOf(entries[like] ?? auditEntry(""), field)
            return value === null ? [] : [{ field, value }]
          })
          const matching = entries.filter(
            (entry) =>
              conditions.every(({ field, value }) => fieldOf(entry, field) === value) &&
              (from === undefined || entry.at >= from) &&
              (to === undefined || entry.at < to)
          )
          const time = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
          const ids = matching.map(({ id }) => id)
          const found = yield* walk(tenant, { conditions, direction, pageSize, ...time })
          assert.deepStrictEqual(found, direction === "asc" ? ids : ids.toReversed())
          const counted = yield* store.audit(tenant, { ...everything, conditions, ...time, includeTotal: true })
          assert.strictEqual(counted.total, ids.length)
        }
      }),
      { numRuns: 40 }
    )
  })

  it("includes the first moment and excludes the last", function* (tenant) {
    const entries = [-1, 0, 1, 2, 3].map((later) => auditEntry("wkr_1", { at: start + later }))
    yield* keep(tenant, entries)
    const ids = entries.map(({ id }) => id)
    assert.deepStrictEqual(yield* idsOf(tenant, { from: start, to: start + 2 }), ids.slice(1, 3))
    assert.deepStrictEqual(yield* idsOf(tenant, { from: start + 3 }), ids.slice(4))
    assert.deepStrictEqual(yield* idsOf(tenant, { to: start }), ids.slice(0, 1))
    assert.deepStrictEqual(yield* idsOf(tenant, { from: start + 2, to: start + 2 }), [])
    assert.deepStrictEqual(yield* idsOf(tenant, { from: start + 2, to: start }), [])
  })
}

/** Tests the contract of `EventStore.audit`. */
export const auditSuite = (it: TenantTest): void => {
  describe("EventStore.audit: totals", () => countTests(it))
  describe("EventStore.audit: fields and time", () => filterTests(it))
}
