import { assert, describe } from "@effect/vitest"
import type { HostChange, Tenant } from "@wcs/domain/access/Tenant"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Effect, Option, Result } from "effect"
import { auditEntry, digits, freshTenant, mint, start, type TenantTest } from "../Fixtures.ts"
import { allowed, audited, freshHost, putTenant, putToken, serviceAccountFor, user } from "./AccessFixtures.ts"

const tenantTests = (it: TenantTest): void => {
  it("keeps a tenant under each of its hosts, with its service account and the audit entry", function* () {
    const store = yield* AccessStore
    const { account, service, tenant } = yield* putTenant
    for (const host of tenant.hosts) {
      assert.deepStrictEqual(yield* store.findTenantByHost(host), Option.some(tenant))
    }
    assert.deepStrictEqual(yield* store.serviceAccount(tenant.id), Option.some(service))
    assert.deepStrictEqual(yield* store.findAccount(tenant.id, service.id), Option.some(service))
    assert.deepStrictEqual(yield* audited(tenant.id), [tenant.id, account.id])
  })

  it("finds no tenant under an unknown host", function* () {
    const store = yield* AccessStore
    const { tenant } = yield* putTenant
    const host = tenant.hosts[0] ?? ""
    for (const other of [freshHost(), `x${host}`, host.slice(1), host.toUpperCase(), ""]) {
      assert.deepStrictEqual(yield* store.findTenantByHost(other), Option.none())
    }
  })

  it("gives a host to one tenant only, and stores nothing of a tenant with a taken host", function* () {
    const store = yield* AccessStore
    const { tenant } = yield* putTenant
    const taken = tenant.hosts[1] ?? ""
    const free = freshHost()
    const rival: Tenant = { id: freshTenant(), name: "Rival", timeZone: "UTC", hosts: [free, taken] }
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

  it("gives a host to exactly one of several concurrent requests", function* () {
    const store = yield* AccessStore
    const host = freshHost()
    const rivals = Array.from(
      { length: 6 },
      (): Tenant => ({ id: freshTenant(), name: "Rival", timeZone: "UTC", hosts: [host] })
    )
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

  it("lists all tenants, oldest first", function* () {
    const store = yield* AccessStore
    const made: Array<Tenant> = []
    for (let count = 0; count < 3; count++) made.push((yield* putTenant).tenant)
    const listed = yield* store.listTenants
    assert.deepStrictEqual(listed.slice(-3), made)
  })
}

const timeZoneTests = (it: TenantTest): void => {
  it("is kept per tenant, and a change has one audit entry", function* () {
    const store = yield* AccessStore
    const [{ account, tenant }, other] = [yield* putTenant, yield* putTenant]
    const [host = ""] = tenant.hosts
    const set = (id: string, timeZone: string) =>
      store.setTimeZone(id, timeZone, auditEntry(id, { action: "setTimeZone" }))
    const moved = { ...tenant, timeZone: "Pacific/Kiritimati" }
    assert.deepStrictEqual(yield* set(tenant.id, moved.timeZone), Option.some(moved))
    assert.deepStrictEqual(yield* set(tenant.id, moved.timeZone), Option.some(moved))
    assert.deepStrictEqual(yield* store.findTenantByHost(host), Option.some(moved))
    assert.deepStrictEqual((yield* store.listTenants).slice(-2), [moved, other.tenant])
    assert.deepStrictEqual(yield* audited(tenant.id), [tenant.id, account.id, tenant.id])
    assert.deepStrictEqual(yield* set(freshTenant(), moved.timeZone), Option.none())
  })

  it("has a retention beside it, which can be taken away", function* () {
    const store = yield* AccessStore
    const { account, tenant } = yield* putTenant
    const [host = ""] = tenant.hosts
    const set = (id: string, years: number | undefined) =>
      store.setRetention(id, years, auditEntry(id, { action: "setRetention" }))
    const kept = { ...tenant, retentionYears: 7 }
    assert.deepStrictEqual(yield* set(tenant.id, 7), Option.some(kept))
    assert.deepStrictEqual(yield* set(tenant.id, 7), Option.some(kept))
    assert.deepStrictEqual(yield* store.findTenantByHost(host), Option.some(kept))
    assert.deepStrictEqual(yield* set(tenant.id, undefined), Option.some(tenant))
    assert.deepStrictEqual((yield* store.listTenants).slice(-1), [tenant])
    assert.deepStrictEqual(yield* audited(tenant.id), [tenant.id, account.id, tenant.id, tenant.id])
    assert.deepStrictEqual(yield* set(freshTenant(), 7), Option.none())
  })
}

const secondFactorTests = (it: TenantTest): void => {
  it("has a day from which second factors are required, beside the retention, which can be taken away", function* () {
    const store = yield* AccessStore
    const { account, tenant } = yield* putTenant
    const [host = ""] = tenant.hosts
    const set = (id: string, from: string | undefined) =>
      store.setSecondFactorFrom(id, from, auditEntry(id), () => Result.void)
    const required = { ...tenant, secondFactorFrom: "2026-01-31" }
    assert.deepStrictEqual(yield* set(tenant.id, "2026-01-31"), Option.some(required))
    assert.deepStrictEqual(yield* set(tenant.id, "2026-01-31"), Option.some(required))
    assert.deepStrictEqual(yield* store.findTenantByHost(host), Option.some(required))
    assert.deepStrictEqual((yield* store.listTenants).slice(-1), [required])
    const refused = store.setSecondFactorFrom(tenant.id, undefined, auditEntry(tenant.id), Result.fail)
    assert.deepStrictEqual(yield* Effect.flip(refused), required, "judged about the present tenant")
    assert.deepStrictEqual(yield* set(tenant.id, undefined), Option.some(tenant))
    assert.deepStrictEqual(yield* audited(tenant.id), [tenant.id, account.id, tenant.id, tenant.id])
    assert.deepStrictEqual(yield* set(freshTenant(), "2026-01-31"), Option.none())
  })
}

const hostTests = (it: TenantTest): void => {
  const changing = (tenantId: string, decide: HostChange<never>) =>
    AccessStore.use((store) => store.changeHosts(tenantId, decide, auditEntry(tenantId, { action: "addHost" })))

  it("change as decided: kept ones keep their order, new ones follow, and one audit entry is written", function* () {
    const store = yield* AccessStore
    const { account, tenant } = yield* putTenant
    const [first = "", second = ""] = tenant.hosts
    const [third, fourth] = [freshHost(), freshHost()]
    const grown = { ...tenant, hosts: [first, second, third] }
    const added = yield* changing(tenant.id, (hosts) => Result.succeed([...hosts, third]))
    assert.deepStrictEqual(added, Option.some(grown))
    assert.deepStrictEqual(yield* store.findTenantByHost(third), Option.some(grown))
    const other = { ...tenant, hosts: [second, third, fourth] }
    assert.deepStrictEqual(yield* changing(tenant.id, () => Result.succeed(other.hosts)), Option.some(other))
    for (const host of other.hosts) assert.deepStrictEqual(yield* store.findTenantByHost(host), Option.some(other))
    assert.deepStrictEqual(yield* store.findTenantByHost(first), Option.none())
    assert.deepInclude(yield* store.listTenants, other)
    assert.deepStrictEqual(yield* audited(tenant.id), [tenant.id, account.id, tenant.id, tenant.id])
  })

  it("stay the same, without an audit entry, if they are decided so, refused or of no tenant", function* () {
    const store = yield* AccessStore
    const { account, tenant } = yield* putTenant
    assert.deepStrictEqual(yield* changing(tenant.id, Result.succeed), Option.some(tenant))
    const refused = store.changeHosts(tenant.id, () => Result.fail("no"), auditEntry(tenant.id))
    assert.strictEqual(yield* Effect.flip(refused), "no")
    const nobody = freshTenant()
    assert.deepStrictEqual(yield* changing(nobody, () => Result.succeed([freshHost()])), Option.none())
    assert.deepStrictEqual(yield* store.findTenantByHost(tenant.hosts[0] ?? ""), Option.some(tenant))
    assert.deepStrictEqual(yield* audited(tenant.id), [tenant.id, account.id])
    assert.deepStrictEqual(yield* audited(nobody), [])
  })

  it("never get the host of another tenant, and then nothing changes", function* () {
    const store = yield* AccessStore
    const [one, two] = [yield* putTenant, yield* putTenant]
    const [taken = ""] = two.tenant.hosts
    const free = freshHost()
    const error = yield* Effect.flip(changing(one.tenant.id, () => Result.succeed([free, taken])))
    assert.deepStrictEqual([error._tag, error.host], ["HostTaken", taken])
    assert.deepStrictEqual(yield* store.findTenantByHost(free), Option.none())
    assert.deepStrictEqual(yield* store.findTenantByHost(taken), Option.some(two.tenant))
    assert.deepInclude(yield* store.listTenants, one.tenant)
    assert.deepStrictEqual(yield* audited(one.tenant.id), [one.tenant.id, one.account.id])
  })

  it("keep each of several hosts that are added at the same time, and one of two tenants gets a host", function* () {
    const store = yield* AccessStore
    const [one, two] = [yield* putTenant, yield* putTenant]
    const wanted = Array.from({ length: 6 }, freshHost)
    const add = (tenantId: string, host: string) => changing(tenantId, (hosts) => Result.succeed([...hosts, host]))
    yield* Effect.forEach(wanted, (host) => add(one.tenant.id, host), { concurrency: "unbounded", discard: true })
    const found = Option.getOrThrow(yield* store.findTenantByHost(wanted[0] ?? ""))
    assert.sameMembers([...found.hosts], [...one.tenant.hosts, ...wanted])
    const contested = freshHost()
    const rivals = Effect.forEach([one.tenant.id, two.tenant.id], (id) => Effect.option(add(id, contested)), {
      concurrency: "unbounded"
    })
    assert.lengthOf((yield* rivals).filter(Option.isSome), 1)
  })
}

const accountTests = (it: TenantTest): void => {
  it("keeps a user as given, found by id and by email", function* () {
    const store = yield* AccessStore
    const { tenant } = yield* putTenant
    for (const row of [
      user(tenant.id),
      user(tenant.id, { role: "Viewer", deactivatedAt: start + 1 }),
      user(tenant.id, { rateLimit: { calls: 20, windowSeconds: 2 } }),
      user(tenant.id, { rateLimit: { calls: 1_000_000, windowSeconds: 3600 } })
    ]) {
      yield* store.insertAccount(row, auditEntry(row.id, { entityType: "account" }), allowed)
      assert.deepStrictEqual(yield* store.findAccount(tenant.id, row.id), Option.some(row))
      assert.deepStrictEqual(yield* store.findAccountByEmail(tenant.id, row.email ?? ""), Option.some(row))
    }
    assert.deepStrictEqual(yield* store.findAccount(tenant.id, mint("account")), Option.none())
    assert.deepStrictEqual(yield* store.findAccountByEmail(tenant.id, "nobody@example.org"), Option.none())
  })

  it("refuses a second user of a tenant with the same email, and stores nothing of it", function* () {
    const store = yield* AccessStore
    const { account, tenant } = yield* putTenant
    const second = user(tenant.id, { email: account.email })
    const error = yield* Effect.flip(store.insertAccount(second, auditEntry(second.id), allowed))
    assert.strictEqual(error._tag, "EmailTaken")
    assert.strictEqual(error.email, account.email)
    assert.deepStrictEqual(yield* store.findAccount(tenant.id, second.id), Option.none())
    assert.notInclude(yield* audited(tenant.id), second.id)

    const other = yield* putTenant
    const namesake = user(other.tenant.id, { email: account.email })
    yield* store.insertAccount(namesake, auditEntry(namesake.id), allowed)
    const email = account.email ?? ""
    assert.deepStrictEqual(yield* store.findAccountByEmail(other.tenant.id, email), Option.some(namesake))
    assert.deepStrictEqual(yield* store.findAccountByEmail(tenant.id, email), Option.some(account))
  })

  it("gives an email to exactly one of several concurrent requests", function* () {
    const store = yield* AccessStore
    const { tenant } = yield* putTenant
    const email = `wanted-${digits()}@example.org`
    const answers = yield* Effect.forEach(
      Array.from({ length: 6 }, () => user(tenant.id, { email })),
      (row) =>
        store
          .insertAccount(row, auditEntry(row.id), allowed)
          .pipe(Effect.match({ onSuccess: () => row.id, onFailure: (taken) => taken.email })),
      { concurrency: "unbounded" }
    )
    const holder = Option.getOrThrow(yield* store.findAccountByEmail(tenant.id, email)).id
    assert.sameMembers(answers, [holder, ...Array.from({ length: 5 }, () => email)])
  })

  it("has exactly one service account in a tenant with any number of users", function* () {
    const store = yield* AccessStore
    const [one, two] = [yield* putTenant, yield* putTenant]
    const later = user(one.tenant.id, { createdAt: start - 1 })
    yield* store.insertAccount(later, auditEntry(later.id), allowed)
    assert.deepStrictEqual(yield* store.serviceAccount(one.tenant.id), Option.some(one.service))
    assert.deepStrictEqual(yield* store.serviceAccount(two.tenant.id), Option.some(two.service))
    assert.deepStrictEqual(yield* store.serviceAccount(freshTenant()), Option.none())
  })

  it("finds no account of another tenant", function* () {
    const store = yield* AccessStore
    const [one, two] = [yield* putTenant, yield* putTenant]
    assert.deepStrictEqual(yield* store.findAccount(two.tenant.id, one.account.id), Option.none())
    assert.deepStrictEqual(yield* store.findAccount(two.tenant.id, one.service.id), Option.none())
    const email = one.account.email ?? ""
    assert.deepStrictEqual(yield* store.findAccountByEmail(two.tenant.id, email), Option.none())
  })
}

/** Whether an effect raises the epoch. */
const movesEpoch = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const store = yield* AccessStore
  const before = store.epoch()
  yield* effect
  return store.epoch() !== before
})

const epochTests = (it: TenantTest): void => {
  it("does not rise while tokens are used and looked up", function* () {
    const store = yield* AccessStore
    const { account, tenant } = yield* putTenant
    const row = yield* putToken(account)
    assert.isFalse(yield* movesEpoch(store.touchPersonalToken(row.tenantId, row.id, start + 1)))
    assert.isFalse(yield* movesEpoch(store.findPersonalToken(row.tenantId, row.tokenHash)))
    assert.isFalse(yield* movesEpoch(store.listPersonalTokens(tenant.id)))
    assert.isFalse(yield* movesEpoch(store.findTenantByHost(tenant.hosts[0] ?? "")))
  })
}

/** Tests tenants, accounts and the epoch of `AccessStore`. */
export const accessStoreSuite = (it: TenantTest): void => {
  describe("AccessStore: tenants", () => tenantTests(it))
  describe("AccessStore: the time zone of a tenant", () => timeZoneTests(it))
  describe("AccessStore: the second factors of a tenant", () => secondFactorTests(it))
  describe("AccessStore: the hosts of a tenant", () => hostTests(it))
  describe("AccessStore: accounts", () => accountTests(it))
  describe("AccessStore: epoch", () => epochTests(it))
}
