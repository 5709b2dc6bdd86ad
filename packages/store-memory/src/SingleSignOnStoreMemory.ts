import { SingleSignOnStore } from "@wcs/domain/single-sign-on/SingleSignOnStore"
import { joined } from "@wcs/domain/user/UserInvite"
import { Effect, Layer, Option } from "effect"
import { MemoryTables } from "./MemoryTables.ts"
import { put, userOf } from "./UserStoreMemory.ts"

export const make = Effect.map(MemoryTables, (tables) => {
  const { bindings, tickets } = tables.access.singleSignOn
  const keyOf = (tenantId: string, key: string) => `${tenantId} ${key}`

  return SingleSignOnStore.of({
    use: Effect.fn("SingleSignOnStore.use")((tenantId, used, at) =>
      Effect.sync(() => {
        for (const [key, expiresAt] of [...tickets]) {
          if (expiresAt < at && key.startsWith(keyOf(tenantId, ""))) tickets.delete(key)
        }
        if (used.some(({ key }) => tickets.has(keyOf(tenantId, key)))) return false
        for (const { expiresAt, key } of used) tickets.set(keyOf(tenantId, key), expiresAt)
        return true
      })
    ),
    accountOf: Effect.fn("SingleSignOnStore.accountOf")((tenantId, providerId, subject) =>
      Effect.sync(() =>
        Option.map(
          Option.fromUndefinedOr(
            bindings.find(
              (each) => each.tenantId === tenantId && each.providerId === providerId && each.subject === subject
            )
          ),
          ({ accountId }) => accountId
        )
      )
    ),
    bind: Effect.fn("SingleSignOnStore.bind")((binding, audit) =>
      Effect.sync(() => {
        const isBound = bindings.some(
          (each) =>
            each.tenantId === binding.tenantId &&
            each.providerId === binding.providerId &&
            (each.subject === binding.subject || each.accountId === binding.accountId)
        )
        if (isBound) return false
        bindings.push(binding)
        const account = tables.access.accounts.get(binding.accountId)
        if (account?.tenantId === binding.tenantId) put(tables, joined(userOf(tables, account), audit.at))
        tables.of(binding.tenantId).audit.push(audit)
        return true
      })
    ),
    record: Effect.fn("SingleSignOnStore.record")((tenantId, audit) =>
      Effect.sync(() => {
        tables.of(tenantId).audit.push(audit)
      })
    )
  })
})

export const layer: Layer.Layer<SingleSignOnStore, never, MemoryTables> = Layer.effect(SingleSignOnStore, make)
