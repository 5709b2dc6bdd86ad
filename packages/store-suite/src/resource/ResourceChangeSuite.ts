import { assert, describe } from "@effect/vitest"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { type Basis, type Change, ResourceStore, storedAfter } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Worker, type WorkerFields } from "@wcs/domain/people/Worker"
import { columnValue, type Resource, type Stored } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Data, Effect, Exit, Option, Result } from "effect"
import fc from "fast-check"
import {
  applicantFields,
  auditEntry,
  auditLog,
  created,
  credentialFields,
  eventDraft,
  find,
  freshTenant,
  idFor,
  listIds,
  mint,
  put,
  remove,
  revise,
  start,
  stored,
  subscribe,
  type TenantTest,
  workerFields
} from "../Fixtures.ts"
import { check } from "../Property.ts"
import { definitions } from "./Definitions.ts"
import { fullWorker } from "./FullWorker.ts"
import { fieldsOf } from "./RandomFields.ts"

/** A reason for which a decision refuses. */
class NotToday extends Data.TaggedError("NotToday")<{ readonly day: string }> {}

// Errors with different fields compare as deeply equal, so the field is compared separately.
const dayOf = (exit: Exit.Exit<unknown, NotToday>): string | undefined =>
  Option.getOrUndefined(Exit.findErrorOption(exit))?.day

/** Runs one change and returns the decision's input. */
const changeAnd = Effect.fnUntraced(function* <Fields extends JsonObject, E>(
  resource: Resource<Fields>,
  tenant: string,
  id: string,
  decide: (basis: Basis<Fields>) => Result.Result<Change<Fields>, E>
) {
  const store = yield* ResourceStore
  let basis: Basis<Fields> | undefined
  const exit = yield* Effect.exit(
    Effect.map(
      store.change(resource, tenant, id, [], (given) => {
        basis = given
        return decide(given)
      }),
      storedAfter
    )
  )
  return { exit, current: Option.getOrUndefined(basis?.current ?? Option.none()) }
})

const recordsOf = (tenant: string) =>
  Effect.gen(function* () {
    const store = yield* EventStore
    return { events: yield* store.events(tenant, 0, 100), audit: yield* auditLog(tenant) }
  })

const decideTests = (it: TenantTest): void => {
  it("decides from nothing if the id is new, stores the decision and returns it", function* (tenant) {
    const row = created(mint("worker"), fullWorker)
    const { current, exit } = yield* changeAnd(Worker, tenant, row.id, () => stored(row))
    assert.isUndefined(current)
    assert.deepStrictEqual(exit, Exit.succeed(row))
    assert.deepStrictEqual(yield* find(Worker, tenant, row.id), row)
  })

  it("decides from the stored resource, deleted or not, and stores the next version whole", function* (tenant) {
    const first = created(mint("worker"), fullWorker)
    yield* put(Worker, tenant, first)
    const second = { ...first, version: 2, updatedAt: start + 5, fields: workerFields() }
    const update = yield* changeAnd(Worker, tenant, first.id, () => stored(second))
    assert.deepStrictEqual(update.current, first)
    assert.deepStrictEqual(yield* find(Worker, tenant, first.id), second)

    const third = yield* remove(Worker, tenant, first.id)
    const fourth = { ...third, version: 4, deletedAt: null }
    const revival = yield* changeAnd(Worker, tenant, first.id, () => stored(fourth))
    assert.deepStrictEqual(revival.current, third)
    assert.deepStrictEqual(yield* find(Worker, tenant, first.id), fourth)
  })

  it("writes nothing if the decision is to change nothing", function* (tenant) {
    const row = created(mint("credential"), credentialFields({ worker: mint("worker") }))
    yield* put(Credential, tenant, row)
    const { current, exit } = yield* changeAnd(Credential, tenant, row.id, ({ current }) =>
      Result.succeed({ _tag: "Unchanged", current: Option.getOrThrow(current) })
    )
    assert.deepStrictEqual(current, row)
    assert.deepStrictEqual(exit, Exit.succeed(row))
    assert.deepStrictEqual(yield* find(Credential, tenant, row.id), row)
    assert.deepStrictEqual(yield* recordsOf(tenant), { events: [], audit: [] })
  })

  it("fails with the decision's error, and writes nothing", function* (tenant) {
    const row = created(mint("worker"), fullWorker)
    const refuse = () => Result.fail(new NotToday({ day: "Sunday" }))
    const first = yield* changeAnd(Worker, tenant, row.id, refuse)
    assert.strictEqual(dayOf(first.exit), "Sunday")
    assert.isUndefined(yield* find(Worker, tenant, row.id))

    yield* put(Worker, tenant, row)
    const second = yield* changeAnd(Worker, tenant, row.id, refuse)
    assert.strictEqual(dayOf(second.exit), "Sunday")
    assert.deepStrictEqual(yield* find(Worker, tenant, row.id), row)
    assert.deepStrictEqual(yield* recordsOf(tenant), { events: [], audit: [] })
  })

  it("dies if the decision throws, writes nothing, and still works", function* (tenant) {
    const row = created(mint("worker"), workerFields())
    const { exit } = yield* changeAnd(Worker, tenant, row.id, () => {
      throw new Error("a defect of the rules")
    })
    assert.isTrue(Exit.hasDies(exit))
    assert.isUndefined(yield* find(Worker, tenant, row.id))
    assert.deepStrictEqual(yield* put(Worker, tenant, row), row)
  })
}

/** Any resource that replaces another is found by each new column value and by no old one. */
const replacedProperty = <Fields extends JsonObject>(resource: Resource<Fields>) =>
  check(
    fc.tuple(fieldsOf(resource), fieldsOf(resource)),
    Effect.fnUntraced(function* ([before, after]) {
      const tenant = freshTenant()
      const { id } = yield* put(resource, tenant, created(idFor(resource), before))
      yield* revise(resource, tenant, id, (row) => ({ ...row, version: 2, fields: after }))
      assert.deepStrictEqual((yield* find(resource, tenant, id))?.fields, after)
      for (const column of Object.keys(resource.columns)) {
        const present = columnValue(resource, column, after)
        for (const value of [columnValue(resource, column, before), present].filter((text) => text !== "")) {
          const found = yield* listIds(resource, tenant, { conditions: [{ _tag: "Equal", column, value }] })
          assert.deepStrictEqual(found, value === present ? [id] : [], `${column} = ${value}`)
        }
      }
    }),
    { numRuns: 30 }
  )

const replaceTests = (it: TenantTest): void => {
  for (const resource of definitions) {
    it(`lists a ${resource.type} by its current columns: a cleared one no longer finds it`, function* () {
      yield* replacedProperty(resource)
    })
  }
}

const referenceTests = (it: TenantTest): void => {
  it("decides from the referenced resources, in their order, deleted or not", function* (tenant) {
    const store = yield* ResourceStore
    const other = freshTenant()
    const worker = created(mint("worker"), fullWorker)
    const applicant = created(mint("applicant"), applicantFields())
    const foreign = created(mint("worker"), workerFields())
    yield* put(Worker, tenant, worker)
    yield* put(Applicant, tenant, applicant)
    yield* put(Worker, other, foreign)
    const deleted = yield* remove(Applicant, tenant, applicant.id)
    const row = created(mint("credential"), credentialFields({ worker: worker.id }))
    const references = [
      { resource: Applicant, id: applicant.id },
      { resource: Worker, id: mint("worker") },
      { resource: Worker, id: worker.id },
      { resource: Worker, id: foreign.id },
      { resource: Worker, id: worker.id }
    ]
    let seen: ReadonlyArray<Stored | undefined> = []
    yield* store.change(Credential, tenant, row.id, references, (basis) => {
      seen = basis.references.map(Option.getOrUndefined)
      return stored(row)
    })
    assert.deepStrictEqual(seen, [deleted, undefined, worker, undefined, worker])
  })

  it("may refer to the changed resource itself", function* (tenant) {
    const store = yield* ResourceStore
    const row = created(mint("worker"), fullWorker)
    yield* put(Worker, tenant, row)
    let seen: ReadonlyArray<Stored | undefined> = []
    yield* store.change(Worker, tenant, row.id, [{ resource: Worker, id: row.id }], (basis) => {
      seen = [...basis.references.map(Option.getOrUndefined), Option.getOrUndefined(basis.current)]
      return stored({ ...row, version: 2 })
    })
    assert.deepStrictEqual(seen, [row, row])
  })
}

const versionTests = (it: TenantTest): void => {
  it("accepts version 1 of a new resource, else one more than the current, and dies for any other", function* (tenant) {
    yield* subscribe(tenant, "webhook", ["credential.created", "credential.updated"])
    const row = created(mint("credential"), credentialFields({ worker: mint("worker") }))
    const records = () => ({ audit: [auditEntry(row.id)], events: [eventDraft(row.id)] })
    const attempt = (version: number) =>
      changeAnd(Credential, tenant, row.id, () => stored({ ...row, version, updatedAt: start + version }, records()))

    assert.isTrue(Exit.hasDies((yield* attempt(2)).exit), "2 for a new resource")
    assert.isUndefined(yield* find(Credential, tenant, row.id))
    yield* put(Credential, tenant, row)
    for (const version of [0, 1, 3]) {
      assert.isTrue(Exit.hasDies((yield* attempt(version)).exit), `${version} after 1`)
      assert.deepStrictEqual(yield* find(Credential, tenant, row.id), row)
    }
    assert.deepStrictEqual(yield* recordsOf(tenant), { events: [], audit: [] })
  })

  it("TRN-05: keeps an id of one tenant apart from the same id of another", function* (mine) {
    const yours = freshTenant()
    const row = created(mint("worker"), fullWorker)
    const theirs = { ...row, fields: workerFields() }
    yield* put(Worker, mine, row)
    const { current } = yield* changeAnd(Worker, yours, row.id, () => stored(theirs))
    assert.isUndefined(current)
    assert.deepStrictEqual(yield* find(Worker, mine, row.id), row)
    assert.deepStrictEqual(yield* find(Worker, yours, row.id), theirs)
  })
}

const concurrencyTests = (it: TenantTest): void => {
  it("loses none of many concurrent changes, and each sees the previous one", function* (tenant) {
    const id = mint("worker")
    const named = (displayName: string) => workerFields({ identity: { displayName } })
    yield* put(Worker, tenant, created(id, named("0")))
    const changes = 16
    const answers = yield* Effect.forEach(
      Array.from({ length: changes }),
      () =>
        revise(Worker, tenant, id, (row) => {
          const count = Number(row.fields.identity.displayName)
          return { ...row, version: row.version + 1, fields: named(String(count + 1)) }
        }),
      { concurrency: "unbounded" }
    )
    const counted = answers.map((row) => Number(row.fields.identity.displayName)).sort((one, two) => one - two)
    assert.deepStrictEqual(
      counted,
      Array.from({ length: changes }, (_, index) => index + 1)
    )
    const last = yield* find(Worker, tenant, id)
    assert.strictEqual(last?.version, changes + 1)
    assert.strictEqual(last?.fields.identity.displayName, String(changes))
  })

  it("lets one of several concurrent creations of an id win, and the others see it", function* (tenant) {
    const store = yield* ResourceStore
    const id = mint("worker")
    const answers = yield* Effect.forEach(
      Array.from({ length: 8 }, (_, index) => workerFields({ identity: { displayName: `candidate ${index}` } })),
      (fields) =>
        store.change(
          Worker,
          tenant,
          id,
          [],
          ({ current }): Result.Result<Change<WorkerFields>> =>
            Option.match(current, {
              onNone: () => stored(created(id, fields)),
              onSome: (row) => Result.succeed({ _tag: "Unchanged", current: row })
            })
        ),
      { concurrency: "unbounded" }
    )
    const kept = yield* find(Worker, tenant, id)
    assert.strictEqual(kept?.version, 1)
    for (const answer of answers) assert.deepStrictEqual(storedAfter(answer), kept)
  })
}

const trailTests = (it: TenantTest): void => {
  it("writes the records with the change: every audit entry, and events that have a subscriber", function* (tenant) {
    yield* subscribe(tenant, "webhook", ["credential.created"])
    const row = created(mint("credential"), credentialFields({ worker: mint("worker") }))
    const audit = [auditEntry(row.id), auditEntry(row.id, { action: "remark" })]
    const told = eventDraft(row.id, "credential.created")
    yield* put(Credential, tenant, row, { audit, events: [told, eventDraft(row.id, "credential.verified")] })
    const records = yield* recordsOf(tenant)
    assert.deepStrictEqual(
      records.audit.map(({ position: _, ...entry }) => entry),
      audit
    )
    assert.deepStrictEqual(
      records.events.map(({ position: _, ...event }) => event),
      [{ ...told, sequence: 1 }]
    )
  })

  it("numbers an event by the version after its change", function* (tenant) {
    const events = yield* EventStore
    yield* subscribe(tenant, "webhook", ["credential.updated"])
    const row = created(mint("credential"), credentialFields({ worker: mint("worker") }))
    yield* put(Credential, tenant, row)
    for (const version of [2, 3, 4]) {
      const records = { ...noRecords, events: [eventDraft(row.id)] }
      yield* revise(Credential, tenant, row.id, (current) => ({ ...current, version }), records)
    }
    const told = yield* events.events(tenant, 0, 10)
    assert.deepStrictEqual(
      told.map(({ sequence, subjectId }) => [subjectId, sequence]),
      [2, 3, 4].map((version) => [row.id, version])
    )
  })
}

/** Tests `ResourceStore.change`. */
export const resourceChangeSuite = (it: TenantTest): void => {
  describe("ResourceStore.change", () => {
    decideTests(it)
    replaceTests(it)
    referenceTests(it)
    versionTests(it)
    trailTests(it)
    concurrencyTests(it)
  })
}
