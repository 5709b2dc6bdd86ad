import { assert, describe } from "@effect/vitest"
import { Credential } from "@wcs/domain/credential/Credential"
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
import { ResourceStore } from "@wcs/domain/resource/ResourceStore"
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

const prefixTests = (it: TenantTest): void => {
  it("finds by a prefix of one of several columns in any letter case", function* (tenant) {
    const named = (displayName: string, lastName?: string) =>
      workerFields({ identity: { displayName, ...(lastName === undefined ? {} : { lastName }) } })
    const ids = yield* rowsOf(Worker, tenant, {
      display: named("Ångström Zoë"),
      last: named("Zoë", "ÅNGSTRÖM"),
      whole: named("ång"),
      within: named("Zoë Ångström"),
      plain: named("Angstrom")
    })
    assert.deepStrictEqual(yield* query(Worker, tenant, { query: "åNG" }), [ids.display, ids.last, ids.whole])
    assert.deepStrictEqual(yield* query(Worker, tenant, { query: "ång " }), [])
  })

  it("takes a prefix literally, without wildcards", function* (tenant) {
    const named = (displayName: string) => workerFields({ identity: { displayName } })
    const ids = yield* rowsOf(Worker, tenant, {
      percent: named("50% off"),
      digits: named("500 off"),
      underscore: named("a_b"),
      letter: named("axb"),
      backslash: named("c\\%d"),
      star: named("*e"),
      bracket: named("[f]"),
      quote: named("g'h"),
      highest: named("ij\u{10FFFF}\u{10FFFF}"),
      astral: named("ij\u{1F600}"),
      private: named("ij\u{E000}"),
      next: named("ik")
    })
    const found = (text: string) => query(Worker, tenant, { query: text })
    assert.deepStrictEqual(yield* found("50%"), [ids.percent])
    assert.deepStrictEqual(yield* found("%"), [])
    assert.deepStrictEqual(yield* found("a_"), [ids.underscore])
    assert.deepStrictEqual(yield* found("_"), [])
    assert.deepStrictEqual(yield* found("c\\"), [ids.backslash])
    assert.deepStrictEqual(yield* found("*"), [ids.star])
    assert.deepStrictEqual(yield* found("[f"), [ids.bracket])
    assert.deepStrictEqual(yield* found("g'"), [ids.quote])
    assert.deepStrictEqual(yield* found("ij"), [ids.highest, ids.astral, ids.private])
    assert.deepStrictEqual(yield* found("ij\u{10FFFF}"), [ids.highest])
    assert.deepStrictEqual(yield* found("ij\u{1F600}"), [ids.astral])
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
    prefixTests(it)
    holderTests(it)
    selectionTests(it)
  })
}
