import { assert, describe } from "@effect/vitest"
import { type LeaseKind, LeaseStore } from "@wcs/domain/lease/LeaseStore"
import { partitionCount } from "@wcs/domain/lease/Partition"
import { type Lease, type LiveWorker, rebalance } from "@wcs/domain/lease/Rebalance"
import type { Instant } from "@wcs/domain/shared/Instant"
import { Effect } from "effect"
import fc from "fast-check"
import { start, type TenantTest } from "../Fixtures.ts"
import { check } from "../Property.ts"

const leaseMillis = 30_000

let workers = 0

/** The id of a worker that no other test uses. */
const freshWorker = (): string => `worker ${++workers}`

let times = start

/** A time after all leases of earlier tests, which concern all workers. */
const laterTime = (): Instant => {
  times += 1_000 * leaseMillis
  return times
}

/** A heartbeat. The first `busy` partitions of the worker have work in flight. */
interface Beat {
  readonly kind: LeaseKind
  readonly worker: number
  readonly later: number
  readonly busy: number
  readonly isLeaving: boolean
  readonly predecessors: ReadonlyArray<number>
}

const places = [0, 1, 2]

const anyBeat: fc.Arbitrary<Beat> = fc.record({
  kind: fc.constantFrom<LeaseKind>("delivery", "delivery", "verification", "audit", "compliance"),
  worker: fc.constantFrom(...places),
  later: fc.constantFrom(0, 0, 1, leaseMillis - 1, leaseMillis),
  busy: fc.oneof(fc.constant(0), fc.nat(partitionCount)),
  isLeaving: fc.nat(4).map((drawn) => drawn === 0),
  predecessors: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.subarray(places) })
})

/** Runs the heartbeats and compares each share with the rule over plain maps. */
const runBeats = Effect.fnUntraced(function* (beats: ReadonlyArray<Beat>) {
  const store = yield* LeaseStore
  const ids = places.map(freshWorker)
  const idAt = (place: number) => ids[place] ?? assert.fail("no such worker")
  const table = () => ({ leases: new Map<number, Lease>(), workers: new Map<string, LiveWorker>() })
  const tables = {
    ...{ delivery: table(), verification: table(), audit: table() },
    ...{ warning: table(), compliance: table(), erasure: table(), schedule: table(), import: table() },
    message: table()
  }
  let now = laterTime()
  for (const { busy, isLeaving, kind, later, predecessors: ended, worker: place } of beats) {
    now += later
    const { leases, workers } = tables[kind]
    const [worker, predecessors] = [idAt(place), ended.map(idAt)]
    const own = [...leases.values()].filter(({ heldBy }) => heldBy === worker).map(({ partition }) => partition)
    const heartbeat = { worker, predecessors, now, busy: new Set(own.slice(0, busy)), isLeaving }
    const expected = rebalance({ leases: [...leases.values()], workers: [...workers.values()] }, heartbeat)
    assert.deepStrictEqual(yield* store.beat(kind, { ...heartbeat, leaseMillis }), expected)
    for (const partition of expected.released) leases.delete(partition)
    for (const partition of expected.leased) {
      leases.set(partition, { partition, heldBy: worker, heldUntil: now + leaseMillis })
    }
    for (const id of [worker, ...predecessors]) workers.delete(id)
    if (!isLeaving) workers.set(worker, { id: worker, liveUntil: now + leaseMillis })
  }
})

const leaseTests = (it: TenantTest): void => {
  it("applies the rule of shares to the stored leases of a kind of work, for any heartbeats", function* () {
    yield* check(fc.array(anyBeat, { maxLength: 30 }), runBeats, { numRuns: 30 })
  })

  it("leases no partition to two workers with concurrent heartbeats, and all of them in the end", function* () {
    const now = laterTime()
    const all = Array.from({ length: 5 }, freshWorker)
    const beat = (worker: string) =>
      LeaseStore.use((store) =>
        store.beat("delivery", { worker, predecessors: [], now, leaseMillis, busy: new Set(), isLeaving: false })
      )
    for (let round = 0; round < 4; round++) {
      yield* Effect.forEach(all, beat, { concurrency: "unbounded", discard: true })
    }
    const shares = yield* Effect.forEach(all, beat, { concurrency: "unbounded" })
    assert.sameMembers(
      shares.flatMap(({ leased }) => leased),
      [...Array(partitionCount).keys()]
    )
    for (const { leased } of shares) assert.isAtMost(leased.length, Math.ceil(partitionCount / all.length))
  })
}

/** The contract of `LeaseStore`. */
export const leaseSuite = (it: TenantTest): void => {
  describe("LeaseStore.beat", () => leaseTests(it))
}
