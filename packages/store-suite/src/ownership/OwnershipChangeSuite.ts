import { assert, describe } from "@effect/vitest"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import { EventStore, type OwnershipEntry } from "@wcs/domain/audit/EventStore"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { noOwners, type Owners } from "@wcs/domain/ownership/Ownership"
import { Worker } from "@wcs/domain/people/Worker"
import type { TimelineSelection } from "@wcs/domain/resource/Timeline"
import { Effect, Result } from "effect"
import {
  auditEntry,
  auditLog,
  created,
  credentialFields,
  everything,
  find,
  freshTenant,
  mint,
  put,
  start,
  type TenantTest,
  workerFields
} from "../Fixtures.ts"

/** Gives credentials new owners in one transition. `next` computes them from the found ones. */
const change = Effect.fnUntraced(function* (
  tenant: string,
  ids: ReadonlyArray<string>,
  next: (before: Owners, id: string) => Owners
) {
  const store = yield* OwnershipStore
  yield* store.transition(tenant, { _tag: "Ids", ids }, undefined, (found) => {
    const changes = new Map(found.map(({ id, owners }) => [id, next(owners, id)]))
    const audit = found.map(({ id, owners: before }) =>
      auditEntry(id, { action: "transfer", ownership: { before, after: next(before, id) } })
    )
    return Result.succeed({ answer: undefined, changes, records: { audit, events: [] }, at: start + 1 })
  })
})

/** Stores a credential with its creation in the history. */
const putOwned = Effect.fnUntraced(function* (tenant: string, owners: Owners) {
  const row = created(mint("credential"), credentialFields(owners))
  const entry = auditEntry(row.id, { action: "create", ownership: { before: noOwners, after: owners } })
  yield* put(Credential, tenant, row, { audit: [entry], events: [] })
  return row.id
})

const historyOf = Effect.fnUntraced(function* (
  tenant: string,
  id: string,
  selection: Partial<TimelineSelection<never>> = {}
) {
  const store = yield* EventStore
  return yield* store.ownership(tenant, id, { ...everything, ...selection })
})

const ownersIn = (entries: ReadonlyArray<OwnershipEntry>) => entries.map(({ ownership }) => ownership)

const withoutPosition = ({ position: _, ...entry }: AuditEntry & { readonly position: number }): AuditEntry => entry

const keepTests = (it: TenantTest): void => {
  it("keeps each change of owners with its entry, in order, and no other entry of the credential", function* (tenant) {
    const [worker, other, applicant] = [mint("worker"), mint("worker"), mint("applicant")]
    const id = yield* putOwned(tenant, { worker, applicant: null })
    const bystander = yield* putOwned(tenant, { worker: other, applicant: null })
    const unrelated = [auditEntry(id), auditEntry(id, { action: "verify" })]
    yield* put(Worker, tenant, created(worker, workerFields()), { audit: unrelated, events: [] })
    yield* change(tenant, [id], (owners) => ({ ...owners, applicant }))
    yield* change(tenant, [id, bystander], (owners) => ({ ...owners, worker: null, applicant }))
    const { items, total } = yield* historyOf(tenant, id, { includeTotal: true })
    assert.deepStrictEqual(ownersIn(items), [
      { before: noOwners, after: { worker, applicant: null } },
      { before: { worker, applicant: null }, after: { worker, applicant } },
      { before: { worker, applicant }, after: { worker: null, applicant } }
    ])
    assert.strictEqual(total, 3)
    const entries = (yield* auditLog(tenant)).map(withoutPosition).filter(({ entityId }) => entityId === id)
    assert.deepStrictEqual(
      items.map(withoutPosition),
      entries.filter(({ ownership }) => ownership !== undefined)
    )
    assert.deepStrictEqual(
      entries.filter(({ ownership }) => ownership === undefined),
      unrelated
    )
    assert.lengthOf((yield* historyOf(tenant, bystander)).items, 2)
    assert.lengthOf((yield* historyOf(freshTenant(), id)).items, 0)
  })
}

const wholeTests = (it: TenantTest): void => {
  it("continues from the previous change, also concurrently, and ends with the stored owners", function* (tenant) {
    const ids = yield* Effect.replicateEffect(putOwned(tenant, { worker: mint("worker"), applicant: null }), 3)
    const [first = ""] = ids
    const batches = Array.from({ length: 24 }, (_, index) => (index % 3 === 0 ? ids : [first]))
    yield* Effect.forEach(
      batches,
      (batch) => {
        const worker = mint("worker")
        return change(tenant, batch, ({ applicant }) => ({ worker, applicant }))
      },
      { concurrency: "unbounded" }
    )
    for (const id of ids) {
      const history = ownersIn((yield* historyOf(tenant, id)).items)
      assert.lengthOf(history, id === first ? 25 : 9)
      assert.deepStrictEqual(
        history.map(({ before }) => before),
        [noOwners, ...history.slice(0, -1).map(({ after }) => after)]
      )
      const left = (yield* find(Credential, tenant, id))?.fields.attributes.owners
      assert.deepStrictEqual(history.at(-1)?.after, left)
    }
  })
}

/** Tests `EventStore.ownership`, and the entries that transitions write for it. */
export const ownershipChangeSuite = (it: TenantTest): void => {
  describe("EventStore.ownership", () => {
    keepTests(it)
    wholeTests(it)
  })
}
