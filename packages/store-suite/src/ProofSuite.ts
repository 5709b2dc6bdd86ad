import { assert, describe } from "@effect/vitest"
import type { AuditSeal } from "@wcs/domain/audit/AuditSeal"
import { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import { ErasureStore } from "@wcs/domain/erasure/ErasureStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { Worker } from "@wcs/domain/people/Worker"
import { ProofStore } from "@wcs/domain/proof/ProofStore"
import { Effect } from "effect"
import {
  auditEntry,
  auditLog,
  created,
  credentialFields,
  freshTenant,
  mint,
  put,
  revise,
  start,
  type TenantTest,
  workerFields
} from "./Fixtures.ts"

const seal = (tenantId: string, number: number, lastPosition: number, count = 1): AuditSeal => ({
  ...{ tenantId, number, count, firstId: "aud_1", lastId: "aud_1", lastPosition },
  ...{ entriesHash: "hash", contents: [], previousHash: "", sealedAt: start, signature: "" }
})

/** A worker and a card with three versions. */
const fill = Effect.fnUntraced(function* (tenant: string) {
  const worker = created(mint("worker"), workerFields())
  yield* put(Worker, tenant, worker)
  const card = created(mint("credential"), credentialFields({ worker: worker.id }))
  yield* put(Credential, tenant, card)
  for (const category of ["second", "third"]) {
    yield* revise(Credential, tenant, card.id, (before) => ({
      ...before,
      version: before.version + 1,
      updatedAt: before.updatedAt + 1,
      fields: { attributes: { ...before.fields.attributes, category } }
    }))
  }
  return { worker: worker.id, card: card.id }
})

/** Tests what sealing reads and writes of records, and `ProofStore`. */
export const proofSuite = (it: TenantTest): void => {
  describe("AuditSealStore: versions of records", () => {
    it("threat 67: has each version until a seal names it, and its salt until it is erased", function* (tenant) {
      const [seals, proofs, erasures] = [yield* AuditSealStore, yield* ProofStore, yield* ErasureStore]
      const { card, worker } = yield* fill(tenant)
      const unsealed = (ids: ReadonlyArray<string>, limit = 10) =>
        Effect.map(seals.unsealedVersions(tenant, "credential", ids, limit), (found) =>
          found.map(({ id, version }) => [id, version])
        )
      const all = [3, 2, 1].map((version) => [card, version])
      assert.deepStrictEqual(yield* unsealed([card, "cred_unknown"]), all)
      assert.deepStrictEqual(yield* unsealed([card], 2), all.slice(0, 2))
      assert.deepStrictEqual(yield* unsealed([worker]), [])
      assert.deepStrictEqual(yield* seals.unsealedVersions(freshTenant(), "credential", [card], 10), [])
      const [first] = yield* seals.unsealedVersions(tenant, "credential", [card], 10)
      assert.deepInclude(first, {
        kind: "credential",
        workerId: worker,
        applicantId: "",
        createdAt: start,
        deletedAt: null
      })

      const salts = [1, 2].map((version) => ({
        kind: "credential" as const,
        id: card,
        version,
        salt: `salt ${version}`
      }))
      assert.isTrue(yield* seals.insert(seal(tenant, 1, 7), salts))
      assert.isFalse(
        yield* seals.insert(seal(tenant, 1, 7), [{ kind: "credential", id: card, version: 3, salt: "late" }])
      )
      assert.deepStrictEqual(yield* unsealed([card]), all.slice(0, 1))

      const keys = [1, 2, 3].map((version) => ({ id: card, version }))
      const sealed = Effect.map(proofs.versions(tenant, "credential", keys), (found) =>
        found
          .toSorted((one, two) => one.version.version - two.version.version)
          .map(({ sealed, version }) => [version.version, sealed])
      )
      const [one, two] = salts.map(({ salt, version }) => [version, { number: 1, salt, at: start }] as const)
      assert.deepStrictEqual(yield* sealed, [one, two, [3, null]] as never)

      // an erasure empties the versions before the last one
      yield* erasures.forgetVersions(tenant, { type: "worker", id: worker }, 10)
      assert.deepStrictEqual(yield* sealed, [[3, null]])
      yield* seals.insert(seal(tenant, 2, 8), [{ kind: "credential", id: card, version: 3, salt: "salt 3" }])
      assert.deepStrictEqual(yield* sealed, [[3, { number: 2, salt: "salt 3", at: start }]])
    })
  })

  describe("ProofStore", () => {
    it("has the entries of records at times, and the seal of each position", function* (tenant) {
      const [seals, proofs] = [yield* AuditSealStore, yield* ProofStore]
      const audit = [0, 1, 2, 3].map((age) => auditEntry(age === 3 ? "cred_2" : "cred_1", { at: start + age }))
      yield* put(Worker, tenant, created(mint("worker"), workerFields()), { audit, events: [] })
      const found = (times: ReadonlyArray<number>, limit = 10) =>
        Effect.map(proofs.entries(tenant, ["cred_1"], times, limit), (entries) => entries.map(({ at }) => at - start))
      assert.deepStrictEqual(yield* found([start, start + 2, start + 3]), [0, 2])
      assert.deepStrictEqual(yield* found([start, start + 2], 1), [0])
      const newest = (by: number) =>
        Effect.map(proofs.newestEntries(tenant, ["cred_1", "cred_2", "cred_3"], by), (entries) =>
          entries.map(({ at }) => at - start).toSorted()
        )
      assert.deepStrictEqual(yield* newest(start + 1), [1])
      assert.deepStrictEqual(yield* newest(start + 3), [2, 3])
      const positions = (yield* auditLog(tenant)).map(({ position }) => position)
      const [first = 0, second = 0, third = 0, fourth = 0] = positions
      const sealed = [seal(tenant, 1, second, 2), seal(tenant, 2, third), seal(tenant, 3, fourth)]
      for (const each of sealed.slice(0, 2)) yield* seals.insert(each)
      assert.deepStrictEqual(
        yield* proofs.sealsAt(tenant, positions),
        new Map([
          [first, 1],
          [second, 1],
          [third, 2]
        ])
      )
      assert.deepStrictEqual(yield* proofs.sealsAt(tenant, [fourth]), new Map())

      for (const each of sealed.slice(2)) yield* seals.insert(each)
      const covered = (numbers: ReadonlyArray<number>, of = tenant) =>
        Effect.map(proofs.seals(of, numbers), (found) =>
          found.map(({ entries, seal }) => [seal, entries.map(({ position }) => position)])
        )
      const expected = [[first, second], [third], [fourth]].map((each, index) => [sealed[index], each])
      assert.deepStrictEqual(yield* covered([1, 2, 3]), expected)
      assert.deepStrictEqual(yield* covered([3, 1, 9]), [expected[0], expected[2]])
      assert.deepStrictEqual(yield* covered([]), [])
      assert.deepStrictEqual(yield* covered([1], freshTenant()), [])
    })
  })
}
