import { isVisible } from "@wcs/domain/resource/SoftDelete"
import { BacklogStore, countedMost } from "@wcs/domain/webhook/BacklogStore"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import { Effect, Layer } from "effect"
import { MemoryTables, rowOf, type Tables } from "./MemoryTables.ts"

const counted = (items: ReadonlyArray<unknown>): number => Math.min(items.length, countedMost)

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
          const events = (wanted: string) => counted(unsent.filter(({ state }) => state === wanted))
          return {
            events: { pending: events("pending"), retrying: events("retrying"), dead: events("dead") },
            deliveries: {
              due: counted(dueTimes.filter((dueAt) => dueAt <= now)),
              later: counted(dueTimes.filter((dueAt) => dueAt > now))
            },
            runs: {
              due: counted(runs.filter((dueAt) => dueAt !== null && dueAt <= now)),
              later: counted(runs.filter((dueAt) => dueAt !== null && dueAt > now)),
              review: counted(runs.filter((dueAt) => dueAt === null))
            },
            failingWebhooks: counted(failing),
            failingSince: failing[0]?.failingSince ?? null
          }
        })
      ),
      failing: Effect.fn("BacklogStore.failing")((limit) => Effect.sync(() => failingOf(tables).slice(0, limit)))
    })
  )
)
