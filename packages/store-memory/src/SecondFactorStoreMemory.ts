import { SecondFactorStore } from "@wcs/domain/second-factor/SecondFactorStore"
import { Effect, Layer } from "effect"
import { endSessions, MemoryTables } from "./MemoryTables.ts"

export const make = Effect.map(MemoryTables, (tables) => {
  const { access } = tables
  const { secondFactors } = access
  const find = (tenantId: string, accountId: string) => {
    const factor = secondFactors.get(accountId)
    return factor?.tenantId === tenantId ? factor : null
  }

  return SecondFactorStore.of({
    find: Effect.fn("SecondFactorStore.find")((tenantId, accountId) => Effect.sync(() => find(tenantId, accountId))),
    page: Effect.fn("SecondFactorStore.page")((tenantId, after, limit) =>
      Effect.sync(() =>
        [...secondFactors.values()]
          .filter((factor) => factor.tenantId === tenantId && factor.accountId > (after ?? ""))
          .sort((one, two) => (one.accountId < two.accountId ? -1 : 1))
          .slice(0, limit)
      )
    ),
    change: Effect.fn("SecondFactorStore.change")((tenantId, accountId, decide) =>
      Effect.sync(() => {
        const { answer, audit, endSessionsAt, next } = decide(find(tenantId, accountId))
        if (next === null) secondFactors.delete(accountId)
        else if (next !== undefined) secondFactors.set(accountId, next)
        if (audit !== undefined) tables.of(tenantId).audit.push(audit)
        if (endSessionsAt !== undefined) {
          endSessions(access, { accountId }, endSessionsAt)
          access.epoch++
        }
        return answer
      })
    )
  })
})

export const layer: Layer.Layer<SecondFactorStore, never, MemoryTables> = Layer.effect(SecondFactorStore, make)
