import type { Migration } from "../../engine/Migration.ts"

/**
 * `waiting` is when an event can be taken: 1 for a pending event, and a later time for a dead letter. Dead letters come
 * after the pending events.
 */
export const eventAside: Migration = {
  id: 19,
  name: "event_aside",
  statements: () => [
    "DROP INDEX event_waiting",
    "CREATE INDEX event_waiting ON event (waiting, position, tenant_id) WHERE waiting IS NOT NULL"
  ]
}
