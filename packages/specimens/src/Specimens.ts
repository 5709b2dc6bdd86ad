import { Profile } from "@wcs/conformance/Profile"
import { makeConformance } from "@wcs/wcs/ConformanceProfile"
import { Clock, Effect, Redacted, Schema, Scope } from "effect"
import * as Deployment from "./Deployment.ts"
import type { Target } from "./Judging.ts"
import { pastClock } from "./PastClock.ts"
import type { Serve, Specimen } from "./Specimen.ts"

const place = {
  tenantBaseUrl: `https://${Deployment.tenantHost}`,
  secondTenantBaseUrl: `https://${Deployment.otherTenantHost}`,
  plainHttpUrl: `http://${Deployment.tenantHost}`
}

/** Starts a deployment of its own, with everybody in it that a whole profile names. */
const start = Effect.fnUntraced(function* (specimen: Specimen) {
  const { administration, operator, otherTenant, serve, tenant, users } = yield* Deployment.make(specimen)
  const wanted = { name: specimen.name, place, tenant, otherTenant, run: "specimen" }
  const made = yield* Effect.provideService(
    makeConformance({ administration, users }, operator, wanted),
    Clock.Clock,
    yield* pastClock
  )
  const profile = yield* Effect.orDie(Schema.decodeUnknownEffect(Profile)(made.profile))
  const secrets = new Map(Object.entries(made.secrets).map(([name, secret]) => [`\${${name}}`, secret]))
  return { serve, profile, secrets } satisfies Target
})

/**
 * Starts specimens. Those whose stores and rules are ours share one deployment, and only what they rewrite is theirs;
 * but one whose rate limit is used up has it `alone`.
 */
export const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const ours = yield* Effect.cached(Effect.provideService(start({ name: "ours" }), Scope.Scope, scope))
  return Effect.fnUntraced(function* (specimen: Specimen, alone: boolean) {
    const { profile: tell = (profile: Profile) => profile, rewrite = (serve: Serve) => serve, rules, stores } = specimen
    const { secret: written = (secret: string) => secret } = specimen
    const own = { name: specimen.name, ...(rules && { rules }), ...(stores && { stores }) }
    const isShared = !alone && rules === undefined && stores === undefined
    const target = isShared ? yield* ours : yield* start(own)
    const secrets = new Map(
      [...target.secrets].map(([name, secret]) => [name, Redacted.make(written(Redacted.value(secret), name))])
    )
    return { serve: rewrite(target.serve), profile: tell(target.profile), secrets } satisfies Target
  })
})
