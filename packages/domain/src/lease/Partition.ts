/** Webhooks and credentials are divided into this many partitions, which workers lease. */
export const partitionCount = 64

/**
 * The partition of a webhook or credential: FNV-1a of its id. Stores keep it with the row, so a change of this function
 * needs a migration.
 */
export const partitionOf = (id: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < id.length; index++) hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193)
  return ((hash ^ (hash >>> 16)) >>> 0) % partitionCount
}
