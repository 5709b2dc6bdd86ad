import { assert, describe, it } from "@effect/vitest"
import type { AuditField } from "@wcs/domain/audit/AuditEntry"
import { auditEvents } from "@wcs/domain/audit/AuditEvent"
import type { Query } from "@wcs/domain/resource/ListQuery"
import { parse, shownPage, type Timeline, type TimelineSelection } from "@wcs/domain/resource/Timeline"
import type { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import { Result } from "effect"
import * as fc from "fast-check"

type Field = AuditField

const ending: Timeline<never> = { type: "worker", filters: {}, ends: true }

const select = (query: Query): TimelineSelection<Field> => Result.getOrThrow(parse(auditEvents, query))
const refusal = (query: Query, timeline: Timeline<string> = auditEvents): InvalidArgument =>
  Result.getOrThrow(Result.flip(parse(timeline, query)))

const byDefault: TimelineSelection<Field> = {
  conditions: [],
  direction: "desc",
  pageSize: 25,
  after: undefined,
  includeDeleted: false,
  includeTotal: false
}

const spelt = (value: unknown) => JSON.stringify(value)

/** The cursor of a page that ends at a position. */
const cursorAt = (position: number, direction: "asc" | "desc" = "desc"): string => {
  const page = { items: [{ position }], hasMore: true, total: undefined }
  return shownPage(auditEvents, { ...byDefault, direction }, page, () => ({})).nextCursor ?? ""
}

describe("Timeline", () => {
  const understood: ReadonlyArray<readonly [name: string, Query, Partial<TimelineSelection<Field>>]> = [
    ["no parameters: the first 25 in the default order", {}, {}],
    ["newest first", { sort: "createdAt:desc" }, { direction: "desc" }],
    ["oldest first", { sort: "createdAt:asc" }, { direction: "asc" }],
    ["a sort field without a direction: oldest first", { sort: "createdAt" }, { direction: "asc" }],
    ["a larger page is clamped", { pageSize: "101" }, { pageSize: 100 }],
    ["a total", { includeTotal: "true" }, { includeTotal: true }],
    ["after a position", { cursor: cursorAt(17) }, { after: 17 }],
    [
      "after a position, oldest first",
      { cursor: cursorAt(17, "asc"), sort: "createdAt:asc" },
      { after: 17, direction: "asc" }
    ],
    [
      "every filter",
      { entityType: "worker", entityId: "wkr_1", account: "urn:wcs:account:acc_1" },
      {
        conditions: [
          { field: "entityType", value: "worker" },
          { field: "entityId", value: "wkr_1" },
          { field: "account", value: "urn:wcs:account:acc_1" }
        ]
      }
    ],
    [
      "a time and the later filters",
      {
        from: "2026-01-31T09:30:00Z",
        to: "2026-01-31T11:30:00+01:00",
        action: "link",
        bearer: "oauth",
        requestId: "R"
      },
      {
        from: Date.UTC(2026, 0, 31, 9, 30),
        to: Date.UTC(2026, 0, 31, 10, 30),
        conditions: [
          { field: "action", value: "link" },
          { field: "bearer", value: "oauth" },
          { field: "requestId", value: "R" }
        ]
      }
    ],
    ["a filter that nothing can match: empty", { entityId: "" }, { conditions: undefined }],
    ["a filter that nothing can match: NUL", { account: "a\0" }, { conditions: undefined }],
    ["a filter that nothing can match: a lone surrogate", { account: "\ud800" }, { conditions: undefined }]
  ]
  it.each(understood)("accepts %s", (_name, query, expected) => {
    assert.deepStrictEqual(select(query), { ...byDefault, ...expected })
  })

  it.each([
    ["an unknown sort field", { sort: "updatedAt" }, "sort"],
    ["the internal name of the order", { sort: "position" }, "sort"],
    ["an unknown direction", { sort: "createdAt:up" }, "sort"],
    ["a page size of 0", { pageSize: "0" }, "pageSize"],
    ["a page number", { page: "1" }, "page"],
    ["includeDeleted if rows cannot end", { includeDeleted: "true" }, "includeDeleted"],
    ["a malformed flag", { includeTotal: "yes" }, "includeTotal"],
    ["an unknown type", { entityType: "Worker" }, "entityType"],
    ["a malformed time", { from: "yesterday" }, "from"],
    ["a time without a zone", { to: "2026-01-31T09:30:00" }, "to"],
    ["an unknown kind of bearer", { bearer: "cookie" }, "bearer"],
    ["an empty type", { entityType: "" }, "entityType"],
    ["an unknown parameter", { updatedAfter: "2026-01-31T09:30:00Z" }, "updatedAfter"],
    ["a repeated parameter", { account: ["a", "a"] }, "account"],
    ["the prototype", { __proto__x: "1" }, "__proto__x"]
  ] as const)("ENV-07: refuses %s", (_name, query, field) => {
    assert.strictEqual(refusal(query).field, field)
  })

  it("lists oldest first by default, or newest first if the timeline says so", () => {
    assert.strictEqual(Result.getOrThrow(parse(ending, {})).direction, "asc")
    assert.strictEqual(Result.getOrThrow(parse({ ...ending, newestFirst: true }, {})).direction, "desc")
  })

  it("accepts includeDeleted only if rows can end", () => {
    assert.isTrue(Result.getOrThrow(parse(ending, { includeDeleted: "true" })).includeDeleted)
    assert.strictEqual(refusal({ entityId: "x" }, ending).field, "entityId")
    assert.strictEqual(refusal({ from: "2026-01-31T09:30:00Z" }, ending).field, "from")
  })

  it.each([
    ["malformed text", "nonsense"],
    ["of another order", cursorAt(17, "asc")],
    ["of another timeline", spelt(["worker", "desc", 17])],
    ["a position as text", spelt(["auditEvent", "desc", "17"])],
    ["a position with a fraction", spelt(["auditEvent", "desc", 1.5])],
    ["a position above the safe integers", spelt(["auditEvent", "desc", 1e300])],
    ["an array with one value too many", spelt(["auditEvent", "desc", 17, 1])],
    ["not an array", spelt({ 0: "auditEvent" })]
  ])("refuses the cursor: %s", (_name, cursor) => {
    assert.strictEqual(refusal({ cursor }).field, "cursor")
  })

  it("any cursor is accepted or fails with InvalidArgument", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.jsonValue().map(spelt)), (cursor) => {
        const parsed = parse(auditEvents, { cursor })
        assert.isTrue(Result.isSuccess(parsed) || parsed.failure.field === "cursor")
      })
    )
  })

  it("a page has the cursor of its last row, and none on the last page", () => {
    const page = { items: [{ position: 9 }, { position: 3 }], total: 2 }
    const shown = shownPage(auditEvents, byDefault, { ...page, hasMore: true }, ({ position }) => ({ position }))
    assert.deepStrictEqual(shown.documents, [{ position: 9 }, { position: 3 }])
    assert.deepStrictEqual([shown.total, shown.pageSize], [2, 25])
    assert.strictEqual(select({ cursor: shown.nextCursor ?? "" }).after, 3)
    assert.isNull(shownPage(auditEvents, byDefault, { ...page, hasMore: false }, () => ({})).nextCursor)
  })
})
