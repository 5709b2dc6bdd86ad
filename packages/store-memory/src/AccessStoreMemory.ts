import type { Account } from "@wcs/domain/access/Account"
import type { HostChange, Tenant } from "@wcs/domain/access/Tenant"
import { isExpired } from "@wcs/domain/access/TokenLifetime"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { Instant } from "@wcs/domain/shared/Instant"
import { AccessStore, EmailTaken, HostTaken } from "@wcs/domain/token/AccessStore"
import { Effect, Layer, Option, Result } from "effect"
import { liveFrom, makerOf, revokeAll } from "./IssuedTree.ts"
import { activeUsers, MemoryTables, type Tables, writeAccess } from "./MemoryTables.ts"
import { seriesPage } from "./SeriesPage.ts"

/** The rows of a tenant, in insertion order. Rows are never deleted. */
const ofTenant = <Row extends { readonly tenantId: string }>(rows: Iterable<Row>, tenantId: string) =>
  [...rows].filter((row) => row.tenantId === tenantId)

const isRevoked = ({ revokedAt }: { readonly revokedAt: Instant | null }): boolean => revokedAt !== null

const isLive = (
  row: { readonly revokedAt: Instant | null; readonly expiresAt: number | null },
  now: Instant
): boolean => !isRevoked(row) && !isExpired(row, now)

const findFirst = <Row>(rows: Iterable<Row>, test: (row: Row) => boolean): Option.Option<Row> =>
  Option.fromUndefinedOr([...rows].find(test))

const accountOf = ({ access }: Tables, tenantId: string, test: (account: Account) => boolean) =>
  findFirst(access.accounts.values(), (account) => account.tenantId === tenantId && test(account))

const serviceAccountOf = (tables: Tables, tenantId: string) =>
  accountOf(tables, tenantId, ({ kind }) => kind === "service")

const hasTenant = ({ access }: Tables, host: string) =>
  [...access.tenants.values()].some(({ hosts }) => hosts.includes(host))

const epoch =
  ({ access }: Tables): AccessStore["Service"]["epoch"] =>
  () =>
    access.epoch

const insertTenant = (tables: Tables): AccessStore["Service"]["insertTenant"] =>
  Effect.fn("AccessStore.insertTenant")((tenant, serviceAccount, audit) =>
    Effect.suspend(() => {
      const taken = tenant.hosts.find((host) => hasTenant(tables, host))
      if (taken !== undefined) return Effect.fail(new HostTaken({ host: taken }))
      tables.access.tenants.set(tenant.id, tenant)
      tables.access.accounts.set(serviceAccount.id, serviceAccount)
      writeAccess(tables, tenant.id, audit)
      return Effect.void
    })
  )

const changeHosts = (tables: Tables): AccessStore["Service"]["changeHosts"] =>
  Effect.fn("AccessStore.changeHosts")(<E>(tenantId: string, decide: HostChange<E>, audit: AuditEntry) =>
    Effect.suspend((): Effect.Effect<Option.Option<Tenant>, HostTaken | E> => {
      const tenant = tables.access.tenants.get(tenantId)
      if (tenant === undefined) return Effect.succeedNone
      const decided = decide(tenant.hosts)
      if (Result.isFailure(decided)) return Effect.fail(decided.failure)
      const hosts = decided.success
      const added = hosts.filter((host) => !tenant.hosts.includes(host))
      const taken = added.find((host) => hasTenant(tables, host))
      if (taken !== undefined) return Effect.fail(new HostTaken({ host: taken }))
      if (added.length === 0 && hosts.length === tenant.hosts.length) return Effect.succeedSome(tenant)
      const next = { ...tenant, hosts }
      tables.access.tenants.set(tenantId, next)
      writeAccess(tables, tenantId, audit)
      return Effect.succeedSome(next)
    })
  )

const setTimeZone = (tables: Tables): AccessStore["Service"]["setTimeZone"] =>
  Effect.fn("AccessStore.setTimeZone")((tenantId, timeZone, audit) =>
    Effect.sync(() => {
      const tenant = tables.access.tenants.get(tenantId)
      if (tenant === undefined || tenant.timeZone === timeZone) return Option.fromUndefinedOr(tenant)
      const next = { ...tenant, timeZone }
      tables.access.tenants.set(tenantId, next)
      writeAccess(tables, tenantId, audit)
      return Option.some(next)
    })
  )

const findTenantByHost = ({ access }: Tables): AccessStore["Service"]["findTenantByHost"] =>
  Effect.fn("AccessStore.findTenantByHost")((host) =>
    Effect.sync(() => findFirst(access.tenants.values(), ({ hosts }) => hosts.includes(host)))
  )

const listTenants = ({ access }: Tables): AccessStore["Service"]["listTenants"] =>
  Effect.sync(() => [...access.tenants.values()])

const insertAccount = (tables: Tables): AccessStore["Service"]["insertAccount"] =>
  Effect.fn("AccessStore.insertAccount")(
    <E>(account: Account, audit: AuditEntry, judge: (others: number) => Result.Result<void, E>) =>
      Effect.suspend((): Effect.Effect<void, EmailTaken | E> => {
        const { email, tenantId } = account
        const judged = judge(activeUsers(tables.access, tenantId))
        if (Result.isFailure(judged)) return Effect.fail(judged.failure)
        if (email !== null && Option.isSome(accountOf(tables, tenantId, (other) => other.email === email))) {
          return Effect.fail(new EmailTaken({ email }))
        }
        tables.access.accounts.set(account.id, account)
        writeAccess(tables, tenantId, audit)
        return Effect.void
      })
  )

const findAccount = (tables: Tables): AccessStore["Service"]["findAccount"] =>
  Effect.fn("AccessStore.findAccount")((tenantId, id) =>
    Effect.sync(() => accountOf(tables, tenantId, (account) => account.id === id))
  )

const findAccountByEmail = (tables: Tables): AccessStore["Service"]["findAccountByEmail"] =>
  Effect.fn("AccessStore.findAccountByEmail")((tenantId, email) =>
    Effect.sync(() => accountOf(tables, tenantId, (account) => account.email === email))
  )

const serviceAccount = (tables: Tables): AccessStore["Service"]["serviceAccount"] =>
  Effect.fn("AccessStore.serviceAccount")((tenantId) => Effect.sync(() => serviceAccountOf(tables, tenantId)))

const insertClient = (tables: Tables): AccessStore["Service"]["insertClient"] =>
  Effect.fn("AccessStore.insertClient")((client, audit, judge) =>
    Effect.suspend(() => {
      const others = ofTenant(tables.access.clients.values(), client.tenantId).filter((other) =>
        isLive(other, client.createdAt)
      )
      const judged = judge(makerOf(tables.access, client.tenantId, client.createdBy), others.length)
      if (Result.isFailure(judged)) return Effect.fail(judged.failure)
      tables.access.clients.set(client.clientId, client)
      writeAccess(tables, client.tenantId, audit)
      return Effect.void
    })
  )

const findClient = (tables: Tables): AccessStore["Service"]["findClient"] =>
  Effect.fn("AccessStore.findClient")((tenantId, clientId) =>
    Effect.sync(() =>
      Option.gen(function* () {
        const client = yield* Option.filter(
          Option.fromUndefinedOr(tables.access.clients.get(clientId)),
          (one) => one.tenantId === tenantId
        )
        return { client, account: yield* serviceAccountOf(tables, tenantId) }
      })
    )
  )

const clients = ({ access }: Tables): AccessStore["Service"]["clients"] =>
  Effect.fn("AccessStore.clients")((tenantId, selection) =>
    Effect.sync(() => seriesPage(ofTenant(access.clients.values(), tenantId), selection, isRevoked))
  )

const listClients = ({ access }: Tables): AccessStore["Service"]["listClients"] =>
  Effect.fn("AccessStore.listClients")((tenantId) => Effect.sync(() => ofTenant(access.clients.values(), tenantId)))

const revokeClient = (tables: Tables): AccessStore["Service"]["revokeClient"] =>
  Effect.fn("AccessStore.revokeClient")((tenantId, clientId, at, audit) =>
    Effect.sync(() => {
      const client = tables.access.clients.get(clientId)
      if (client === undefined || client.tenantId !== tenantId) return false
      if (client.revokedAt !== null) return true
      tables.access.clients.set(clientId, { ...client, revokedAt: at })
      writeAccess(tables, tenantId, audit)
      return true
    })
  )

const insertPersonalToken = (tables: Tables): AccessStore["Service"]["insertPersonalToken"] =>
  Effect.fn("AccessStore.insertPersonalToken")((token, audit, judge) =>
    Effect.suspend(() => {
      const others = ofTenant(tables.access.personalTokens.values(), token.tenantId).filter(
        (other) => other.accountId === token.accountId && isLive(other, token.createdAt)
      )
      const judged = judge(makerOf(tables.access, token.tenantId, token.createdBy), others.length)
      if (Result.isFailure(judged)) return Effect.fail(judged.failure)
      tables.access.personalTokens.set(token.id, token)
      writeAccess(tables, token.tenantId, audit)
      return Effect.void
    })
  )

const findPersonalToken = (tables: Tables): AccessStore["Service"]["findPersonalToken"] =>
  Effect.fn("AccessStore.findPersonalToken")((tenantId, tokenHash) =>
    Effect.sync(() =>
      Option.gen(function* () {
        const token = yield* findFirst(
          ofTenant(tables.access.personalTokens.values(), tenantId),
          (one) => one.tokenHash === tokenHash
        )
        return { token, account: yield* accountOf(tables, tenantId, ({ id }) => id === token.accountId) }
      })
    )
  )

const findPersonalTokenById = ({ access }: Tables): AccessStore["Service"]["findPersonalTokenById"] =>
  Effect.fn("AccessStore.findPersonalTokenById")((tenantId, id) =>
    Effect.sync(() => findFirst(ofTenant(access.personalTokens.values(), tenantId), (token) => token.id === id))
  )

const personalTokens = ({ access }: Tables): AccessStore["Service"]["personalTokens"] =>
  Effect.fn("AccessStore.personalTokens")((tenantId, selection) =>
    Effect.sync(() => seriesPage(ofTenant(access.personalTokens.values(), tenantId), selection, isRevoked))
  )

const listPersonalTokens = ({ access }: Tables): AccessStore["Service"]["listPersonalTokens"] =>
  Effect.fn("AccessStore.listPersonalTokens")((tenantId) =>
    Effect.sync(() => ofTenant(access.personalTokens.values(), tenantId))
  )

const revokePersonalToken = (tables: Tables): AccessStore["Service"]["revokePersonalToken"] =>
  Effect.fn("AccessStore.revokePersonalToken")((tenantId, id, at, audit) =>
    Effect.sync(() => {
      const token = tables.access.personalTokens.get(id)
      if (token === undefined || token.tenantId !== tenantId) return false
      if (token.revokedAt !== null) return true
      tables.access.personalTokens.set(id, { ...token, revokedAt: at })
      writeAccess(tables, tenantId, audit)
      return true
    })
  )

const revokeTree = (tables: Tables): AccessStore["Service"]["revokeTree"] =>
  Effect.fn("AccessStore.revokeTree")((tenantId, { entityType, id }, decide) =>
    Effect.suspend(() => {
      const found = entityType === "apiClient" ? tables.access.clients.get(id) : tables.access.personalTokens.get(id)
      if (found?.tenantId !== tenantId) return Effect.succeed(false)
      const decided = decide(liveFrom(tables.access, tenantId, (node) => node.id === id))
      if (Result.isFailure(decided)) return Effect.fail(decided.failure)
      revokeAll(tables.access, decided.success)
      for (const entry of decided.success) writeAccess(tables, tenantId, entry)
      return Effect.succeed(true)
    })
  )

const touchPersonalToken = ({ access }: Tables): AccessStore["Service"]["touchPersonalToken"] =>
  Effect.fn("AccessStore.touchPersonalToken")((tenantId, id, at) =>
    Effect.sync(() => {
      const token = access.personalTokens.get(id)
      if (token?.tenantId !== tenantId) return
      access.personalTokens.set(id, { ...token, lastUsedAt: Math.max(token.lastUsedAt ?? at, at) })
    })
  )

const listSigningKeys = ({ access }: Tables): AccessStore["Service"]["listSigningKeys"] =>
  Effect.sync(() => [...access.signingKeys.values()].sort((one, two) => one.createdAt - two.createdAt).reverse())

const insertSigningKey = ({ access }: Tables): AccessStore["Service"]["insertSigningKey"] =>
  Effect.fn("AccessStore.insertSigningKey")((key, unlessSince, audit) =>
    Effect.sync(() => {
      if ([...access.signingKeys.values()].some(({ createdAt, use }) => use === key.use && createdAt > unlessSince))
        return
      access.signingKeys.set(key.kid, key)
      access.audit.push(audit)
      access.epoch++
    })
  )

const resealSigningKey = ({ access }: Tables): AccessStore["Service"]["resealSigningKey"] =>
  Effect.fn("AccessStore.resealSigningKey")((key, sealed, audit) =>
    Effect.sync(() => {
      const stored = access.signingKeys.get(key.kid)
      if (stored?.sealedPrivateKey !== key.sealedPrivateKey) return false
      access.signingKeys.set(key.kid, { ...stored, sealedPrivateKey: sealed })
      access.audit.push(audit)
      access.epoch++
      return true
    })
  )

export const make = Effect.map(MemoryTables, (tables) =>
  AccessStore.of({
    epoch: epoch(tables),
    insertTenant: insertTenant(tables),
    changeHosts: changeHosts(tables),
    setTimeZone: setTimeZone(tables),
    findTenantByHost: findTenantByHost(tables),
    listTenants: listTenants(tables),
    insertAccount: insertAccount(tables),
    findAccount: findAccount(tables),
    findAccountByEmail: findAccountByEmail(tables),
    serviceAccount: serviceAccount(tables),
    insertClient: insertClient(tables),
    findClient: findClient(tables),
    clients: clients(tables),
    listClients: listClients(tables),
    revokeClient: revokeClient(tables),
    insertPersonalToken: insertPersonalToken(tables),
    findPersonalToken: findPersonalToken(tables),
    findPersonalTokenById: findPersonalTokenById(tables),
    personalTokens: personalTokens(tables),
    listPersonalTokens: listPersonalTokens(tables),
    revokePersonalToken: revokePersonalToken(tables),
    revokeTree: revokeTree(tables),
    touchPersonalToken: touchPersonalToken(tables),
    listSigningKeys: listSigningKeys(tables),
    insertSigningKey: insertSigningKey(tables),
    resealSigningKey: resealSigningKey(tables)
  })
)

export const layer: Layer.Layer<AccessStore, never, MemoryTables> = Layer.effect(AccessStore, make)
