import { AuditSettings, batchMax, claimOf, emptyChain, endAfter, sealOf } from "@wcs/domain/audit/AuditSeal"
import { type AuditedTenant, AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import { AuditSignatures } from "@wcs/domain/audit/AuditSignatures"
import type { SealedVersion } from "@wcs/domain/audit/RecordVersion"
import { makeSettling } from "@wcs/domain/audit/SettledPosition"
import { partitionOf } from "@wcs/domain/lease/Partition"
import { Digest } from "@wcs/domain/shared/Digest"
import { Ids } from "@wcs/domain/shared/Id"
import { Array as Arr, Clock, Effect, Option } from "effect"
import * as Loop from "../Loop.ts"
import * as Leases from "../lease/Leases.ts"
import * as Measures from "../Measures.ts"
import { fitting } from "./SealBatch.ts"

/** The number of tenants that one statement looks at. */
const tenantsMax = 256

/** The length of the random text in the digest of a version: 131 bits. */
const saltLength = 22

/** The number of batches of a tenant before the next tenant has its turn. */
const turnMax = 16

/**
 * Seals the new audit entries of the tenants that this worker leases, in batches, with the versions of the records that
 * they are about. The entries of a batch are settled: no open transaction can add one between them. If two workers act
 * on the same lease, only one of them can seal a batch, because the store keeps one seal of each number.
 */
export const start = Effect.gen(function* () {
  const { sealMillis } = yield* AuditSettings
  const store = yield* AuditSealStore
  const signatures = yield* AuditSignatures
  const { sha256 } = yield* Digest
  const ids = yield* Ids
  /** The position and the leased partitions of the last round that sealed all settled entries. */
  let finished: { readonly position: number; readonly partitions: string } | undefined
  const settle = yield* makeSettling(store.mark)
  const leases = yield* Leases.make("audit", { busy: () => new Set(), changed: () => {} })

  /** Seals the next batch of a tenant, up to a settled position. Returns whether more entries may be left. */
  const sealNext = Effect.fn("Sealing.sealNext")(function* (tenantId: string, upTo: number) {
    const newest = yield* store.newestSeal(tenantId)
    const end = Option.match(newest, { onNone: () => emptyChain, onSome: (seal) => endAfter(seal, sha256) })
    const entries = yield* store.entries(tenantId, { after: end.position, upTo }, batchMax)
    if (!Arr.isReadonlyArrayNonEmpty(entries)) return false
    const { found, taken } = yield* fitting(store.unsealedVersions, tenantId, entries)
    const versions: Array<SealedVersion> = []
    for (const version of found) versions.push({ version, salt: yield* ids.secret(saltLength) })
    const seal = sealOf(end, tenantId, taken, yield* Clock.currentTimeMillis, sha256, versions)
    const signature = yield* signatures.sign(claimOf(seal, sha256))
    const salts = versions.map(({ salt, version: { id, kind, version } }) => ({ kind, id, version, salt }))
    if (yield* store.insert({ ...seal, signature }, salts)) yield* Measures.sealed(taken.length)
    return entries.length === batchMax || taken.length < entries.length
  })

  const isBehind = ({ newest, sealedTo, tenantId }: AuditedTenant): boolean =>
    newest !== null && (sealedTo === null || newest > sealedTo) && leases.isActive(partitionOf(tenantId))

  /** Seals up to `turnMax` batches of a tenant. Returns whether more may be left. */
  const sealTurn = Effect.fnUntraced(function* ({ tenantId }: AuditedTenant, upTo: number) {
    for (let turn = 0; turn < turnMax; turn++) {
      if (!(yield* sealNext(tenantId, upTo))) return false
      yield* Effect.yieldNow // requests run between two batches
    }
    return true
  })

  /** Seals the settled entries of every leased tenant. Returns whether more are left. */
  const sealAll = Effect.fnUntraced(function* (upTo: number) {
    let isMore = false
    for (let after: string | null = null; ; ) {
      const tenants: ReadonlyArray<AuditedTenant> = yield* store.tenants(after, tenantsMax)
      for (const tenant of tenants.filter(isBehind)) if (yield* sealTurn(tenant, upTo)) isMore = true
      const last = tenants.at(-1)
      if (last === undefined || tenants.length < tenantsMax) return isMore
      after = last.tenantId
    }
  })

  /** Returns the time until the next round. Without new entries a round reads the newest position only. */
  const round = Effect.gen(function* () {
    const position = yield* settle
    const partitions = leases.active().join()
    if (partitions === "" || (finished?.position === position && finished.partitions === partitions)) return sealMillis
    const isMore = yield* sealAll(position)
    if (!isMore) finished = { position, partitions }
    return isMore ? 0 : sealMillis
  })

  yield* Loop.rounds("Sealing the audit log failed.", sealMillis)(round)
})
