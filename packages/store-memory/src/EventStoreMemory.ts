import { EventStore } from "@wcs/domain/EventStore"
import { Effect, Layer } from "effect"
import { MemoryTables } from "./MemoryTables.ts"
import { seriesPage } from "./SeriesPage.ts"

/** Entries are never taken away, so an entry's position is its place in the list, from 1. */
const after = <Entry>(entries: ReadonlyArray<Entry>, position: number, limit: number) =>
  entries
    .map((entry, index) => ({ ...entry, position: index + 1 }))
    .filter((entry) => entry.position > position)
    .slice(0, limit)

export const make = Effect.map(MemoryTables, (tables) =>
  EventStore.of({
    events: Effect.fn("EventStore.events")((tenantId, afterPosition, limit) =>
      Effect.sync(() => after(tables.of(tenantId).events, afterPosition, limit))
    ),
    audit: Effect.fn("EventStore.audit")((tenantId, selection) =>
      Effect.sync(() => seriesPage(tables.of(tenantId).audit, selection))
    )
  })
)

export const layer: Layer.Layer<EventStore, never, MemoryTables> = Layer.effect(EventStore, make)
