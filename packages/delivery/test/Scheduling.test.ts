import { assert, describe, it } from "@effect/vitest"
import * as Verifying from "@wcs/delivery/Verifying"
import * as Scheduling from "@wcs/delivery/watch/Scheduling"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { Worker } from "@wcs/domain/people/Worker"
import { alphabet } from "@wcs/domain/shared/Id"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { VerificationSource, type VerificationSourceFields } from "@wcs/domain/verification/VerificationSource"
import { serviceAccountFor } from "@wcs/store-suite/access/AccessFixtures"
import { auditEntry, created, put } from "@wcs/store-suite/Fixtures"
import { Clock, Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { idOf, tenantId } from "./Seeds.ts"
import { hour, minute, Outside, putWebhook, settings, surroundings } from "./World.ts"

const day = 24 * hour
const cards = 40
const days = 84
const callsPerMinute = 4

const source: VerificationSourceFields = {
  credentialType: "WWCC_VIC",
  url: "https://gateway.example.com",
  intervalDays: 7,
  limits: { callsPerMinute },
  state: "OK",
  lastSuccessAt: null,
  lastFault: null,
  lastResult: "OK",
  isPaused: false,
  sealedSecret: "sealed"
}

/** The n-th id of many that are spread as random ones are. */
const spreadId = (n: number): string => {
  let rest = (n * 0.618034) % 1
  let text = ""
  for (let digit = 0; digit < 8; digit++) {
    rest *= alphabet.length
    text += alphabet[Math.floor(rest)] ?? ""
    rest %= 1
  }
  return `cred_${text}${String(n).padStart(8, "0")}`
}

const begin = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 0, 1))
  const access = yield* AccessStore
  const account = { ...serviceAccountFor(tenantId), id: idOf("account", 1) }
  const tenant = { id: tenantId, name: "first", timeZone: "Australia/Sydney", hosts: [] }
  yield* access.insertTenant(tenant, account, auditEntry(tenantId, { entityType: "tenant" }))
  yield* putWebhook(1, undefined)
  yield* put(VerificationSource, tenantId, created(idOf("verificationSource", 1), source))
  for (let n = 1; n <= cards + 1; n++) {
    const status = n > cards ? "TERMINATED" : "ACTIVE"
    const worker = idOf("worker", n)
    yield* put(Worker, tenantId, created(worker, { identity: { displayName: `W ${n}` }, employment: { status } }))
    const attributes = {
      credentialType: "WWCC_VIC",
      identifier: `${n}`.padStart(8, "0"),
      holder: { lastName: "Example" },
      owners: { worker, applicant: null }
    }
    yield* put(Credential, tenantId, created(spreadId(n), { attributes }))
  }
})

/** A worker that schedules and verifies, and does nothing else. Returns its stop. */
const running = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const both = Effect.andThen(Verifying.start, Scheduling.start).pipe(Effect.provide(settings({ stopMillis: 0 })))
  yield* Scope.provide(both, scope)
  return Scope.close(scope, Exit.void)
})

describe("scheduled verifications", () => {
  it.effect(
    "ask about each card within its day for 12 weeks, never above the rate, with a week's outage and restarts",
    () =>
      Effect.gen(function* () {
        yield* begin
        const outside = yield* Outside
        const asked = new Map<string, Array<number>>()
        const perMinute = new Map<number, number>()
        outside.register = (count) =>
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const number = outside.questions[count]?.identifier ?? ""
            asked.set(number, [...(asked.get(number) ?? []), now])
            perMinute.set(Math.floor(now / minute), (perMinute.get(Math.floor(now / minute)) ?? 0) + 1)
            return { _tag: "Found", statusDetail: "VALID", expiryDate: null } as const
          })
        const first = yield* Clock.currentTimeMillis
        const [outage, recovery] = [first + 30 * day, first + 37 * day]
        let stop: Effect.Effect<void> | undefined
        for (let at = 0; at < days; at++) {
          const isAway = at >= 30 && at < 37
          if (stop !== undefined && (isAway || at % 10 === 0)) {
            yield* stop
            stop = undefined
          }
          if (stop === undefined && !isAway) stop = yield* running
          yield* TestClock.adjust(day)
        }
        if (stop !== undefined) yield* stop
        assert.strictEqual(asked.size, cards)
        for (const times of asked.values()) {
          for (const [index, time] of [...times, first + days * day].entries()) {
            const before = times[index - 1] ?? first
            const spansOutage = before < outage && time >= recovery
            assert.isAtMost(time - before, (spansOutage ? 15 : 8) * day)
          }
          assert.isAtLeast(times.length, 10)
          assert.isAtMost(times.length, 12)
        }
        assert.isAtMost(Math.max(...perMinute.values()), callsPerMinute / 2)
        const events = yield* EventStore.use((store) => store.events(tenantId, 0, 1000))
        assert.lengthOf(
          events.filter(({ kind }) => kind === "credential.verified"),
          cards
        )
      }).pipe(Effect.provide(surroundings), Effect.scoped),
    300_000
  )
})
