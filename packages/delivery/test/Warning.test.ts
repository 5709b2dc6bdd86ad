import { assert, describe, it } from "@effect/vitest"
import * as Warning from "@wcs/delivery/watch/Warning"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import { Worker, type WorkerFields } from "@wcs/domain/people/Worker"
import { dayAt } from "@wcs/domain/shared/CalendarDay"
import { dayAfter, daysBetween } from "@wcs/domain/shared/Instant"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Webhook } from "@wcs/domain/webhook/Webhook"
import { serviceAccountFor } from "@wcs/store-suite/access/AccessFixtures"
import { auditEntry, created, put } from "@wcs/store-suite/Fixtures"
import { Clock, Effect, Exit, Option, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import { idOf, tenantId, webhookIdOf } from "./Seeds.ts"
import { hour, putWebhook, settings, surroundings } from "./World.ts"

const timeZone = "Australia/Perth"
const day = 24 * hour

/** A tenant with a webhook for warnings, at noon. */
const beginTenant = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 0, 31, 4))
  const access = yield* AccessStore
  const account = { ...serviceAccountFor(tenantId), id: idOf("account", 1) }
  const tenant = { id: tenantId, name: "first", timeZone, hosts: [] }
  yield* access.insertTenant(tenant, account, auditEntry(tenantId, { entityType: "tenant" }))
  yield* putWebhook(1, undefined)
  const store = yield* ResourceStore
  yield* store.change(Webhook, tenantId, webhookIdOf(1), [], ({ current }) => {
    const webhook = Option.getOrThrow(current)
    const next = { ...webhook, version: webhook.version + 1 }
    return Result.succeed({
      _tag: "Changed",
      next,
      records: { audit: [], events: [] },
      subscribesTo: ["credential.expiring", "credential.expired"]
    } as const)
  })
})

const fieldsOf = (n: number, expiryDate: string): CredentialFields => ({
  attributes: { credentialType: "FIRST_AID", expiryDate, owners: { worker: idOf("worker", n), applicant: null } }
})

/** The n-th worker with the n-th card. */
const putCard = Effect.fnUntraced(function* (n: number, expiryDate: string) {
  const fields: WorkerFields = { identity: { displayName: `Worker ${n}` } }
  yield* put(Worker, tenantId, created(idOf("worker", n), fields))
  yield* put(Credential, tenantId, created(idOf("credential", n), fieldsOf(n, expiryDate)))
})

const today = Effect.map(Clock.currentTimeMillis, (now) => dayAt(now, timeZone))

/** All warnings: the number of the card, the day and what is said. */
const warnings = Effect.gen(function* () {
  const store = yield* EventStore
  const all: Array<{ card: number; on: string; type: string; expiry: unknown }> = []
  for (let last = 0; ; ) {
    const page = yield* store.events(tenantId, last, 1000)
    for (const { at, data, kind, position, subjectId } of page) {
      const { expiry } = data as { readonly expiry: unknown }
      all.push({ card: Number(subjectId.slice("cred_".length)), on: dayAt(at, timeZone), type: kind, expiry })
      last = position
    }
    if (page.length === 0) return all
  }
})

/** Warns of cards until its scope closes, in a worker that does nothing else. */
const warned = Warning.start.pipe(Effect.provide(settings()))

const stages = [-60, -30, -7, ...Array.from({ length: 53 }, (_, week) => 1 + 7 * week)]

/** The days of a card's warnings if workers ran on some days only: a missed one comes on the next such day, once. */
const expectedDays = (expiryDate: string, first: string, last: string, isRunning: (day: string) => boolean) => {
  const found: Array<string> = []
  let isMissed = false
  for (let on = first; on <= last; on = dayAfter(on, 1)) {
    if (stages.some((stage) => dayAfter(expiryDate, stage) === on)) isMissed = true
    if (isMissed && isRunning(on)) {
      found.push(on)
      isMissed = false
    }
  }
  return found
}

describe("warnings of cards that expire", () => {
  it.effect("come exactly once on each of their days of a year, also after weeks without a worker", () =>
    Effect.gen(function* () {
      yield* beginTenant
      const first = yield* today
      const cards = Array.from({ length: 120 }, (_, index) => dayAfter(first, index * 5 - 100))
      for (const [index, expiryDate] of cards.entries()) yield* putCard(index + 1, expiryDate)
      const pauses = [
        { from: 40, to: 46 },
        { from: 120, to: 121 },
        { from: 200, to: 240 }
      ]
      const isRunning = (on: string) => {
        const at = daysBetween(first, on)
        return !pauses.some(({ from, to }) => from <= at && at <= to)
      }
      let running: Scope.Closeable | undefined
      for (let at = 0; at < 365; at++) {
        const on = yield* today
        if (isRunning(on) && isRunning(dayAfter(on, 1)) && running === undefined) {
          running = yield* Scope.make()
          yield* Scope.provide(warned, running)
        }
        if (!isRunning(dayAfter(on, 1)) && running !== undefined) {
          yield* Scope.close(running, Exit.void)
          running = undefined
        }
        yield* TestClock.adjust(day)
      }
      if (running !== undefined) yield* Scope.close(running, Exit.void)
      const last = yield* today
      const all = yield* warnings
      for (const [index, expiryDate] of cards.entries()) {
        const own = all.filter(({ card }) => card === index + 1)
        const days = expectedDays(expiryDate, first, last, isRunning)
        assert.deepStrictEqual(
          own,
          days.map((on) => ({
            card: index + 1,
            on,
            type: expiryDate < on ? "credential.expired" : "credential.expiring",
            expiry: { expiryDate, daysLeft: daysBetween(on, expiryDate) }
          }))
        )
      }
    }).pipe(Effect.provide(surroundings), Effect.scoped)
  )
})
