import type { AdminClient } from "@wcs/admin/AdminClient"
import { type ChainEnd, emptyChain } from "@wcs/domain/audit/AuditSeal"
import { type Batch, type Fault, follow, type NewestNamed, noteVersions } from "@wcs/domain/audit/AuditVerification"
import type { LoggedEntry } from "@wcs/domain/audit/LoggedEntry"
import { make as digest } from "@wcs/keys/Digest"
import { Effect, Option, Result } from "effect"
import type { Refusal } from "../Operating.ts"
import type { Verify } from "./Keys.ts"

export const { sha256 } = digest

/** A tenant, or the deployment itself. */
export interface Log {
  readonly id: string
  readonly name: string
}

/** The verified part of a log, and the first fault. */
export interface Verified {
  readonly log: Log
  readonly end: ChainEnd
  /** The number of entries with a seal. */
  readonly sealed: number
  /** The number of entries without one. */
  readonly unsealed: number
  readonly fault: Fault | undefined
  /** The versions that the seals have named. It grows with each batch. */
  readonly newest: NewestNamed
}

/** Nothing of a log is verified yet. */
export const unverified = (log: Log): Verified => ({
  log,
  end: emptyChain,
  sealed: 0,
  unsealed: 0,
  fault: undefined,
  newest: new Map()
})

/** Verifies the next batch of a log. */
export const followed = Effect.fnUntraced(function* <E>(
  verified: Verified,
  batch: Batch,
  verify: Verify<E>
): Effect.fn.Return<Verified, E> {
  const signed = Option.getOrUndefined(yield* verify(batch.seal.signature))
  return Result.match(follow(verified.end, verified.log.id, batch, signed, sha256), {
    onFailure: (fault) => ({ ...verified, fault }),
    onSuccess: (end) => {
      const fault = noteVersions(verified.newest, batch.seal)
      return fault === undefined
        ? { ...verified, end, sealed: verified.sealed + batch.entries.length }
        : { ...verified, fault }
    }
  })
})

/** Callbacks for the parts of a log, called in order during the verification. A fault ends the verification. */
export interface Visitor<E> {
  readonly batch: (batch: Batch) => Effect.Effect<Fault | undefined, E>
  readonly unsealed: (entries: ReadonlyArray<LoggedEntry>) => Effect.Effect<void, E>
}

/** Reads the entries of a range, page by page. */
export const eachEntry = Effect.fnUntraced(function* <E>(
  client: AdminClient,
  { id }: Log,
  range: { readonly after: number | null; readonly upTo: number },
  visit: (entries: ReadonlyArray<LoggedEntry>) => Effect.Effect<void, E>
): Effect.fn.Return<void, E | Refusal> {
  for (let { after } = range; ; ) {
    const { entries } = yield* client.readAuditEntries({ payload: { tenantId: id, after, upTo: range.upTo } })
    const last = entries.at(-1)
    if (last === undefined) return
    yield* visit(entries)
    after = last.position
  }
})

/** Reads and verifies the log of a deployment. */
export const walk = Effect.fnUntraced(function* <E>(
  client: AdminClient,
  log: Log,
  verify: Verify<Refusal>,
  visitor: Visitor<E>
): Effect.fn.Return<Verified, E | Refusal> {
  let verified = unverified(log)
  for (;;) {
    const { number, position } = verified.end
    const { batches } = yield* client.readAuditBatches({ payload: { tenantId: log.id, number, position } })
    for (const batch of batches) {
      verified = yield* followed(verified, batch, verify)
      const fault = verified.fault ?? (yield* visitor.batch(batch))
      if (fault !== undefined) return { ...verified, fault }
    }
    if (batches.length === 0) break
  }
  let unsealed = 0
  const range = { after: verified.end.position, upTo: Number.MAX_SAFE_INTEGER }
  yield* eachEntry(client, log, range, (entries) => {
    unsealed += entries.length
    return visitor.unsealed(entries)
  })
  return { ...verified, unsealed }
})
