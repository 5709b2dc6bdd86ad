import { isVisible } from "@wcs/domain/resource/SoftDelete"
import { BacklogStore } from "@wcs/domain/webhook/BacklogStore"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import { Effect, Layer } from "effect"
import { MemoryTables, rowOf, type Tables } from "./MemoryTables.ts"

/** The active webhooks whose last attempt failed, first failing first. */
const failingOf = ({ tenants }: Tables) =>
  [...tenants]
    .flatMap(([tenantId, tables]) =>
      [...tables.health].flatMap(([webhookId, { consecutiveFailures, failingSince }]) => {
        const row = rowOf<WebhookFields>(tables, Webhook, webhookId)
        const isActive = row !== undefined && isVisible(row, false) && row.fields.status === "ACTIVE"
        return isActive && failingSince !== null
          ? [{ tenantId, webhookId, name: row.fields.name, consecutiveFailures, failingSince }]
          : []
      })
    )
    .sort((one, two) => one.failingSince - two.failingSince)

export const layer: Layer.Layer<BacklogStore, never, MemoryTables> = Layer.effect(
  BacklogStore,
  Effect.map(MemoryTables, (tables) =>
    BacklogStore.of({
      read: Effect.fn("BacklogStore.read")((now) =>
        Effect.sync(() => {
          const { tenants, unsent } = tables
          const dueTimes = [...tenants.values()].flatMap(({ deliveries }) =>
            deliveries.flatMap(({ delivery: { dueAt } }) => dueAt ?? [])
          )
          const runs = [...tenants.values()].flatMap((tenant) => [...tenant.runs.values()].map(({ dueAt }) => dueAt))
          const failing = failingOf(tables)
          const events = (wanted: string) => unsent.filter(({ state }) => state === wanted).length
          return {
            events: { pending: events("pending"), retrying: events("retrying"), dead: events("dead") },
            deliveries: {
              due: dueTimes.filter((dueAt) => dueAt <= now).length,
              later: dueTimes.filter((dueAt) => dueAt > now).length
            },
            runs: {
              due: runs.filter((dueAt) => dueAt !== null && dueAt <= now).length,
              later: runs.filter((dueAt) => dueAt !== null && dueAt > now).length,
              review: runs.filter((dueAt) => dueAt === null).length
            },
            failingWebhooks: failing.length,
            failingSince: failing[0]?.failingSince ?? null
          }
        })
      ),
      failing: Effect.fn("BacklogStore.failing")((limit) => Effect.sync(() => failingOf(tables).slice(0, limit)))
    })
  )
)
