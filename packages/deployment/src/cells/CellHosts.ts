import { AccessStore, HostTaken } from "@wcs/domain/token/AccessStore"
import { keepHosts, reserveHosts } from "@wcs/store-sql/cells/Directory"
import { Effect, Layer, Option, Result } from "effect"
import type { SqlClient } from "effect/sql"
import type { StoresLayer } from "../stores/Stores.ts"

/** Gives hosts out by the directory, so that a host belongs to one tenant of all databases. */
const withDirectory = (directory: SqlClient.SqlClient) => (store: AccessStore["Service"]) =>
  AccessStore.of({
    ...store,
    changeHosts: (tenantId, decide, audit) =>
      Effect.gen(function* () {
        const presentHosts = Effect.map(
          store.listTenants,
          (tenants) => tenants.find(({ id }) => id === tenantId)?.hosts ?? []
        )
        const before = yield* presentHosts
        const decided = decide(before)
        const added = Result.isSuccess(decided) ? decided.success.filter((host) => !before.includes(host)) : []
        const taken = yield* Effect.orDie(reserveHosts(directory, tenantId, added))
        if (taken !== undefined) return yield* new HostTaken({ host: taken })
        const keep = (hosts: ReadonlyArray<string>) => Effect.orDie(keepHosts(directory, tenantId, hosts))
        const changed = yield* Effect.onError(store.changeHosts(tenantId, decide, audit), () =>
          Effect.ignoreCause(Effect.flatMap(presentHosts, keep))
        )
        if (Option.isSome(changed)) yield* keep(changed.value.hosts)
        return changed
      })
  })

/** The store of a further database. */
export const storesOf = (stores: StoresLayer, directory: SqlClient.SqlClient): StoresLayer =>
  Layer.effect(AccessStore, Effect.map(AccessStore, withDirectory(directory))).pipe(Layer.provideMerge(stores))
