import { assert, describe } from "@effect/vitest"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { Credential } from "@wcs/domain/holding/Credential"
import { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import { Effect, Option } from "effect"
import { everything, freshTenant, revise, start, type TenantTest } from "../Fixtures.ts"
import {
  ask,
  concludeBy,
  concluded,
  historyOf,
  noRuns,
  outcome,
  putAsked,
  reviewer,
  verification
} from "./VerificationFixtures.ts"

const keepTests = (it: TenantTest): void => {
  it("stores verifications unchanged, open or answered, in order of request", function* (tenant) {
    const store = yield* VerificationStore
    const first = yield* putAsked(tenant)
    const id = first.credentialId
    const second = yield* ask(tenant, id, {
      trigger: "scan",
      correlationId: "a.B_c:1-",
      requestedAt: start - 5,
      outcome: outcome({ expiryDate: null, errorMessage: "Zoë's register\nis away \u{1F600}" })
    })
    const third = yield* ask(tenant, id, { trigger: "create" })
    yield* putAsked(tenant)
    assert.deepStrictEqual(yield* historyOf(tenant, id), [first, second, third])
    assert.deepStrictEqual(
      yield* store.find(tenant, second.id),
      Option.some({ verification: second, awaitsReview: false })
    )
    const { items, total } = yield* store.list(tenant, id, {
      ...everything,
      direction: "desc",
      pageSize: 2,
      includeTotal: true
    })
    assert.deepStrictEqual([items.map((row) => row.id), total], [[third.id, second.id], 3])
    const rest = yield* store.list(tenant, id, { ...everything, direction: "desc", after: items[1]?.position })
    assert.deepStrictEqual([rest.items.map((row) => row.id), rest.hasMore], [[first.id], false])
  })

  it("keeps tenants apart", function* (mine) {
    const store = yield* VerificationStore
    const yours = freshTenant()
    const { credentialId, id } = yield* putAsked(mine)
    assert.deepStrictEqual(yield* store.find(yours, id), Option.none())
    assert.deepStrictEqual(yield* historyOf(yours, credentialId), [])
    assert.isFalse((yield* concludeBy(yours, credentialId, reviewer, concluded())).isDone)
  })

  it("writes nothing of a refused change", function* (tenant) {
    yield* noRuns
    const { credentialId } = yield* putAsked(tenant)
    const stale = revise(Credential, tenant, credentialId, (row) => row, {
      ...noRecords,
      verifications: [verification(credentialId)]
    })
    yield* Effect.exit(stale)
    assert.lengthOf(yield* historyOf(tenant, credentialId), 1)
  })
}

/** The contract of `VerificationStore` for the history. */
export const verificationHistorySuite = (it: TenantTest): void => {
  describe("VerificationStore, history", () => keepTests(it))
}
