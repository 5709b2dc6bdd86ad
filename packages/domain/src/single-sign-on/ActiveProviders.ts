import { Effect } from "effect"
import type { ResourceStore } from "../crud/ResourceStore.ts"
import { maxPageSize } from "../resource/ListQuery.ts"
import type { Stored } from "../resource/Resource.ts"
import { IdentityProvider, type IdentityProviderFields } from "./IdentityProvider.ts"

/** A stored identity provider. */
export type Provider = Stored<IdentityProviderFields>

/** Returns a function that reads the active identity providers of a tenant by name. */
export const activeProviders =
  (resources: ResourceStore["Service"]) =>
  (tenantId: string): Effect.Effect<ReadonlyArray<Provider>> =>
    Effect.map(
      resources.list(IdentityProvider, tenantId, {
        conditions: [{ _tag: "Equal", column: "active", value: "true" }],
        sort: { column: "name", direction: "asc" },
        pageSize: maxPageSize,
        after: undefined,
        offset: 0,
        includeDeleted: false,
        includeTotal: false
      }),
      ({ items }) => items
    )
