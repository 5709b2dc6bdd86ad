import { assert, describe, it } from "@effect/vitest"
import { fitting, versionsMax } from "@wcs/delivery/audit/SealBatch"
import type { LoggedEntry } from "@wcs/domain/audit/LoggedEntry"
import type { RecordKind, RecordVersion } from "@wcs/domain/audit/RecordVersion"
import { Effect } from "effect"

const entry = (id: string): LoggedEntry => ({
  ...{ position: 1, id: "aud_1", account: "urn:wcs:operator", bearerKind: null, bearerId: null },
  ...{ operation: "UPDATE", action: "update", entityType: "credential", entityId: id, requestId: "", at: 1000 },
  ...{ workerBefore: null, applicantBefore: null, workerAfter: null, applicantAfter: null }
})

/** A store in which each record has this number of versions without a seal. */
const having = (count: number) => (_: string, kind: RecordKind, ids: ReadonlyArray<string>, limit: number) =>
  Effect.succeed(
    ids
      .flatMap((id) =>
        Array.from(
          { length: count },
          (_, index): RecordVersion => ({
            ...{ kind, id, version: count - index, workerId: "", applicantId: "", createdAt: 0, updatedAt: 0 },
            ...{ deletedAt: null, document: "{}" }
          })
        )
      )
      .slice(0, limit)
  )

const ids = ["cred_1", "cred_2", "cred_3", "cred_4", "cred_5"] as const
const [first, ...others] = ids
const entries = [entry(first), ...others.map(entry)] as const

describe("a batch of entries to seal", () => {
  it.effect("threat 67: has every version of the records of its entries, and fewer entries if they do not fit", () =>
    Effect.gen(function* () {
      const small = yield* fitting(having(2), "tnt_1", entries)
      assert.deepStrictEqual([small.taken.length, small.found.length], [5, 10])
      const large = yield* fitting(having(200), "tnt_1", entries)
      assert.deepStrictEqual([large.taken, large.found.length], [entries.slice(0, 2), 400])
      const huge = yield* fitting(having(versionsMax + 100), "tnt_1", entries)
      assert.deepStrictEqual([huge.taken.length, huge.found.length], [1, versionsMax])
      assert.strictEqual(huge.found[0]?.version, versionsMax + 100)
    })
  )
})
