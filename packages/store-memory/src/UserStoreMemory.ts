import { type Account, accountIdOf, accountUrn } from "@wcs/domain/access/Account"
import { isSuperAdmin } from "@wcs/domain/access/Privilege"
import { isExpired } from "@wcs/domain/access/TokenLifetime"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { Instant } from "@wcs/domain/shared/Instant"
import { isSought } from "@wcs/domain/shared/SearchWords"
import { EmailTaken } from "@wcs/domain/token/AccessStore"
import { type User, wordsOfUser } from "@wcs/domain/user/User"
import { UserStore, userAfter } from "@wcs/domain/user/UserStore"
import { Effect, Layer, Option, Result } from "effect"
import { liveFrom, revokeAll } from "./IssuedTree.ts"
import { activeUsers, endSessions, MemoryTables, type Tables, writeAccess } from "./MemoryTables.ts"
import { placedPage } from "./SeriesPage.ts"

/** The position of a key in insertion order, from 1. Keys are never deleted. */
const numberOf = (rows: ReadonlyMap<string, unknown>, key: string): number => [...rows.keys()].indexOf(key) + 1

const nothingKnown = {
  firstName: "",
  surname: "",
  passwordHash: null,
  verifiedAt: null,
  invite: null,
  invitedBy: null,
  joinedAt: null
}

const tenantOf = ({ access }: Tables, id: string) => {
  const tenant = access.tenants.get(id)
  if (tenant === undefined) throw new Error(`there is no tenant ${id}`)
  return tenant
}

export const userOf = ({ access }: Tables, account: Account): User => ({
  number: numberOf(access.accounts, account.id),
  account,
  ...(access.people.get(account.id) ?? nothingKnown)
})

const usersOf = ({ access }: Tables, tenantId: string): ReadonlyArray<Account> =>
  [...access.accounts.values()].filter((account) => account.tenantId === tenantId && account.kind === "user")

const findUser = (tables: Tables, tenantId: string, test: (account: Account) => boolean): Option.Option<User> =>
  Option.map(Option.fromUndefinedOr(usersOf(tables, tenantId).find(test)), (account) => userOf(tables, account))

export const put = ({ access }: Tables, { account, number: _, ...person }: User): void => {
  access.accounts.set(account.id, account)
  access.people.set(account.id, person)
}

const otherSuperAdmins = (tables: Tables, tenantId: string, accountId: string): number =>
  usersOf(tables, tenantId).filter(
    ({ deactivatedAt, id, role }) => id !== accountId && deactivatedAt === null && isSuperAdmin(role)
  ).length

const endTokens = (tables: Tables, accountId: string, at: number): void => {
  for (const token of tables.access.legacyTokens.values()) {
    if (token.accountId === accountId && token.revokedAt === null) {
      tables.access.legacyTokens.set(token.id, { ...token, revokedAt: at })
    }
  }
  endSessions(tables.access, { accountId }, at)
}

const organization = (tables: Tables): UserStore["Service"]["organization"] =>
  Effect.fn("UserStore.organization")((tenantId) =>
    Effect.sync(() => ({
      number: numberOf(tables.access.tenants, tenantId),
      name: tenantOf(tables, tenantId).name,
      abn: tables.access.abns.get(tenantId) ?? ""
    }))
  )

const setAbn = (tables: Tables): UserStore["Service"]["setAbn"] =>
  Effect.fn("UserStore.setAbn")((tenantId, abn, audit) =>
    Effect.sync(() => {
      tables.access.abns.set(tenantOf(tables, tenantId).id, abn)
      writeAccess(tables, tenantId, audit)
    })
  )

const insert = (tables: Tables): UserStore["Service"]["insert"] =>
  Effect.fn("UserStore.insert")(
    <E>(user: Omit<User, "number">, audit: AuditEntry, judge: (others: number) => Result.Result<void, E>) =>
      Effect.suspend((): Effect.Effect<User, EmailTaken | E> => {
        const { account } = user
        const judged = judge(activeUsers(tables.access, account.tenantId))
        if (Result.isFailure(judged)) return Effect.fail(judged.failure)
        const email = account.email ?? ""
        if (usersOf(tables, account.tenantId).some((other) => other.email === email))
          return Effect.fail(new EmailTaken({ email }))
        put(tables, { ...user, number: 0 })
        writeAccess(tables, account.tenantId, audit)
        return Effect.succeed(userOf(tables, account))
      })
  )

const find = (tables: Tables): UserStore["Service"]["find"] =>
  Effect.fn("UserStore.find")((tenantId, accountId) =>
    Effect.sync(() => findUser(tables, tenantId, ({ id }) => id === accountId))
  )

const findByInvite = (tables: Tables): UserStore["Service"]["findByInvite"] =>
  Effect.fn("UserStore.findByInvite")((tenantId, tokenHash) =>
    Effect.sync(() =>
      findUser(tables, tenantId, ({ id }) => tables.access.people.get(id)?.invite?.tokenHash === tokenHash)
    )
  )

const page = (tables: Tables): UserStore["Service"]["page"] =>
  Effect.fn("UserStore.page")((tenantId, selection) =>
    Effect.sync(() =>
      placedPage(
        usersOf(tables, tenantId)
          .map((account) => userOf(tables, account))
          .filter((user) => selection.sought === undefined || isSought(wordsOfUser(user), selection.sought))
          .map((user) => ({ ...user, position: user.number })),
        selection,
        ({ account }) => account.deactivatedAt !== null
      )
    )
  )

const findByEmail = (tables: Tables): UserStore["Service"]["findByEmail"] =>
  Effect.fn("UserStore.findByEmail")((tenantId, email) =>
    Effect.sync(() => findUser(tables, tenantId, (account) => account.email === email))
  )

const list = (tables: Tables): UserStore["Service"]["list"] =>
  Effect.fn("UserStore.list")((tenantId, afterNumber, limit) =>
    Effect.sync(() =>
      usersOf(tables, tenantId)
        .map((account) => userOf(tables, account))
        .filter(({ number }) => number > afterNumber)
        .slice(0, limit)
    )
  )

const revokePersonalTokens = ({ access }: Tables, of: string, at: Instant): void => {
  for (const token of access.personalTokens.values()) {
    if (token.accountId === of && token.revokedAt === null)
      access.personalTokens.set(token.id, { ...token, revokedAt: at })
  }
}

const inviterOf = ({ access }: Tables, { account, invitedBy }: User): Option.Option<Account> =>
  Option.filter(
    Option.fromUndefinedOr(access.accounts.get(accountIdOf(invitedBy ?? ""))),
    ({ tenantId }) => tenantId === account.tenantId
  )

const change = (tables: Tables): UserStore["Service"]["change"] =>
  Effect.fn("UserStore.change")((tenantId, accountId, decide) =>
    Effect.suspend(() => {
      const found = findUser(tables, tenantId, ({ id }) => id === accountId)
      if (Option.isNone(found)) return Effect.succeed(found)
      const urn = accountUrn(accountId)
      const clients = liveFrom(
        tables.access,
        tenantId,
        ({ createdBy, entityType }) => entityType === "apiClient" && createdBy?.account === urn
      )
      const decision = decide(
        found.value,
        clients.map(({ id }) => id),
        otherSuperAdmins(tables, tenantId, accountId),
        found.value.account.deactivatedAt === null ? 0 : activeUsers(tables.access, tenantId),
        inviterOf(tables, found.value)
      )
      if (Result.isFailure(decision)) return Effect.fail(decision.failure)
      if (decision.success === undefined) return Effect.succeed(found)
      const { audit, endTokensAt, next, revocations = [], revokeTokensAt, session } = decision.success
      const after = userAfter(found.value, next)
      put(tables, after)
      if (endTokensAt !== undefined) endTokens(tables, accountId, endTokensAt)
      if (revokeTokensAt !== undefined) revokePersonalTokens(tables, accountId, revokeTokensAt)
      revokeAll(tables.access, revocations)
      if (session !== undefined) {
        tables.access.sessions.set(session.session.id, { ...session.session, position: tables.nextPosition() })
      }
      for (const entry of [audit, ...(session === undefined ? [] : [session.audit]), ...revocations])
        writeAccess(tables, tenantId, entry)
      return Effect.succeed(Option.some(after))
    })
  )

const insertLegacyToken = (tables: Tables): UserStore["Service"]["insertLegacyToken"] =>
  Effect.fn("UserStore.insertLegacyToken")((token, audit, mayHave) =>
    Effect.sync(() => {
      const user = findUser(tables, token.tenantId, ({ id }) => id === token.accountId)
      if (Option.isNone(user) || !mayHave(user.value)) return false
      for (const { accountId, expiresAt, id } of [...tables.access.legacyTokens.values()]) {
        if (accountId === token.accountId && isExpired({ expiresAt }, token.issuedAt))
          tables.access.legacyTokens.delete(id)
      }
      tables.access.legacyTokens.set(token.id, token)
      tables.of(token.tenantId).audit.push(audit)
      return true
    })
  )

const findLegacyToken = (tables: Tables): UserStore["Service"]["findLegacyToken"] =>
  Effect.fn("UserStore.findLegacyToken")((tenantId, id) =>
    Effect.sync(() =>
      Option.gen(function* () {
        const token = yield* Option.fromUndefinedOr(tables.access.legacyTokens.get(id))
        return { token, user: yield* findUser(tables, tenantId, (account) => account.id === token.accountId) }
      })
    )
  )

const listLegacyTokens = ({ access }: Tables): UserStore["Service"]["listLegacyTokens"] =>
  Effect.fn("UserStore.listLegacyTokens")((tenantId, accountId, afterId, limit) =>
    Effect.sync(() =>
      [...access.legacyTokens.values()]
        .filter((token) => token.tenantId === tenantId && token.accountId === accountId && token.id > afterId)
        .sort((one, two) => (one.id < two.id ? -1 : 1))
        .slice(0, limit)
    )
  )

const revokeLegacyToken = (tables: Tables): UserStore["Service"]["revokeLegacyToken"] =>
  Effect.fn("UserStore.revokeLegacyToken")((tenantId, id, at, audit) =>
    Effect.sync(() => {
      const token = tables.access.legacyTokens.get(id)
      if (token === undefined || token.tenantId !== tenantId) return false
      if (token.revokedAt !== null) return true
      tables.access.legacyTokens.set(id, { ...token, revokedAt: at })
      writeAccess(tables, tenantId, audit)
      return true
    })
  )

export const make = Effect.map(MemoryTables, (tables) =>
  UserStore.of({
    organization: organization(tables),
    setAbn: setAbn(tables),
    insert: insert(tables),
    find: find(tables),
    findByInvite: findByInvite(tables),
    page: page(tables),
    findByEmail: findByEmail(tables),
    list: list(tables),
    change: change(tables),
    insertLegacyToken: insertLegacyToken(tables),
    findLegacyToken: findLegacyToken(tables),
    listLegacyTokens: listLegacyTokens(tables),
    revokeLegacyToken: revokeLegacyToken(tables)
  })
)

export const layer: Layer.Layer<UserStore, never, MemoryTables> = Layer.effect(UserStore, make)
