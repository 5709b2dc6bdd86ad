import { assert, describe } from "@effect/vitest"
import { AccessStore } from "@wcs/domain/AccessStore"
import type { Account } from "@wcs/domain/Account"
import { EventStore } from "@wcs/domain/EventStore"
import type { OAuthClient } from "@wcs/domain/OAuthClient"
import type { PersonalToken } from "@wcs/domain/PersonalToken"
import type { SigningKey } from "@wcs/domain/SigningKey"
import type { Tenant } from "@wcs/domain/Tenant"
import type { AuditEntry } from "@wcs/domain/Trail"
import { Effect, Option } from "effect"
import { auditEntry, digits, freshTenant, mint, type StoresTest, start } from "./Fixtures.ts"

const freshHost = (): string => `host-${digits()}.example`

const user = (tenantId: string, overrides: Partial<Account> = {}): Account => ({
  id: mint("account"),
  tenantId,
  kind: "user",
  email: `user-${digits()}@example.org`,
  role: "Data Manager",
  deactivatedAt: null,
  createdAt: start,
  ...overrides
})

const serviceAccountFor = (tenantId: string): Account =>
  user(tenantId, { kind: "service", email: null, role: "Super Admin" })

const client = (tenantId: string, overrides: Partial<OAuthClient> = {}): OAuthClient => ({
  clientId: `wcs_oauth_${digits()}`,
  tenantId,
  name: "Payroll",
  secretHash: digits().padStart(64, "a"),
  secretLastFour: "wxyz",
  createdAt: start,
  revokedAt: null,
  ...overrides
})

const token = (tenantId: string, accountId: string, overrides: Partial<PersonalToken> = {}): PersonalToken => ({
  id: mint("personalToken"),
  tenantId,
  accountId,
  name: "Zoë's script",
  tokenHash: digits().padStart(64, "b"),
  lastFour: "abcd",
  createdAt: start,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  ...overrides
})

/** A tenant that is stored, with its service account and a user. */
const putTenant = Effect.gen(function* () {
  const store = yield* AccessStore
  const tenant: Tenant = { id: freshTenant(), name: "Aged Care Ltd", hosts: [freshHost(), freshHost()] }
  const service = serviceAccountFor(tenant.id)
  yield* store.insertTenant(tenant, service, auditEntry(tenant.id, { entityType: "tenant" }))
  const account = user(tenant.id)
  yield* store.insertAccount(account, auditEntry(account.id, { entityType: "account" }))
  return { tenant, service, account }
})

const putClient = Effect.fnUntraced(function* (tenantId: string, overrides: Partial<OAuthClient> = {}) {
  const store = yield* AccessStore
  const row = client(tenantId, overrides)
  yield* store.insertClient(row, auditEntry(row.clientId, { entityType: "oauthClient" }))
  return row
})

const putToken = Effect.fnUntraced(function* (account: Account, overrides: Partial<PersonalToken> = {}) {
  const store = yield* AccessStore
  const row = token(account.tenantId, account.id, overrides)
  yield* store.insertPersonalToken(row, auditEntry(row.id, { entityType: "personalToken" }))
  return row
})

/** The ids of what the tenant's audit entries speak of, the oldest first. */
const audited = Effect.fnUntraced(function* (tenantId: string) {
  const store = yield* EventStore
  return (yield* store.audit(tenantId, 0, 1000)).map(({ entityId }) => entityId)
})

/** Whether the epoch is another after the effect than before it. */
const movesEpoch = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const store = yield* AccessStore
  const before = yield* store.epoch
  yield* effect
  return (yield* store.epoch) !== before
})

const tenantTests = (it: StoresTest): void => {
  it.effect("keeps a tenant under each of its hosts, with its service account and the audit entry", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const { account, service, tenant } = yield* putTenant
      for (const host of tenant.hosts) {
        assert.deepStrictEqual(yield* store.findTenantByHost(host), Option.some(tenant))
      }
      assert.deepStrictEqual(yield* store.serviceAccount(tenant.id), Option.some(service))
      assert.deepStrictEqual(yield* store.findAccount(tenant.id, service.id), Option.some(service))
      assert.deepStrictEqual(yield* audited(tenant.id), [tenant.id, account.id])
    })
  )

  it.effect("knows no tenant under a host that none has", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const { tenant } = yield* putTenant
      const host = tenant.hosts[0] ?? ""
      for (const other of [freshHost(), `x${host}`, host.slice(1), host.toUpperCase(), ""]) {
        assert.deepStrictEqual(yield* store.findTenantByHost(other), Option.none())
      }
    })
  )

  it.effect("gives a host to one tenant only, and stores nothing of one that asks for a taken host", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const { tenant } = yield* putTenant
      const taken = tenant.hosts[1] ?? ""
      const free = freshHost()
      const rival: Tenant = { id: freshTenant(), name: "Rival", hosts: [free, taken] }
      const service = serviceAccountFor(rival.id)
      const error = yield* Effect.flip(store.insertTenant(rival, service, auditEntry(rival.id)))
      assert.strictEqual(error._tag, "HostTaken")
      assert.strictEqual(error.host, taken)
      assert.deepStrictEqual(yield* store.findTenantByHost(free), Option.none())
      assert.deepStrictEqual(yield* store.findTenantByHost(taken), Option.some(tenant))
      assert.deepStrictEqual(yield* store.serviceAccount(rival.id), Option.none())
      assert.notInclude(
        (yield* store.listTenants).map(({ id }) => id),
        rival.id
      )
      assert.deepStrictEqual(yield* audited(rival.id), [])
    })
  )

  it.effect("gives a host that many ask for at once to exactly one", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const host = freshHost()
      const rivals = Array.from({ length: 6 }, (): Tenant => ({ id: freshTenant(), name: "Rival", hosts: [host] }))
      const answers = yield* Effect.forEach(
        rivals,
        (rival) =>
          store
            .insertTenant(rival, serviceAccountFor(rival.id), auditEntry(rival.id))
            .pipe(Effect.match({ onSuccess: () => rival.id, onFailure: (taken) => taken.host })),
        { concurrency: "unbounded" }
      )
      const holder = Option.getOrThrow(yield* store.findTenantByHost(host)).id
      assert.sameMembers(answers, [holder, ...Array.from({ length: 5 }, () => host)])
    })
  )

  it.effect("lists all tenants, the oldest first", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const made: Array<Tenant> = []
      for (let count = 0; count < 3; count++) made.push((yield* putTenant).tenant)
      const listed = yield* store.listTenants
      assert.deepStrictEqual(listed.slice(-3), made)
    })
  )
}

const accountTests = (it: StoresTest): void => {
  it.effect("keeps a user as it was given, found by id and by email", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const { tenant } = yield* putTenant
      for (const row of [user(tenant.id), user(tenant.id, { role: "Viewer", deactivatedAt: start + 1 })]) {
        yield* store.insertAccount(row, auditEntry(row.id, { entityType: "account" }))
        assert.deepStrictEqual(yield* store.findAccount(tenant.id, row.id), Option.some(row))
        assert.deepStrictEqual(yield* store.findAccountByEmail(tenant.id, row.email ?? ""), Option.some(row))
      }
      assert.deepStrictEqual(yield* store.findAccount(tenant.id, mint("account")), Option.none())
      assert.deepStrictEqual(yield* store.findAccountByEmail(tenant.id, "nobody@example.org"), Option.none())
    })
  )

  it.effect("tells users of a tenant apart by email, and stores nothing of a second one", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const { account, tenant } = yield* putTenant
      const second = user(tenant.id, { email: account.email })
      const error = yield* Effect.flip(store.insertAccount(second, auditEntry(second.id)))
      assert.strictEqual(error._tag, "EmailTaken")
      assert.strictEqual(error.email, account.email)
      assert.deepStrictEqual(yield* store.findAccount(tenant.id, second.id), Option.none())
      assert.notInclude(yield* audited(tenant.id), second.id)

      const other = yield* putTenant
      const namesake = user(other.tenant.id, { email: account.email })
      yield* store.insertAccount(namesake, auditEntry(namesake.id))
      const email = account.email ?? ""
      assert.deepStrictEqual(yield* store.findAccountByEmail(other.tenant.id, email), Option.some(namesake))
      assert.deepStrictEqual(yield* store.findAccountByEmail(tenant.id, email), Option.some(account))
    })
  )

  it.effect("gives an email that many ask for at once to exactly one", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const { tenant } = yield* putTenant
      const email = `wanted-${digits()}@example.org`
      const answers = yield* Effect.forEach(
        Array.from({ length: 6 }, () => user(tenant.id, { email })),
        (row) =>
          store
            .insertAccount(row, auditEntry(row.id))
            .pipe(Effect.match({ onSuccess: () => row.id, onFailure: (taken) => taken.email })),
        { concurrency: "unbounded" }
      )
      const holder = Option.getOrThrow(yield* store.findAccountByEmail(tenant.id, email)).id
      assert.sameMembers(answers, [holder, ...Array.from({ length: 5 }, () => email)])
    })
  )

  it.effect("has exactly one service account in a tenant, whoever joins it", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const [one, two] = [yield* putTenant, yield* putTenant]
      const later = user(one.tenant.id, { createdAt: start - 1 })
      yield* store.insertAccount(later, auditEntry(later.id))
      assert.deepStrictEqual(yield* store.serviceAccount(one.tenant.id), Option.some(one.service))
      assert.deepStrictEqual(yield* store.serviceAccount(two.tenant.id), Option.some(two.service))
      assert.deepStrictEqual(yield* store.serviceAccount(freshTenant()), Option.none())
    })
  )

  it.effect("finds no account of another tenant", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const [one, two] = [yield* putTenant, yield* putTenant]
      assert.deepStrictEqual(yield* store.findAccount(two.tenant.id, one.account.id), Option.none())
      assert.deepStrictEqual(yield* store.findAccount(two.tenant.id, one.service.id), Option.none())
      const email = one.account.email ?? ""
      assert.deepStrictEqual(yield* store.findAccountByEmail(two.tenant.id, email), Option.none())
    })
  )
}

/** Three, made in another order than they are inserted in, so that only their age tells which is the oldest. */
const ages = [start + 2, start, start + 1]
const byAge = <Row extends { readonly createdAt: number }>(rows: ReadonlyArray<Row>) =>
  rows.toSorted((one, two) => one.createdAt - two.createdAt)

const clientTests = (it: StoresTest): void => {
  it.effect("finds a client with the service account that it acts as, revoked or not", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const { service, tenant } = yield* putTenant
      const row = yield* putClient(tenant.id)
      assert.deepStrictEqual(yield* store.findClient(row.clientId), Option.some({ client: row, account: service }))
      assert.isTrue(yield* store.revokeClient(tenant.id, row.clientId, start + 9, auditEntry(row.clientId)))
      const revoked = { ...row, revokedAt: start + 9 }
      assert.deepStrictEqual(yield* store.findClient(row.clientId), Option.some({ client: revoked, account: service }))
      assert.deepStrictEqual(yield* store.findClient(`wcs_oauth_${digits()}`), Option.none())
    })
  )

  it.effect("lists a tenant's clients, the oldest first", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const [one, two] = [yield* putTenant, yield* putTenant]
      const rows: Array<OAuthClient> = []
      for (const createdAt of ages) rows.push(yield* putClient(one.tenant.id, { createdAt }))
      yield* putClient(two.tenant.id)
      assert.deepStrictEqual(yield* store.listClients(one.tenant.id), byAge(rows))
      assert.deepStrictEqual(yield* store.listClients(freshTenant()), [])
    })
  )

  it.effect("OAU-13: revokes a client once: the first moment stays, and the second time writes nothing", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const { tenant } = yield* putTenant
      const [row, other] = [yield* putClient(tenant.id), yield* putClient(tenant.id)]
      const revoke = (at: number) => store.revokeClient(tenant.id, row.clientId, at, auditEntry(row.clientId, { at }))
      assert.isTrue(yield* revoke(start + 5))
      const trail = yield* audited(tenant.id)
      assert.isTrue(yield* revoke(start + 6))
      assert.isTrue(yield* revoke(start + 4))
      assert.sameDeepMembers([...(yield* store.listClients(tenant.id))], [{ ...row, revokedAt: start + 5 }, other])
      assert.deepStrictEqual(yield* audited(tenant.id), trail)
      assert.strictEqual(trail.filter((id) => id === row.clientId).length, 2)
    })
  )

  it.effect("revokes no client of another tenant, nor one that is not there", () =>
    Effect.gen(function* () {
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
  )
}

const tokenTests = (it: StoresTest): void => {
  it.effect("finds a personal token by its hash with its owner, revoked or not", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const { account, tenant } = yield* putTenant
      const row = yield* putToken(account, { expiresAt: Math.floor(start / 1000) + 60, lastUsedAt: start - 5 })
      assert.deepStrictEqual(yield* store.findPersonalToken(row.tokenHash), Option.some({ token: row, account }))
      assert.isTrue(yield* store.revokePersonalToken(tenant.id, row.id, start + 9, auditEntry(row.id)))
      const revoked = { ...row, revokedAt: start + 9 }
      assert.deepStrictEqual(yield* store.findPersonalToken(row.tokenHash), Option.some({ token: revoked, account }))
      assert.deepStrictEqual(yield* store.findPersonalToken(digits()), Option.none())
    })
  )

  it.effect("tells that a token's owner is deactivated", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const { tenant } = yield* putTenant
      const account = user(tenant.id, { deactivatedAt: start + 1 })
      yield* store.insertAccount(account, auditEntry(account.id))
      const row = yield* putToken(account)
      assert.deepStrictEqual(yield* store.findPersonalToken(row.tokenHash), Option.some({ token: row, account }))
    })
  )

  it.effect("lists a tenant's tokens, the oldest first", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const [one, two] = [yield* putTenant, yield* putTenant]
      const rows: Array<PersonalToken> = []
      for (const createdAt of ages) rows.push(yield* putToken(one.account, { createdAt }))
      yield* putToken(two.account)
      assert.deepStrictEqual(yield* store.listPersonalTokens(one.tenant.id), byAge(rows))
      assert.deepStrictEqual(yield* store.listPersonalTokens(freshTenant()), [])
    })
  )

  it.effect("AUT-12: revokes a token, and only that one, once: the first moment stays, again writes nothing", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const { account, tenant } = yield* putTenant
      const [row, other] = [yield* putToken(account), yield* putToken(account)]
      const revoke = (at: number) => store.revokePersonalToken(tenant.id, row.id, at, auditEntry(row.id, { at }))
      assert.isTrue(yield* revoke(start + 5))
      const trail = yield* audited(tenant.id)
      assert.isTrue(yield* revoke(start + 6))
      assert.isTrue(yield* revoke(start + 4))
      assert.sameDeepMembers(
        [...(yield* store.listPersonalTokens(tenant.id))],
        [{ ...row, revokedAt: start + 5 }, other]
      )
      assert.deepStrictEqual(yield* audited(tenant.id), trail)
      assert.strictEqual(trail.filter((id) => id === row.id).length, 2)
    })
  )

  it.effect("revokes no token of another tenant, nor one that is not there", () =>
    Effect.gen(function* () {
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
  )

  it.effect("remembers when a token was last used, never going back", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const { account, tenant } = yield* putTenant
      const [row, other] = [yield* putToken(account), yield* putToken(account)]
      for (const [at, expected] of [
        [start + 5, start + 5],
        [start + 3, start + 5],
        [start + 8, start + 8]
      ] as const) {
        yield* store.touchPersonalToken(row.id, at)
        const found = Option.getOrThrow(yield* store.findPersonalToken(row.tokenHash))
        assert.deepStrictEqual(found.token, { ...row, lastUsedAt: expected })
      }
      yield* store.touchPersonalToken(mint("personalToken"), start)
      const untouched = (yield* store.listPersonalTokens(tenant.id)).find(({ id }) => id === other.id)
      assert.deepStrictEqual(untouched, other)
    })
  )
}

const epochTests = (it: StoresTest): void => {
  it.effect("moves at once with everything that a token's validity may rest on", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const { account, tenant } = yield* putTenant
      const [row, oauth] = [yield* putToken(account), yield* putClient(tenant.id)]
      const audit = (): AuditEntry => auditEntry(tenant.id)
      assert.isTrue(yield* movesEpoch(putTenant), "a tenant, and a user")
      assert.isTrue(yield* movesEpoch(store.insertAccount(user(tenant.id), audit())), "a user")
      assert.isTrue(yield* movesEpoch(putClient(tenant.id)), "a client")
      assert.isTrue(yield* movesEpoch(putToken(account)), "a token")
      assert.isTrue(yield* movesEpoch(store.revokeClient(tenant.id, oauth.clientId, start, audit())), "a client's end")
      assert.isTrue(yield* movesEpoch(store.revokePersonalToken(tenant.id, row.id, start, audit())), "a token's end")
    })
  )

  it.effect("stands still while tokens are used and looked up", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const { account, tenant } = yield* putTenant
      const row = yield* putToken(account)
      assert.isFalse(yield* movesEpoch(store.touchPersonalToken(row.id, start + 1)))
      assert.isFalse(yield* movesEpoch(store.findPersonalToken(row.tokenHash)))
      assert.isFalse(yield* movesEpoch(store.listPersonalTokens(tenant.id)))
      assert.isFalse(yield* movesEpoch(store.findTenantByHost(tenant.hosts[0] ?? "")))
    })
  )
}

const keyTests = (it: StoresTest): void => {
  /** Keys are the engine's own, not a tenant's, so that each test makes younger ones than there are. */
  const newest = Effect.gen(function* () {
    const store = yield* AccessStore
    return (yield* store.listSigningKeys)[0]?.createdAt ?? start
  })
  const key = (createdAt: number): SigningKey => ({
    kid: `key-${digits()}`,
    sealedPrivateKey: "v1.AAAA.BBBB_-==",
    createdAt
  })
  const audit = ({ kid }: SigningKey) => auditEntry(kid, { entityType: "signingKey" })

  it.effect("keeps a signing key unless one was made after a moment, and lists all, the newest first", () =>
    Effect.gen(function* () {
      const store = yield* AccessStore
      const last = yield* newest
      const before = yield* store.listSigningKeys
      const [first, second, third] = [key(last + 10), key(last + 20), key(last + 30)]
      yield* store.insertSigningKey(first, last, audit(first))
      assert.deepStrictEqual(yield* store.listSigningKeys, [first, ...before])
      yield* store.insertSigningKey(second, last + 9, audit(second))
      assert.deepStrictEqual(yield* store.listSigningKeys, [first, ...before], "one was made after that")
      yield* store.insertSigningKey(third, last + 10, audit(third))
      assert.deepStrictEqual(yield* store.listSigningKeys, [third, first, ...before], "one was made at that, not after")
    })
  )

  it.effect("keeps one of several keys that are made at once", () =>
    Effect.gen(function* () {
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
  )
}

/** What `AccessStore` promises. */
export const accessStoreSuite = (it: StoresTest): void => {
  describe("AccessStore: tenants", () => tenantTests(it))
  describe("AccessStore: accounts", () => accountTests(it))
  describe("AccessStore: OAuth clients", () => clientTests(it))
  describe("AccessStore: personal tokens", () => tokenTests(it))
  describe("AccessStore: epoch", () => epochTests(it))
  describe("AccessStore: signing keys", () => keyTests(it))
}
