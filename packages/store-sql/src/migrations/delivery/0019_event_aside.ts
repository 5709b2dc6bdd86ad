import type { Migration } from "../../engine/Migration.ts"

/**
 * What `waiting` says is from when an event can be taken: 1, of those that nobody has tried, and a later moment of those
 * that are set aside, which come after them.
 */
export const eventAside: Migration = {
  id: 19,
  name: "event_aside",
  statements: () => [
    "DROP INDEX event_waiting",
    "CREATE INDEX event_waiting ON event (waiting, position, tenant_id) WHERE waiting IS NOT NULL"
  ]
}
