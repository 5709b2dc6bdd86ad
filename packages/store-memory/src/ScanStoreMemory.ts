import { ScanStore } from "@wcs/domain/legacy/ScanStore"
import { Effect, Layer } from "effect"
import { MemoryTables, writeRecords } from "./MemoryTables.ts"
import { seriesPage } from "./SeriesPage.ts"

export const make = Effect.map(MemoryTables, (tables) =>
  ScanStore.of({
    insert: Effect.fn("ScanStore.insert")((scan, entry) =>
      Effect.sync(() => {
        writeRecords(tables.of(scan.tenantId), { audit: [entry], events: [], scans: [scan] }, () => 0)
      })
    ),
    list: Effect.fn("ScanStore.list")((tenantId, selection) =>
      Effect.sync(() => seriesPage(tables.of(tenantId).scans, selection))
    )
  })
)

export const layer: Layer.Layer<ScanStore, never, MemoryTables> = Layer.effect(ScanStore, make)
