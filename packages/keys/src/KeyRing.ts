import { serverActing } from "@wcs/domain/audit/AuditEntry"
import { Ids } from "@wcs/domain/shared/Id"
import type { Instant } from "@wcs/domain/shared/Instant"
import { Seal } from "@wcs/domain/shared/Seal"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import {
  isCurrent,
  isVerifying,
  type SigningKey,
  type SigningKeyUse,
  signingMillis
} from "@wcs/domain/token/SigningKey"
import { Clock, Data, Effect, Exit, Option, Semaphore } from "effect"
import * as SigningKeyPair from "./SigningKeyPair.ts"
import { insertNewKey } from "./SigningKeyRotation.ts"

/** A signing key in the store does not open under this master key. Nothing was changed. */
export class MasterKeyMismatch extends Data.TaggedError("MasterKeyMismatch")<{ readonly kid: string }> {
  override get message(): string {
    return (
      `the master key does not open signing key ${this.kid} of this store: ` +
      "its rotation is not complete, or the data was written under another master key; nothing was changed"
    )
  }
}

/** An unknown kid triggers a re-read of the keys at most this often, so that bad tokens cannot flood the store. */
const rereadMillis = 1000

/** The keys of the last read, newest first. */
interface Ring {
  readonly epoch: number
  readonly readAt: Instant
  readonly keys: ReadonlyMap<string, SigningKeyPair.SigningKeyPair>
}

/** The current keys of one use. */
export interface KeyRing {
  /** The signing key. Creates the next one when the newest is older than its signing time. */
  readonly current: Effect.Effect<SigningKeyPair.SigningKeyPair>
  /** The key with this kid, if its signatures are still accepted. */
  readonly verifying: (kid: string) => Effect.Effect<Option.Option<SigningKeyPair.SigningKeyPair>>
  /** All keys whose signatures are still accepted. */
  readonly allVerifying: Effect.Effect<ReadonlyArray<SigningKeyPair.SigningKeyPair>>
}

/**
 * Opens all keys of one use, retired ones too. Creates the first one if there is none, but only under the master key
 * of the keys of other uses.
 */
export const make = Effect.fnUntraced(function* (use: SigningKeyUse) {
  const store = yield* AccessStore
  const seal = yield* Seal
  const ids = yield* Ids
  const lock = yield* Semaphore.make(1)

  const open = (key: SigningKey) =>
    Effect.mapError(SigningKeyPair.open(key), () => new MasterKeyMismatch({ kid: key.kid }))

  const readRing = Effect.fnUntraced(
    function* (known: Ring["keys"]) {
      // Read before the keys: a change during the read then raises the epoch again.
      const epoch = store.epoch()
      const readAt = yield* Clock.currentTimeMillis
      const stored = yield* store.listSigningKeys
      const keys = yield* Effect.forEach(
        stored.filter((key) => key.use === use),
        (key) => {
          const opened = known.get(key.kid)
          return opened === undefined ? open(key) : Effect.succeed(opened)
        }
      )
      const [other] = stored
      if (keys.length === 0 && other !== undefined) yield* open(other)
      return { epoch, readAt, keys: new Map(keys.map((key) => [key.kid, key])) } satisfies Ring
    },
    Effect.provideService(Seal, seal)
  )

  // Open all keys first: a wrong master key must be found before anything is written.
  let ring: Ring = yield* readRing(new Map())

  const readAgain = Effect.gen(function* () {
    const epoch = store.epoch()
    const readAt = yield* Clock.currentTimeMillis
    ring = yield* Effect.catchTag(readRing(ring.keys), "MasterKeyMismatch", (error) =>
      // Another process has written under another master key since the start. Keep the keys already known.
      Effect.as(Effect.logError(error.message), { ...ring, epoch, readAt })
    )
  })

  /** The keys, re-read if the epoch has risen, or if a kid is missing and the last read is long enough ago. */
  const freshRing = Effect.fnUntraced(function* (wanted: string | undefined) {
    const isStale = Effect.gen(function* () {
      if (store.epoch() !== ring.epoch) return true
      if (wanted === undefined || ring.keys.has(wanted)) return false
      return Math.abs((yield* Clock.currentTimeMillis) - ring.readAt) >= rereadMillis
    })
    if (yield* isStale) yield* lock.withPermit(Effect.flatMap(isStale, (still) => (still ? readAgain : Effect.void)))
    return ring
  })

  /** The signing key at a moment: the newest, unless it is too old. */
  const currentIn = ({ keys }: Ring, now: Instant): SigningKeyPair.SigningKeyPair | undefined => {
    const [newest] = keys.values()
    return newest !== undefined && isCurrent(newest, now) ? newest : undefined
  }

  const services = yield* Effect.context<AccessStore | Seal | Ids>()
  const rotate = Effect.fn("KeyRing.rotate")(function* (now: Instant) {
    // If several processes do this concurrently, the store keeps one key and all of them read it.
    yield* insertNewKey(use, serverActing(yield* ids.ulid), now, now - signingMillis)
    yield* readAgain
  }, Effect.provideContext(services))

  const current: KeyRing["current"] = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const signing = currentIn(yield* freshRing(undefined), now)
    if (signing !== undefined) return signing
    yield* lock.withPermit(Effect.suspend(() => (currentIn(ring, now) === undefined ? rotate(now) : Effect.void)))
    const made = currentIn(ring, now)
    return made ?? (yield* Effect.die(new Error("the store has a current signing key that cannot be opened here")))
  })

  // Create the first key at the start, so that the store always has a key that detects a wrong master key. If another
  // process has started on the same empty store with another master key first, this start fails.
  const begun = yield* Effect.exit(current)
  if (Exit.isFailure(begun)) yield* readRing(ring.keys)
  yield* begun

  return {
    current,
    verifying: Effect.fnUntraced(function* (kid) {
      const key = (yield* freshRing(kid)).keys.get(kid)
      return key !== undefined && isVerifying(key, yield* Clock.currentTimeMillis) ? Option.some(key) : Option.none()
    }),
    allVerifying: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      return [...(yield* freshRing(undefined)).keys.values()].filter((key) => isVerifying(key, now))
    })
  } satisfies KeyRing
})
