import { Context, Result } from "effect"
import type { EntityType } from "../access/Privilege.ts"
import { CollectionFull } from "../resource/Resource.ts"

/** How many of each a tenant can have. Revoked and expired ones do not count, nor do deactivated users. */
export interface Caps {
  readonly clients: number
  readonly tokensPerUser: number
  readonly users: number
}

export const defaultCaps: Caps = { clients: 100, tokensPerUser: 50, users: 100_000 }

/** The caps of every tenant. */
export const TenantCaps = Context.Reference<Caps>("@wcs/domain/TenantCaps", { defaultValue: () => defaultCaps })

/** Fails if there are already `most` others. */
export const checkRoom = (entityType: EntityType, others: number, most: number): Result.Result<void, CollectionFull> =>
  others < most ? Result.void : Result.fail(new CollectionFull({ entityType, most }))
