import { assert, describe } from "@effect/vitest"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import type { Owners } from "@wcs/domain/ownership/Ownership"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Worker } from "@wcs/domain/people/Worker"
import {
  type Condition,
  cursorAfter,
  parse,
  type Query,
  type Selection,
  totalLimit
} from "@wcs/domain/resource/ListQuery"
import type { Resource } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Effect, Result } from "effect"
import {
  applicantFields,
  created,
  credentialFields,
  freshTenant,
  idFor,
  listIds,
  mint,
  put,
  putAll,
  remove,
  select,
  start,
  type TenantTest,
  workerFields
} from "../Fixtures.ts"

/** The day for which expiry is computed. */
const today = "2026-01-31"

/** The ids that GET with these parameters finds, by id. */
const query = Effect.fnUntraced(function* <Fields extends JsonObject>(
  resource: Resource<Fields>,
  tenant: string,
  parameters: Query
) {
  const selection = Result.getOrThrow(parse(resource, { sort: "id", ...parameters }, today))
  return yield* listIds(resource, tenant, selection)
})

/** Stores rows of one resource and returns their ids by name. */
const rowsOf = Effect.fnUntraced(function* <Fields extends JsonObject, Name extends string>(
  resource: Resource<Fields>,
  tenant: string,
  fields: Readonly<Record<Name, Fields>>
) {
  const ids: Record<string, string> = {}
  for (const [name, each] of Object.entries<Fields>(fields)) {
    ids[name] = (yield* put(resource, tenant, created(idFor(resource), each))).id
  }
  return ids as Readonly<Record<Name, string>>
})

const equalTests = (it: TenantTest): void => {
  it("WRK-05, WRK-06, WRK-16: matches exactly: no prefix, no substring, no other letter case", function* (tenant) {
    const sourced = (externalId: string) => workerFields({ source: { externalId } })
    const ids = yield* rowsOf(Worker, tenant, {
      exact: sourced("HR-1"),
      again: sourced("HR-1"),
      lower: sourced("hr-1"),
      longer: sourced("HR-10"),
      spaced: sourced("HR-1 "),
      within: sourced("x HR-1"),
      pattern: sourced("HR_1"),
      none: workerFields()
    })
    assert.deepStrictEqual(yield* query(Worker, tenant, { externalId: "HR-1" }), [ids.exact, ids.again])
    assert.deepStrictEqual(yield* query(Worker, tenant, { externalId: "HR_1" }), [ids.pattern])
    assert.deepStrictEqual(yield* query(Worker, tenant, { externalId: "HR-1 " }), [ids.spaced])
    assert.deepStrictEqual(yield* query(Worker, tenant, { externalId: "HR" }), [], "WRK-07")
  })

  it("matches a folded column in any letter case, and a slot by its id", function* (tenant) {
    const ids = yield* rowsOf(Applicant, tenant, {
      one: applicantFields({ emailAddress: "Zoë@Example.org" }),
      two: applicantFields({ emailAddress: "zoe@example.org" })
    })
    assert.deepStrictEqual(yield* query(Applicant, tenant, { emailAddress: "ZOË@example.ORG" }), [ids.one])

    const [worker, applicant] = [mint("worker"), mint("applicant")]
    const held = yield* rowsOf(Credential, tenant, {
      worker: credentialFields({ worker }),
      both: credentialFields({ worker, applicant }),
      other: credentialFields({ worker: mint("worker") })
    })
    assert.deepStrictEqual(yield* query(Credential, tenant, { ownerType: "worker", ownerId: worker }), [
      held.worker,
      held.both
    ])
    assert.deepStrictEqual(yield* query(Credential, tenant, { ownerType: "applicant", ownerId: applicant }), [
      held.both
    ])
  })
}

const dateTests = (it: TenantTest): void => {
  it("finds what expires before a day, or from a day on, and not what never expires", function* (tenant) {
    const worker = mint("worker")
    const until = (expiryDate: string) => credentialFields({ worker }, { expiryDate })
    const ids = yield* rowsOf(Credential, tenant, {
      before: until("2026-02-28"),
      on: until("2026-03-01"),
      after: until("2026-03-02"),
      never: credentialFields({ worker })
    })
    assert.deepStrictEqual(yield* query(Credential, tenant, { expiringBefore: "2026-03-01" }), [ids.before])
    assert.deepStrictEqual(yield* query(Credential, tenant, { expiringBefore: "2026-03-02" }), [ids.before, ids.on])
    const from = (expiringFrom: string, more = {}) => query(Credential, tenant, { expiringFrom, ...more })
    assert.deepStrictEqual(yield* from("2026-03-01"), [ids.on, ids.after])
    assert.deepStrictEqual(yield* from("2026-03-02"), [ids.after])
    assert.deepStrictEqual(yield* from("2026-03-03"), [])
    assert.deepStrictEqual(yield* from("2026-03-01", { expiringBefore: "2026-03-02" }), [ids.on])
  })

  it("finds a verdict as expired after its last day, and no longer by its stored value", function* (tenant) {
    const worker = mint("worker")
    const ids = yield* rowsOf(Credential, tenant, {
      lapsed: credentialFields({ worker }, { eligibility: "MAY_ENGAGE", expiryDate: "2026-01-30" }),
      lastDay: credentialFields({ worker }, { eligibility: "MAY_ENGAGE", expiryDate: today }),
      lasting: credentialFields({ worker }, { eligibility: "MAY_ENGAGE", expiryDate: "2026-02-01" }),
      endless: credentialFields({ worker }, { eligibility: "MAY_ENGAGE" }),
      barred: credentialFields({ worker }, { eligibility: "MAY_NOT_ENGAGE" }),
      barredLapsed: credentialFields({ worker }, { eligibility: "MAY_NOT_ENGAGE", expiryDate: "2000-01-01" }),
      unverifiedLapsed: credentialFields({ worker }, { expiryDate: "2026-01-30" }),
      unverified: credentialFields({ worker })
    })
    assert.deepStrictEqual(yield* query(Credential, tenant, { eligibility: "MAY_ENGAGE" }), [
      ids.lastDay,
      ids.lasting,
      ids.endless
    ])
    assert.deepStrictEqual(yield* query(Credential, tenant, { eligibility: "MAY_NOT_ENGAGE" }), [
      ids.lapsed,
      ids.barred,
      ids.barredLapsed,
      ids.unverifiedLapsed
    ])
    assert.deepStrictEqual(yield* query(Credential, tenant, { eligibility: "IN_PROGRESS" }), [])
  })

  it("finds what was updated after or before a time, and not at it", function* (tenant) {
    const rows = [-1, 0, 1].map((offset) =>
      created(mint("worker"), workerFields(), { createdAt: start - 9, updatedAt: start + offset })
    )
    yield* putAll(Worker, tenant, rows)
    const [before, , after] = rows.map(({ id }) => id)
    const found = (condition: Condition) => listIds(Worker, tenant, { conditions: [condition] })
    assert.deepStrictEqual(yield* found({ _tag: "UpdatedAfter", value: start }), [after])
    assert.deepStrictEqual(yield* found({ _tag: "UpdatedBefore", value: start }), [before])
    assert.deepStrictEqual(yield* found({ _tag: "UpdatedAfter", value: start + 1 }), [])
  })
}

const searchTests = (it: TenantTest): void => {
  const named = (displayName: string, more = {}) => workerFields({ identity: { displayName, ...more } })

  it("finds people by the beginnings of words, however they are written", function* (tenant) {
    const ids = yield* rowsOf(Worker, tenant, {
      hong: named("Nguyễn Thị Hồng".normalize("NFD")),
      sean: named("Seán O’Brien", { otherNames: ["Johnny Łukasz"] }),
      anne: named("Anne-Marie  Strauß"),
      han: named("山田太郎"),
      external: workerFields({ identity: { displayName: "Zed" }, source: { externalId: "HR-0042 17" } })
    })
    const found = (text: string) => query(Worker, tenant, { query: text })
    for (const text of ["nguyen", "NGUYỄN", "  hồng", "Hong Ngu", "nguyễn thị hồng", "thi"]) {
      assert.deepStrictEqual(yield* found(text), [ids.hong], text)
    }
    for (const text of ["sean o'brien", "OBRIEN", "o brien", "brien", "O＇B", "lukasz"]) {
      assert.deepStrictEqual(yield* found(text), [ids.sean], text)
    }
    for (const text of ["anne marie", "annemarie", "marie‐", "strauss", "STRAUSS ANNE"]) {
      assert.deepStrictEqual(yield* found(text), [ids.anne], text)
    }
    for (const text of ["山田", "太郎", "山田 太郎"]) assert.deepStrictEqual(yield* found(text), [ids.han], text)
    for (const text of ["hr-0042 17", "HR004217", "hr 00421", "0042"]) {
      assert.deepStrictEqual(yield* found(text), [ids.external], text)
    }
    for (const text of ["guyen", "nguyen sean", "%", "_", "' OR 1=1 --", "hong thib"]) {
      assert.deepStrictEqual(yield* found(text), [], text)
    }
    assert.deepStrictEqual(yield* query(Worker, tenant, { externalId: "HR004217" }), [], "WRK-05: exact")
  })

  it("searches the words of the present names", function* (tenant) {
    const store = yield* ResourceStore
    const row = yield* put(Worker, tenant, created(mint("worker"), named("Ann Old")))
    yield* store.change(Worker, tenant, row.id, [], () =>
      Result.succeed({
        _tag: "Changed" as const,
        next: { ...row, version: 2, fields: named("Ann New") },
        records: { audit: [], events: [] }
      })
    )
    assert.deepStrictEqual(yield* query(Worker, tenant, { query: "old" }), [])
    assert.deepStrictEqual(yield* query(Worker, tenant, { query: "ann" }), [row.id])
    assert.deepStrictEqual(yield* query(Worker, tenant, { query: "new" }), [row.id])
    yield* remove(Worker, tenant, row.id)
    assert.deepStrictEqual(yield* query(Worker, tenant, { query: "new" }), [])
    assert.deepStrictEqual(yield* query(Worker, tenant, { query: "new", includeDeleted: "true" }), [row.id])
    assert.deepStrictEqual(yield* query(Worker, freshTenant(), { query: "new", includeDeleted: "true" }), [])
  })

  it("finds a card by its number and its holder, whatever the spaces and hyphens", function* (tenant) {
    const worker = mint("worker")
    const held = (attributes: object) => credentialFields({ worker }, attributes)
    const ids = yield* rowsOf(Credential, tenant, {
      one: held({ identifier: "WWC1234567E", holder: { firstName: "Bo", lastName: "O’Hara" } }),
      two: held({ identifier: "1234567a-01" })
    })
    for (const identifier of ["WWC1234567E", "wwc 1234567-e"]) {
      assert.deepStrictEqual(yield* query(Credential, tenant, { identifier }), [ids.one], identifier)
    }
    assert.deepStrictEqual(yield* query(Credential, tenant, { identifier: "1234567A01" }), [ids.two])
    assert.deepStrictEqual(yield* query(Credential, tenant, { identifier: "WWC123" }), [])
    assert.deepStrictEqual(yield* query(Credential, tenant, { query: "wwc 123" }), [ids.one])
    assert.deepStrictEqual(yield* query(Credential, tenant, { query: "ohara bo" }), [ids.one])
  })
}

const holderTests = (it: TenantTest): void => {
  it("finds what the owners with an external id hold, in either slot, without deleted owners", function* (tenant) {
    const other = freshTenant()
    const source = { externalId: "HR-1" }
    const workers = yield* rowsOf(Worker, tenant, {
      one: workerFields({ source }),
      two: workerFields({ source }),
      deleted: workerFields({ source }),
      otherCase: workerFields({ source: { externalId: "hr-1" } }),
      unnamed: workerFields()
    })
    const applicants = yield* rowsOf(Applicant, tenant, { one: applicantFields({ source }) })
    const foreign = yield* rowsOf(Worker, other, { one: workerFields({ source }) })
    yield* remove(Worker, tenant, workers.deleted)
    const owned = (owners: Partial<Owners>) => credentialFields(owners)
    const ids = yield* rowsOf(Credential, tenant, {
      one: owned({ worker: workers.one }),
      two: owned({ worker: workers.two }),
      both: owned({ worker: workers.one, applicant: applicants.one }),
      applicant: owned({ worker: workers.unnamed, applicant: applicants.one }),
      ofDeleted: owned({ worker: workers.deleted }),
      ofOtherCase: owned({ worker: workers.otherCase }),
      ofForeign: owned({ worker: foreign.one }),
      gone: owned({ worker: workers.one })
    })
    yield* remove(Credential, tenant, ids.gone)
    const expected = [ids.one, ids.two, ids.both, ids.applicant]
    assert.deepStrictEqual(yield* query(Credential, tenant, { ownerExternalId: "HR-1" }), expected)
    assert.deepStrictEqual(yield* query(Credential, tenant, { ownerExternalId: "HR" }), [])
    assert.deepStrictEqual(yield* query(Credential, other, { ownerExternalId: "HR-1" }), [])
    const withDeleted = yield* query(Credential, tenant, { ownerExternalId: "HR-1", includeDeleted: "true" })
    assert.deepStrictEqual(withDeleted, [...expected, ids.gone])
  })
}

const selectionTests = (it: TenantTest): void => {
  it("combines all conditions by AND", function* (tenant) {
    const worker = mint("worker")
    const nsw = { credentialType: "WWCC_NSW", jurisdiction: "NSW" } as const
    const ids = yield* rowsOf(Credential, tenant, {
      all: credentialFields({ worker }, { ...nsw, expiryDate: "2026-06-01" }),
      late: credentialFields({ worker }, { ...nsw, expiryDate: "2027-06-01" }),
      elsewhere: credentialFields({ worker }, { ...nsw, jurisdiction: "VIC", expiryDate: "2026-06-01" }),
      otherType: credentialFields({ worker }, { ...nsw, credentialType: "FIRST_AID", expiryDate: "2026-06-01" })
    })
    const parameters = { credentialType: "WWCC_NSW", jurisdiction: "NSW", expiringBefore: "2027-01-01" }
    assert.deepStrictEqual(yield* query(Credential, tenant, parameters), [ids.all])
    const wider = yield* query(Credential, tenant, { credentialType: "WWCC_NSW", jurisdiction: "NSW" })
    assert.deepStrictEqual(wider, [ids.all, ids.late])
  })

  it("finds and counts nothing if nothing can match", function* (tenant) {
    const store = yield* ResourceStore
    yield* put(Worker, tenant, created(mint("worker"), workerFields()))
    const page = yield* store.list(Worker, tenant, select({ conditions: undefined, includeTotal: true }))
    assert.deepStrictEqual(page, { items: [], hasMore: false, total: 0 })
  })

  it("skips deleted resources unless requested", function* (tenant) {
    const ids = yield* rowsOf(Worker, tenant, { kept: workerFields(), gone: workerFields() })
    yield* remove(Worker, tenant, ids.gone)
    assert.deepStrictEqual(yield* listIds(Worker, tenant), [ids.kept])
    assert.deepStrictEqual(yield* listIds(Worker, tenant, { includeDeleted: true }), [ids.kept, ids.gone])
  })

  it("counts all matches, independent of page and cursor", function* (tenant) {
    const store = yield* ResourceStore
    const source = { externalId: "one" }
    const matching = Array.from({ length: 5 }, () => created(mint("worker"), workerFields({ source })))
    yield* putAll(Worker, tenant, [...matching, created(mint("worker"), workerFields())])
    yield* remove(Worker, tenant, matching[4]?.id ?? "")
    const conditions: ReadonlyArray<Condition> = [{ _tag: "Equal", column: "external_id", value: "one" }]
    const count = (narrowed: Partial<Selection>) =>
      Effect.map(store.list(Worker, tenant, select({ conditions, includeTotal: true, ...narrowed })), (page) => [
        page.items.length,
        page.hasMore,
        page.total
      ])
    const after = cursorAfter(Worker, { column: "id", direction: "asc" }, matching[2] ?? assert.fail())
    assert.deepStrictEqual(yield* count({}), [4, false, 4])
    assert.deepStrictEqual(yield* count({ pageSize: 1 }), [1, true, 4])
    assert.deepStrictEqual(yield* count({ after }), [1, false, 4])
    assert.deepStrictEqual(yield* count({ offset: 4 }), [0, false, 4])
    assert.deepStrictEqual(yield* count({ includeDeleted: true }), [5, false, 5])
    assert.deepStrictEqual(yield* count({ includeTotal: false }), [4, false, undefined])
  })

  it("stops counting at the limit", function* (tenant) {
    const store = yield* ResourceStore
    const rows = Array.from({ length: totalLimit + 1 }, () => created(mint("worker"), workerFields()))
    yield* Effect.forEach(rows, (row) => put(Worker, tenant, row), { concurrency: 256, discard: true })
    const { total } = yield* store.list(Worker, tenant, select({ pageSize: 1, includeTotal: true }))
    assert.strictEqual(total, totalLimit)
    const lastPage = yield* listIds(Worker, tenant, { offset: totalLimit - 1, pageSize: 1 })
    assert.deepStrictEqual(lastPage, [rows[totalLimit - 1]?.id])
  }, 300_000) // Ten thousand transactions take long on a busy machine.
}

/** Tests the conditions of `ResourceStore.list`. */
export const resourceListSuite = (it: TenantTest): void => {
  describe("ResourceStore.list", () => {
    equalTests(it)
    dateTests(it)
    searchTests(it)
    holderTests(it)
    selectionTests(it)
  })
}
