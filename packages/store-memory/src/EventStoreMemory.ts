import { EventStore } from "@wcs/domain/EventStore"
import { Effect, Layer } from "effect"
import { MemoryTables } from "./MemoryTables.ts"
import { seriesPage } from "./SeriesPage.ts"

export const make = Effect.map(MemoryTables, (tables) =>
  EventStore.of({
    events: Effect.fn("EventStore.events")((tenantId, afterPosition, limit) =>
      Effect.sync(() =>
        tables
          .of(tenantId)
          .events.filter(({ position }) => position > afterPosition)
          .slice(0, limit)
      )
    ),
    audit: Effect.fn("EventStore.audit")((tenantId, selection) =>
      Effect.sync(() => seriesPage(tables.of(tenantId).audit, selection))
    )
  })
)

export const layer: Layer.Layer<EventStore, never, MemoryTables> = Layer.effect(EventStore, make)
