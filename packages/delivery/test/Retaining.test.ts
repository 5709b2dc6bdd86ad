import { assert, describe, it } from "@effect/vitest"
import * as Erasing from "@wcs/delivery/erasure/Erasing"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { ErasureStore } from "@wcs/domain/erasure/ErasureStore"
import { Worker, type WorkerFields } from "@wcs/domain/people/Worker"
import { dayAfter } from "@wcs/domain/shared/Instant"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Webhook } from "@wcs/domain/webhook/Webhook"
import { serviceAccountFor } from "@wcs/store-suite/access/AccessFixtures"
import { auditEntry, created, everything, put, remove } from "@wcs/store-suite/Fixtures"
import { Effect, Exit, Option, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import { idOf, tenantId, webhookIdOf } from "./Seeds.ts"
import { minute, putWebhook, settings, surroundings } from "./World.ts"

const timeZone = "Australia/Perth"
const firstDay = "2026-01-31"

const workerOf = (id: string): number => Number(id.slice("wkr_".length))

const putWorker = (n: number, employment: WorkerFields["employment"] = {}, version = 1) =>
  put(Worker, tenantId, {
    ...created(idOf("worker", n), { identity: { displayName: "Ann" }, employment }),
    version,
    updatedAt: Date.parse(`${firstDay}T04:00:00Z`)
  })

/** Lets a webhook receive both kinds, because events that nobody receives are not stored. */
const listen = Effect.gen(function* () {
  yield* putWebhook(1, undefined)
  const store = yield* ResourceStore
  yield* store.change(Webhook, tenantId, webhookIdOf(1), [], ({ current }) => {
    const webhook = Option.getOrThrow(current)
    const next = { ...webhook, version: webhook.version + 1 }
    const subscribesTo = ["worker.erasing", "worker.erased"] as const
    return Result.succeed({ _tag: "Changed", next, records: noRecords, subscribesTo } as const)
  })
})

/** Runs a worker for some minutes of a day, counted from the first. Returns the events, and the workers by status. */
const runOn = Effect.fnUntraced(function* (day: number) {
  yield* TestClock.setTime(Date.parse(`${dayAfter(firstDay, day)}T04:00:00Z`))
  const running = yield* Scope.make()
  yield* Scope.provide(Erasing.start.pipe(Effect.provide(settings({ pollMillis: minute }))), running)
  yield* TestClock.adjust(4 * minute)
  yield* Effect.repeat(Effect.yieldNow, { times: 1000 }) // the worker yields between its transactions
  yield* Scope.close(running, Exit.void)
  const events = yield* (yield* EventStore).events(tenantId, 0, 1000)
  const erasures = yield* (yield* ErasureStore).list(tenantId, everything)
  return {
    events: events.map(({ kind, subjectId }) => `${kind} ${workerOf(subjectId)}`).toSorted(),
    erasures: erasures.items.map(({ status, workerId }) => `${status} ${workerOf(workerId)}`).toSorted()
  }
})

describe("the retention of a tenant", () => {
  it.effect("announces each leaver once, drops those who came back, and erases the others on their day", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(`${firstDay}T04:00:00Z`))
      const access = yield* AccessStore
      const account = { ...serviceAccountFor(tenantId), id: idOf("account", 1) }
      yield* access.insertTenant({ id: tenantId, name: "first", timeZone, hosts: [] }, account, auditEntry(tenantId))
      yield* listen
      yield* putWorker(1, { endDate: firstDay })
      yield* putWorker(2, { endDate: firstDay })
      yield* putWorker(3, { status: "TERMINATED" })
      yield* putWorker(4, { status: "ACTIVE" })
      yield* putWorker(5, { endDate: "2019-06-30" })
      yield* putWorker(6)
      yield* remove(Worker, tenantId, idOf("worker", 6))
      assert.deepStrictEqual(yield* runOn(0), { events: [], erasures: [] })

      yield* access.setRetention(tenantId, 1, auditEntry(tenantId))
      const late = { events: ["worker.erasing 5"], erasures: ["ANNOUNCED 5"] }
      assert.deepStrictEqual(yield* runOn(1), late)
      assert.deepStrictEqual(yield* runOn(30), late)
      const erased = { events: ["worker.erased 5", "worker.erasing 5"], erasures: ["ERASED 5"] }
      assert.deepStrictEqual(yield* runOn(31), erased)

      assert.deepStrictEqual(yield* runOn(335), erased)
      const announced = yield* runOn(336)
      assert.deepStrictEqual(announced.erasures, [
        "ANNOUNCED 1",
        "ANNOUNCED 2",
        "ANNOUNCED 3",
        "ANNOUNCED 6",
        "ERASED 5"
      ])
      assert.lengthOf(announced.events, 6)
      assert.deepStrictEqual(yield* runOn(337), announced)

      yield* putWorker(2, { endDate: "2099-12-31" }, 3)
      yield* access.setRetention(tenantId, undefined, auditEntry(tenantId))
      assert.deepStrictEqual((yield* runOn(338)).erasures, ["ERASED 5"])
      yield* access.setRetention(tenantId, 1, auditEntry(tenantId))
      const again = yield* runOn(350)
      assert.deepStrictEqual(again.erasures, ["ANNOUNCED 1", "ANNOUNCED 3", "ANNOUNCED 6", "ERASED 5"])
      assert.deepStrictEqual(yield* runOn(379), again)
      const end = yield* runOn(400)
      assert.deepStrictEqual(end.erasures, ["ERASED 1", "ERASED 3", "ERASED 5", "ERASED 6"])
      assert.lengthOf(
        end.events.filter((event) => event.startsWith("worker.erased ")),
        4
      )
    }).pipe(Effect.provide(surroundings), Effect.scoped)
  )

  it.effect("erases the others if one erasure fails, and tries that one again", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(`${firstDay}T04:00:00Z`))
      const access = yield* AccessStore
      const account = { ...serviceAccountFor(tenantId), id: idOf("account", 1) }
      yield* access.insertTenant({ id: tenantId, name: "first", timeZone, hosts: [] }, account, auditEntry(tenantId))
      yield* putWorker(1, { endDate: "2019-06-30" })
      yield* putWorker(2, { endDate: "2019-06-30" })
      yield* access.setRetention(tenantId, 1, auditEntry(tenantId))
      yield* runOn(1)
      const store = yield* ErasureStore
      const broken = ErasureStore.of({
        ...store,
        portion: (portion, decide) =>
          portion.personId === idOf("worker", 1) ? Effect.die(new Error("broken")) : store.portion(portion, decide)
      })
      const failed = yield* Effect.provideService(runOn(31), ErasureStore, broken)
      assert.deepStrictEqual(failed.erasures, ["ERASED 2", "ERASING 1"])
      assert.deepStrictEqual((yield* runOn(32)).erasures, ["ERASED 1", "ERASED 2"])
    }).pipe(Effect.provide(surroundings), Effect.scoped)
  )
})
