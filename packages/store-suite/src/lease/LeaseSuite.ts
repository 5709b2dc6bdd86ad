import { assert, describe } from "@effect/vitest"
import { LeaseStore } from "@wcs/domain/lease/LeaseStore"
import { partitionCount } from "@wcs/domain/lease/Partition"
import type { Share } from "@wcs/domain/lease/Rebalance"
import type { Instant } from "@wcs/domain/shared/Instant"
import { Effect } from "effect"
import { type StoresTest, start } from "../Fixtures.ts"

const leaseMillis = 30_000

let workers = 0

/** The id of a worker that no other test uses. */
const freshWorker = (): string => `worker ${++workers}`

let times = start

/** A time after all leases of earlier tests, which concern all workers. */
const laterTime = (): Instant => {
  times += 10 * leaseMillis
  return times
}

const none: ReadonlyArray<string> = []

const beat = (
  worker: string,
  now: Instant,
  { busy = new Set<number>(), isLeaving = false, predecessors = none } = {}
) => LeaseStore.use((store) => store.beat("delivery", { worker, predecessors, now, leaseMillis, busy, isLeaving }))

const countOf = ({ leased }: Share): number => leased.length

const leaseTests = (it: StoresTest): void => {
  it.effect("gives all partitions to a single worker, and rebalances when another one joins", () =>
    Effect.gen(function* () {
      const now = laterTime()
      const [one, other] = [freshWorker(), freshWorker()]
      const first = yield* beat(one, now)
      assert.deepStrictEqual([countOf(first), first.concernsOthers, first.nextExpiryAt], [partitionCount, true, null])
      assert.isFalse((yield* beat(one, now)).concernsOthers)
      const joined = yield* beat(other, now + 1)
      assert.deepStrictEqual(
        [countOf(joined), joined.concernsOthers, joined.nextExpiryAt],
        [0, true, now + leaseMillis]
      )
      const halved = yield* beat(one, now + 2)
      assert.deepStrictEqual([countOf(halved), halved.concernsOthers], [partitionCount / 2, true])
      const filled = yield* beat(other, now + 3)
      assert.sameMembers([...halved.leased, ...filled.leased], [...Array(partitionCount).keys()])
      assert.isFalse(filled.concernsOthers)
    })
  )

  it.effect("keeps busy partitions with their worker until they are idle", () =>
    Effect.gen(function* () {
      const now = laterTime()
      const [one, other] = [freshWorker(), freshWorker()]
      const { leased } = yield* beat(one, now)
      yield* beat(other, now)
      const busy = new Set(leased.slice(0, 40))
      const drained = yield* beat(one, now, { busy })
      assert.deepStrictEqual([countOf(drained), drained.surplus.length], [40, 8])
      assert.isTrue(drained.surplus.every((partition) => busy.has(partition)))
      assert.strictEqual(countOf(yield* beat(other, now)), 24)
      const after = yield* beat(one, now, { busy: new Set(leased.slice(0, 32)) })
      assert.deepStrictEqual([countOf(after), after.surplus], [32, []])
      assert.strictEqual(countOf(yield* beat(other, now)), 32)
    })
  )

  it.effect("gives the partitions of a crashed worker to others when its leases expire", () =>
    Effect.gen(function* () {
      const now = laterTime()
      const [one, other] = [freshWorker(), freshWorker()]
      yield* beat(one, now)
      assert.strictEqual(countOf(yield* beat(other, now + leaseMillis - 1)), 0)
      const taken = yield* beat(other, now + leaseMillis)
      assert.deepStrictEqual([countOf(taken), taken.nextExpiryAt], [partitionCount, null])
      assert.strictEqual(countOf(yield* beat(one, now + leaseMillis)), 0)
    })
  )

  it.effect("keeps the leases of a worker with heartbeats, and expired ones that no other worker took", () =>
    Effect.gen(function* () {
      const now = laterTime()
      const [one, other] = [freshWorker(), freshWorker()]
      const { leased } = yield* beat(one, now)
      yield* beat(one, now + leaseMillis - 1)
      assert.strictEqual(countOf(yield* beat(other, now + leaseMillis)), 0)
      const late = yield* beat(one, now + 4 * leaseMillis)
      assert.deepStrictEqual(late.leased, leased)
    })
  )

  it.effect("releases the idle partitions of a leaving worker at once, and counts it no more", () =>
    Effect.gen(function* () {
      const now = laterTime()
      const [one, other] = [freshWorker(), freshWorker()]
      const { leased } = yield* beat(one, now)
      yield* beat(other, now)
      const busy = new Set(leased.slice(0, 1))
      const left = yield* beat(one, now, { isLeaving: true, busy })
      assert.deepStrictEqual([left.leased, left.surplus, left.concernsOthers], [[...busy], [...busy], true])
      assert.strictEqual(countOf(yield* beat(other, now)), partitionCount - 1)
      assert.deepStrictEqual((yield* beat(one, now, { isLeaving: true })).leased, [])
      assert.strictEqual(countOf(yield* beat(other, now)), partitionCount)
    })
  )

  it.effect("gives the leases of ended predecessors to their successor at once, and counts them no more", () =>
    Effect.gen(function* () {
      const now = laterTime()
      const [one, other, successor] = [freshWorker(), freshWorker(), freshWorker()]
      yield* beat(one, now)
      yield* beat(other, now)
      const { leased } = yield* beat(one, now)
      const taken = yield* beat(successor, now + 1, { predecessors: ["unknown", one] })
      assert.sameMembers([...taken.leased], [...leased])
      assert.isTrue(taken.concernsOthers)
      assert.strictEqual(countOf(yield* beat(other, now + 2)), partitionCount / 2)
      assert.deepStrictEqual((yield* beat(successor, now + 3)).leased, taken.leased)
      const late = yield* beat(one, now + 4)
      assert.deepStrictEqual([late.leased, late.concernsOthers], [[], true], "it may have lived after all")
    })
  )

  it.effect("leases each kind of work separately", () =>
    Effect.gen(function* () {
      const now = laterTime()
      const { beat: beatKind } = yield* LeaseStore
      yield* beat(freshWorker(), now)
      const busy = new Set<number>()
      const standing = { worker: freshWorker(), predecessors: [], now, leaseMillis, busy, isLeaving: false }
      assert.strictEqual(countOf(yield* beatKind("verification", standing)), partitionCount)
    })
  )

  it.effect("leases no partition to two workers with concurrent heartbeats, and all of them in the end", () =>
    Effect.gen(function* () {
      const now = laterTime()
      const all = Array.from({ length: 5 }, freshWorker)
      for (let round = 0; round < 4; round++) {
        yield* Effect.forEach(all, (worker) => beat(worker, now), { concurrency: "unbounded", discard: true })
      }
      const shares = yield* Effect.forEach(all, (worker) => beat(worker, now), { concurrency: "unbounded" })
      assert.sameMembers(
        shares.flatMap(({ leased }) => leased),
        [...Array(partitionCount).keys()]
      )
      for (const share of shares) assert.isAtMost(countOf(share), Math.ceil(partitionCount / all.length))
    })
  )
}

/** The contract of `LeaseStore`. */
export const leaseSuite = (it: StoresTest): void => {
  describe("LeaseStore.beat", () => leaseTests(it))
}
