import { assert, describe } from "@effect/vitest"
import type { Account } from "@wcs/domain/access/Account"
import { type SecondFactor, takeRecoveryCode, takeStep } from "@wcs/domain/second-factor/SecondFactor"
import { SecondFactorStore } from "@wcs/domain/second-factor/SecondFactorStore"
import { SessionStore } from "@wcs/domain/session/SessionStore"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Effect, Option } from "effect"
import { auditEntry, mint, start, type TenantTest } from "../Fixtures.ts"
import { audited, putTenant } from "./AccessFixtures.ts"
import { session } from "./SessionStoreSuite.ts"

const factorOf = (account: Account, overrides: Partial<SecondFactor> = {}): SecondFactor => ({
  tenantId: account.tenantId,
  accountId: account.id,
  sealedSeed: "v1.c2VhbGVk",
  createdAt: start,
  confirmedAt: start,
  lastStep: 0,
  recoveryHashes: ["one", "two"],
  failures: [{ device: null, startedAt: start, used: 2 }],
  ...overrides
})

const putFactor = Effect.fnUntraced(function* (account: Account, overrides: Partial<SecondFactor> = {}) {
  const store = yield* SecondFactorStore
  const next = factorOf(account, overrides)
  yield* store.change(account.tenantId, account.id, () => ({ answer: undefined, next }))
  return next
})

/** Tests the contract of `SecondFactorStore`. */
export const secondFactorStoreSuite = (it: TenantTest): void => {
  describe("SecondFactorStore", () => {
    it("writes the decision: another factor, none, or no change", function* () {
      const store = yield* SecondFactorStore
      const { account } = yield* putTenant
      const find = store.find(account.tenantId, account.id)
      assert.isNull(yield* find)
      const first = yield* putFactor(account, { confirmedAt: null })
      assert.deepStrictEqual(yield* find, first)
      const second = yield* putFactor(account, { sealedSeed: "v1.b3RoZXI", recoveryHashes: [] })
      assert.deepStrictEqual(yield* find, second)
      const seen = yield* store.change(account.tenantId, account.id, (factor) => ({ answer: factor }))
      assert.deepStrictEqual(seen, second)
      assert.deepStrictEqual(yield* find, second)
      yield* store.change(account.tenantId, account.id, () => ({ answer: 1, next: null }))
      assert.isNull(yield* find)
    })

    it("keeps the factors of accounts and tenants apart", function* () {
      const store = yield* SecondFactorStore
      const [one, two] = [yield* putTenant, yield* putTenant]
      const mine = yield* putFactor(one.account)
      assert.isNull(yield* store.find(two.tenant.id, two.account.id))
      assert.isNull(yield* store.find(two.tenant.id, one.account.id))
      assert.isNull(yield* store.find(one.tenant.id, mint("account")))
      assert.deepStrictEqual(yield* store.find(one.tenant.id, one.account.id), mine)
    })

    it("pages the factors of a tenant by account id", function* () {
      const store = yield* SecondFactorStore
      const [one, two] = [yield* putTenant, yield* putTenant]
      yield* putFactor(two.account)
      const factors = [yield* putFactor({ ...one.account, id: mint("account") }, { confirmedAt: null })]
      for (const id of [mint("account"), mint("account")]) factors.push(yield* putFactor({ ...one.account, id }))
      const ids = factors.map(({ accountId }) => accountId)
      const first = yield* store.page(one.tenant.id, null, 2)
      assert.deepStrictEqual(first, factors.slice(0, 2))
      assert.deepStrictEqual(yield* store.page(one.tenant.id, ids[1] ?? "", 2), factors.slice(2))
      assert.deepStrictEqual(yield* store.page(one.tenant.id, ids[2] ?? "", 2), [])
    })

    it("accepts a step and a recovery code in one of twenty concurrent uses", function* () {
      const store = yield* SecondFactorStore
      const { account } = yield* putTenant
      yield* putFactor(account)
      const once = (take: (factor: SecondFactor) => SecondFactor | undefined) =>
        Effect.forEach(
          Array.from({ length: 20 }),
          () =>
            store.change(account.tenantId, account.id, (factor) => {
              const next = factor === null ? undefined : take(factor)
              return next === undefined ? { answer: false } : { answer: true, next }
            }),
          { concurrency: "unbounded" }
        )
      const steps = yield* once((factor) => takeStep(factor, 7))
      assert.strictEqual(steps.filter((taken) => taken).length, 1)
      const codes = yield* once((factor) => takeRecoveryCode(factor, "two"))
      assert.strictEqual(codes.filter((taken) => taken).length, 1)
      const after = factorOf(account, { lastStep: 7, recoveryHashes: ["one"] })
      assert.deepStrictEqual(yield* store.find(account.tenantId, account.id), after)
    })

    it("does not raise the access epoch when no session ends", function* () {
      const [access, store] = [yield* AccessStore, yield* SecondFactorStore]
      const { account, tenant } = yield* putTenant
      yield* putFactor(account)
      const before = access.epoch()
      yield* store.change(tenant.id, account.id, () => ({
        answer: undefined,
        next: factorOf(account, { lastStep: 9 })
      }))
      assert.strictEqual(access.epoch(), before)
    })

    it("writes the audit entry and ends the account's sessions with the change", function* () {
      const [access, sessions, store] = [yield* AccessStore, yield* SessionStore, yield* SecondFactorStore]
      const { account, tenant } = yield* putTenant
      yield* putFactor(account)
      const row = session(account)
      yield* sessions.insert(row, auditEntry(row.id), null, () => true)
      const before = access.epoch()
      yield* store.change(tenant.id, account.id, () => ({
        answer: undefined,
        next: null,
        audit: auditEntry(account.id, { entityType: "secondFactor" }),
        endSessionsAt: start + 4
      }))
      const found = Option.getOrThrow(yield* sessions.find(row.tenantId, row.tokenHash))
      assert.strictEqual(found.session.revokedAt, start + 4)
      assert.isAbove(access.epoch(), before)
      assert.strictEqual((yield* audited(tenant.id)).at(-1), account.id)
    })
  })
}
