import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import * as Evaluating from "@wcs/delivery/watch/Evaluating"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { LeaseStore } from "@wcs/domain/lease/LeaseStore"
import { partitionCount } from "@wcs/domain/lease/Partition"
import { KeptComplianceStore } from "@wcs/domain/screening/KeptComplianceStore"
import { dayAt } from "@wcs/domain/shared/CalendarDay"
import * as AccessEpoch from "@wcs/store-sql/access/AccessEpoch"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import * as World from "@wcs/store-suite/compliance/ComplianceWorld"
import { mint, revise, start, subscribe } from "@wcs/store-suite/Fixtures"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Clock, Context, Effect, Exit, Layer, References, Schedule, Scope } from "effect"
import { TestClock } from "effect/testing"
import { tenantId } from "./Seeds.ts"
import { hour, second, settings, surroundings, surroundingsOf } from "./World.ts"

/** All changes of compliance, oldest first of each worker. */
const changes = Effect.gen(function* () {
  const events = yield* (yield* EventStore).events(tenantId, 0, 100_000)
  return events
    .map(({ data, sequence, subjectId }) => {
      const { from, reason, to } = data as { readonly from: string; readonly to: string; readonly reason: string }
      return { worker: subjectId, sequence, from, to, reason }
    })
    .toSorted((one, two) => one.sequence - two.sequence)
})

/** A check, a subscriber, and workers with a card each. */
const prepared = Effect.fnUntraced(function* (workers: number, lastDay?: number) {
  yield* subscribe(tenantId, mint("webhook"), ["worker.complianceChanged"])
  yield* World.putCheck(tenantId, "base")
  return yield* Effect.forEach(Array.from({ length: workers }), () =>
    Effect.gen(function* () {
      const worker = yield* World.putWorker(tenantId)
      return { worker, card: yield* World.putCard(tenantId, World.card(worker, "WWCC_NSW", lastDay)) }
    })
  )
})

const isCertain = Effect.gen(function* () {
  const { uncertain } = yield* KeptComplianceStore
  const today = dayAt(yield* Clock.currentTimeMillis, World.timeZone)
  return (yield* uncertain(tenantId, today, 1)).length === 0
})

/** Lets seconds pass until every status is right. */
const settled = Effect.repeat(Effect.andThen(TestClock.adjust(second), isCertain), { until: (certain) => certain })

/** Gives all partitions to everybody, as during a pause of a worker that outlives its lease. */
const allLeased = LeaseStore.of({
  beat: () =>
    Effect.succeed({
      leased: Array.from({ length: partitionCount }, (_, partition) => partition),
      surplus: [],
      released: [],
      concernsOthers: false,
      nextExpiryAt: null
    })
})

type Url = Effect.Success<typeof freshDatabase>

/** The stores on one database, each time with connections of their own. */
const storesOn = (url: Url) =>
  Layer.fresh(
    StoreSql.layerShared.pipe(
      Layer.provide(AccessEpoch.layer),
      Layer.provide(Layer.fresh(PgClient.layer({ url, maxConnections: 4 })))
    )
  )

/** A worker with connections of its own: how many statuses another one had kept before it, and its stop. */
const working = Effect.fnUntraced(function* (url: Url) {
  const scope = yield* Scope.make()
  const stores = yield* Layer.buildWithScope(storesOn(url), scope)
  const kept = Context.get(stores, KeptComplianceStore)
  let lost = 0
  const counting = KeptComplianceStore.of({
    ...kept,
    keep: (tenant, statuses) =>
      Effect.tap(kept.keep(tenant, statuses), ({ size }) => {
        lost += statuses.length - size
        return Effect.void
      })
  })
  yield* Evaluating.start.pipe(
    Effect.provideService(LeaseStore, allLeased),
    Effect.provideService(KeptComplianceStore, counting),
    Effect.provideService(ResourceStore, Context.get(stores, ResourceStore)),
    Effect.provide(settings({ pollMillis: 1 })),
    Scope.provide(scope)
  )
  return { lost: () => lost, stop: Scope.close(scope, Exit.void) }
})

describe("the evaluation of compliance", () => {
  it.effect("threat 64: follows writes within seconds, and the tenant's day, also after the worker was away", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const [{ card } = assert.fail(), other = assert.fail()] = yield* prepared(2, 1)
      const run = Evaluating.start.pipe(Effect.provide(settings({ pollMillis: second })))
      const first = yield* Scope.make()
      yield* Scope.provide(run, first)
      yield* settled
      yield* revise(Credential, tenantId, card, (current) => ({
        ...current,
        version: 2,
        fields: World.card(other.worker, "WWCC_NSW", 0)
      }))
      yield* settled
      assert.deepStrictEqual(
        (yield* changes).map(({ reason, to, worker }) => [worker === other.worker, to, reason]),
        [[false, "FAIL", "CREDENTIAL"]]
      )
      yield* Scope.close(first, Exit.void)
      yield* TestClock.adjust(72 * hour)
      yield* Scope.provide(run, yield* Effect.scope)
      yield* settled
      assert.deepStrictEqual(
        (yield* changes)
          .filter(({ reason }) => reason === "DAY")
          .map(({ to, worker }) => [worker === other.worker, to]),
        [[true, "FAIL"]]
      )
    }).pipe(Effect.scoped, Effect.provide(surroundings))
  )

  it.live("threat 64: of two workers that act on one lease loses no change and tells none twice", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.gen(function* () {
        const held = yield* prepared(8)
        yield* World.keepAll(tenantId, 0)
        const workers = [yield* working(url), yield* working(url)]
        const lost = () => workers.reduce((sum, worker) => sum + worker.lost(), 0)
        const bar = (card: string) =>
          revise(Credential, tenantId, card, (current) => {
            const isBarred = current.fields.attributes.eligibility === "MAY_NOT_ENGAGE"
            const verdict = isBarred
              ? ({ eligibility: "MAY_ENGAGE", statusDetail: "VALID" } as const)
              : ({ eligibility: "MAY_NOT_ENGAGE", statusDetail: "BARRED" } as const)
            const fields = { attributes: { ...current.fields.attributes, ...verdict } }
            return { ...current, version: current.version + 1, fields }
          })
        const some = Effect.forEach([1, 2, 3, 4, 5], () =>
          Effect.forEach(held, ({ card }) => bar(card), { concurrency: 4 })
        )
        yield* Effect.repeat(some, { until: () => lost() >= 10, times: 200 })
        assert.isAtLeast(lost(), 10)
        yield* Effect.repeat(isCertain, { until: (certain) => certain, schedule: Schedule.spaced(10) })
        for (const { stop } of workers) yield* stop

        const all = yield* changes
        assert.isNotEmpty(all)
        const results = yield* World.evaluated(tenantId, 0, ["base"])
        for (const { worker } of held) {
          const chain = all.filter((change) => change.worker === worker)
          const [now = assert.fail()] = results[worker] as ReadonlyArray<{ readonly result: string }>
          const joined = [...chain.map(({ from }) => from), now.result]
          assert.deepStrictEqual(joined, ["PASS", ...chain.map(({ to }) => to)])
          assert.lengthOf(new Set(chain.map(({ sequence }) => sequence)), chain.length)
          for (const { from, to } of chain) assert.notStrictEqual(from, to)
        }
      }).pipe(Effect.provide(surroundingsOf(storesOn(url))))
    }).pipe(Effect.scoped, Effect.provideService(References.TracerEnabled, false))
  )
})
