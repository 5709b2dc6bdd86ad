import { keptMillis, uploadMillis } from "@wcs/domain/import/Import"
import * as ImportSteps from "@wcs/domain/import/ImportSteps"
import { ImportStore, type Work } from "@wcs/domain/import/ImportStore"
import { partitionOf } from "@wcs/domain/lease/Partition"
import { importDue, Notifications } from "@wcs/domain/shared/Notifications"
import { Clock, Effect, Latch } from "effect"
import { EngineSettings } from "../EngineSettings.ts"
import * as Loop from "../Loop.ts"
import * as Leases from "../lease/Leases.ts"

/** Imports that one round looks at, and those of them that it works on at the same time. */
const importsOfRound = 64
const atOnce = 2

/** The pause of an import whose portion failed, and the failures in a row after which its work is given up. */
const retryMillis = 10_000
const failuresMax = 5

/** The interval of deletions, and the rows of one. */
const forgetMillis = 60_000
const forgetRows = 1000

/**
 * Does the work of imports, portion by portion, for those that this worker leases. All imports advance in turn. A worker
 * that is killed leaves the rest to the next one, which continues at the stored place. An import that fails pauses, and
 * does not hold up the others.
 */
export const start = Effect.gen(function* () {
  const { pollMillis } = yield* EngineSettings
  const store = yield* ImportStore
  const notifications = yield* Notifications
  const { halt, step } = yield* ImportSteps.make
  const wake = Latch.makeUnsafe(true)
  const inFlight = new Set<string>()
  const failures = new Map<string, { readonly count: number; readonly retryAt: number }>()
  const leases = yield* Leases.make("import", {
    busy: () => new Set([...inFlight].map(partitionOf)),
    changed: () => wake.openUnsafe()
  })

  const fail = Effect.fnUntraced(function* (work: Work) {
    const { id } = work.it
    const count = (failures.get(id)?.count ?? 0) + 1
    failures.set(id, { count, retryAt: (yield* Clock.currentTimeMillis) + retryMillis })
    if (count < failuresMax) return
    yield* halt(work)
    failures.delete(id)
  })

  const portion = (work: Work) => {
    const { id } = work.it
    return Effect.suspend(() => {
      inFlight.add(id)
      return step(work)
    }).pipe(
      Effect.tap(() => Effect.sync(() => failures.delete(id))),
      Effect.tapCause(() => fail(work)),
      Effect.ensuring(
        Effect.sync(() => {
          inFlight.delete(id)
          leases.settled()
        })
      ),
      Loop.apart("The work of an import failed.", undefined)
    )
  }

  const round = Effect.gen(function* () {
    wake.closeUnsafe() // before the read, so that no notification is missed
    const working = yield* store.working(importsOfRound)
    const now = yield* Clock.currentTimeMillis
    const isReady = (id: string) => leases.isActive(partitionOf(id)) && (failures.get(id)?.retryAt ?? 0) <= now
    const ready = working.filter(({ it }) => isReady(it.id))
    yield* Effect.forEach(ready, portion, { concurrency: atOnce, discard: true })
    if (ready.length === 0) yield* Effect.raceFirst(wake.await, Effect.sleep(pollMillis))
    else yield* Effect.yieldNow // requests run between two portions
  })

  const forget = Effect.gen(function* () {
    for (let isMore = true; isMore; ) {
      const now = yield* Clock.currentTimeMillis
      isMore = yield* store.forget(now - keptMillis, now - uploadMillis, forgetRows)
      yield* Effect.yieldNow
    }
    yield* Effect.sleep(forgetMillis)
  })

  yield* notifications.listen(importDue, wake)
  yield* Effect.forkScoped(Loop.forEver("import", round))
  yield* Effect.forkScoped(Loop.forEver("forget imports", forget))
})
