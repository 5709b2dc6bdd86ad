import type { LoginBasis } from "@wcs/domain/session/LoginBasis"
import type { Session } from "@wcs/domain/session/Session"
import { SessionStore } from "@wcs/domain/session/SessionStore"
import { IdentityProvider } from "@wcs/domain/single-sign-on/IdentityProvider"
import { Effect, Layer, Option } from "effect"
import { endSessions, MemoryTables, rowOf, type Tables, writeAccess } from "./MemoryTables.ts"
import { placedPage } from "./SeriesPage.ts"

const basisOf = (tables: Tables, { accountId, providerId, tenantId }: Session): LoginBasis | undefined => {
  const { accounts, people, secondFactors } = tables.access
  const account = accounts.get(accountId)
  if (account === undefined || account.tenantId !== tenantId) return undefined
  const provider = providerId === null ? undefined : rowOf(tables.of(tenantId), IdentityProvider, providerId)
  return {
    deactivatedAt: account.deactivatedAt,
    passwordHash: people.get(accountId)?.passwordHash ?? null,
    factorConfirmedAt: secondFactors.get(accountId)?.confirmedAt ?? null,
    isProviderActive: providerId === null || (provider?.deletedAt === null && provider.fields.active)
  }
}

const withoutPosition = <Row extends { readonly position: number }>({ position: _, ...row }: Row) => row

export const make = Effect.map(MemoryTables, (tables) => {
  const { accounts, sessions } = tables.access

  const ofTenant = (tenantId: string) => [...sessions.values()].filter((session) => session.tenantId === tenantId)

  return SessionStore.of({
    insert: Effect.fn("SessionStore.insert")((session, audit, replaces, holds) =>
      Effect.sync(() => {
        const replaced = replaces === null ? undefined : sessions.get(replaces)
        if (!holds(basisOf(tables, session)) || (replaces !== null && replaced?.revokedAt !== null)) return false
        for (const { accountId, expiresAt, id } of [...sessions.values()]) {
          if (accountId === session.accountId && expiresAt <= session.createdAt) sessions.delete(id)
        }
        if (replaced !== undefined) sessions.set(replaced.id, { ...replaced, revokedAt: session.createdAt })
        sessions.set(session.id, { ...session, position: tables.nextPosition() })
        writeAccess(tables, session.tenantId, audit)
        return true
      })
    ),
    find: Effect.fn("SessionStore.find")((tenantId, tokenHash) =>
      Effect.sync(() =>
        Option.gen(function* () {
          const found = yield* Option.fromUndefinedOr(
            ofTenant(tenantId).find((session) => session.tokenHash === tokenHash)
          )
          const account = yield* Option.fromUndefinedOr(accounts.get(found.accountId))
          return { session: withoutPosition(found), account }
        })
      )
    ),
    findById: Effect.fn("SessionStore.findById")((tenantId, id) =>
      Effect.sync(() =>
        Option.map(Option.fromUndefinedOr(ofTenant(tenantId).find((session) => session.id === id)), withoutPosition)
      )
    ),
    page: Effect.fn("SessionStore.page")((tenantId, selection) =>
      Effect.sync(() => placedPage(ofTenant(tenantId), selection, ({ revokedAt }) => revokedAt !== null))
    ),
    revoke: Effect.fn("SessionStore.revoke")((tenantId, id, at, audit) =>
      Effect.sync(() => {
        const session = sessions.get(id)
        if (session === undefined || session.tenantId !== tenantId) return false
        if (session.revokedAt !== null) return true
        sessions.set(id, { ...session, revokedAt: at })
        writeAccess(tables, tenantId, audit)
        return true
      })
    ),
    revokeAll: Effect.fn("SessionStore.revokeAll")((tenantId, accountId, keep, at, audit) =>
      Effect.sync(() => {
        if (endSessions(tables.access, { accountId }, at, keep)) writeAccess(tables, tenantId, audit)
      })
    ),
    revokeOfProvider: Effect.fn("SessionStore.revokeOfProvider")((tenantId, providerId, at, audit) =>
      Effect.sync(() => {
        if (endSessions(tables.access, { tenantId, providerId }, at)) writeAccess(tables, tenantId, audit)
      })
    ),
    touch: Effect.fn("SessionStore.touch")((tenantId, id, at) =>
      Effect.sync(() => {
        const session = sessions.get(id)
        if (session?.tenantId === tenantId) sessions.set(id, { ...session, seenAt: Math.max(session.seenAt, at) })
      })
    )
  })
})

export const layer: Layer.Layer<SessionStore, never, MemoryTables> = Layer.effect(SessionStore, make)
