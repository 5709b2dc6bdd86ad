import type { Instant } from "../shared/Instant.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { Stored } from "./Resource.ts"

/** Whether the resource is seen: a deleted one only by who asks for deleted ones (DECISIONS.md#resources). */
export const isVisible = (stored: Pick<Stored, "deletedAt">, includeDeleted: boolean): boolean =>
  stored.deletedAt === null || includeDeleted

/** The resource deleted now; a second delete changes nothing (§3). */
export const remove = <Fields extends JsonObject>(stored: Stored<Fields>, now: Instant): Stored<Fields> =>
  stored.deletedAt === null ? { ...stored, version: stored.version + 1, updatedAt: now, deletedAt: now } : stored
