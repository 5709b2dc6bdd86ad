import { assert, describe } from "@effect/vitest"
import type { Account } from "@wcs/domain/access/Account"
import { SecondFactorStore } from "@wcs/domain/second-factor/SecondFactorStore"
import type { LoginBasis } from "@wcs/domain/session/LoginBasis"
import { absoluteLimitMillis, type Session } from "@wcs/domain/session/Session"
import { SessionStore } from "@wcs/domain/session/SessionStore"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Effect, Option } from "effect"
import { auditEntry, digits, everything, mint, start, type TenantTest } from "../Fixtures.ts"
import { allowed, audited, putTenant, user } from "./AccessFixtures.ts"
import { putUser, rewrite } from "./UserFixtures.ts"

/** A session of an account, not ended. */
export const session = (account: Account, overrides: Partial<Session> = {}): Session => ({
  id: mint("session"),
  tenantId: account.tenantId,
  accountId: account.id,
  tokenHash: digits().padStart(64, "c"),
  method: "password",
  providerId: null,
  userAgent: "Zoë's browser",
  createdAt: start,
  authenticatedAt: start,
  seenAt: start,
  expiresAt: start + absoluteLimitMillis,
  revokedAt: null,
  ...overrides
})

const entryFor = (id: string, at = start) => auditEntry(id, { entityType: "session", at })

/** Stores a session. */
export const putSession = Effect.fnUntraced(function* (
  account: Account,
  overrides: Partial<Session> = {},
  replaces: string | null = null
) {
  const store = yield* SessionStore
  const row = session(account, overrides)
  yield* store.insert(row, entryFor(row.id), replaces, () => true)
  return row
})

const rowsOf = Effect.fnUntraced(function* (tenantId: string) {
  const store = yield* SessionStore
  const { items } = yield* store.page(tenantId, { ...everything, includeDeleted: true })
  return items.map(({ position: _, ...row }) => row)
})

/** Tests the contract of `SessionStore`. */
export const sessionStoreSuite = (it: TenantTest): void => {
  describe("SessionStore", () => {
    it("finds a session with its account by the token's hash, ended or not", function* () {
      const store = yield* SessionStore
      const { account, tenant } = yield* putTenant
      const row = yield* putSession(account)
      assert.deepStrictEqual(yield* store.find(row.tenantId, row.tokenHash), Option.some({ session: row, account }))
      assert.deepStrictEqual(yield* store.findById(tenant.id, row.id), Option.some(row))
      assert.isTrue(yield* store.revoke(tenant.id, row.id, start + 9, entryFor(row.id)))
      const ended = { ...row, revokedAt: start + 9 }
      assert.deepStrictEqual(yield* store.find(row.tenantId, row.tokenHash), Option.some({ session: ended, account }))
      assert.deepStrictEqual(yield* store.find(tenant.id, digits()), Option.none())
      assert.deepStrictEqual(yield* store.find(mint("tenant"), row.tokenHash), Option.none())
      assert.deepStrictEqual(yield* store.findById(mint("tenant"), row.id), Option.none())
    })

    it("ends the session that a new one replaces, with one audit entry", function* () {
      const { account, tenant } = yield* putTenant
      const other = yield* putSession(account)
      const before = yield* putSession(account)
      const after = yield* putSession(account, { createdAt: start + 5 }, before.id)
      assert.deepStrictEqual(yield* rowsOf(tenant.id), [other, { ...before, revokedAt: start + 5 }, after])
      assert.deepStrictEqual((yield* audited(tenant.id)).slice(-3), [other.id, before.id, after.id])
    })

    it("shows the last login and the app in force of each user, also after sessions have ended", function* () {
      const [users, factors] = [yield* UserStore, yield* SecondFactorStore]
      const { account, tenant } = yield* putTenant
      const [ann, bob, never] = [yield* putUser(tenant.id), yield* putUser(tenant.id), yield* putUser(tenant.id)]
      const first = yield* putSession(ann.account)
      yield* putSession(ann.account, { createdAt: start + 5, method: "oidc" })
      // A step-up of the first session is stored later and is no login.
      yield* putSession(ann.account, { authenticatedAt: start + 9 }, first.id)
      yield* SessionStore.use((store) =>
        store.revokeAll(tenant.id, ann.account.id, null, start + 9, entryFor(ann.account.id))
      )
      const app = (accountId: string, confirmedAt: number | null, lastStep: number) =>
        factors.change(tenant.id, accountId, () => ({
          answer: null,
          next: {
            ...{ tenantId: tenant.id, accountId, sealedSeed: "", createdAt: start, confirmedAt, lastStep },
            ...{ recoveryHashes: [], failures: [] }
          }
        }))
      yield* app(ann.account.id, null, 0) // begun, and not confirmed
      yield* app(bob.account.id, start, 10)
      yield* app(account.id, start, 0)
      const found = yield* users.logins(tenant.id, [ann.account.id, bob.account.id, never.account.id, mint("account")])
      assert.deepStrictEqual(
        [...found].sort(([one], [two]) => (one < two ? -1 : 1)),
        [
          [ann.account.id, { lastLogin: { at: start + 5, method: "oidc" }, secondFactor: null }],
          [bob.account.id, { lastLogin: null, secondFactor: { since: start, lastUsedAt: 300_000 } }]
        ] as const
      )
      const unused = yield* users.logins(tenant.id, [account.id])
      assert.deepStrictEqual(unused.get(account.id)?.secondFactor, { since: start, lastUsedAt: null })
      assert.strictEqual((yield* users.logins(mint("tenant"), [ann.account.id, bob.account.id])).size, 0)
    })

    it("threat 58: stores no session for one that has ended, nor for a login that does not hold", function* () {
      const store = yield* SessionStore
      const { account, tenant } = yield* putTenant
      const ended = yield* putSession(account)
      yield* store.revoke(tenant.id, ended.id, start + 5, entryFor(ended.id))
      const [before, log] = [yield* rowsOf(tenant.id), yield* audited(tenant.id)]
      const next = session(account)
      assert.isFalse(yield* store.insert(next, entryFor(next.id), ended.id, () => true))
      assert.isFalse(yield* store.insert(next, entryFor(next.id), null, () => false))
      assert.deepStrictEqual([yield* rowsOf(tenant.id), yield* audited(tenant.id)], [before, log])
    })

    it("threat 58: shows a login what it depends on, as stored at that time", function* () {
      const [store, factors] = [yield* SessionStore, yield* SecondFactorStore]
      const { tenant } = yield* putTenant
      const user = yield* putUser(tenant.id)
      const { id: accountId } = user.account
      const basisOf = Effect.fnUntraced(function* (overrides: Partial<Session> = {}) {
        let seen: LoginBasis | undefined
        const row = session(user.account, overrides)
        yield* store.insert(row, entryFor(row.id), null, (basis) => {
          seen = basis
          return false
        })
        return seen
      })
      const fresh = { deactivatedAt: null, passwordHash: null, factorConfirmedAt: null, isProviderActive: true }
      assert.deepStrictEqual(yield* basisOf(), fresh)
      assert.deepStrictEqual(yield* basisOf({ providerId: mint("identityProvider") }), {
        ...fresh,
        isProviderActive: false
      })
      assert.isUndefined(yield* basisOf({ accountId: mint("account") }))
      yield* rewrite(user, (now) => ({ ...now, passwordHash: "hash", account: { ...now.account, deactivatedAt: 7 } }))
      const factor = { tenantId: tenant.id, accountId, sealedSeed: "sealed", createdAt: start, confirmedAt: start + 1 }
      const next = { ...factor, lastStep: 0, recoveryHashes: [], failures: [] }
      yield* factors.change(tenant.id, accountId, () => ({ answer: null, next }))
      const later = { deactivatedAt: 7, passwordHash: "hash", factorConfirmedAt: start + 1, isProviderActive: true }
      assert.deepStrictEqual(yield* basisOf(), later)
    })

    it("deletes the account's sessions past their absolute limit, and no other account's", function* () {
      const { account, tenant } = yield* putTenant
      const colleague = user(tenant.id)
      const access = yield* AccessStore
      yield* access.insertAccount(colleague, auditEntry(colleague.id), allowed)
      const passed = { expiresAt: start + 10 }
      yield* putSession(account, passed)
      const theirs = yield* putSession(colleague, passed)
      const living = yield* putSession(account, { expiresAt: start + 11 })
      const made = yield* putSession(account, { createdAt: start + 10 })
      assert.deepStrictEqual(yield* rowsOf(tenant.id), [theirs, living, made])
    })

    it("ends a session once: a repetition writes nothing and keeps the time of the end", function* () {
      const store = yield* SessionStore
      const { account, tenant } = yield* putTenant
      const [row, other] = [yield* putSession(account), yield* putSession(account)]
      const revoke = (at: number) => store.revoke(tenant.id, row.id, at, entryFor(row.id, at))
      assert.isTrue(yield* revoke(start + 5))
      const records = yield* audited(tenant.id)
      assert.isTrue(yield* revoke(start + 4))
      assert.deepStrictEqual(yield* rowsOf(tenant.id), [{ ...row, revokedAt: start + 5 }, other])
      assert.deepStrictEqual(yield* audited(tenant.id), records)
      assert.isFalse(yield* store.revoke(mint("tenant"), other.id, start, entryFor(other.id)))
      assert.isFalse(yield* store.revoke(tenant.id, mint("session"), start, entryFor(other.id)))
    })

    it("ends all sessions of an account but one, and writes nothing if there are none", function* () {
      const store = yield* SessionStore
      const { account, tenant } = yield* putTenant
      const colleague = yield* putUser(tenant.id)
      const [one, kept] = [yield* putSession(account), yield* putSession(account)]
      const theirs = yield* putSession(colleague.account)
      const endAll = (keep: string | null, at: number) =>
        store.revokeAll(tenant.id, account.id, keep, at, entryFor(account.id, at))
      yield* endAll(kept.id, start + 7)
      const records = yield* audited(tenant.id)
      assert.deepStrictEqual(yield* rowsOf(tenant.id), [{ ...one, revokedAt: start + 7 }, kept, theirs])
      yield* endAll(kept.id, start + 8)
      assert.deepStrictEqual(yield* audited(tenant.id), records)
      yield* endAll(null, start + 9)
      assert.deepStrictEqual((yield* rowsOf(tenant.id))[1], { ...kept, revokedAt: start + 9 })
    })

    it("ends all sessions of an identity provider, and writes nothing if there are none", function* () {
      const store = yield* SessionStore
      const [{ account, tenant }, stranger] = [yield* putTenant, yield* putTenant]
      const colleague = yield* putUser(tenant.id)
      const [providerId, otherId] = [mint("identityProvider"), mint("identityProvider")]
      const through = { method: "saml", providerId } as const
      const mine = yield* putSession(account, through)
      const theirs = yield* putSession(colleague.account, through)
      const byPassword = yield* putSession(account)
      const ofOther = yield* putSession(account, { method: "oidc", providerId: otherId })
      const elsewhere = yield* putSession(stranger.account, through)
      const ended = yield* putSession(account, through)
      yield* store.revoke(tenant.id, ended.id, start + 1, entryFor(ended.id))
      const endAll = (at: number) => store.revokeOfProvider(tenant.id, providerId, at, entryFor(providerId, at))
      yield* endAll(start + 7)
      const left = [
        { ...mine, revokedAt: start + 7 },
        { ...theirs, revokedAt: start + 7 },
        byPassword,
        ofOther,
        { ...ended, revokedAt: start + 1 }
      ]
      assert.deepStrictEqual(yield* rowsOf(tenant.id), left)
      assert.deepStrictEqual(yield* rowsOf(stranger.tenant.id), [elsewhere])
      const records = yield* audited(tenant.id)
      assert.strictEqual(records.at(-1), providerId)
      yield* endAll(start + 8)
      assert.deepStrictEqual(yield* rowsOf(tenant.id), left)
      assert.deepStrictEqual(yield* audited(tenant.id), records)
    })

    it("ends the sessions of a user whose tokens are revoked", function* () {
      const { tenant } = yield* putTenant
      const person = yield* putUser(tenant.id)
      const row = yield* putSession(person.account)
      yield* rewrite(person, (found) => ({ ...found, passwordHash: "another" }))
      assert.deepStrictEqual(yield* rowsOf(tenant.id), [row])
      yield* rewrite(person, (found) => found, start + 3)
      assert.deepStrictEqual(yield* rowsOf(tenant.id), [{ ...row, revokedAt: start + 3 }])
    })

    it("records a session's last use, and never moves it back", function* () {
      const store = yield* SessionStore
      const { account } = yield* putTenant
      const row = yield* putSession(account)
      for (const [at, expected] of [
        [start + 5, start + 5],
        [start + 3, start + 5]
      ] as const) {
        yield* store.touch(row.tenantId, row.id, at)
        const found = Option.getOrThrow(yield* store.find(row.tenantId, row.tokenHash))
        assert.strictEqual(found.session.seenAt, expected)
      }
      yield* store.touch(mint("tenant"), row.id, start + 9)
      const untouched = Option.getOrThrow(yield* store.find(row.tenantId, row.tokenHash))
      assert.strictEqual(untouched.session.seenAt, start + 5)
    })
  })
}
