import { ScanStore } from "@wcs/domain/ScanStore"
import { Effect, Layer } from "effect"
import { MemoryTables, writeTrail } from "./MemoryTables.ts"

export const make = Effect.map(MemoryTables, (tables) =>
  ScanStore.of({
    insert: Effect.fn("ScanStore.insert")((scan, entry) =>
      Effect.sync(() => {
        writeTrail(tables.of(scan.tenantId), { audit: [entry], events: [], scans: [scan] }, () => 0)
      })
    ),
    list: Effect.fn("ScanStore.list")((tenantId, afterCorrelationId, limit) =>
      Effect.sync(() =>
        tables
          .of(tenantId)
          .scans.filter(({ correlationId }) => correlationId > afterCorrelationId)
          .sort((one, two) => (one.correlationId < two.correlationId ? -1 : 1))
          .slice(0, limit)
      )
    )
  })
)

export const layer: Layer.Layer<ScanStore, never, MemoryTables> = Layer.effect(ScanStore, make)
