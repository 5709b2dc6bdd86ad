import { assert, describe } from "@effect/vitest"
import type { SeriesPage, SeriesSelection } from "@wcs/domain/resource/Series"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Effect, Option } from "effect"
import { auditEntry, freshTenant, mint, start, type TenantTest } from "../Fixtures.ts"
import { allowed, putClient, putTenant, putToken, user } from "./AccessFixtures.ts"

/** Everything that is not revoked, in the order of writing. */
const living: SeriesSelection<never> = {
  conditions: [],
  direction: "asc",
  pageSize: 100,
  after: undefined,
  includeDeleted: false,
  includeTotal: true
}

/** A page without its positions. */
const contentOf = <Row>({ hasMore, items, total }: SeriesPage<Row>) => ({
  rows: items.map(({ position: _, ...row }) => row),
  hasMore,
  total
})

const clientTests = (it: TenantTest): void => {
  it("pages a tenant's clients in the order of writing; includes revoked ones on request", function* () {
    const store = yield* AccessStore
    const [{ tenant }, other] = [yield* putTenant, yield* putTenant]
    const [one, two, three] = [
      yield* putClient(tenant.id, { createdAt: start + 9 }),
      yield* putClient(tenant.id),
      yield* putClient(tenant.id, { createdAt: start + 5 })
    ]
    yield* putClient(other.tenant.id)
    yield* store.revokeClient(tenant.id, two.clientId, start + 20, auditEntry(two.clientId))
    const revoked = { ...two, revokedAt: start + 20 }
    const page = (selection: Partial<SeriesSelection<never>>) =>
      Effect.map(store.clients(tenant.id, { ...living, ...selection }), contentOf)
    assert.deepStrictEqual(yield* page({}), { rows: [one, three], hasMore: false, total: 2 })
    assert.deepStrictEqual(yield* page({ includeDeleted: true, direction: "desc" }), {
      rows: [three, revoked, one],
      hasMore: false,
      total: 3
    })
    assert.deepStrictEqual(yield* page({ pageSize: 1 }), { rows: [one], hasMore: true, total: 2 })
    const first = yield* store.clients(tenant.id, { ...living, pageSize: 1 })
    const after = first.items.at(-1)?.position
    assert.deepStrictEqual(yield* page({ pageSize: 1, after }), { rows: [three], hasMore: false, total: 2 })
    assert.deepStrictEqual((yield* page({ after, includeDeleted: true })).rows, [revoked, three])
    assert.deepStrictEqual(contentOf(yield* store.clients(freshTenant(), living)).rows, [])
  })
}

const tokenTests = (it: TenantTest): void => {
  it("pages a tenant's tokens or one account's tokens; includes revoked ones on request", function* () {
    const store = yield* AccessStore
    const [{ account, tenant }, other] = [yield* putTenant, yield* putTenant]
    const colleague = user(tenant.id)
    yield* store.insertAccount(colleague, auditEntry(colleague.id), allowed)
    const [one, theirs, two, three] = [
      yield* putToken(account, { createdAt: start + 9 }),
      yield* putToken(colleague),
      yield* putToken(account),
      yield* putToken(account)
    ]
    yield* putToken(other.account)
    yield* store.revokePersonalToken(tenant.id, two.id, start + 20, auditEntry(two.id))
    const revoked = { ...two, revokedAt: start + 20 }
    const page = (selection: Partial<SeriesSelection<"accountId">>) =>
      Effect.map(store.personalTokens(tenant.id, { ...living, ...selection }), contentOf)
    const own = { conditions: [{ field: "accountId", value: account.id }] } as const
    assert.deepStrictEqual((yield* page({})).rows, [one, theirs, three])
    assert.deepStrictEqual(yield* page(own), { rows: [one, three], hasMore: false, total: 2 })
    assert.deepStrictEqual(yield* page({ ...own, includeDeleted: true, direction: "desc" }), {
      rows: [three, revoked, one],
      hasMore: false,
      total: 3
    })
    const first = yield* store.personalTokens(tenant.id, { ...living, ...own, pageSize: 1 })
    assert.isTrue(first.hasMore)
    const after = first.items.at(-1)?.position
    assert.deepStrictEqual((yield* page({ ...own, after })).rows, [three])
    const elsewhere = { conditions: [{ field: "accountId", value: other.account.id }] } as const
    assert.deepStrictEqual(yield* page(elsewhere), { rows: [], hasMore: false, total: 0 })
  })

  it("finds a token by its id, revoked or not, in its own tenant only", function* () {
    const store = yield* AccessStore
    const [{ account, tenant }, other] = [yield* putTenant, yield* putTenant]
    const row = yield* putToken(account)
    const found = store.findPersonalTokenById(tenant.id, row.id)
    assert.deepStrictEqual(yield* found, Option.some(row))
    assert.deepStrictEqual(yield* store.findPersonalTokenById(other.tenant.id, row.id), Option.none())
    assert.deepStrictEqual(yield* store.findPersonalTokenById(tenant.id, mint("personalToken")), Option.none())
    yield* store.revokePersonalToken(tenant.id, row.id, start + 9, auditEntry(row.id))
    assert.deepStrictEqual(yield* found, Option.some({ ...row, revokedAt: start + 9 }))
  })
}

/** Tests the pages of `AccessStore`. */
export const accessPageSuite = (it: TenantTest): void => {
  describe("AccessStore.clients", () => clientTests(it))
  describe("AccessStore.personalTokens", () => tokenTests(it))
}
