import { EventStore } from "@wcs/domain/audit/EventStore"
import { Effect, Layer } from "effect"
import { MemoryTables } from "./MemoryTables.ts"
import { placedPage, seriesPage } from "./SeriesPage.ts"

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
      Effect.sync(() => {
        const rows = tables.of(tenantId).audit.map((entry) => ({ ...entry, bearer: entry.bearer?.kind ?? null, entry }))
        const page = seriesPage(rows, selection)
        return { ...page, items: page.items.map(({ entry, position }) => ({ ...entry, position })) }
      })
    ),
    ownership: Effect.fn("EventStore.ownership")((tenantId, credentialId, selection) =>
      Effect.sync(() =>
        placedPage(
          tables
            .of(tenantId)
            .audit.flatMap(({ ownership, ...entry }, index) =>
              ownership === undefined || entry.entityId !== credentialId
                ? []
                : [{ ...entry, ownership, position: index + 1 }]
            ),
          selection
        )
      )
    )
  })
)

export const layer: Layer.Layer<EventStore, never, MemoryTables> = Layer.effect(EventStore, make)
