import { assert, describe } from "@effect/vitest"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import type { Stored } from "@wcs/domain/resource/Resource"
import { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import { Effect, Option, Result } from "effect"
import { auditEntry, auditLog, find, start, type TenantTest } from "../Fixtures.ts"
import { scan, rowsOf as scansOf } from "../ScanStoreSuite.ts"
import {
  ask,
  byWorker,
  concludeBy,
  concluded,
  dueRuns,
  historyOf,
  outcome,
  putAsked,
  verification
} from "./VerificationFixtures.ts"

interface Counted {
  readonly credential: Option.Option<Stored<CredentialFields>>
  readonly openCount: number
}

/** Opens a verification if fewer than `limit` are open. Returns how many were open before. */
const opening = (credentialId: string, limit: number) => (basis: Counted) => {
  const { credential, openCount } = basis
  if (openCount >= limit) return Result.fail("full" as const)
  const next = Option.getOrThrow(Option.map(credential, (row) => ({ ...row, version: row.version + 1 })))
  const records = { ...noRecords, audit: [auditEntry(credentialId)], verifications: [verification(credentialId)] }
  return Result.succeed({ _tag: "Changed" as const, next, records, openCount })
}

type OpenBelow = (
  tenantId: string,
  credentialId: string,
  limit: number
) => Effect.Effect<{ readonly openCount: number }, "full", VerificationStore | ResourceStore>

const openBelow: OpenBelow = (tenantId, credentialId, limit) =>
  VerificationStore.use((store) => store.begin(tenantId, credentialId, opening(credentialId, limit)))

const changeBelow: OpenBelow = (tenantId, credentialId, limit) =>
  ResourceStore.use((store) =>
    store.change(Credential, tenantId, credentialId, [], ({ current, openCount }) =>
      opening(credentialId, limit)({ credential: current, openCount })
    )
  )

/** The contract of both ways to open a verification. */
const countTests = (it: TenantTest, beginBelow: OpenBelow): void => {
  it("counts open verifications of the credential only, and returns the decision", function* (tenant) {
    const { credentialId } = yield* putAsked(tenant)
    yield* putAsked(tenant)
    yield* ask(tenant, credentialId, { outcome: outcome() })
    assert.strictEqual((yield* beginBelow(tenant, credentialId, 9)).openCount, 1)
    assert.strictEqual((yield* beginBelow(tenant, credentialId, 9)).openCount, 2)
    assert.strictEqual((yield* find(Credential, tenant, credentialId))?.version, 4)
    const { runs } = yield* dueRuns(start)
    const run = runs.find((one) => one.credentialId === credentialId)
    const { basis } = yield* concludeBy(tenant, credentialId, byWorker(run), concluded())
    assert.lengthOf(basis?.open ?? [], 3)
    assert.strictEqual((yield* beginBelow(tenant, credentialId, 9)).openCount, 0)
  })

  it("opens no more than the decision allows with concurrent calls, and writes nothing for a refused one", function* (tenant) {
    const { credentialId } = yield* putAsked(tenant)
    const calls = yield* Effect.all(
      Array.from({ length: 12 }, () => Effect.result(beginBelow(tenant, credentialId, 4))),
      { concurrency: "unbounded" }
    )
    assert.sameMembers(
      calls.filter(Result.isSuccess).map(({ success }) => success.openCount),
      [1, 2, 3]
    )
    assert.lengthOf(yield* historyOf(tenant, credentialId), 4)
    assert.lengthOf(yield* auditLog(tenant), 3)
    assert.strictEqual((yield* find(Credential, tenant, credentialId))?.version, 4)
  })
}

const refusedTests = (it: TenantTest): void => {
  it("writes the records alone if the decision stores no credential", function* (tenant) {
    const store = yield* VerificationStore
    const { credentialId } = yield* putAsked(tenant)
    const before = yield* find(Credential, tenant, credentialId)
    const records = { ...noRecords, audit: [auditEntry(credentialId)] }
    yield* store.begin(tenant, credentialId, () => Result.succeed({ next: undefined, records }))
    assert.deepStrictEqual(yield* find(Credential, tenant, credentialId), before)
    assert.lengthOf(yield* auditLog(tenant), 1)
    assert.lengthOf(yield* historyOf(tenant, credentialId), 1)
  })
}

const scanTests = (it: TenantTest): void => {
  it("stores a scan together with its verification, or neither", function* (tenant) {
    const store = yield* VerificationStore
    const { credentialId } = yield* putAsked(tenant)
    const kept = scan(tenant, { status: "queued", outcome: "MATCHED", credentialId })
    const begin = (version: number) =>
      store.begin(tenant, credentialId, ({ credential }) => {
        const next = Option.getOrThrow(Option.map(credential, (row) => ({ ...row, version })))
        const verifications = [verification(credentialId, { trigger: "scan" })]
        return Result.succeed({ next, records: { ...noRecords, scans: [kept], verifications } })
      })
    assert.strictEqual((yield* Effect.exit(begin(1)))._tag, "Failure")
    assert.deepStrictEqual([(yield* scansOf(tenant)).length, (yield* historyOf(tenant, credentialId)).length], [0, 1])
    yield* begin(2)
    assert.deepStrictEqual(yield* scansOf(tenant), [kept])
    assert.lengthOf(yield* historyOf(tenant, credentialId), 2)
  })
}

/** The contract of `VerificationStore.begin`, and of a change that opens a verification. */
export const verificationBeginSuite = (it: TenantTest): void => {
  describe("VerificationStore.begin", () => {
    countTests(it, openBelow)
    refusedTests(it)
    scanTests(it)
  })
  describe("ResourceStore.change that opens verifications", () => countTests(it, changeBelow))
}
