import { assert, describe, it } from "@effect/vitest"
import { Ban } from "@wcs/domain/holding/Ban"
import { Credential } from "@wcs/domain/holding/Credential"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Worker } from "@wcs/domain/people/Worker"
import {
  type Condition,
  cursorAfter,
  defaultPageSize,
  encodeCursor,
  knownParameters,
  maxPagedRow,
  maxPageSize,
  parse,
  parseRead,
  type Query,
  type Selection
} from "@wcs/domain/resource/ListQuery"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import { FetchRequest } from "@wcs/domain/screening/FetchRequests"
import { RecruitmentCheck } from "@wcs/domain/screening/RecruitmentChecks"
import { toRfc3339 } from "@wcs/domain/shared/Instant"
import { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import { Result } from "effect"
import * as fc from "fast-check"

const today = "2026-03-01"
const workerId = "wkr_0123456789abcDEF"
const applicantId = "app_0123456789abcDEF"

const select = (resource: Resource, query: Query): Selection => Result.getOrThrow(parse(resource, query, today))
const refusal = (resource: Resource, query: Query): InvalidArgument =>
  Result.getOrThrow(Result.flip(parse(resource, query, today)))

const byDefault: Selection = {
  conditions: [],
  sort: { column: "created_at", direction: "asc" },
  pageSize: 25,
  after: undefined,
  offset: 0,
  includeDeleted: false,
  includeTotal: false
}

describe("ListQuery", () => {
  it("returns the first 25 in the order of creation by default", () => {
    assert.deepStrictEqual(select(Worker, {}), byDefault)
    assert.deepStrictEqual([defaultPageSize, maxPageSize, maxPagedRow], [25, 100, 10_000])
  })

  describe("accepted queries", () => {
    const understood: ReadonlyArray<readonly [name: string, Resource, Query, Partial<Selection>]> = [
      ["WRK-09: the smallest page", Worker, { pageSize: "1" }, { pageSize: 1 }],
      ["WRK-09: the largest page", Worker, { pageSize: "100" }, { pageSize: 100 }],
      ["a larger page is clamped", Worker, { pageSize: "101" }, { pageSize: 100 }],
      ["an integer of any length is clamped", Worker, { pageSize: "9".repeat(400) }, { pageSize: 100 }],
      ["leading zeros", Worker, { pageSize: "007" }, { pageSize: 7 }],
      ["the first page", Worker, { page: "1" }, { offset: 0 }],
      ["the third page", Worker, { page: "3", pageSize: "10" }, { offset: 20, pageSize: 10 }],
      ["the last page that `page` reaches", Worker, { page: "400" }, { offset: 9_975 }],
      ["with deleted rows", Worker, { includeDeleted: "true" }, { includeDeleted: true }],
      ["without deleted rows", Worker, { includeDeleted: "false" }, { includeDeleted: false }],
      ["a total", Worker, { includeTotal: "true" }, { includeTotal: true }],
      [
        "a field without a direction",
        Worker,
        { sort: "displayName" },
        { sort: { column: "display_name", direction: "asc" } }
      ],
      ["a field, descending", Worker, { sort: "lastName:desc" }, { sort: { column: "last_name", direction: "desc" } }],
      ["a time, ascending", Worker, { sort: "updatedAt:asc" }, { sort: { column: "updated_at", direction: "asc" } }],
      ["the id", Worker, { sort: "id:desc" }, { sort: { column: "id", direction: "desc" } }],
      [
        "a field of credentials",
        Credential,
        { sort: "expiryDate" },
        { sort: { column: "expiry_date", direction: "asc" } }
      ],
      [
        "a field of applicants",
        Applicant,
        { sort: "emailAddress" },
        { sort: { column: "email_address", direction: "asc" } }
      ]
    ]
    it.each(understood)("%s", (_name, resource, query, expected) => {
      assert.deepStrictEqual(select(resource, query), { ...byDefault, ...expected })
    })

    const filtering: ReadonlyArray<readonly [name: string, Resource, Query, ReadonlyArray<Condition>]> = [
      [
        "WRK-05, WRK-16: an external id in its exact spelling",
        Worker,
        { externalId: "Emp-1%_" },
        [{ _tag: "Equal", column: "external_id", value: "Emp-1%_" }]
      ],
      [
        "two filters",
        Worker,
        { externalId: "1", sourceSystem: "hr" },
        [
          { _tag: "Equal", column: "external_id", value: "1" },
          { _tag: "Equal", column: "source_system", value: "hr" }
        ]
      ],
      [
        "the words of a search",
        Worker,
        { query: " O'BRIEN  Seán" },
        [{ _tag: "Words", sought: [["obrien", "sean"], ["obriensean"]] }]
      ],
      [
        "an address, ignoring letter case",
        Applicant,
        { emailAddress: "Ann@Example.org" },
        [{ _tag: "Equal", column: "email_address", value: "ann@example.org" }]
      ],
      ["a known value", Applicant, { status: "HIRED" }, [{ _tag: "Equal", column: "status", value: "HIRED" }]],
      [
        "CRD-06: an owner's external id, in either slot",
        Credential,
        { ownerExternalId: "Emp-1" },
        [
          {
            _tag: "HeldBy",
            holders: [
              { column: "worker_id", resource: "worker", lookup: "external_id" },
              { column: "applicant_id", resource: "applicant", lookup: "external_id" }
            ],
            value: "Emp-1"
          }
        ]
      ],
      [
        "a worker",
        Credential,
        { ownerType: "worker", ownerId: workerId },
        [{ _tag: "Equal", column: "worker_id", value: workerId }]
      ],
      [
        "an applicant",
        Credential,
        { ownerType: "applicant", ownerId: applicantId },
        [{ _tag: "Equal", column: "applicant_id", value: applicantId }]
      ],
      [
        "the end of a range of expiry dates",
        Credential,
        { expiringBefore: "2026-04-01" },
        [{ _tag: "Before", column: "expiry_date", value: "2026-04-01" }]
      ],
      [
        "an eligibility as of today",
        Credential,
        { eligibility: "MAY_NOT_ENGAGE" },
        [
          {
            _tag: "Lapsing",
            column: "eligibility",
            until: "expiry_date",
            lapsed: "MAY_NOT_ENGAGE",
            today,
            value: "MAY_NOT_ENGAGE"
          }
        ]
      ],
      [
        "the start of a range of update times",
        Worker,
        { updatedAfter: "2026-01-31T09:30:00+10:00" },
        [{ _tag: "UpdatedAfter", value: Date.UTC(2026, 0, 30, 23, 30) }]
      ],
      [
        "the end of a range of update times",
        Worker,
        { updatedBefore: "2026-01-31T09:30:00.250Z" },
        [{ _tag: "UpdatedBefore", value: Date.UTC(2026, 0, 31, 9, 30, 0, 250) }]
      ]
    ]
    it.each(filtering)("%s", (_name, resource, query, conditions) => {
      assert.deepStrictEqual(select(resource, query), { ...byDefault, conditions })
    })

    it.each([
      ["an empty external id", Worker, { externalId: "" }],
      ["an empty query", Worker, { query: "" }],
      ["CRD-07: an empty owner's external id", Credential, { ownerExternalId: "" }],
      ["threat 29: a NUL, which no stored text has", Worker, { externalId: "a\0b" }],
      ["a lone surrogate", Worker, { externalId: "a\ud800" }]
    ] as const)("WRK-07: %s matches nothing", (_name, resource, query) => {
      assert.deepStrictEqual(select(resource, query), { ...byDefault, conditions: undefined })
    })
  })

  describe("refused queries and the field in the error", () => {
    const refused: ReadonlyArray<readonly [name: string, Resource, Query, field: string]> = [
      ["WRK-10: a page size in words", Worker, { pageSize: "ten" }, "pageSize"],
      ["WRK-10: a page size with a fraction", Worker, { pageSize: "1.5" }, "pageSize"],
      ["WRK-10: a page size with an exponent", Worker, { pageSize: "1e1" }, "pageSize"],
      ["WRK-10: a page size in hex", Worker, { pageSize: "0x10" }, "pageSize"],
      ["WRK-10: an empty page size", Worker, { pageSize: "" }, "pageSize"],
      ["a page size of 0", Worker, { pageSize: "0" }, "pageSize"],
      ["a negative page size", Worker, { pageSize: "-1" }, "pageSize"],
      ["page 0", Worker, { page: "0" }, "page"],
      ["a negative page", Worker, { page: "-1" }, "page"],
      ["a page in words", Worker, { page: "last" }, "page"],
      ["a page above the limit", Worker, { page: "401" }, "page"],
      ["a page with a huge number", Worker, { page: "9".repeat(400) }, "page"],
      ["page with cursor", Worker, { page: "1", cursor: "x" }, "page"],
      ["ENV-07: an unknown sort field", Worker, { sort: "salary" }, "sort"],
      ["ENV-07: a sort field of another resource", Worker, { sort: "expiryDate" }, "sort"],
      ["ENV-07: the name of a column", Worker, { sort: "display_name" }, "sort"],
      ["ENV-07: an inherited name", Worker, { sort: "constructor" }, "sort"],
      ["ENV-07: threat 29: SQL", Worker, { sort: "id; DROP TABLE worker" }, "sort"],
      ["an empty sort", Worker, { sort: "" }, "sort"],
      ["an unknown direction", Worker, { sort: "id:up" }, "sort"],
      ["a direction in upper case", Worker, { sort: "id:DESC" }, "sort"],
      ["two directions", Worker, { sort: "id:asc:desc" }, "sort"],
      ["two fields", Worker, { sort: "id,createdAt" }, "sort"],
      ["a flag in words", Worker, { includeDeleted: "yes" }, "includeDeleted"],
      ["an empty flag", Worker, { includeTotal: "" }, "includeTotal"],
      ["an empty verdict", Credential, { eligibility: "" }, "eligibility"],
      ["an empty type", Credential, { credentialType: "" }, "credentialType"],
      ["an empty date", Credential, { expiringBefore: "" }, "expiringBefore"],
      ["an empty owner", Credential, { ownerType: "worker", ownerId: "" }, "ownerId"],
      ["an unknown owner type", Credential, { ownerType: "xx", ownerId: "" }, "ownerType"],
      ["a date for a time", Worker, { updatedAfter: "2026-01-31" }, "updatedAfter"],
      ["a time without a zone", Worker, { updatedAfter: "2026-01-31T09:30:00" }, "updatedAfter"],
      ["a time whose date does not exist", Worker, { updatedBefore: "2026-02-30T09:30:00Z" }, "updatedBefore"],
      ["a date that does not exist", Credential, { expiringBefore: "2026-02-29" }, "expiringBefore"],
      ["a date with a time", Credential, { expiringBefore: "2026-02-28T00:00:00Z" }, "expiringBefore"],
      ["an unknown eligibility", Credential, { eligibility: "PERHAPS" }, "eligibility"],
      ["an unknown type", Credential, { credentialType: "LICENCE" }, "credentialType"],
      ["an unknown status", Applicant, { status: "hired" }, "status"],
      ["an owner without a type", Credential, { ownerId: workerId }, "ownerType"],
      ["an owner of an unknown type", Credential, { ownerType: "credential", ownerId: workerId }, "ownerType"],
      ["an owner of an inherited type", Credential, { ownerType: "toString", ownerId: workerId }, "ownerType"],
      ["an owner type without an id", Credential, { ownerType: "worker" }, "ownerId"],
      ["ENV-08: an owner id of another type", Credential, { ownerType: "worker", ownerId: applicantId }, "ownerId"],
      ["ENV-08: a malformed id", FetchRequest, { workerId: "nonsense" }, "workerId"],
      ["ENV-08: an empty id", RecruitmentCheck, { applicantId: "" }, "applicantId"],
      ["ENV-08: an id of another type", Ban, { workerId: applicantId }, "workerId"],
      ["an unknown parameter", Worker, { limit: "10" }, "limit"],
      ["a parameter of another resource", Worker, { ownerExternalId: "1" }, "ownerExternalId"],
      ["a parameter in lower case", Worker, { pagesize: "10" }, "pagesize"],
      ["an inherited name as a parameter", Worker, { constructor: "1" }, "constructor"],
      ["a repeated parameter", Worker, { externalId: ["1", "2"] }, "externalId"],
      ["a parameter repeated with equal values", Worker, { pageSize: ["10", "10"] }, "pageSize"]
    ]
    it.each(refused)("%s", (_name, resource, query, field) => {
      const error = refusal(resource, query)
      assert.instanceOf(error, InvalidArgument)
      assert.strictEqual(error.field, field)
      assert.notStrictEqual(error.reason, "")
    })

    it("does not repeat a long name in full", () => {
      assert.lengthOf(refusal(Worker, { ["x".repeat(5000)]: "1" }).field, 100)
    })
  })

  it("lists the common parameters, the filters and the filters' type parameters", () => {
    assert.sameMembers(
      [...knownParameters(Credential)],
      [
        ..."pageSize cursor page sort includeDeleted updatedAfter updatedBefore includeTotal".split(" "),
        ..."ownerExternalId ownerId ownerType credentialType jurisdiction identifier eligibility expiringFrom expiringBefore unit query".split(
          " "
        )
      ]
    )
  })

  it("threat 29: any query is accepted or fails with InvalidArgument", () => {
    const value = fc.oneof(fc.string({ unit: "binary" }), fc.array(fc.string(), { maxLength: 3 }))
    const query = fc.dictionary(fc.constantFrom(...knownParameters(Credential)), value, { noNullPrototype: true })
    fc.assert(
      fc.property(query, (query) => {
        const parsed = parse(Credential, query, today)
        assert.isTrue(Result.isSuccess(parsed) || parsed.failure instanceof InvalidArgument)
      }),
      { numRuns: 500 }
    )
  })
})

describe("the query of a GET of one resource", () => {
  it.each([
    [{}, false],
    [{ includeDeleted: "true" }, true],
    [{ includeDeleted: "false" }, false]
  ] as const)("%j", (query, includeDeleted) => {
    assert.deepStrictEqual(parseRead(query), Result.succeed({ includeDeleted }))
  })

  it.each([
    [{ includeDeleted: "yes" }, "includeDeleted"],
    [{ includeDeleted: "" }, "includeDeleted"],
    [{ includeDeleted: ["true", "true"] }, "includeDeleted"],
    [{ pageSize: "1" }, "pageSize"],
    [{ constructor: "1" }, "constructor"]
  ] as ReadonlyArray<readonly [Query, string]>)("%j is refused", (query, field) => {
    assert.strictEqual(Result.getOrThrow(Result.flip(parseRead(query))).field, field)
  })
})

describe("a cursor", () => {
  const sorts = ["createdAt", "updatedAt", "id", "displayName", "lastName", "externalId"].flatMap((field) => [
    `${field}:asc`,
    `${field}:desc`
  ])
  const rowFields = fc.record({
    identity: fc.record({ displayName: fc.string({ unit: "grapheme", minLength: 1 }) }),
    source: fc.record({ externalId: fc.string({ unit: "grapheme", minLength: 1 }) })
  })
  const row: fc.Arbitrary<Stored> = fc
    .record({ createdAt: fc.nat(4e12), updatedAt: fc.nat(4e12), fields: rowFields })
    .map((drawn) => ({ id: workerId, version: 1, deletedAt: null, ...drawn }))

  it("continues after its row, in the same order", () => {
    fc.assert(
      fc.property(fc.constantFrom(...sorts), row, (sort, row) => {
        const ordered = select(Worker, { sort }).sort
        const cursor = cursorAfter(Worker, ordered, row)
        assert.deepStrictEqual(select(Worker, { sort, cursor: encodeCursor(Worker, ordered, cursor) }).after, cursor)
      })
    )
  })

  const stored: Stored = {
    id: workerId,
    version: 2,
    createdAt: 1000,
    updatedAt: 2000,
    deletedAt: null,
    fields: { identity: { displayName: "Ann O'BRIEN" }, source: { externalId: "Emp-1" } }
  }
  it.each([
    ["createdAt", 1000],
    ["updatedAt", 2000],
    ["id", workerId],
    ["displayName", "ann o'brien"],
    ["externalId", "Emp-1"],
    ["lastName", ""]
  ])("sorted by %s, continues after %j as stored", (field, key) => {
    assert.deepStrictEqual(cursorAfter(Worker, select(Worker, { sort: field }).sort, stored), { key, id: workerId })
  })

  it("is refused for another order", () => {
    for (const made of sorts) {
      const order = select(Worker, { sort: made }).sort
      const cursor = encodeCursor(Worker, order, cursorAfter(Worker, order, stored))
      for (const sort of sorts.filter((other) => other !== made)) {
        assert.strictEqual(refusal(Worker, { sort, cursor }).field, "cursor")
      }
    }
  })

  const spelt = (value: unknown) => JSON.stringify(value)
  it.each([
    ["empty text", ""],
    ["plain words", "next please"],
    ["an id", workerId],
    ["malformed JSON", Buffer.from("{").toString("base64url")],
    ["an object", spelt({ key: 1, id: workerId })],
    ["a short array", spelt(["worker", "created_at", "asc", 1000])],
    ["a long array", spelt(["worker", "created_at", "asc", 1000, workerId, 1])],
    ["a key of another type", spelt(["worker", "created_at", "asc", "1000", workerId])],
    ["a key with a fraction", spelt(["worker", "created_at", "asc", 0.5, workerId])],
    ["a key above all times", spelt(["worker", "created_at", "asc", 1e300, workerId])],
    ["no key", spelt(["worker", "created_at", "asc", null, workerId])],
    ["an id that is a number", spelt(["worker", "created_at", "asc", 1000, 7])],
    ["threat 29: an id with a NUL", spelt(["worker", "created_at", "asc", 1000, "a\0"])],
    ["a cursor of another list", spelt(["applicant", "created_at", "asc", 1000, workerId])],
    ["an unknown column", spelt(["worker", "salary", "asc", 1000, workerId])]
  ])("refuses %s", (_name, cursor) => {
    assert.strictEqual(refusal(Worker, { cursor }).field, "cursor")
  })

  it("belongs to its own list in every order that both lists have", () => {
    const order = select(Applicant, { sort: "createdAt" }).sort
    const cursor = encodeCursor(Applicant, order, { key: 1000, id: workerId })
    assert.strictEqual(refusal(Worker, { sort: "createdAt", cursor }).field, "cursor")
    assert.deepStrictEqual(select(Applicant, { sort: "createdAt", cursor }).after, { key: 1000, id: workerId })
  })

  it.each([
    ["a number", 7],
    ["an array", ["x"]],
    ["a NUL", "a\0"]
  ])("for a name, refuses %s as a key", (_name, key) => {
    const cursor = spelt(["worker", "display_name", "asc", key, workerId])
    assert.strictEqual(refusal(Worker, { sort: "displayName", cursor }).field, "cursor")
  })

  it("any text is accepted or fails with InvalidArgument", () => {
    const anything = fc.oneof(fc.string({ unit: "binary" }), fc.json().map(spelt))
    fc.assert(
      fc.property(anything, (cursor) => {
        const parsed = parse(Worker, { cursor }, toRfc3339(0).slice(0, 10))
        assert.isTrue(Result.isSuccess(parsed) || parsed.failure.field === "cursor")
      })
    )
  })
})
