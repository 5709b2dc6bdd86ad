import { Profile } from "@wcs/conformance/profile/Profile"
import { makeConformance } from "@wcs/wcs/ConformanceProfile"
import { Clock, Effect, Redacted, Schema, Scope } from "effect"
import * as Deployment from "./Deployment.ts"
import * as Hub from "./Hub.ts"
import { pastClock } from "./PastClock.ts"
import type { Serve } from "./Serve.ts"
import { ours, type Specimen } from "./Specimen.ts"
import { watching } from "./seams/SeenWebhooks.ts"
import type { Target } from "./selftest/Judging.ts"

const place = {
  tenantBaseUrl: `https://${Deployment.tenantHost}`,
  secondTenantBaseUrl: `https://${Deployment.otherTenantHost}`,
  plainHttpUrl: `http://${Deployment.tenantHost}`
}

/** A delivery in this process that has not arrived by this time will not arrive. */
const timeoutSeconds = 8

/** Starts a deployment with every principal of a full profile. */
const start = Effect.fnUntraced(function* (specimen: Specimen, hub: Hub.Hub) {
  const { admin, serve, ...tenants } = yield* Deployment.make(specimen, hub.deliver)
  const made = yield* makeConformance(admin, { name: specimen.name, place, ...tenants, run: "specimen" }).pipe(
    Effect.provideService(Clock.Clock, yield* pastClock),
    Effect.orDie
  )
  const profile = yield* Effect.orDie(Schema.decodeUnknownEffect(Profile)(made.profile))
  const patient = { ...profile, receiver: { ...profile.receiver, timeoutSeconds } }
  const secrets = new Map(Object.entries(made.secrets).map(([name, secret]) => [`\${${name}}`, secret]))
  return { serve, profile: patient, secrets }
})

/**
 * Starts specimens, each for the lifetime of its scope. Specimens that only rewrite share deployments, one at a time. A
 * specimen whose rate limit is exhausted runs `alone` on a deployment that is not reused.
 */
export const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const hub = Hub.make()
  const idle: Array<Effect.Success<ReturnType<typeof start>>> = []
  const lent = Effect.acquireRelease(
    Effect.suspend(() => {
      const waiting = idle.pop()
      return waiting === undefined ? Scope.provide(start(ours, hub), scope) : Effect.succeed(waiting)
    }),
    (used) => Effect.sync(() => idle.push(used))
  )
  return Effect.fnUntraced(function* (specimen: Specimen, alone: boolean) {
    const { profile: tell = (profile: Profile) => profile, rewrite = (serve: Serve) => serve, rules, stores } = specimen
    const { deliveries = () => (deliver: Hub.Deliver) => deliver } = specimen
    const {
      secret: written = (secret: string) => secret,
      secrets: more = (): Readonly<Record<string, string>> => ({})
    } = specimen
    const own = { name: specimen.name, ...(rules && { rules }), ...(stores && { stores }) }
    const isLent = !alone && rules === undefined && stores === undefined
    const target = isLent ? yield* lent : yield* start(own, hub)
    const secrets = new Map(
      [...target.secrets].map(([name, secret]) => [name, Redacted.make(written(Redacted.value(secret), name))])
    )
    for (const [name, secret] of Object.entries(more())) secrets.set(name, Redacted.make(secret))
    const { serve, webhooks } = watching(target.serve)
    const receiver = hub.receiver(deliveries(webhooks))
    return { serve: rewrite(serve), profile: tell(target.profile), secrets, receiver } satisfies Target
  })
})
