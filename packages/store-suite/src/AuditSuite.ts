import { assert, describe } from "@effect/vitest"
import { EventStore } from "@wcs/domain/EventStore"
import { totalLimit } from "@wcs/domain/ListQuery"
import type { SeriesSelection } from "@wcs/domain/Series"
import type { AuditEntry } from "@wcs/domain/Trail"
import { Worker } from "@wcs/domain/Worker"
import { Effect } from "effect"
import {
  auditEntry,
  created,
  everything,
  freshTenant,
  mint,
  put,
  type StoresTest,
  start,
  workerFields
} from "./Fixtures.ts"

type AuditSelection = SeriesSelection<"entityType" | "entityId" | "account">

/** Writes entries of one tenant in one change. */
const keep = Effect.fnUntraced(function* (tenant: string, entries: ReadonlyArray<AuditEntry>) {
  yield* put(Worker, tenant, created(mint("worker"), workerFields()), { audit: entries, events: [] })
})

const idsOf = Effect.fnUntraced(function* (tenant: string, selection: Partial<AuditSelection> = {}) {
  const store = yield* EventStore
  return (yield* store.audit(tenant, { ...everything, ...selection })).items.map(({ id }) => id)
})

/** Every entry, page after page in the selection's direction, each beginning after the last of the one before it. */
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

const orderTests = (it: StoresTest): void => {
  it.effect("answers in the order of writing, forwards and backwards, whatever the times say", () =>
    Effect.gen(function* () {
      const tenant = freshTenant()
      const entries = [0, -7, 5, 5, -1].map((later) => auditEntry(mint("worker"), { at: start + later }))
      yield* keep(tenant, entries.slice(0, 3))
      yield* keep(tenant, entries.slice(3))
      const ids = entries.map(({ id }) => id)
      assert.deepStrictEqual(yield* idsOf(tenant), ids)
      assert.deepStrictEqual(yield* idsOf(tenant, { direction: "desc" }), ids.toReversed())
    })
  )

  it.effect("says whether more follow, and a walk meets each entry once, in both directions, among filters too", () =>
    Effect.gen(function* () {
      const [tenant, neighbour] = [freshTenant(), freshTenant()]
      const account = `urn:wcs:account:${mint("account")}`
      const entries = Array.from({ length: 7 }, (_, index) =>
        auditEntry(mint("worker"), index % 2 === 0 ? { account } : {})
      )
      for (const entry of entries) {
        yield* keep(tenant, [entry])
        yield* keep(neighbour, [auditEntry(entry.entityId, { account })])
      }
      const ids = entries.map(({ id }) => id)
      const own = entries.filter((entry) => entry.account === account).map(({ id }) => id)
      for (const pageSize of [1, 2, 3, 7, 8]) {
        assert.deepStrictEqual(yield* walk(tenant, { pageSize }), ids)
        assert.deepStrictEqual(yield* walk(tenant, { pageSize, direction: "desc" }), ids.toReversed())
        const conditions = [{ field: "account", value: account }] as const
        assert.deepStrictEqual(yield* walk(tenant, { pageSize, conditions }), own)
        assert.deepStrictEqual(yield* walk(tenant, { pageSize, conditions, direction: "desc" }), own.toReversed())
      }
    })
  )
}

const conditionTests = (it: StoresTest): void => {
  it.effect("all conditions hold at once; none at all matches nothing where nothing can match", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const tenant = freshTenant()
      const [one, two] = [mint("worker"), mint("worker")]
      const account = `urn:wcs:account:${mint("account")}`
      const [a, b, c, d] = [
        auditEntry(one, { entityType: "worker", account }),
        auditEntry(one, { entityType: "ban" }),
        auditEntry(two, { entityType: "worker", account }),
        auditEntry(two, { entityType: "worker" })
      ] as const
      yield* keep(tenant, [a, b, c, d])
      const rows: ReadonlyArray<readonly [AuditSelection["conditions"], ReadonlyArray<AuditEntry>]> = [
        [[], [a, b, c, d]],
        [[{ field: "entityId", value: one }], [a, b]],
        [[{ field: "account", value: account }], [a, c]],
        [[{ field: "entityType", value: "worker" }], [a, c, d]],
        [
          [
            { field: "entityType", value: "worker" },
            { field: "account", value: account },
            { field: "entityId", value: two }
          ],
          [c]
        ],
        [[{ field: "entityId", value: two.toUpperCase() }], []],
        [[{ field: "account", value: "'; DROP TABLE audit_event; --" }], []],
        [undefined, []]
      ]
      for (const [conditions, expected] of rows) {
        const page = yield* store.audit(tenant, { ...everything, conditions, includeTotal: true, pageSize: 1 })
        assert.deepStrictEqual(
          page.items.map(({ id }) => id),
          expected.slice(0, 1).map(({ id }) => id)
        )
        assert.deepStrictEqual([page.total, page.hasMore], [expected.length, expected.length > 1])
        assert.deepStrictEqual(
          yield* idsOf(tenant, { conditions }),
          expected.map(({ id }) => id)
        )
      }
    })
  )

  it.effect("keeps tenants apart, whatever is asked for", () =>
    Effect.gen(function* () {
      const [mine, yours] = [freshTenant(), freshTenant()]
      const id = mint("worker")
      const [own, other] = [auditEntry(id), auditEntry(id)]
      yield* keep(mine, [own])
      yield* keep(yours, [other])
      for (const conditions of [[], [{ field: "entityId", value: id }], [{ field: "account", value: own.account }]]) {
        assert.deepStrictEqual(yield* idsOf(mine, { conditions } as Partial<AuditSelection>), [own.id])
        assert.deepStrictEqual(yield* idsOf(yours, { conditions } as Partial<AuditSelection>), [other.id])
      }
    })
  )

  it.effect("counts what matches before and after the page, where it is asked to, and no further than the limit", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const tenant = freshTenant()
      const entries = Array.from({ length: totalLimit + 1 }, () => auditEntry("wkr_1"))
      yield* keep(tenant, [...entries, auditEntry("wkr_2")])
      const count = (selection: Partial<AuditSelection>) =>
        Effect.map(
          store.audit(tenant, { ...everything, pageSize: 1, includeTotal: true, ...selection }),
          ({ total }) => total
        )
      assert.strictEqual(yield* count({}), totalLimit)
      assert.strictEqual(yield* count({ conditions: [{ field: "entityId", value: "wkr_2" }] }), 1)
      const [first] = (yield* store.audit(tenant, { ...everything, pageSize: 1 })).items
      assert.strictEqual(yield* count({ after: first?.position }), totalLimit)
      assert.isUndefined((yield* store.audit(tenant, everything)).total)
    })
  )
}

/** What `EventStore.audit` promises. */
export const auditSuite = (it: StoresTest): void => {
  describe("EventStore.audit, in order", () => orderTests(it))
  describe("EventStore.audit, by conditions", () => conditionTests(it))
}
