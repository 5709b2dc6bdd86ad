import { assert, describe } from "@effect/vitest"
import { Credential } from "@wcs/domain/holding/Credential"
import { partitionOf } from "@wcs/domain/lease/Partition"
import { Effect, Option } from "effect"
import { allPartitions } from "../delivery/DeliveryFixtures.ts"
import { find, freshTenant, remove, start, type TenantTest } from "../Fixtures.ts"
import { byWorker, concludeBy, concluded, dueRuns, postponed, putAsked } from "./VerificationFixtures.ts"

const dueTests = (it: TenantTest): void => {
  it("returns a due run with the current credential, deleted or not", function* (tenant) {
    const { credentialId } = yield* putAsked(tenant, start)
    yield* remove(Credential, tenant, credentialId)
    assert.deepStrictEqual(yield* dueRuns(start - 1), { runs: [], nextDueAt: start })
    const { nextDueAt, runs } = yield* dueRuns(start)
    const [run] = runs
    assert.deepStrictEqual([run?.tenantId, run?.credentialId, run?.attempt], [tenant, credentialId, 1])
    assert.deepStrictEqual(
      Option.getOrUndefined(run?.credential ?? Option.none()),
      yield* find(Credential, tenant, credentialId)
    )
    assert.isNull(nextDueAt)
  })

  it("returns no run that is in flight or in another partition", function* () {
    const asked = yield* Effect.forEach(Array.from({ length: 12 }), () => putAsked(freshTenant()))
    const halves = [0, 1].map((half) => allPartitions.filter((partition) => partition % 2 === half))
    const found = yield* Effect.forEach(halves, (partitions) => dueRuns(start, 100, { partitions }))
    const ids = found.map(({ runs }) => runs.map(({ credentialId }) => credentialId))
    for (const [half, own] of ids.entries()) for (const id of own) assert.strictEqual(partitionOf(id) % 2, half)
    assert.sameMembers(
      ids.flat(),
      asked.map(({ credentialId }) => credentialId)
    )
    const { runs: inFlight } = yield* dueRuns(start, 5)
    const { runs: others } = yield* dueRuns(start, 100, { inFlight })
    assert.sameMembers(
      [...inFlight, ...others].map(({ credentialId }) => credentialId),
      ids.flat()
    )
    assert.lengthOf(inFlight, 5)
  })

  it("lets only the first of two workers conclude the same attempt", function* (tenant) {
    const { credentialId } = yield* putAsked(tenant)
    const { runs } = yield* dueRuns(start)
    const [first] = runs
    assert.isTrue((yield* concludeBy(tenant, credentialId, byWorker(first), postponed(start, 1))).isDone)
    const late = yield* concludeBy(tenant, credentialId, byWorker(first), concluded())
    assert.deepStrictEqual(late, { isDone: false, basis: undefined })
    const [second] = (yield* dueRuns(start)).runs
    assert.strictEqual(second?.attempt, 2)
    assert.isTrue((yield* concludeBy(tenant, credentialId, byWorker(second), postponed(start + 1, 1))).isDone)
    assert.isFalse((yield* concludeBy(tenant, credentialId, byWorker(second), concluded())).isDone)
    const [third] = (yield* dueRuns(start + 1)).runs
    assert.isTrue((yield* concludeBy(tenant, credentialId, byWorker(third), concluded())).isDone)
  })
}

/** The contract of `VerificationStore.readDue`. */
export const verificationDueSuite = (it: TenantTest): void => {
  describe("VerificationStore.readDue", () => dueTests(it))
}
