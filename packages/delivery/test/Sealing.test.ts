import { assert, describe, it } from "@effect/vitest"
import { batchMax, emptyChain } from "@wcs/domain/audit/AuditSeal"
import { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import { AuditSignatures } from "@wcs/domain/audit/AuditSignatures"
import { follow, readMax } from "@wcs/domain/audit/AuditVerification"
import type { Mark } from "@wcs/domain/audit/SettledPosition"
import { Digest } from "@wcs/domain/shared/Digest"
import * as AuditKeys from "@wcs/keys/AuditSignatures"
import { Effect, Fiber, Layer, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { tenantId } from "./Seeds.ts"
import { deliver, hour, putWebhook, started, surroundings } from "./World.ts"

/** Writes this many audit entries: each delivery has one. */
const write = (count: number, first = 1) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => first + index),
    (m) => deliver(1, m),
    { discard: true }
  )

const sealsOf = (tenant: string) => AuditSealStore.use((store) => store.seals(tenant, 0, 1000))

/** The sizes of the batches of a tenant, once they have this many entries. Signing takes real time. */
const countsUntil = Effect.fnUntraced(function* (tenant: string, entries: number) {
  for (;;) {
    const counts = (yield* sealsOf(tenant)).map(({ count }) => count)
    if (counts.reduce((sum, count) => sum + count, 0) >= entries) return counts
    yield* Effect.promise(() => new Promise(setImmediate))
  }
})

/** Verifies the seals of a tenant against the store. */
const assertVerified = Effect.fnUntraced(function* (tenant: string) {
  const store = yield* AuditSealStore
  const { sha256 } = yield* Digest
  const verify = yield* AuditKeys.verifierOf(yield* AuditSignatures.use(({ keys }) => keys))
  let end = emptyChain
  for (const seal of yield* sealsOf(tenant)) {
    const entries = yield* store.entries(tenant, { after: end.position, upTo: seal.lastPosition }, readMax(seal))
    const signed = Option.getOrUndefined(yield* verify(seal.signature))
    end = Result.getOrThrow(follow(end, tenant, { seal, entries }, signed, sha256))
  }
})

const round = TestClock.adjust(hour)

/** A store whose mark a test sets. */
const marked = (marks: { current: Mark | undefined }) =>
  Layer.effect(
    AuditSealStore,
    Effect.map(AuditSealStore, (store) =>
      AuditSealStore.of({
        ...store,
        mark: Effect.suspend(() => (marks.current === undefined ? store.mark : Effect.succeed(marks.current)))
      })
    )
  )

describe("sealing the audit log", () => {
  it.effect("seals new entries in each round, in batches, and nothing when there are none", () =>
    Effect.gen(function* () {
      yield* putWebhook(1, undefined)
      yield* Effect.asVoid(started({ stopMillis: 0 }))
      yield* write(3)
      yield* round
      yield* round
      assert.deepStrictEqual(yield* countsUntil(tenantId, 3), [3])
      yield* write(batchMax + 2, 10)
      yield* round
      assert.deepStrictEqual(yield* countsUntil(tenantId, batchMax + 5), [3, batchMax, 2])
      yield* assertVerified(tenantId)
      yield* assertVerified("") // the entry of the signing key
      assert.deepStrictEqual(yield* countsUntil("", 1), [1])
    }).pipe(Effect.provide(surroundings))
  )

  it.effect("never seals above a position that an open transaction may still write to", () => {
    const marks: { current: Mark | undefined } = { current: undefined }
    return Effect.gen(function* () {
      yield* putWebhook(1, undefined)
      yield* Effect.asVoid(started({ stopMillis: 0 }))
      yield* write(5)
      const written = yield* AuditSealStore.use((store) => store.entries(tenantId, { after: null, upTo: 1000 }, 5))
      const [third = 0, fifth = 0] = [written[2]?.position, written[4]?.position]
      marks.current = { position: third, writers: ["a"] }
      yield* round
      yield* round
      assert.deepStrictEqual(yield* sealsOf(tenantId), [], "the writer is open")
      marks.current = { position: fifth, writers: ["b"] }
      yield* round
      assert.deepStrictEqual(yield* countsUntil(tenantId, 3), [3], "the writer has ended")
      marks.current = { position: fifth, writers: [] }
      yield* round
      assert.deepStrictEqual(yield* countsUntil(tenantId, 5), [3, 2])
      yield* assertVerified(tenantId)
    }).pipe(Effect.provide(Layer.provideMerge(marked(marks), surroundings)))
  })

  it.effect("continues the chain of another worker, each batch sealed once", () =>
    Effect.gen(function* () {
      yield* putWebhook(1, undefined)
      const stop = yield* started({ stopMillis: 0 })
      yield* Effect.asVoid(started({ stopMillis: 0 }))
      yield* write(4)
      yield* round
      yield* countsUntil(tenantId, 4)
      yield* stop
      yield* write(4, 10)
      const rounds = yield* Effect.forkChild(Effect.forever(round))
      const counts = yield* countsUntil(tenantId, 8)
      assert.strictEqual(
        counts.reduce((sum, count) => sum + count, 0),
        8
      )
      yield* Fiber.interrupt(rounds)
      yield* assertVerified(tenantId)
    }).pipe(Effect.provide(surroundings))
  )

  it.effect("continues after a failure of the store", () => {
    let failures = 2
    const failing = Layer.effect(
      AuditSealStore,
      Effect.map(AuditSealStore, (store) =>
        AuditSealStore.of({
          ...store,
          insert: (seal) => (failures-- > 0 ? Effect.die("the store is away") : store.insert(seal))
        })
      )
    )
    return Effect.gen(function* () {
      yield* putWebhook(1, undefined)
      yield* Effect.asVoid(started({ stopMillis: 0 }))
      yield* write(3)
      const rounds = yield* Effect.forkChild(Effect.forever(round))
      assert.deepStrictEqual(yield* countsUntil(tenantId, 3), [3])
      yield* Fiber.interrupt(rounds)
      yield* assertVerified(tenantId)
    }).pipe(Effect.provide(Layer.provideMerge(failing, surroundings)))
  })
})
