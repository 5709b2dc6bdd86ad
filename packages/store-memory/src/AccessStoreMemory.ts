import { AccessStore, EmailTaken, HostTaken } from "@wcs/domain/access/AccessStore"
import type { Account } from "@wcs/domain/access/Account"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { Instant } from "@wcs/domain/shared/Instant"
import { Effect, Layer, Option, Result } from "effect"
import { liveFrom, makerOf, revokeAll } from "./IssuedTree.ts"
import { MemoryTables, writeAccess } from "./MemoryTables.ts"
import { seriesPage } from "./SeriesPage.ts"

/** The rows of a tenant, in insertion order. Rows are never deleted. */
const ofTenant = <Row extends { readonly tenantId: string }>(rows: Iterable<Row>, tenantId: string) =>
  [...rows].filter((row) => row.tenantId === tenantId)

const isRevoked = ({ revokedAt }: { readonly revokedAt: Instant | null }): boolean => revokedAt !== null

const findFirst = <Row>(rows: Iterable<Row>, test: (row: Row) => boolean): Option.Option<Row> =>
  Option.fromUndefinedOr([...rows].find(test))

export const make = Effect.map(MemoryTables, (tables) => {
  const { access } = tables
  const { accounts, clients, personalTokens, signingKeys, tenants } = access

  const written = (tenantId: string, audit: AuditEntry) => writeAccess(tables, tenantId, audit)
  const accountOf = (tenantId: string, test: (account: Account) => boolean) =>
    findFirst(accounts.values(), (account) => account.tenantId === tenantId && test(account))
  const serviceAccountOf = (tenantId: string) => accountOf(tenantId, ({ kind }) => kind === "service")
  const hasTenant = (host: string) => [...tenants.values()].some(({ hosts }) => hosts.includes(host))

  return AccessStore.of({
    epoch: Effect.sync(() => access.epoch),

    insertTenant: Effect.fn("AccessStore.insertTenant")((tenant, serviceAccount, audit) =>
      Effect.suspend(() => {
        const taken = tenant.hosts.find(hasTenant)
        if (taken !== undefined) return Effect.fail(new HostTaken({ host: taken }))
        tenants.set(tenant.id, tenant)
        accounts.set(serviceAccount.id, serviceAccount)
        written(tenant.id, audit)
        return Effect.void
      })
    ),
    findTenantByHost: Effect.fn("AccessStore.findTenantByHost")((host) =>
      Effect.sync(() => findFirst(tenants.values(), ({ hosts }) => hosts.includes(host)))
    ),
    listTenants: Effect.sync(() => [...tenants.values()]),

    insertAccount: Effect.fn("AccessStore.insertAccount")((account, audit) =>
      Effect.suspend(() => {
        const { email, tenantId } = account
        if (email !== null && Option.isSome(accountOf(tenantId, (other) => other.email === email))) {
          return Effect.fail(new EmailTaken({ email }))
        }
        accounts.set(account.id, account)
        written(tenantId, audit)
        return Effect.void
      })
    ),
    findAccount: Effect.fn("AccessStore.findAccount")((tenantId, id) =>
      Effect.sync(() => accountOf(tenantId, (account) => account.id === id))
    ),
    findAccountByEmail: Effect.fn("AccessStore.findAccountByEmail")((tenantId, email) =>
      Effect.sync(() => accountOf(tenantId, (account) => account.email === email))
    ),
    serviceAccount: Effect.fn("AccessStore.serviceAccount")((tenantId) =>
      Effect.sync(() => serviceAccountOf(tenantId))
    ),

    insertClient: Effect.fn("AccessStore.insertClient")((client, audit, judge) =>
      Effect.suspend(() => {
        const judged = judge(makerOf(access, client.tenantId, client.createdBy))
        if (Result.isFailure(judged)) return Effect.fail(judged.failure)
        clients.set(client.clientId, client)
        written(client.tenantId, audit)
        return Effect.void
      })
    ),
    findClient: Effect.fn("AccessStore.findClient")((clientId) =>
      Effect.sync(() =>
        Option.gen(function* () {
          const client = yield* Option.fromUndefinedOr(clients.get(clientId))
          return { client, account: yield* serviceAccountOf(client.tenantId) }
        })
      )
    ),
    clients: Effect.fn("AccessStore.clients")((tenantId, selection) =>
      Effect.sync(() => seriesPage(ofTenant(clients.values(), tenantId), selection, isRevoked))
    ),
    listClients: Effect.fn("AccessStore.listClients")((tenantId) =>
      Effect.sync(() => ofTenant(clients.values(), tenantId))
    ),
    revokeClient: Effect.fn("AccessStore.revokeClient")((tenantId, clientId, at, audit) =>
      Effect.sync(() => {
        const client = clients.get(clientId)
        if (client === undefined || client.tenantId !== tenantId) return false
        if (client.revokedAt !== null) return true
        clients.set(clientId, { ...client, revokedAt: at })
        written(tenantId, audit)
        return true
      })
    ),

    insertPersonalToken: Effect.fn("AccessStore.insertPersonalToken")((token, audit, judge) =>
      Effect.suspend(() => {
        const judged = judge(makerOf(access, token.tenantId, token.createdBy))
        if (Result.isFailure(judged)) return Effect.fail(judged.failure)
        personalTokens.set(token.id, token)
        written(token.tenantId, audit)
        return Effect.void
      })
    ),
    findPersonalToken: Effect.fn("AccessStore.findPersonalToken")((tokenHash) =>
      Effect.sync(() =>
        Option.gen(function* () {
          const token = yield* findFirst(personalTokens.values(), (one) => one.tokenHash === tokenHash)
          return { token, account: yield* accountOf(token.tenantId, ({ id }) => id === token.accountId) }
        })
      )
    ),
    findPersonalTokenById: Effect.fn("AccessStore.findPersonalTokenById")((tenantId, id) =>
      Effect.sync(() => findFirst(ofTenant(personalTokens.values(), tenantId), (token) => token.id === id))
    ),
    personalTokens: Effect.fn("AccessStore.personalTokens")((tenantId, selection) =>
      Effect.sync(() => seriesPage(ofTenant(personalTokens.values(), tenantId), selection, isRevoked))
    ),
    listPersonalTokens: Effect.fn("AccessStore.listPersonalTokens")((tenantId) =>
      Effect.sync(() => ofTenant(personalTokens.values(), tenantId))
    ),
    revokePersonalToken: Effect.fn("AccessStore.revokePersonalToken")((tenantId, id, at, audit) =>
      Effect.sync(() => {
        const token = personalTokens.get(id)
        if (token === undefined || token.tenantId !== tenantId) return false
        if (token.revokedAt !== null) return true
        personalTokens.set(id, { ...token, revokedAt: at })
        written(tenantId, audit)
        return true
      })
    ),
    revokeTree: Effect.fn("AccessStore.revokeTree")((tenantId, { entityType, id }, decide) =>
      Effect.suspend(() => {
        const found = entityType === "apiClient" ? clients.get(id) : personalTokens.get(id)
        if (found?.tenantId !== tenantId) return Effect.succeed(false)
        const decided = decide(liveFrom(access, tenantId, (node) => node.id === id))
        if (Result.isFailure(decided)) return Effect.fail(decided.failure)
        revokeAll(access, decided.success)
        for (const entry of decided.success) written(tenantId, entry)
        return Effect.succeed(true)
      })
    ),
    touchPersonalToken: Effect.fn("AccessStore.touchPersonalToken")((id, at) =>
      Effect.sync(() => {
        const token = personalTokens.get(id)
        if (token === undefined) return
        personalTokens.set(id, { ...token, lastUsedAt: Math.max(token.lastUsedAt ?? at, at) })
      })
    ),

    listSigningKeys: Effect.sync(() =>
      [...signingKeys.values()].sort((one, two) => one.createdAt - two.createdAt).reverse()
    ),
    insertSigningKey: Effect.fn("AccessStore.insertSigningKey")((key, unlessSince, audit) =>
      Effect.sync(() => {
        if ([...signingKeys.values()].some(({ createdAt, use }) => use === key.use && createdAt > unlessSince)) return
        signingKeys.set(key.kid, key)
        access.audit.push(audit)
        access.epoch++
      })
    )
  })
})

export const layer: Layer.Layer<AccessStore, never, MemoryTables> = Layer.effect(AccessStore, make)
