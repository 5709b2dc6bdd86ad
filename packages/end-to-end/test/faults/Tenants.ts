import { adapters } from "@wcs/deployment/Adapters"
import * as Deployment from "@wcs/deployment/Deployment"
import { operatorUrn } from "@wcs/domain/audit/AuditEntry"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import { Effect, Layer, Redacted } from "effect"
import type { Environment } from "../Process.ts"
import { settings } from "./Stored.ts"

/** A tenant at its own host, with a token of each of its users. */
export interface Tenant {
  readonly host: string
  readonly tokens: ReadonlyArray<string>
}

const actor = { account: operatorUrn, bearer: null, requestId: "faults" }

/** Creates tenants with users. No server may run on the data directory. */
export const makeTenants = (
  environment: Environment,
  wanted: ReadonlyArray<{ readonly host: string; readonly users: number }>
): Effect.Effect<ReadonlyArray<Tenant>> =>
  Effect.gen(function* () {
    const administration = yield* Administration
    yield* AccessStore.use((store) => store.listTenants) // the first run creates the first tenant
    return yield* Effect.forEach(wanted, ({ host, users }) =>
      Effect.gen(function* () {
        const { id } = yield* administration.createTenant(host, [host], actor)
        const tokens = yield* Effect.forEach(Array.from({ length: users }), (_, number) =>
          Effect.gen(function* () {
            const email = `user${number}@${host}`
            yield* administration.createUser(id, email, "Super Admin", actor)
            const { secret } = yield* administration.createToken(id, email, "faults", null, actor)
            return Redacted.value(secret)
          })
        )
        return { host, tokens }
      })
    )
  }).pipe(
    Effect.provide(Layer.fresh(Layer.provide(Deployment.administration(adapters), settings(environment)))),
    Effect.orDie
  )
