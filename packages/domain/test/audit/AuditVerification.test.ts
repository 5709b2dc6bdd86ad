import { assert, describe, it } from "@effect/vitest"
import {
  type AuditSeal,
  type ChainEnd,
  claimOf,
  emptyChain,
  endAfter,
  hashOf,
  sealOf
} from "@wcs/domain/audit/AuditSeal"
import {
  type Batch,
  compareEnd,
  compareSeal,
  compareUnsealed,
  type Fault,
  follow,
  type NewestNamed,
  noteVersions,
  readMax
} from "@wcs/domain/audit/AuditVerification"
import type { LoggedEntry } from "@wcs/domain/audit/LoggedEntry"
import type { RecordVersion } from "@wcs/domain/audit/RecordVersion"
import { fnv1a } from "@wcs/domain/lease/Fnv"
import type { Sha256 } from "@wcs/domain/shared/Digest"
import { Array as Arr, Result } from "effect"
import fc from "fast-check"

const tenantId = "tnt_0000000000000001"

/** A hash that is good enough for tests, since the domain has none of its own. */
const sha256: Sha256 = (text) =>
  Array.from({ length: 8 }, (_, index) => fnv1a(`${index} ${text}`).toString(16).padStart(8, "0")).join("")

const entryAt = (position: number, values: Partial<LoggedEntry> = {}): LoggedEntry => ({
  position,
  id: `aud_${position}`,
  account: "urn:wcs:operator",
  bearerKind: null,
  bearerId: null,
  operation: "UPDATE",
  action: "link",
  entityType: "credential",
  entityId: "cred_1",
  requestId: "01K0000000000000000000TEST",
  at: 1000 + position,
  workerBefore: null,
  applicantBefore: null,
  workerAfter: null,
  applicantAfter: null,
  ...values
})

/** A log as the store has it. */
interface Log {
  readonly entries: ReadonlyArray<LoggedEntry>
  readonly seals: ReadonlyArray<AuditSeal>
}

/** Seals entries in batches of these sizes. Entries beyond them stay unsealed. */
const sealed = (entries: ReadonlyArray<LoggedEntry>, sizes: ReadonlyArray<number>): Log => {
  const seals: Array<AuditSeal> = []
  let end: ChainEnd = emptyChain
  let from = 0
  for (const size of sizes) {
    const batch = entries.slice(from, from + size)
    if (!Arr.isReadonlyArrayNonEmpty(batch)) break
    const seal = { ...sealOf(end, tenantId, batch, 5000 + from, sha256), signature: "" }
    seals.push({ ...seal, signature: hashOf(seal, sha256) })
    end = endAfter(seal, sha256)
    from += size
  }
  return { entries, seals }
}

/** The claim of a seal, if its signature is valid. Here a signature is the hash itself, which nobody forges. */
const signedBy = (keys: ReadonlySet<string>, seal: AuditSeal) =>
  keys.has(seal.signature) && seal.signature === hashOf(seal, sha256) ? claimOf(seal, sha256) : undefined

/** Verifies a log as a store is read: each batch by its positions. */
const verify = ({ entries, seals }: Log, keys: ReadonlySet<string>): Result.Result<ChainEnd, Fault> => {
  let end: ChainEnd = emptyChain
  for (const seal of seals) {
    const [after, ordered] = [end.position, entries.toSorted((one, two) => one.position - two.position)]
    const batch: Batch = {
      seal,
      entries: ordered
        .filter(({ position }) => (after === null || position > after) && position <= seal.lastPosition)
        .slice(0, readMax(seal))
    }
    const followed = follow(end, tenantId, batch, signedBy(keys, seal), sha256)
    if (Result.isFailure(followed)) return followed
    end = followed.success
  }
  return Result.succeed(end)
}

const keysOf = ({ seals }: Log) => new Set(seals.map(({ signature }) => signature))

/** A sealed log with gaps between positions, and a few entries without a seal. */
const anyLog = fc
  .record({
    gaps: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 24 }),
    sizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 }),
    slots: fc.array(fc.constantFrom(null, "", "wkr_1"), { minLength: 24, maxLength: 24 })
  })
  .map(({ gaps, sizes, slots }) => {
    let position = 0
    const entries = gaps.map((gap, index) => {
      position += gap
      return entryAt(position, { workerAfter: slots[index] ?? null })
    })
    return sealed(entries, sizes)
  })

const sealedCount = ({ seals }: Log) => seals.reduce((sum, { count }) => sum + count, 0)

/** The number of the batch with the n-th entry. */
const batchOf = ({ entries, seals }: Log, index: number) =>
  seals.find(({ lastPosition }) => (entries[index]?.position ?? 0) <= lastPosition)?.number ?? null

/** A log, and the index of one of its sealed entries. */
const anyPlace = anyLog.chain((log) =>
  fc.record({ log: fc.constant(log), index: fc.nat(sealedCount(log) - 1), other: fc.nat(sealedCount(log) - 1) })
)

const faultOf = (log: Log, keys: ReadonlySet<string>): Fault => {
  const found = verify(log, keys)
  assert.isTrue(Result.isFailure(found), "a fault is found")
  return Result.getOrThrow(Result.flip(found))
}

const at = (log: Log, index: number): LoggedEntry => log.entries[index] ?? entryAt(0)
const changes: { readonly [Field in keyof LoggedEntry]: LoggedEntry[Field] } = {
  position: -1,
  id: "aud_other",
  account: "urn:wcs:account:other",
  bearerKind: "oauth",
  bearerId: "other",
  operation: "DELETE",
  action: "unlink",
  entityType: "worker",
  entityId: "other",
  requestId: "other",
  at: 7,
  workerBefore: "other",
  applicantBefore: "",
  workerAfter: "other",
  applicantAfter: "other"
}

describe("an untouched audit log", () => {
  it("verifies, and a later batch continues its chain", () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const end = Result.getOrThrow(verify(log, keysOf(log)))
        assert.deepStrictEqual([end.number, end.position], [log.seals.length, at(log, sealedCount(log) - 1).position])
      })
    )
  })

  it("verifies with entries after the last seal added, altered or deleted", () => {
    fc.assert(
      fc.property(anyLog, fc.nat(3), (log, kept) => {
        const count = sealedCount(log)
        const entries = [...log.entries.slice(0, count + kept), entryAt(1000)]
        assert.isTrue(Result.isSuccess(verify({ ...log, entries }, keysOf(log))))
      })
    )
  })
})

describe("threat 37: the verification names the first batch and entry", () => {
  it("when an entry was deleted", () => {
    fc.assert(
      fc.property(anyPlace, ({ index, log }) => {
        const entries = log.entries.toSpliced(index, 1)
        const fault = faultOf({ ...log, entries }, keysOf(log))
        assert.deepStrictEqual(fault, {
          batch: batchOf(log, index),
          entry: at(log, index).id,
          reason: "entryMissing"
        })
      })
    )
  })

  it("when any value of an entry was altered", () => {
    fc.assert(
      fc.property(
        anyPlace,
        fc.constantFrom(...(Object.keys(changes) as ReadonlyArray<keyof LoggedEntry>)),
        ({ index, log }, field) => {
          const before = at(log, index)
          fc.pre(before[field] !== changes[field])
          const entries = log.entries.with(index, { ...before, [field]: changes[field] })
          const fault = faultOf({ ...log, entries }, keysOf(log))
          if (field === "position" || field === "id") return
          assert.deepStrictEqual(fault, { batch: batchOf(log, index), entry: before.id, reason: "entryAltered" })
        }
      )
    )
  })

  it("when an entry was inserted between sealed ones or before the first", () => {
    fc.assert(
      fc.property(anyPlace, fc.constantFrom("aud_new", "copy"), ({ index, log }, id) => {
        const inserted = entryAt(at(log, index).position - 0.5, { id: id === "copy" ? at(log, 0).id : id })
        const fault = faultOf({ ...log, entries: [...log.entries, inserted] }, keysOf(log))
        assert.strictEqual(fault.batch, batchOf(log, index))
        if (id !== "copy" || index > 0)
          assert.deepStrictEqual([fault.entry, fault.reason], [inserted.id, "entryUnexpected"])
      })
    )
  })

  it("when two entries changed places, within a batch or between batches", () => {
    fc.assert(
      fc.property(anyPlace, ({ index, log, other }) => {
        fc.pre(index < other)
        const [one, two] = [at(log, index), at(log, other)]
        const entries = log.entries
          .with(index, { ...two, position: one.position })
          .with(other, { ...one, position: two.position })
        const fault = faultOf({ ...log, entries }, keysOf(log))
        assert.strictEqual(fault.batch, batchOf(log, index))
        assert.deepStrictEqual(
          [fault.entry, fault.reason],
          [two.id, batchOf(log, index) === batchOf(log, other) ? "entryOutOfOrder" : "entryUnexpected"]
        )
      })
    )
  })

  it("when an altered entry has the digest that the seal names, but not the full one", () => {
    const log = sealed([entryAt(1), entryAt(2)], [2])
    const [seal] = log.seals
    if (seal === undefined) return assert.fail("there is a seal")
    const forged = { ...seal, entriesHash: "other" }
    const hash = hashOf(forged, sha256)
    const altered = { ...log, seals: [{ ...forged, signature: hash }] }
    assert.deepStrictEqual(faultOf(altered, new Set([hash])), { batch: 1, entry: null, reason: "entriesAltered" })
  })
})

describe("threat 37: the verification names the first seal", () => {
  const anySeal = anyLog.chain((log) => fc.record({ log: fc.constant(log), index: fc.nat(log.seals.length - 1) }))

  it("that was altered, and no other", () => {
    fc.assert(
      fc.property(
        anySeal,
        fc.constantFrom<Partial<AuditSeal>>(
          { number: 1000 },
          { tenantId: "tnt_0000000000000002" },
          { count: 1000 },
          { firstId: "aud_other" },
          { lastId: "aud_other" },
          { lastPosition: 1000 },
          { entriesHash: "other" },
          { contents: [] },
          { previousHash: "other" },
          { sealedAt: 0 },
          { signature: "other" }
        ),
        ({ index, log }, change) => {
          const seals = log.seals.map((seal, place) => (place === index ? { ...seal, ...change } : seal))
          const fault = faultOf({ ...log, seals }, keysOf(log))
          assert.deepStrictEqual([fault.batch, fault.entry], [index + 1, null])
        }
      )
    )
  })

  it("that was deleted before others", () => {
    fc.assert(
      fc.property(anySeal, ({ index, log }) => {
        fc.pre(index < log.seals.length - 1)
        const fault = faultOf({ ...log, seals: log.seals.toSpliced(index, 1) }, keysOf(log))
        assert.deepStrictEqual(fault, { batch: index + 1, entry: null, reason: "sealMissing" })
      })
    )
  })

  it("that follows another chain, although each seal is signed", () => {
    fc.assert(
      fc.property(anySeal, ({ index, log }) => {
        fc.pre(index < log.seals.length - 1)
        // Deletes the tail and alters an entry. The deployment then seals again.
        const entries = log.entries.with(
          sealedCount(log) - 1,
          entryAt(at(log, sealedCount(log) - 1).position, { at: 7 })
        )
        const again = sealed(
          entries,
          log.seals.map(({ count }) => count)
        )
        const mixed = [...log.seals.slice(0, index + 1), ...again.seals.slice(index + 1)]
        const found = verify({ entries, seals: mixed }, new Set([...keysOf(log), ...keysOf(again)]))
        assert.isTrue(Result.isSuccess(found), "a new tail alone fits")
        const first = { ...again.seals[0], sealedAt: 0 } as AuditSeal
        const other = { ...first, signature: hashOf(first, sha256) }
        const keys = new Set([...keysOf(log), other.signature])
        const fault = faultOf({ ...log, seals: [other, ...log.seals.slice(1)] }, keys)
        assert.deepStrictEqual(fault, { batch: 2, entry: null, reason: "sealUnchained" })
      })
    )
  })
})

describe("threat 37: an export shows", () => {
  const hashesOf = ({ seals }: Log) => seals.map((seal) => hashOf(seal, sha256))

  it("a missing tail of seals, and nothing if only newer seals follow", () => {
    fc.assert(
      fc.property(anyLog, fc.nat(6), (log, kept) => {
        const exported = hashesOf(log)
        const seals = log.seals.slice(0, kept)
        const end = Result.getOrThrow(verify({ ...log, seals }, keysOf(log)))
        const expected = kept < exported.length ? { batch: kept + 1, entry: null, reason: "sealMissing" } : undefined
        assert.deepStrictEqual(compareEnd(exported, end), expected as Fault | undefined)
        assert.isUndefined(compareEnd(exported.slice(0, kept), end))
      })
    )
  })

  it("a tail that was sealed again", () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const last = sealedCount(log) - 1
        const entries = log.entries.with(last, { ...at(log, last), account: "urn:wcs:account:other" })
        const again = sealed(
          entries,
          log.seals.map(({ count }) => count)
        )
        const faults = again.seals.map((seal) => compareSeal(hashesOf(log), seal, sha256))
        const differing = again.seals.map(({ number }) =>
          number < log.seals.length ? undefined : { batch: number, entry: null, reason: "sealDiffers" }
        )
        assert.deepStrictEqual(faults, differing as ReadonlyArray<Fault | undefined>)
      })
    )
  })

  it("an entry without a seal that was deleted or altered, but not one that was committed later", () => {
    const exported = [entryAt(1), entryAt(3)]
    assert.isUndefined(compareUnsealed(exported, [entryAt(1), entryAt(2), entryAt(3), entryAt(4)]))
    assert.deepStrictEqual(compareUnsealed(exported, [entryAt(1)]), {
      batch: null,
      entry: "aud_3",
      reason: "entryMissing"
    })
    assert.deepStrictEqual(compareUnsealed(exported, [entryAt(1, { at: 7 }), entryAt(3)]), {
      batch: null,
      entry: "aud_1",
      reason: "entryAltered"
    })
  })
})

describe("the versions that seals name", () => {
  const version = (id: string, number: number): RecordVersion => ({
    ...{ kind: "credential", id, version: number, workerId: "", applicantId: "", createdAt: 1, updatedAt: 1 },
    ...{ deletedAt: null, document: "{}" }
  })

  /** Seals that name these versions, each given as a record and a number. */
  const naming = (all: ReadonlyArray<ReadonlyArray<readonly [string, number]>>): ReadonlyArray<AuditSeal> =>
    all.map((named, index) => {
      const salted = named.map(([id, number]) => ({ version: version(id, number), salt: `salt ${index}` }))
      return { ...sealOf(emptyChain, tenantId, [entryAt(index + 1)], 5000, sha256, salted), signature: "" }
    })

  const firstFault = (seals: ReadonlyArray<AuditSeal>): number | undefined => {
    const newest: NewestNamed = new Map()
    const index = seals.findIndex((seal) => noteVersions(newest, seal) !== undefined)
    return index === -1 ? undefined : index
  }

  it("fit if each record is named in order, with gaps or in any order of one seal", () => {
    assert.isUndefined(
      firstFault(
        naming([
          [
            ["a", 3],
            ["b", 1],
            ["a", 1]
          ],
          [["a", 4]],
          [],
          [
            ["b", 9],
            ["a", 7],
            ["b", 8]
          ]
        ])
      )
    )
  })

  it("are a fault if a record is sealed again, whatever its text is, or in an earlier version", () => {
    assert.strictEqual(firstFault(naming([[["a", 1]], [["b", 1]], [["a", 1]]])), 2)
    assert.strictEqual(firstFault(naming([[["a", 4]], [["a", 2]]])), 1)
    assert.strictEqual(
      firstFault(
        naming([
          [
            ["a", 1],
            ["a", 1]
          ]
        ])
      ),
      0
    )
  })
})
