import { EventStore } from "@wcs/domain/audit/EventStore"
import { ScanStore } from "@wcs/domain/legacy/ScanStore"
import type { TimelineSelection } from "@wcs/domain/resource/Timeline"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import type { Effect } from "effect"

/** The tenant whose timelines are read. */
export const readTenantId = "tnt_0000000000000000"

/** A timeline with sets of conditions on it, each with the column that is looked up besides the tenant. */
export interface TimelineRead {
  readonly what: string
  readonly read: (
    selection: TimelineSelection<string>
  ) => Effect.Effect<unknown, never, AccessStore | DeliveryStore | EventStore | ScanStore>
  readonly lookups: ReadonlyArray<readonly [fields: ReadonlyArray<string>, column: string | undefined]>
}

/** The lookups that both engines do by an index. */
export const timelineReads: ReadonlyArray<TimelineRead> = [
  {
    what: "audit events",
    read: (selection) => EventStore.use((store) => store.audit(readTenantId, selection as TimelineSelection<never>)),
    lookups: [
      [[], undefined],
      [["entityType"], "entity_type"],
      [["entityId"], "entity_id"],
      [["account"], "account"],
      [["action"], "action"],
      [["requestId"], "request_id"]
    ]
  },
  {
    what: "tokens",
    read: (selection) =>
      AccessStore.use((store) => store.personalTokens(readTenantId, selection as TimelineSelection<never>)),
    lookups: [
      [[], undefined],
      [["accountId"], "account_id"]
    ]
  },
  {
    what: "clients",
    read: (selection) => AccessStore.use((store) => store.clients(readTenantId, selection as TimelineSelection<never>)),
    lookups: [[[], undefined]]
  },
  {
    what: "scans",
    read: (selection) => ScanStore.use((store) => store.list(readTenantId, selection as TimelineSelection<never>)),
    lookups: [
      [[], undefined],
      [["correlationId"], "correlation_id"],
      [["identifier"], "card"],
      [["credentialId"], "credential_id"],
      [["status"], "status"]
    ]
  },
  {
    what: "deliveries of a tenant",
    read: (selection) =>
      DeliveryStore.use((store) => store.list(readTenantId, null, selection as TimelineSelection<never>)),
    lookups: [
      [[], undefined],
      [["eventId"], "event_id"],
      [["correlationId"], "correlation_id"],
      [["subjectId"], "subject_id"],
      [["state"], "state"],
      [["event"], "kind"]
    ]
  },
  {
    what: "deliveries of a webhook",
    read: (selection) =>
      DeliveryStore.use((store) => store.list(readTenantId, "value", selection as TimelineSelection<never>)),
    lookups: [
      [[], "webhook_id"],
      [["eventId"], "event_id"],
      [["correlationId"], "correlation_id"],
      [["subjectId"], "subject_id"],
      [["event"], "kind"]
    ]
  }
]
