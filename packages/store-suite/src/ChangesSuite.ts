import { assert, describe } from "@effect/vitest"
import { Caller } from "@wcs/domain/access/Caller"
import { everyPrivilege, layer as privilegeRules } from "@wcs/domain/access/Privilege"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Worker, type WorkerFields } from "@wcs/domain/people/Worker"
import type { Stored } from "@wcs/domain/resource/Resource"
import * as Changes from "@wcs/domain/service/Changes"
import { Effect } from "effect"
import fc from "fast-check"
import {
  auditEntry,
  auditLog,
  created,
  freshTenant,
  mint,
  put,
  revise,
  select,
  type TenantTest,
  workerFields
} from "./Fixtures.ts"
import { check } from "./Property.ts"
import { definitions } from "./resource/Definitions.ts"

/** Rows by id. */
type Rows = Map<string, Stored<WorkerFields>>

/** The caller of the feed. */
const readerOf = (tenantId: string) =>
  Caller.of({
    tenantId,
    timeZone: "Australia/Sydney",
    account: "urn:wcs:account:reader",
    privileges: new Set(everyPrivilege),
    bearer: { kind: "oauth", id: "reader" },
    rateLimitKey: "reader",
    rateLimit: null,
    workerId: null
  })

/** All rows, deleted or not, page by page. */
const copy = Effect.fnUntraced(function* (tenant: string) {
  const store = yield* ResourceStore
  const rows: Rows = new Map()
  for (let last: string | undefined; ; ) {
    const after = last === undefined ? undefined : { key: last, id: last }
    const page = yield* store.list(Worker, tenant, select({ pageSize: 3, after, includeDeleted: true }))
    for (const row of page.items) rows.set(row.id, row)
    last = page.items.at(-1)?.id
    if (!page.hasMore) return rows
  }
})

/** One writer's steps: each creates a row, or changes or deletes the row that was created before. */
const anyWriter = fc.array(fc.constantFrom("create", "revise", "delete"), { minLength: 1, maxLength: 3 })

const write = Effect.fnUntraced(function* (tenant: string, steps: ReadonlyArray<"create" | "revise" | "delete">) {
  let current: string | undefined
  const recordsOf = (entityId: string) => ({ audit: [auditEntry(entityId, { entityType: "worker" })], events: [] })
  for (const step of steps) {
    yield* Effect.yieldNow
    const id = current
    if (id === undefined || step === "create") {
      current = mint("worker")
      yield* put(Worker, tenant, created(current, workerFields()), recordsOf(current))
    } else {
      const deletedAt = step === "delete" ? 7 : null
      yield* revise(Worker, tenant, id, (row) => ({ ...row, version: row.version + 1, deletedAt }), recordsOf(id))
    }
  }
})

/** Reads pages of changes of a tenant. */
export const pages = (tenant: string) =>
  Effect.map(
    Effect.provide(Changes.make, privilegeRules),
    ({ after }) =>
      (query: Readonly<Record<string, string>>) =>
        Effect.provideService(after(query), Caller, readerOf(tenant))
  )

/** Takes a position, copies all rows, and follows the changes until the end, once all rows are written. */
const follow = Effect.fnUntraced(function* (tenant: string, isWritten: () => boolean) {
  const store = yield* ResourceStore
  const page = yield* pages(tenant)
  let { position } = yield* page({ after: Changes.fromNow })
  const rows = yield* copy(tenant)
  for (;;) {
    const isLast = isWritten()
    const next = yield* page({ after: position, pageSize: "2" })
    for (const { entityId, version } of next.documents) {
      const row = (yield* store.findAll(Worker, tenant, [entityId])).get(entityId)
      assert.isAtLeast(row?.version ?? 0, version ?? 0)
      if (row !== undefined) rows.set(entityId, row)
    }
    position = next.position
    if (isLast && !next.hasMore) return rows
    yield* Effect.yieldNow
  }
})

const gapTests = (it: TenantTest): void => {
  it("a copy and the changes after its position give exactly the rows, while others write", function* () {
    yield* check(
      fc.array(anyWriter, { minLength: 2, maxLength: 8 }),
      Effect.fnUntraced(function* (writers) {
        const tenant = freshTenant()
        let writing = writers.length
        const ended = Effect.sync(() => {
          writing--
        })
        const all = writers.map((steps) => Effect.andThen(write(tenant, steps), ended))
        const following = follow(tenant, () => writing === 0)
        const [followed] = yield* Effect.all([following, ...all], { concurrency: "unbounded" })
        assert.deepStrictEqual(followed, yield* copy(tenant))
      }),
      { numRuns: 50 }
    )
  }, 120_000)
}

const pageTests = (it: TenantTest): void => {
  it("walks every change once and in order, with its row's present version", function* (tenant) {
    const page = yield* pages(tenant)
    const first = yield* page({})
    assert.deepStrictEqual([first.documents, first.hasMore], [[], false])
    yield* write(tenant, ["create", "revise", "create"])
    yield* write(freshTenant(), ["create"])
    const log = yield* auditLog(tenant)
    const one = yield* page({ after: first.position, pageSize: "2" })
    const two = yield* page({ after: one.position, pageSize: "2" })
    assert.deepStrictEqual([one.hasMore, two.hasMore], [true, false])
    assert.deepStrictEqual(
      [...one.documents, ...two.documents].map(({ entityId, id, version }) => [id, entityId, version]),
      log.map(({ entityId, id }, index) => [id, entityId, index < 2 ? 2 : 1])
    )
    assert.deepStrictEqual((yield* page({})).documents, [...one.documents, ...two.documents])
    const end = yield* page({ after: two.position })
    assert.deepStrictEqual(end, { documents: [], pageSize: 25, position: two.position, hasMore: false })
    assert.deepStrictEqual(yield* page({ after: Changes.fromNow }), end)
  })

  it("refuses a position whose entry is not there, as after a restore of an older backup", function* (tenant) {
    const page = yield* pages(tenant)
    yield* write(tenant, ["create", "revise"])
    const [{ id = "", position = 0 } = {}] = yield* auditLog(tenant)
    const at = (...values: ReadonlyArray<unknown>) => page({ after: JSON.stringify(values) })
    assert.lengthOf((yield* at("change", position, id)).documents, 1)
    const others = [
      ["change", position, "aud_other"],
      ["change", position + 100, id],
      ["change", position, id, 1],
      ["worker", position, id],
      ["change", String(position), id]
    ]
    for (const other of others) assert.instanceOf(yield* Effect.flip(at(...other)), Changes.PositionUnknown)
  })

  it("has a version for each type of row that the contract lists with versions", function* () {
    assert.sameMembers(
      Changes.versioned.map(({ type }) => type),
      definitions.map(({ type }) => type)
    )
    yield* Effect.void
  })
}

/** Tests that `Changes` misses nothing on the adapter. */
export const changesSuite = (it: TenantTest): void => {
  describe("Changes: pages", () => pageTests(it))
  describe("Changes: no gaps", () => gapTests(it))
}
