import type { Instant } from "../shared/Instant.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { Stored } from "./Resource.ts"

/** Returns whether a read finds the resource. A deleted one needs `includeDeleted` (DECISIONS.md#resources). */
export const isVisible = (stored: Pick<Stored, "deletedAt">, includeDeleted: boolean): boolean =>
  stored.deletedAt === null || includeDeleted

/** Returns the resource as deleted now. A second delete changes nothing (§3). */
export const remove = <Fields extends JsonObject>(stored: Stored<Fields>, now: Instant): Stored<Fields> =>
  stored.deletedAt === null ? { ...stored, version: stored.version + 1, updatedAt: now, deletedAt: now } : stored

/** Returns the resource as restored now. Restoring one that is not deleted changes nothing. */
export const restore = <Fields extends JsonObject>(stored: Stored<Fields>, now: Instant): Stored<Fields> =>
  stored.deletedAt === null ? stored : { ...stored, version: stored.version + 1, updatedAt: now, deletedAt: null }
