import type { Migration } from "../../engine/Migration.ts"

/**
 * `waiting` is the time from which an event can be sent: 1 for untried events, a later time for dead letters, which
 * come after these.
 */
export const eventAside: Migration = {
  id: 19,
  name: "event_aside",
  statements: () => [
    "DROP INDEX event_waiting",
    "CREATE INDEX event_waiting ON event (waiting, position, tenant_id) WHERE waiting IS NOT NULL"
  ]
}
