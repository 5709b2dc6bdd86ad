import { CurrentTenant, type Tenant } from "@wcs/domain/access/Tenant"
import { UnknownHost } from "@wcs/domain/service/HttpRefusal"
import { Tenancy } from "@wcs/domain/token/Tenancy"
import { Effect, Option } from "effect"
import type { Call } from "../pipeline/Call.ts"
import type { Step } from "../pipeline/Endpoints.ts"

/** Returns the tenant of the host. Fails with `UnknownHost`. */
export const tenantOfCall =
  (tenancy: Tenancy["Service"]) =>
  ({ request }: Call): Effect.Effect<Tenant, UnknownHost> =>
    Effect.flatMapEager(tenancy.tenantOf(request.headers["host"] ?? ""), (found) =>
      Option.isSome(found) ? Effect.succeed(found.value) : Effect.fail(new UnknownHost())
    )

/** Provides the tenant of the host. */
export const make = Effect.map(Tenancy, (tenancy): Step => {
  const tenantOf = tenantOfCall(tenancy)
  return () => (call) => Effect.mapEager(tenantOf(call), (tenant) => call.provide(CurrentTenant, tenant))
})
