import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "./AdminApi.ts"
import { asOperator, inTenant, tenantOf } from "./Commands.ts"

export const layer = HttpApiBuilder.group(
  AdminApi,
  "tenants",
  Effect.fn(function* (handlers) {
    const administration = yield* Administration
    const store = yield* AccessStore
    return handlers.handleAll({
      createTenant: ({ payload: { hosts, name, timeZone } }) =>
        asOperator((actor) => administration.createTenant(name, hosts, actor, timeZone ?? undefined)),
      listTenants: () => Effect.map(store.listTenants, (tenants) => ({ tenants })),
      setTimeZone: ({ payload: { tenant, timeZone } }) =>
        inTenant(tenant, (id, actor) => administration.setTimeZone(id, timeZone, actor)),
      setRetention: ({ payload: { tenant, years } }) =>
        inTenant(tenant, (id, actor) => administration.setRetention(id, years, actor)),
      addHost: ({ payload: { host, tenant } }) =>
        inTenant(tenant, (id, actor) => administration.addHost(id, host, actor)),
      removeHost: ({ payload: { host, tenant } }) =>
        inTenant(tenant, (id, actor) => administration.removeHost(id, host, actor)),
      listHosts: ({ payload: { tenant } }) =>
        asOperator(() =>
          Effect.map(
            tenant === null ? store.listTenants : Effect.map(tenantOf(tenant), (found) => [found]),
            (tenants) => ({
              hosts: tenants.flatMap(({ hosts, id, name }) =>
                hosts.map((host) => ({ host, tenant: name, tenantId: id }))
              )
            })
          )
        )
    })
  })
)
