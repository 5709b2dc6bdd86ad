import { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import { loggedEntry } from "@wcs/domain/audit/LoggedEntry"
import { Effect, Layer, Option } from "effect"
import { MemoryTables, type Tables } from "./MemoryTables.ts"

/** The entries of each tenant, and of the deployment under ''. */
const logsOf = ({ access, tenants }: Tables) => [
  { tenantId: "", entries: access.audit },
  ...Array.from(tenants.values(), ({ audit, id }) => ({ tenantId: id, entries: audit }))
]

export const make = Effect.map(MemoryTables, (tables) => {
  const { seals } = tables
  const sealsOf = (tenantId: string) => seals.get(tenantId) ?? []
  const entriesOf = (tenantId: string) => (tenantId === "" ? tables.access.audit : tables.of(tenantId).audit)

  return AuditSealStore.of({
    // Positions count per tenant, so their sum is at least each of them.
    mark: Effect.sync(() => ({
      position: logsOf(tables).reduce((sum, { entries }) => sum + entries.length, 0),
      writers: []
    })),
    tenants: (after, limit) =>
      Effect.sync(() =>
        logsOf(tables)
          .filter(({ entries, tenantId }) => entries.length > 0 || sealsOf(tenantId).length > 0)
          .filter(({ tenantId }) => after === null || tenantId > after)
          .sort((one, two) => (one.tenantId < two.tenantId ? -1 : 1))
          .slice(0, limit)
          .map(({ entries, tenantId }) => ({
            tenantId,
            newest: entries.length > 0 ? entries.length : null,
            sealedTo: sealsOf(tenantId).at(-1)?.lastPosition ?? null
          }))
      ),
    entries: (tenantId, { after, upTo }, limit) =>
      Effect.sync(() =>
        entriesOf(tenantId)
          .map((entry, index) => loggedEntry(index + 1, entry))
          .filter(({ position }) => (after === null || position > after) && position <= upTo)
          .slice(0, limit)
      ),
    newestSeal: (tenantId) => Effect.sync(() => Option.fromNullishOr(sealsOf(tenantId).at(-1))),
    seals: (tenantId, afterNumber, limit) =>
      Effect.sync(() =>
        sealsOf(tenantId)
          .filter(({ number }) => number > afterNumber)
          .slice(0, limit)
      ),
    insert: (seal) =>
      Effect.sync(() => {
        const present = sealsOf(seal.tenantId)
        if (present.some(({ number }) => number === seal.number)) return false
        seals.set(seal.tenantId, [...present, seal])
        return true
      })
  })
})

export const layer: Layer.Layer<AuditSealStore, never, MemoryTables> = Layer.effect(AuditSealStore, make)
