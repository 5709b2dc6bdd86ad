import { Context, Effect, Layer, Option } from "effect"
import { hostName, isHostName, type Tenant } from "../access/Tenant.ts"
import { AccessStore } from "./AccessStore.ts"

/** Finds the tenant of a host (§1: each host belongs to one tenant). */
export class Tenancy extends Context.Service<
  Tenancy,
  {
    /** Returns the tenant of a `Host` header or URL authority; none for an unknown host. At once if the host is cached. */
    readonly tenantOf: (authority: string) => Effect.Effect<Option.Option<Tenant>>
  }
>()("@wcs/domain/Tenancy") {}

/** Size of the cache of hosts. Unknown hosts are not cached, so requests for them cannot evict known ones. */
const rememberedHosts = 10_000

export const make = Effect.gen(function* () {
  const store = yield* AccessStore
  const remembered = new Map<string, { readonly found: Effect.Effect<Option.Option<Tenant>>; readonly epoch: number }>()

  const lookUp = Effect.fnUntraced(function* (host: string, epoch: number) {
    if (!isHostName(host)) return Option.none<Tenant>()
    const tenant = yield* store.findTenantByHost(host)
    if (Option.isSome(tenant) && (remembered.has(host) || remembered.size < rememberedHosts)) {
      remembered.set(host, { found: Effect.succeed(tenant), epoch })
    }
    return tenant
  })

  const tenantOf: Tenancy["Service"]["tenantOf"] = (authority) => {
    const epoch = store.epoch()
    const host = hostName(authority)
    const known = remembered.get(host)
    return known?.epoch === epoch ? known.found : lookUp(host, epoch)
  }

  return Tenancy.of({ tenantOf })
})

export const layer = Layer.effect(Tenancy, make)
