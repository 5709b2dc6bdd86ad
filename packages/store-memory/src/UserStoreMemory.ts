import { EmailTaken } from "@wcs/domain/access/AccessStore"
import { type Account, accountUrn } from "@wcs/domain/access/Account"
import { isSuperAdmin } from "@wcs/domain/access/Privilege"
import { isExpired } from "@wcs/domain/access/TokenLifetime"
import type { User } from "@wcs/domain/user/User"
import { UserStore, userAfter } from "@wcs/domain/user/UserStore"
import { Effect, Layer, Option, Result } from "effect"
import { liveFrom, revokeAll } from "./IssuedTree.ts"
import { endSessions, MemoryTables, writeAccess } from "./MemoryTables.ts"
import { placedPage } from "./SeriesPage.ts"

/** The position of a key in insertion order, from 1. Keys are never deleted. */
const numberOf = (rows: ReadonlyMap<string, unknown>, key: string): number => [...rows.keys()].indexOf(key) + 1

const nothingKnown = { firstName: "", surname: "", passwordHash: null, verifiedAt: null, invite: null }

export const make = Effect.map(MemoryTables, (tables) => {
  const { access } = tables
  const { abns, accounts, legacyTokens, people, tenants } = access

  const tenantOf = (id: string) => {
    const tenant = tenants.get(id)
    if (tenant === undefined) throw new Error(`there is no tenant ${id}`)
    return tenant
  }
  const userOf = (account: Account): User => ({
    number: numberOf(accounts, account.id),
    account,
    ...(people.get(account.id) ?? nothingKnown)
  })
  const usersOf = (tenantId: string): ReadonlyArray<Account> =>
    [...accounts.values()].filter((account) => account.tenantId === tenantId && account.kind === "user")
  const findUser = (tenantId: string, test: (account: Account) => boolean): Option.Option<User> =>
    Option.map(Option.fromUndefinedOr(usersOf(tenantId).find(test)), userOf)

  const put = ({ account, number: _, ...person }: User): void => {
    accounts.set(account.id, account)
    people.set(account.id, person)
  }
  const otherSuperAdmins = (tenantId: string, accountId: string): number =>
    usersOf(tenantId).filter(
      ({ deactivatedAt, id, role }) => id !== accountId && deactivatedAt === null && isSuperAdmin(role)
    ).length

  const endTokens = (accountId: string, at: number): void => {
    for (const token of legacyTokens.values()) {
      if (token.accountId === accountId && token.revokedAt === null) {
        legacyTokens.set(token.id, { ...token, revokedAt: at })
      }
    }
    endSessions(tables.access, { accountId }, at)
  }

  return UserStore.of({
    organization: Effect.fn("UserStore.organization")((tenantId) =>
      Effect.sync(() => ({
        number: numberOf(tenants, tenantId),
        name: tenantOf(tenantId).name,
        abn: abns.get(tenantId) ?? ""
      }))
    ),
    setAbn: Effect.fn("UserStore.setAbn")((tenantId, abn, audit) =>
      Effect.sync(() => {
        abns.set(tenantOf(tenantId).id, abn)
        writeAccess(tables, tenantId, audit)
      })
    ),

    insert: Effect.fn("UserStore.insert")((user, audit) =>
      Effect.suspend(() => {
        const { account } = user
        const email = account.email ?? ""
        if (usersOf(account.tenantId).some((other) => other.email === email))
          return Effect.fail(new EmailTaken({ email }))
        put({ ...user, number: 0 })
        writeAccess(tables, account.tenantId, audit)
        return Effect.succeed(userOf(account))
      })
    ),
    find: Effect.fn("UserStore.find")((tenantId, accountId) =>
      Effect.sync(() => findUser(tenantId, ({ id }) => id === accountId))
    ),
    findByInvite: Effect.fn("UserStore.findByInvite")((tenantId, tokenHash) =>
      Effect.sync(() => findUser(tenantId, ({ id }) => people.get(id)?.invite?.tokenHash === tokenHash))
    ),
    page: Effect.fn("UserStore.page")((tenantId, selection) =>
      Effect.sync(() =>
        placedPage(
          usersOf(tenantId).map((account) => ({ ...userOf(account), position: userOf(account).number })),
          selection,
          ({ account }) => account.deactivatedAt !== null
        )
      )
    ),
    findByEmail: Effect.fn("UserStore.findByEmail")((tenantId, email) =>
      Effect.sync(() => findUser(tenantId, (account) => account.email === email))
    ),
    list: Effect.fn("UserStore.list")((tenantId, afterNumber, limit) =>
      Effect.sync(() =>
        usersOf(tenantId)
          .map(userOf)
          .filter(({ number }) => number > afterNumber)
          .slice(0, limit)
      )
    ),
    change: Effect.fn("UserStore.change")((tenantId, accountId, decide) =>
      Effect.suspend(() => {
        const found = findUser(tenantId, ({ id }) => id === accountId)
        if (Option.isNone(found)) return Effect.succeed(found)
        const urn = accountUrn(accountId)
        const clients = liveFrom(
          access,
          tenantId,
          ({ createdBy, entityType }) => entityType === "apiClient" && createdBy?.account === urn
        )
        const decision = decide(
          found.value,
          clients.map(({ id }) => id),
          otherSuperAdmins(tenantId, accountId)
        )
        if (Result.isFailure(decision)) return Effect.fail(decision.failure)
        if (decision.success === undefined) return Effect.succeed(found)
        const { audit, endTokensAt, next, revocations = [] } = decision.success
        const after = userAfter(found.value, next)
        put(after)
        if (endTokensAt !== undefined) endTokens(accountId, endTokensAt)
        revokeAll(access, revocations)
        for (const entry of [audit, ...revocations]) writeAccess(tables, tenantId, entry)
        return Effect.succeed(Option.some(after))
      })
    ),

    insertLegacyToken: Effect.fn("UserStore.insertLegacyToken")((token, audit, mayHave) =>
      Effect.sync(() => {
        const user = findUser(token.tenantId, ({ id }) => id === token.accountId)
        if (Option.isNone(user) || !mayHave(user.value)) return false
        for (const { accountId, expiresAt, id } of [...legacyTokens.values()]) {
          if (accountId === token.accountId && isExpired({ expiresAt }, token.issuedAt)) legacyTokens.delete(id)
        }
        legacyTokens.set(token.id, token)
        tables.of(token.tenantId).audit.push(audit)
        return true
      })
    ),
    findLegacyToken: Effect.fn("UserStore.findLegacyToken")((tenantId, id) =>
      Effect.sync(() =>
        Option.gen(function* () {
          const token = yield* Option.fromUndefinedOr(legacyTokens.get(id))
          return { token, user: yield* findUser(tenantId, (account) => account.id === token.accountId) }
        })
      )
    ),
    listLegacyTokens: Effect.fn("UserStore.listLegacyTokens")((tenantId, accountId, afterId, limit) =>
      Effect.sync(() =>
        [...legacyTokens.values()]
          .filter((token) => token.tenantId === tenantId && token.accountId === accountId && token.id > afterId)
          .sort((one, two) => (one.id < two.id ? -1 : 1))
          .slice(0, limit)
      )
    ),
    revokeLegacyToken: Effect.fn("UserStore.revokeLegacyToken")((tenantId, id, at, audit) =>
      Effect.sync(() => {
        const token = legacyTokens.get(id)
        if (token === undefined || token.tenantId !== tenantId) return false
        if (token.revokedAt !== null) return true
        legacyTokens.set(id, { ...token, revokedAt: at })
        writeAccess(tables, tenantId, audit)
        return true
      })
    )
  })
})

export const layer: Layer.Layer<UserStore, never, MemoryTables> = Layer.effect(UserStore, make)
