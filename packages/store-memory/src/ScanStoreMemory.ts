import { ScanStore } from "@wcs/domain/legacy/ScanStore"
import { cardKey } from "@wcs/domain/shared/CardNumber"
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
      Effect.sync(() => {
        const keyed = tables.of(tenantId).scans.map((scan) => ({ ...scan, identifier: cardKey(scan.identifier), scan }))
        const page = seriesPage(keyed, selection)
        return { ...page, items: page.items.map(({ position, scan }) => ({ ...scan, position })) }
      })
    )
  })
)

export const layer: Layer.Layer<ScanStore, never, MemoryTables> = Layer.effect(ScanStore, make)
