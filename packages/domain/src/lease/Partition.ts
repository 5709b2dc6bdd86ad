import { fnv1a } from "./Fnv.ts"

/** Webhooks and credentials are divided into this many partitions, which workers lease. */
export const partitionCount = 64

/**
 * The partition of a webhook or credential: FNV-1a of its id, mixed by the finalizer of MurmurHash3, since ids that
 * differ little fall into few partitions without it. Stores keep it with the row, so a change needs a migration.
 */
export const partitionOf = (id: string): number => {
  let hash = fnv1a(id)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % partitionCount
}
