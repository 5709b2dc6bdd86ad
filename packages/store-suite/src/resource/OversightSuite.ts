import { assert, describe } from "@effect/vitest"
import { accountUrn } from "@wcs/domain/access/Account"
import { Caller, reachOf } from "@wcs/domain/access/Caller"
import { privilegesOf, type Role } from "@wcs/domain/access/Privilege"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { ResourceHistory } from "@wcs/domain/crud/ResourceHistory"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { ScanStore } from "@wcs/domain/legacy/ScanStore"
import { type Owners, type OwnerType, ownersIn, ownerTypes } from "@wcs/domain/ownership/Ownership"
import { Applicant } from "@wcs/domain/people/Applicant"
import { mayOversee } from "@wcs/domain/people/Oversight"
import { ownerColumns } from "@wcs/domain/people/Owner"
import { Unit, type UnitTree } from "@wcs/domain/people/Unit"
import { Worker } from "@wcs/domain/people/Worker"
import type { Condition } from "@wcs/domain/resource/ListQuery"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import { Effect, Option, Result } from "effect"
import fc from "fast-check"
import { user } from "../access/AccessFixtures.ts"
import {
  applicantFields,
  auditEntry,
  created,
  credentialFields,
  everything,
  freshTenant,
  mint,
  put,
  putAll,
  select,
  start,
  type TenantTest,
  workerFields
} from "../Fixtures.ts"
import { check } from "../Property.ts"
import { scan } from "../ScanStoreSuite.ts"

/** Indexes of a random organization: the parent of each unit, the unit of each person, owners, limits. */
interface Drawn {
  readonly parents: ReadonlyArray<number>
  readonly deleted: ReadonlyArray<boolean>
  readonly people: ReadonlyArray<{ readonly type: OwnerType; readonly unit: number }>
  readonly cards: ReadonlyArray<{ readonly worker: number; readonly applicant: number }>
  readonly limits: ReadonlyArray<number>
}

const units = 5
const unitIndex = fc.integer({ min: -1, max: units - 1 })
const drawn: fc.Arbitrary<Drawn> = fc.record({
  parents: fc.array(unitIndex, { minLength: units, maxLength: units }),
  deleted: fc.array(fc.boolean(), { minLength: units, maxLength: units }),
  people: fc.array(fc.record({ type: fc.constantFrom(...ownerTypes), unit: unitIndex }), {
    minLength: 4,
    maxLength: 10
  }),
  cards: fc.array(fc.record({ worker: fc.integer({ min: -1, max: 4 }), applicant: fc.integer({ min: -1, max: 4 }) }), {
    maxLength: 12
  }),
  limits: fc.array(fc.integer({ min: 0, max: units - 1 }), { maxLength: 3 })
})

/** Stores the organization and the limited account. Returns what the rule says of each row. */
const settle = Effect.fnUntraced(function* (tenantId: string, of: Drawn) {
  const ids = of.parents.map(() => mint("unit"))
  const parentOf = (index: number) => ids[of.parents[index] ?? -1]
  const rows = ids.map((id, index) => {
    const parent = parentOf(index)
    const row = created(id, { name: "Unit", ...(parent === undefined ? {} : { parent: { id: parent } }) })
    return of.deleted[index] === true ? { ...row, deletedAt: start } : row
  })
  yield* putAll(Unit, tenantId, rows)
  const tree: UnitTree = new Map(
    rows.filter(({ deletedAt }) => deletedAt === null).map(({ fields, id }) => [id, fields.parent?.id ?? null])
  )
  const limits = of.limits.flatMap((index) => ids[index] ?? [])
  const people = of.people.map(({ type, unit }) => ({ id: mint(type), type, unit: ids[unit] }))
  for (const { id, type, unit } of people) {
    const inUnit = unit === undefined ? {} : { unit: { id: unit } }
    if (type === "worker") yield* put(Worker, tenantId, created(id, workerFields(inUnit)))
    else yield* put(Applicant, tenantId, created(id, applicantFields(inUnit)))
  }
  const idsOf = (type: OwnerType) => people.filter((person) => person.type === type).map(({ id }) => id)
  const cards = of.cards.flatMap(({ applicant, worker }) => {
    const owners: Owners = {
      worker: idsOf("worker")[worker] ?? null,
      applicant: idsOf("applicant")[applicant] ?? null
    }
    return ownersIn(owners).length === 0 ? [] : [{ id: mint("credential"), owners }]
  })
  yield* putAll(
    Credential,
    tenantId,
    cards.map(({ id, owners }) => created(id, credentialFields(owners)))
  )
  const role: Role = { role: "Admin", units: limits }
  const account = user(tenantId, { role })
  yield* (yield* AccessStore).insertAccount(account, auditEntry(account.id), () => Result.void)
  const caller: Caller["Service"] = {
    ...{ tenantId, timeZone: "Australia/Sydney", account: accountUrn(account.id), rateLimitKey: "", rateLimit: null },
    ...{ workerId: null, bearer: { kind: "password", id: account.id } },
    ...reachOf({ privilegesOf }, role)
  }
  const reached = new Set(people.filter(({ unit }) => mayOversee(limits, tree, unit)).map(({ id }) => id))
  const seen = cards.filter(({ owners }) => ownersIn(owners).some(({ id }) => reached.has(id)))
  return { as: Effect.provideService(Caller, caller), cards, limits, people, reached, seen, tree, units: ids }
})

const idsIn = (rows: Iterable<{ readonly id: string }>) => [...rows].map(({ id }) => id).toSorted()

/** The columns of owners that a row must not show. */
const hiddenIn = (owners: Owners, reached: ReadonlySet<string>): ReadonlyArray<string> =>
  ownersIn(owners).flatMap(({ id, type }) => (reached.has(id) ? [] : [ownerColumns[type]]))

type World = Effect.Success<ReturnType<typeof settle>>

/** What each read of a resource finds, as ids. */
const readsOf = Effect.fnUntraced(function* (resource: Resource, tenantId: string, ids: ReadonlyArray<string>) {
  const store = yield* ResourceStore
  const found: Array<string> = []
  for (const id of ids) if (Option.isSome(yield* store.find(resource, tenantId, id))) found.push(id)
  const page = yield* store.list(resource, tenantId, select({ includeTotal: true }))
  const asked: Array<string> = []
  for (const id of ids) {
    yield* store.change(resource, tenantId, id, [{ resource, id }], ({ current, references: [referred] }) => {
      if (Option.isSome(current) && referred !== undefined && Option.isSome(referred)) asked.push(id)
      return Result.succeed(
        Option.isSome(current)
          ? { _tag: "Unchanged", current: current.value }
          : ({ _tag: "Unchanged", current: { id } } as never)
      )
    })
  }
  return {
    find: found.toSorted(),
    findAll: [...(yield* store.findAll(resource, tenantId, ids)).keys()].toSorted(),
    versions: [...(yield* store.versions(resource, tenantId, ids)).keys()].toSorted(),
    list: idsIn(page.items),
    total: page.total,
    change: [...new Set(asked)].toSorted()
  }
})

const expected = (ids: ReadonlyArray<string>) => {
  const sorted = ids.toSorted()
  return { find: sorted, findAll: sorted, versions: sorted, list: sorted, total: sorted.length, change: sorted }
}

const checkPeople = Effect.fnUntraced(function* (tenantId: string, { limits, people, reached, tree, units }: World) {
  for (const resource of [Worker, Applicant] as ReadonlyArray<Resource>) {
    const ids = idsIn(people.filter(({ type }) => type === resource.type))
    assert.deepStrictEqual(yield* readsOf(resource, tenantId, ids), expected(ids.filter((id) => reached.has(id))))
  }
  const living = [...tree.keys()].filter((id) => mayOversee(limits, tree, id))
  const page = yield* (yield* ResourceStore).list(Unit, tenantId, select())
  assert.deepStrictEqual(idsIn(page.items), living.toSorted())
  assert.isAtLeast(units.length, living.length)
})

/** A filter by a unit finds a card only by an owner whom the caller reaches. */
const checkFilter = Effect.fnUntraced(function* (tenantId: string, { cards, people, reached, tree, units }: World) {
  const store = yield* ResourceStore
  const unitOf = new Map(people.map(({ id, unit }) => [id, unit]))
  for (const unit of [...units, undefined]) {
    const isIn = (id: string) =>
      unit === undefined ? unitOf.get(id) === undefined : mayOversee([unit], tree, unitOf.get(id))
    const found = cards.filter(({ owners }) => ownersIn(owners).some(({ id }) => reached.has(id) && isIn(id)))
    const conditions = [{ _tag: "InUnit", unit } as const]
    const page = yield* store.list(Credential, tenantId, select({ conditions, includeTotal: true }))
    assert.deepStrictEqual([idsIn(page.items), page.total], [idsIn(found), found.length])
  }
})

const checkCards = Effect.fnUntraced(function* (tenantId: string, { cards, people, reached, seen }: World) {
  const ids = idsIn(cards)
  assert.deepStrictEqual(yield* readsOf(Credential, tenantId, ids), expected(idsIn(seen)))
  const store = yield* ResourceStore
  const workers = people.filter(({ type }) => type === "worker").map(({ id }) => id)
  const past = (yield* ResourceHistory).asOf(start + 1)
  const hidden = new Map(seen.map(({ id, owners }) => [id, hiddenIn(owners, reached)]))
  const isVeiled = (rows: Iterable<Stored>) => {
    for (const row of rows) assert.deepStrictEqual(row.hidden ?? [], hidden.get(row.id), row.id)
  }
  for (const reads of [store, past]) {
    const found = yield* reads.findAll(Credential, tenantId, ids)
    assert.deepStrictEqual(idsIn(found.values()), idsIn(seen))
    isVeiled(found.values())
    const held = yield* reads.heldByEach(Credential, tenantId, workers, 20)
    for (const worker of workers) {
      const own = reached.has(worker) ? cards.filter(({ owners }) => owners.worker === worker) : []
      assert.deepStrictEqual(idsIn(held.get(worker) ?? []), idsIn(own))
      isVeiled(held.get(worker) ?? [])
    }
  }
  const pastWorkers = yield* past.page(Worker, tenantId, { after: undefined, pageSize: 100 })
  assert.deepStrictEqual(idsIn(pastWorkers.items), workers.filter((id) => reached.has(id)).toSorted())
  for (const type of ownerTypes) {
    for (const { id } of people.filter((person) => person.type === type)) {
      const conditions: ReadonlyArray<Condition> = [{ _tag: "Equal", column: ownerColumns[type], value: id }]
      const page = yield* store.list(Credential, tenantId, select({ conditions }))
      const own = reached.has(id) ? cards.filter(({ owners }) => owners[type] === id) : []
      assert.deepStrictEqual(idsIn(page.items), idsIn(own))
    }
  }
})

/** What decisions about credentials outside of `ResourceStore` find. */
const checkDecisions = Effect.fnUntraced(function* (tenantId: string, { cards, people, reached, seen }: World) {
  const ownership = yield* OwnershipStore
  const transition = (chosen: Parameters<typeof ownership.transition>[1], entering: (typeof people)[number]) =>
    ownership.transition(tenantId, chosen, entering, (found, { isPresent }) => {
      assert.strictEqual(isPresent, reached.has(entering.id))
      for (const { hidden = [], owners } of found) {
        const columns = hidden.map((type) => ownerColumns[type])
        assert.deepStrictEqual(columns, hiddenIn(owners, reached))
      }
      return Result.succeed({
        answer: idsIn(found),
        changes: new Map(),
        records: { audit: [], events: [] },
        at: start
      })
    })
  for (const person of people) {
    const all = yield* transition({ _tag: "Ids", ids: idsIn(cards) }, person)
    assert.deepStrictEqual(all.answer, idsIn(seen))
    const held = yield* transition({ _tag: "HeldBy", owner: person, limit: 50 }, person)
    const own = reached.has(person.id) ? cards.filter(({ owners }) => owners[person.type] === person.id) : []
    assert.deepStrictEqual(held.answer, idsIn(own))
  }
  const verifications = yield* VerificationStore
  for (const { id } of cards) {
    yield* verifications.begin(tenantId, id, ({ credential }) => {
      assert.strictEqual(
        Option.isSome(credential),
        seen.some((card) => card.id === id)
      )
      return Result.succeed({ next: undefined, records: { audit: [], events: [] } })
    })
  }
  const scans = yield* ScanStore
  const matched = (yield* scans.list(tenantId, { ...everything, includeTotal: true })).items
  assert.deepStrictEqual(matched.map(({ credentialId }) => credentialId ?? "").toSorted(), idsIn(seen))
})

/** Tests that each store finds for a limited account what `mayOversee` says, and all without a caller. */
export const oversightSuite = (it: TenantTest): void => {
  describe("threat 68: the stores", () => {
    it("find for a caller who is limited to units what the rule allows, by each read and each decision", function* () {
      yield* check(
        drawn,
        Effect.fnUntraced(function* (of) {
          const tenantId = freshTenant()
          const world = yield* settle(tenantId, of)
          const scans = yield* ScanStore
          for (const credentialId of [...world.cards.map(({ id }) => id), null]) {
            const outcome = credentialId === null ? "NO_CREDENTIAL" : "MATCHED"
            const row = scan(tenantId, { outcome, credentialId })
            yield* scans.insert(row, auditEntry(row.correlationId, { entityType: "scan" }))
          }
          yield* world.as(checkPeople(tenantId, world))
          yield* world.as(checkCards(tenantId, world))
          yield* world.as(checkFilter(tenantId, world))
          yield* world.as(checkDecisions(tenantId, world))
          const all = yield* (yield* ResourceStore).list(Credential, tenantId, select())
          assert.deepStrictEqual(idsIn(all.items), idsIn(world.cards))
        }),
        { numRuns: 15 }
      )
    }, 60_000)
  })
}
