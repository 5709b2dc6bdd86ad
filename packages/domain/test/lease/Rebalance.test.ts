import { assert, describe, it } from "@effect/vitest"
import { partitionCount, partitionOf } from "@wcs/domain/lease/Partition"
import { type Lease, type LiveWorker, rebalance } from "@wcs/domain/lease/Rebalance"
import fc from "fast-check"

const now = 1000

describe("partitions", () => {
  it("get about as many ids each, and never change", () => {
    const counts = new Array<number>(partitionCount).fill(0)
    for (let n = 0; n < 6400; n++) {
      const partition = partitionOf(`whk_${n.toString(36).padStart(16, "0")}`)
      counts[partition] = (counts[partition] ?? 0) + 1
    }
    assert.isAtLeast(Math.min(...counts), 50)
    assert.isAtMost(Math.max(...counts), 150)
    assert.deepStrictEqual(["whk_0000000000000001", "cred_0000000000000001"].map(partitionOf), [52, 30])
  })
})

describe("heartbeats in any order", () => {
  const ids = ["a", "b", "c", "d"]

  it("never lease a partition twice, and end with fair shares of all partitions", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            id: fc.constantFrom(...ids),
            isLeaving: fc.boolean(),
            busy: fc.nat({ max: 64 }),
            predecessors: fc.subarray(ids)
          })
        ),
        (steps) => {
          let leases: ReadonlyArray<Lease> = []
          let workers: ReadonlyArray<LiveWorker> = []
          const beat = (
            id: string,
            isLeaving: boolean,
            busy: ReadonlySet<number>,
            predecessors: ReadonlyArray<string>
          ) => {
            const share = rebalance({ leases, workers }, { worker: id, predecessors, now, busy, isLeaving })
            const isOwn = (one: string) => one === id || predecessors.includes(one)
            const settled = [...share.leased, ...share.released]
            for (const { heldBy, partition } of leases) if (isOwn(heldBy)) assert.include(settled, partition)
            const others = leases.filter(({ heldBy }) => !isOwn(heldBy))
            for (const partition of share.leased) {
              assert.isFalse(
                others.some((lease) => lease.partition === partition),
                "leased twice"
              )
            }
            for (const partition of share.released) assert.isFalse(busy.has(partition), "released while busy")
            leases = [...others, ...share.leased.map((partition) => ({ partition, heldBy: id, heldUntil: now + 1 }))]
            workers = [...workers.filter((one) => !isOwn(one.id)), ...(isLeaving ? [] : [{ id, liveUntil: now + 1 }])]
          }
          const busyOf = (id: string, most: number) =>
            new Set(
              leases
                .filter(({ heldBy }) => heldBy === id)
                .map(({ partition }) => partition)
                .slice(0, most)
            )
          for (const { busy, id, isLeaving, predecessors } of steps) {
            beat(id, isLeaving, busyOf(id, busy), predecessors)
          }
          for (const id of [...ids, ...ids, ...ids]) beat(id, false, new Set(), [])
          assert.lengthOf(new Set(leases.map(({ partition }) => partition)), partitionCount)
          for (const id of ids) assert.strictEqual(busyOf(id, partitionCount).size, partitionCount / ids.length)
        }
      )
    )
  })
})
