import { assert, describe } from "@effect/vitest"
import { SingleSignOnStore, type SubjectBinding, type Ticket } from "@wcs/domain/single-sign-on/SingleSignOnStore"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Effect, Option } from "effect"
import { auditEntry, digits, freshTenant, mint, start, type TenantTest } from "../Fixtures.ts"
import { audited, putTenant } from "./AccessFixtures.ts"
import { putUser, rewrite } from "./UserFixtures.ts"

const ticket = (overrides: Partial<Ticket> = {}): Ticket => ({
  key: `request ${digits()}`,
  expiresAt: start + 1000,
  ...overrides
})

const bindingOf = (tenantId: string, overrides: Partial<SubjectBinding> = {}): SubjectBinding => ({
  tenantId,
  providerId: mint("identityProvider"),
  subject: `Subject-${digits()}`,
  accountId: mint("account"),
  ...overrides
})

const entry = (id: string) => auditEntry(id, { entityType: "identityProvider" })

/** Tests the contract of `SingleSignOnStore`. */
export const singleSignOnStoreSuite = (it: TenantTest): void => {
  describe("SingleSignOnStore", () => {
    it("accepts a ticket in one of twenty concurrent calls", function* (tenantId) {
      const store = yield* SingleSignOnStore
      const assertion = ticket()
      const together = <A>(call: (index: number) => Effect.Effect<A>) =>
        Effect.forEach(
          Array.from({ length: 20 }, (_, index) => index),
          call,
          { concurrency: "unbounded" }
        )
      const replays = yield* together(() => store.use(tenantId, [ticket(), assertion], start))
      assert.strictEqual(replays.filter((isUsed) => isUsed).length, 1)
      const [one, two] = [ticket(), ticket()]
      const pairs = yield* together(() => store.use(tenantId, [one, two], start))
      assert.strictEqual(pairs.filter((isUsed) => isUsed).length, 1)
    })

    it("accepts none of several tickets if one was used before", function* (tenantId) {
      const store = yield* SingleSignOnStore
      const [one, two] = [ticket(), ticket()]
      assert.isTrue(yield* store.use(tenantId, [one], start))
      assert.isFalse(yield* store.use(tenantId, [two, one], start))
      assert.isTrue(yield* store.use(tenantId, [two], start))
      assert.isTrue(yield* store.use(freshTenant(), [one], start))
    })

    it("deletes a ticket after its expiry, and no sooner", function* (tenantId) {
      const store = yield* SingleSignOnStore
      const one = ticket()
      assert.isTrue(yield* store.use(tenantId, [one], start))
      assert.isFalse(yield* store.use(tenantId, [one], one.expiresAt))
      assert.isTrue(yield* store.use(tenantId, [one], one.expiresAt + 1))
    })

    it("binds a subject to one account, and an account to one subject, of each provider", function* (tenantId) {
      const store = yield* SingleSignOnStore
      const binding = bindingOf(tenantId)
      const { accountId, providerId, subject } = binding
      const find = (text: string) => store.accountOf(tenantId, providerId, text)
      assert.deepStrictEqual(yield* find(subject), Option.none())
      assert.isTrue(yield* store.bind(binding, entry(providerId)))
      assert.deepStrictEqual(yield* find(subject), Option.some(accountId))
      assert.deepStrictEqual(yield* find(subject.toLowerCase()), Option.none())
      assert.isFalse(yield* store.bind({ ...binding, accountId: mint("account") }, entry(providerId)))
      assert.isFalse(yield* store.bind({ ...binding, subject: "another" }, entry(providerId)))
      assert.deepStrictEqual(yield* audited(tenantId), [providerId])
      assert.isTrue(yield* store.bind({ ...binding, providerId: mint("identityProvider") }, entry("two")))
      assert.isTrue(yield* store.bind({ ...binding, tenantId: freshTenant() }, entry("other")))
    })

    it("threat 52: a bound user has joined, once and in its own tenant, and the invite ends", function* () {
      const [store, users] = [yield* SingleSignOnStore, yield* UserStore]
      const { tenant } = yield* putTenant
      const invited = yield* rewrite(yield* putUser(tenant.id), (user) => ({
        ...user,
        invite: { tokenHash: digits().padStart(64, "b"), expiresAt: start + 9 }
      }))
      const accountId = invited.account.id
      const bind = (tenantId: string, at: number) =>
        store.bind(bindingOf(tenantId, { accountId }), { ...entry(mint("identityProvider")), at })
      yield* bind(freshTenant(), start + 1)
      assert.deepStrictEqual(yield* users.find(tenant.id, accountId), Option.some(invited))
      yield* bind(tenant.id, start + 2)
      const joined = Option.some({ ...invited, invite: null, joinedAt: start + 2 })
      assert.deepStrictEqual(yield* users.find(tenant.id, accountId), joined)
      yield* bind(tenant.id, start + 3)
      assert.deepStrictEqual(yield* users.find(tenant.id, accountId), joined)
    })

    it("writes an audit entry without another change", function* (tenantId) {
      const store = yield* SingleSignOnStore
      yield* store.record(tenantId, entry("refused"))
      assert.deepStrictEqual(yield* audited(tenantId), ["refused"])
    })
  })
}
