import { assert, describe } from "@effect/vitest"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import type { OAuthClient } from "@wcs/domain/token/OAuthClient"
import type { PersonalToken } from "@wcs/domain/token/PersonalToken"
import type { SigningKey } from "@wcs/domain/token/SigningKey"
import { Effect, Option } from "effect"
import { auditEntry, digits, freshTenant, mint, start, type TenantTest } from "../Fixtures.ts"
import { allowed, audited, putClient, putTenant, putToken, user } from "./AccessFixtures.ts"

/** The times of three rows in the order of writing, which is the order of lists. */
const times = [start + 2, start, start + 1]

const clientTests = (it: TenantTest): void => {
  it("finds a client with its service account, revoked or not", function* () {
    const store = yield* AccessStore
    const { service, tenant } = yield* putTenant
    const row = yield* putClient(tenant.id)
    assert.deepStrictEqual(
      yield* store.findClient(row.tenantId, row.clientId),
      Option.some({ client: row, account: service })
    )
    assert.isTrue(yield* store.revokeClient(tenant.id, row.clientId, start + 9, auditEntry(row.clientId)))
    const revoked = { ...row, revokedAt: start + 9 }
    assert.deepStrictEqual(
      yield* store.findClient(row.tenantId, row.clientId),
      Option.some({ client: revoked, account: service })
    )
    assert.deepStrictEqual(yield* store.findClient(tenant.id, `wcs_oauth_${digits()}`), Option.none())
    assert.deepStrictEqual(yield* store.findClient((yield* putTenant).tenant.id, row.clientId), Option.none())
  })

  it("lists a tenant's clients in the order of writing", function* () {
    const store = yield* AccessStore
    const [one, two] = [yield* putTenant, yield* putTenant]
    const rows: Array<OAuthClient> = []
    for (const createdAt of times) rows.push(yield* putClient(one.tenant.id, { createdAt }))
    yield* putClient(two.tenant.id)
    assert.deepStrictEqual(yield* store.listClients(one.tenant.id), rows)
    assert.deepStrictEqual(yield* store.listClients(freshTenant()), [])
  })

  it("OAU-13: revokes a client once: a repetition writes nothing and keeps the time of revocation", function* () {
    const store = yield* AccessStore
    const { tenant } = yield* putTenant
    const [row, other] = [yield* putClient(tenant.id), yield* putClient(tenant.id)]
    const revoke = (at: number) => store.revokeClient(tenant.id, row.clientId, at, auditEntry(row.clientId, { at }))
    assert.isTrue(yield* revoke(start + 5))
    const records = yield* audited(tenant.id)
    assert.isTrue(yield* revoke(start + 6))
    assert.isTrue(yield* revoke(start + 4))
    assert.sameDeepMembers([...(yield* store.listClients(tenant.id))], [{ ...row, revokedAt: start + 5 }, other])
    assert.deepStrictEqual(yield* audited(tenant.id), records)
    assert.strictEqual(records.filter((id) => id === row.clientId).length, 2)
  })

  it("does not revoke a client of another tenant or a missing one", function* () {
    const store = yield* AccessStore
    const [one, two] = [yield* putTenant, yield* putTenant]
    const row = yield* putClient(one.tenant.id)
    const before = yield* audited(two.tenant.id)
    const revoke = (clientId: string) => store.revokeClient(two.tenant.id, clientId, start, auditEntry(clientId))
    assert.isFalse(yield* revoke(row.clientId))
    assert.isFalse(yield* revoke(`wcs_oauth_${digits()}`))
    assert.deepStrictEqual(yield* store.listClients(one.tenant.id), [row])
    assert.deepStrictEqual(yield* audited(two.tenant.id), before)
  })
}

const tokenTests = (it: TenantTest): void => {
  it("finds a personal token by its hash with its owner, revoked or not", function* () {
    const store = yield* AccessStore
    const { account, tenant } = yield* putTenant
    const row = yield* putToken(account, { expiresAt: Math.floor(start / 1000) + 60, lastUsedAt: start - 5 })
    assert.deepStrictEqual(
      yield* store.findPersonalToken(row.tenantId, row.tokenHash),
      Option.some({ token: row, account })
    )
    assert.isTrue(yield* store.revokePersonalToken(tenant.id, row.id, start + 9, auditEntry(row.id)))
    const revoked = { ...row, revokedAt: start + 9 }
    assert.deepStrictEqual(
      yield* store.findPersonalToken(row.tenantId, row.tokenHash),
      Option.some({ token: revoked, account })
    )
    assert.deepStrictEqual(yield* store.findPersonalToken(tenant.id, digits()), Option.none())
    assert.deepStrictEqual(yield* store.findPersonalToken(freshTenant(), row.tokenHash), Option.none())
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

  it("reports that a token's owner is deactivated", function* () {
    const store = yield* AccessStore
    const { tenant } = yield* putTenant
    const account = user(tenant.id, { deactivatedAt: start + 1 })
    yield* store.insertAccount(account, auditEntry(account.id), allowed)
    const row = yield* putToken(account)
    assert.deepStrictEqual(
      yield* store.findPersonalToken(row.tenantId, row.tokenHash),
      Option.some({ token: row, account })
    )
  })

  it("lists a tenant's tokens in the order of writing", function* () {
    const store = yield* AccessStore
    const [one, two] = [yield* putTenant, yield* putTenant]
    const rows: Array<PersonalToken> = []
    for (const createdAt of times) rows.push(yield* putToken(one.account, { createdAt }))
    yield* putToken(two.account)
    assert.deepStrictEqual(yield* store.listPersonalTokens(one.tenant.id), rows)
    assert.deepStrictEqual(yield* store.listPersonalTokens(freshTenant()), [])
  })

  it("AUT-12: revokes that token only; a repetition writes nothing and keeps the time of revocation", function* () {
    const store = yield* AccessStore
    const { account, tenant } = yield* putTenant
    const [row, other] = [yield* putToken(account), yield* putToken(account)]
    const revoke = (at: number) => store.revokePersonalToken(tenant.id, row.id, at, auditEntry(row.id, { at }))
    assert.isTrue(yield* revoke(start + 5))
    const records = yield* audited(tenant.id)
    assert.isTrue(yield* revoke(start + 6))
    assert.isTrue(yield* revoke(start + 4))
    assert.sameDeepMembers([...(yield* store.listPersonalTokens(tenant.id))], [{ ...row, revokedAt: start + 5 }, other])
    assert.deepStrictEqual(yield* audited(tenant.id), records)
    assert.strictEqual(records.filter((id) => id === row.id).length, 2)
  })

  it("does not revoke a token of another tenant or a missing one", function* () {
    const store = yield* AccessStore
    const [one, two] = [yield* putTenant, yield* putTenant]
    const row = yield* putToken(one.account)
    const before = yield* audited(two.tenant.id)
    const revoke = (id: string) => store.revokePersonalToken(two.tenant.id, id, start, auditEntry(id))
    assert.isFalse(yield* revoke(row.id))
    assert.isFalse(yield* revoke(mint("personalToken")))
    assert.deepStrictEqual(yield* store.listPersonalTokens(one.tenant.id), [row])
    assert.deepStrictEqual(yield* audited(two.tenant.id), before)
  })

  it("records a token's last use, and never moves it back", function* () {
    const store = yield* AccessStore
    const { account, tenant } = yield* putTenant
    const [row, other] = [yield* putToken(account), yield* putToken(account)]
    for (const [at, expected] of [
      [start + 5, start + 5],
      [start + 3, start + 5],
      [start + 8, start + 8]
    ] as const) {
      yield* store.touchPersonalToken(row.tenantId, row.id, at)
      const found = Option.getOrThrow(yield* store.findPersonalToken(row.tenantId, row.tokenHash))
      assert.deepStrictEqual(found.token, { ...row, lastUsedAt: expected })
    }
    yield* store.touchPersonalToken(tenant.id, mint("personalToken"), start)
    yield* store.touchPersonalToken(freshTenant(), other.id, start)
    const untouched = (yield* store.listPersonalTokens(tenant.id)).find(({ id }) => id === other.id)
    assert.deepStrictEqual(untouched, other)
  })
}

const keyTests = (it: TenantTest): void => {
  /** Keys are shared by all tenants, so each test creates newer ones than exist. */
  const newest = Effect.gen(function* () {
    const store = yield* AccessStore
    return (yield* store.listSigningKeys)[0]?.createdAt ?? start
  })
  const key = (createdAt: number, use: SigningKey["use"] = "access"): SigningKey => ({
    use,
    kid: `key-${digits()}`,
    sealedPrivateKey: "v1.AAAA.BBBB_-==",
    createdAt
  })
  const audit = ({ kid }: SigningKey) => auditEntry(kid, { entityType: "signingKey" })

  it("keeps a signing key unless one was created after a time, and lists all, newest first", function* () {
    const store = yield* AccessStore
    const last = yield* newest
    const before = yield* store.listSigningKeys
    const [first, second, third] = [key(last + 10), key(last + 20), key(last + 30)]
    yield* store.insertSigningKey(first, last, audit(first))
    assert.deepStrictEqual(yield* store.listSigningKeys, [first, ...before])
    yield* store.insertSigningKey(second, last + 9, audit(second))
    assert.deepStrictEqual(yield* store.listSigningKeys, [first, ...before], "one was created after that")
    yield* store.insertSigningKey(third, last + 10, audit(third))
    assert.deepStrictEqual(
      yield* store.listSigningKeys,
      [third, first, ...before],
      "one was created at that time, not after"
    )
    const legacy = key(last + 5, "legacy")
    yield* store.insertSigningKey(legacy, last - 1, audit(legacy))
    const all = [third, first, legacy, ...before]
    assert.deepStrictEqual(yield* store.listSigningKeys, all, "a key of another use does not matter")
  })

  it("replaces the sealed text of a signing key only if it is still stored", function* () {
    const store = yield* AccessStore
    const last = yield* newest
    const [made, other] = [key(last + 10), key(last + 20)]
    for (const each of [made, other]) yield* store.insertSigningKey(each, last + 15, audit(each))
    assert.isTrue(yield* store.resealSigningKey(made, "v1.CCCC", audit(made)))
    assert.isFalse(yield* store.resealSigningKey(made, "v1.DDDD", audit(made)))
    assert.isFalse(yield* store.resealSigningKey(key(last), "v1.DDDD", audit(made)), "an unknown key")
    const stored = (yield* store.listSigningKeys).filter(({ kid }) => kid === made.kid || kid === other.kid)
    assert.deepStrictEqual(stored, [other, { ...made, sealedPrivateKey: "v1.CCCC" }])
  })

  it("keeps one of several keys created concurrently", function* () {
    const store = yield* AccessStore
    const last = yield* newest
    const before = yield* store.listSigningKeys
    const keys = Array.from({ length: 6 }, (_, index) => key(last + 1 + index))
    yield* Effect.forEach(keys, (each) => store.insertSigningKey(each, last, audit(each)), {
      concurrency: "unbounded",
      discard: true
    })
    const [made, ...others] = yield* store.listSigningKeys
    assert.deepStrictEqual(others, before)
    assert.deepStrictEqual(
      keys.filter(({ kid }) => kid === made?.kid),
      [made]
    )
  })
}

/** Tests clients, personal tokens and signing keys of `AccessStore`. */
export const accessTokenSuite = (it: TenantTest): void => {
  describe("AccessStore: OAuth clients", () => clientTests(it))
  describe("AccessStore: personal tokens", () => tokenTests(it))
  describe("AccessStore: signing keys", () => keyTests(it))
}
