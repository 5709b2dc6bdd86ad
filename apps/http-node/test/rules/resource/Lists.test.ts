import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, credential, textAt, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { parametersOf } from "../answer/ContractFields.ts"
import { assertRefused, assertStatus, dataOf, get, idsOf, patch, post, remove } from "../NewerSurface.ts"
import { collections, groupOf, ids, list, many, type Parameters, pathOf, walk } from "./Listing.ts"

layer(layerService(), { excludeTestServices: true })("lists", (it) => {
  it.effect("WRK-08: a page has its size and the cursor of the next one, in the order of creation", () =>
    Effect.gen(function* () {
      const made = yield* groupOf("order", 7)
      const first = yield* list("workers", { sourceSystem: "order", pageSize: "5" })
      assert.sameMembers(Object.keys(Object(at(first, "meta"))), ["requestId", "pageSize", "nextCursor"])
      assert.strictEqual(at(first, "meta.pageSize"), 5)
      const [one, two] = yield* walk("workers", { sourceSystem: "order", pageSize: "5" })
      assert.deepStrictEqual(idsOf(first), one)
      assert.lengthOf(two ?? [], 2)
      assert.sameMembers([...(one ?? []), ...(two ?? [])], made)
      const times = dataOf(yield* list("workers", { sourceSystem: "order" })).map((item) => Object(item).createdAt)
      assert.deepStrictEqual(times, times.toSorted())
    })
  )

  const sorts = ["createdAt", "updatedAt", "id", "displayName", "lastName", "externalId"]
  it.effect.each(sorts.flatMap((field) => [`${field}:asc`, `${field}:desc`]))(
    "WRK-09: paging by cursor and by number both return the whole list, sort=%s",
    (sort) =>
      Effect.gen(function* () {
        const sourceSystem = `walk ${sort}`
        // Equal and missing names: only the id orders them.
        yield* groupOf(sourceSystem, 13, (index) => ({
          identity: { displayName: `Name ${index % 3}`, ...(index % 4 === 0 ? {} : { lastName: `Last ${index % 2}` }) }
        }))
        const whole = yield* ids("workers", { sourceSystem, sort })
        assert.strictEqual(new Set(whole).size, 13)
        for (const pageSize of ["1", "4", "5", "12", "13", "14"]) {
          const pages = yield* walk("workers", { sourceSystem, sort, pageSize })
          assert.deepStrictEqual(pages.flat(), whole)
          assert.strictEqual(pages.length, Math.ceil(13 / Number(pageSize)))
        }
        const numbered = yield* many(4, (index) =>
          Effect.map(list("workers", { sourceSystem, sort, pageSize: "4", page: `${index + 1}` }), idsOf)
        )
        assert.deepStrictEqual(numbered.flat(), whole)
        assert.deepStrictEqual(yield* ids("workers", { sourceSystem, sort, page: "2" }), [])
      })
  )

  const orders = [
    {
      collection: "workers",
      sort: "displayName",
      pathTo: ["identity", "displayName"],
      ascending: ["a", "B", "c", "Ä"]
    },
    {
      collection: "workers",
      sort: "lastName",
      pathTo: ["identity", "lastName"],
      ascending: ["Adams", "baker", "Çelik"]
    },
    { collection: "workers", sort: "externalId", pathTo: ["source", "externalId"], ascending: ["A", "B", "a", "ä"] },
    { collection: "applicants", sort: "displayName", pathTo: ["displayName"], ascending: ["a", "B", "c", "Ä"] },
    { collection: "applicants", sort: "lastName", pathTo: ["lastName"], ascending: ["Adams", "baker", "Çelik"] },
    { collection: "applicants", sort: "emailAddress", pathTo: ["emailAddress"], ascending: ["a@x", "B@x", "c@x"] },
    { collection: "applicants", sort: "externalId", pathTo: ["source", "externalId"], ascending: ["A", "B", "a", "ä"] }
  ] as const
  it.effect.each(orders)("WRK-08: $collection are sorted by $sort, in any letter case except for externalId", (row) =>
    Effect.gen(function* () {
      const { ascending, collection, pathTo, sort } = row
      const sourceSystem = `sorted by ${sort}`
      const [outer, inner] = pathTo
      for (const value of ascending.toReversed()) {
        const sent: Record<string, unknown> = {
          identity: { displayName: "Name" },
          emailAddress: "name@x",
          source: { sourceSystem }
        }
        sent[outer] = inner === undefined ? value : { ...Object(sent[outer]), [inner]: value }
        assertStatus(yield* post(`/${collection}`, sent), 201)
      }
      const shown = (order: string) =>
        Effect.map(list(collection, { sourceSystem, sort: order }), (answer) =>
          dataOf(answer).map((item) => (inner === undefined ? Object(item)[outer] : Object(item)[outer][inner]))
        )
      assert.deepStrictEqual(yield* shown(sort), [...ascending])
      assert.deepStrictEqual(yield* shown(`${sort}:asc`), [...ascending])
      assert.deepStrictEqual(yield* shown(`${sort}:desc`), ascending.toReversed())
    })
  )

  it.effect("ENV-07: an unknown sort field or direction is 400, and the message lists the known ones", () =>
    Effect.gen(function* () {
      for (const collection of collections) {
        const unknown = ["nope", "", ":asc", "createdAt:up", "createdAt:asc:asc", "createdAt,id", "created_at", "ID"]
        for (const sort of [...unknown, "__proto__", "constructor", "id;--", "id\0", "identity.displayName"]) {
          assertRefused(yield* get(pathOf(collection, { sort })), "INVALID_ARGUMENT", "sort")
        }
        assertRefused(yield* get(pathOf(collection, { sort: "nope" })), "INVALID_ARGUMENT", "createdAt")
        for (const sort of ["createdAt", "createdAt:asc", "updatedAt:desc", "id:asc"]) yield* list(collection, { sort })
      }
    })
  )

  it.effect("WRK-09, WRK-10: pageSize is 25 by default, at most 100, and more is clamped", () =>
    Effect.gen(function* () {
      const sourceSystem = "page sizes"
      yield* groupOf(sourceSystem, 103)
      const rows: ReadonlyArray<readonly [string | undefined, number]> = [
        [undefined, 25],
        ["1", 1],
        ["99", 99],
        ["100", 100],
        ["101", 100],
        ["1000000", 100],
        ["99999999999999999999999", 100],
        ["007", 7]
      ]
      for (const [pageSize, size] of rows) {
        const answer = yield* list("workers", { sourceSystem, ...(pageSize === undefined ? {} : { pageSize }) })
        assert.deepStrictEqual([at(answer, "meta.pageSize"), dataOf(answer).length], [size, size])
      }
    })
  )

  it.effect("WRK-10: page is a number from 1, reaches to row 10,000, and excludes cursor", () =>
    Effect.gen(function* () {
      const cursor = textAt(
        yield* Effect.andThen(groupOf("paged", 2), list("workers", { pageSize: "1" })),
        "meta.nextCursor"
      )
      for (const page of ["0", "-1", "1.5", "x", "", " 1", "99999999999999999999"]) {
        assertRefused(yield* get(pathOf("workers", { page })), "INVALID_ARGUMENT", "page")
      }
      assertRefused(yield* get(pathOf("workers", { page: "1", cursor })), "INVALID_ARGUMENT", "page")
      yield* list("workers", { page: "100", pageSize: "100" })
      assertRefused(yield* get(pathOf("workers", { page: "101", pageSize: "100" })), "INVALID_ARGUMENT", "cursor")
      yield* list("workers", { page: "10000", pageSize: "1" })
      assertRefused(yield* get(pathOf("workers", { page: "10001", pageSize: "1" })), "INVALID_ARGUMENT", "page")
    })
  )

  it.effect("ENV-05: a malformed cursor, or one of another order, is 400", () =>
    Effect.gen(function* () {
      yield* groupOf("cursors", 3)
      const parameters = { sourceSystem: "cursors", pageSize: "1" }
      const cursor = textAt(yield* list("workers", parameters), "meta.nextCursor")
      const encoded = (value: unknown) => btoa(JSON.stringify(value)).replaceAll("=", "")
      const forged = [
        "",
        "x",
        "!!!!",
        cursor.slice(0, -4),
        encoded(null),
        encoded([]),
        encoded({}),
        encoded(["created_at", "asc", "1", "wkr_0000000000000000"]),
        encoded(["created_at", "asc", 1]),
        encoded(["created_at", "asc", 1.5, "a"]),
        encoded(["created_at", "asc", 1, 2]),
        encoded(["created_at", "asc", 1, "\0"]),
        encoded(["fields", "asc", "1", "a"]),
        encoded(["id; DROP TABLE worker", "asc", "1", "a"])
      ]
      for (const text of forged) {
        assertRefused(yield* get(pathOf("workers", { ...parameters, cursor: text })), "INVALID_ARGUMENT", "cursor")
      }
      assertRefused(yield* get(pathOf("workers", { ...parameters, cursor, sort: "id" })), "INVALID_ARGUMENT", "cursor")
      assert.lengthOf(dataOf(yield* list("workers", { ...parameters, cursor })), 1)
    })
  )

  it.effect("WRK-09: paging by cursor skips and repeats nobody during concurrent changes", () =>
    Effect.gen(function* () {
      const parameters = { sourceSystem: "moving", pageSize: "3", sort: "displayName" }
      const nameOf = (index: number) => ({ identity: { displayName: `Name ${10 + index}` } })
      const made = yield* groupOf("moving", 12, nameOf)
      const first = yield* list("workers", parameters)
      assert.deepStrictEqual([...idsOf(first)], made.slice(0, 3))
      assertStatus(yield* remove(`/workers/${made[2]}`), 204)
      assertStatus(yield* remove(`/workers/${made[4]}`), 204)
      yield* worker({ source: { sourceSystem: "moving" }, identity: { displayName: "Name 00" } })
      const rest = (yield* walk("workers", { ...parameters, cursor: textAt(first, "meta.nextCursor") })).flat()
      assert.deepStrictEqual(
        rest,
        [3, 5, 6, 7, 8, 9, 10, 11].map((index) => made[index] ?? "")
      )
    })
  )

  it.effect("WRK-08: meta.total is there with includeTotal=true only, and counts all matches", () =>
    Effect.gen(function* () {
      const parameters = { sourceSystem: "totals", pageSize: "2" }
      const [gone] = yield* groupOf("totals", 5)
      assertStatus(yield* remove(`/workers/${gone}`), 204)
      const totalOf = (more: Parameters) =>
        Effect.map(list("workers", { ...parameters, ...more }), (answer) => at(answer, "meta.total"))
      assert.strictEqual(yield* totalOf({ includeTotal: "true" }), 4)
      assert.strictEqual(yield* totalOf({ includeTotal: "true", page: "2" }), 4)
      assert.strictEqual(yield* totalOf({ includeTotal: "true", includeDeleted: "true" }), 5)
      assert.strictEqual(yield* totalOf({ includeTotal: "true", externalId: "totals 3" }), 1)
      assert.strictEqual(yield* totalOf({ includeTotal: "true", externalId: "" }), 0)
      assert.isUndefined(yield* totalOf({ includeTotal: "false" }))
      assert.isUndefined(yield* totalOf({}))
    })
  )

  it.effect("WRK-08: updatedAfter and updatedBefore are exclusive, and accept RFC 3339 times in any zone", () =>
    Effect.gen(function* () {
      const sourceSystem = "times"
      const timeOf = (item: unknown): string => Object(item).updatedAt
      // Until the clock has shown three different times.
      const made: Array<string> = []
      while (new Set(made).size < 3) {
        yield* groupOf(sourceSystem, 1)
        made.splice(0, made.length, ...dataOf(yield* list("workers", { sourceSystem, pageSize: "100" })).map(timeOf))
      }
      const middle = [...new Set(made)].toSorted()[1] ?? ""
      const times = (parameters: Parameters) =>
        Effect.map(list("workers", { sourceSystem, pageSize: "100", ...parameters }), (answer) =>
          dataOf(answer).map(timeOf)
        )
      assert.deepStrictEqual(
        yield* times({ updatedAfter: middle }),
        made.filter((time) => time > middle)
      )
      assert.deepStrictEqual(
        yield* times({ updatedBefore: middle }),
        made.filter((time) => time < middle)
      )
      const between = { updatedAfter: made[0] ?? "", updatedBefore: made.at(-1) ?? "" }
      assert.deepStrictEqual(
        yield* times(between),
        made.filter((time) => time > between.updatedAfter && time < between.updatedBefore)
      )
      const elsewhere = `${new Date(Date.parse(middle) + 10 * 3_600_000).toISOString().slice(0, -1)}+10:00`
      assert.deepStrictEqual(
        yield* times({ updatedAfter: elsewhere }),
        made.filter((time) => time > middle)
      )
    })
  )

  it.effect("WRK-08: a change moves a worker behind updatedAfter", () =>
    Effect.gen(function* () {
      const [one = "", two = ""] = yield* groupOf("moved", 2)
      const readTime = (id: string) => Effect.map(get(`/workers/${id}`), (answer) => textAt(answer, "data.updatedAt"))
      const before = yield* readTime(two)
      let count = 0
      while ((yield* readTime(one)) <= before) {
        yield* patch(`/workers/${one}`, { employment: { jobTitle: `Job ${count++}` } })
      }
      assert.deepStrictEqual(yield* ids("workers", { sourceSystem: "moved", updatedAfter: before }), [one])
      assert.deepStrictEqual(yield* ids("workers", { sourceSystem: "moved", sort: "updatedAt:desc" }), [one, two])
    })
  )

  const badTimes = [
    "",
    "yesterday",
    "2026-01-31",
    "2026-02-30T00:00:00Z",
    "2026-01-31T24:00:00Z",
    "2026-01-31 09:30:00Z",
    "1",
    "2026-01-31T09:30:00"
  ]
  it.effect.each(["updatedAfter", "updatedBefore"])("ENV-05: %s that is not an RFC 3339 time is 400", (name) =>
    Effect.gen(function* () {
      for (const collection of collections) {
        for (const time of badTimes) {
          assertRefused(yield* get(pathOf(collection, { [name]: time })), "INVALID_ARGUMENT", name)
        }
        yield* list(collection, { [name]: "2026-01-31T09:30:00.000Z" })
      }
    })
  )

  it.effect("ENV-05: an unknown parameter, a repeated one and a flag that is neither true nor false are 400", () =>
    Effect.gen(function* () {
      for (const collection of collections) {
        for (const name of [
          "nope",
          "PAGESIZE",
          "pagesize",
          "filter",
          "id",
          "__proto__",
          "constructor",
          "toString",
          ""
        ]) {
          assertRefused(yield* get(`/${collection}?${name}=1`), "INVALID_ARGUMENT")
        }
        for (const name of yield* parametersOf(collection)) {
          const answer = yield* get(`/${collection}?${name}=true&${name}=true`)
          assertRefused(answer, "INVALID_ARGUMENT", `${name} must be given once`)
        }
        for (const flag of ["includeDeleted", "includeTotal"]) {
          for (const value of ["1", "yes", "TRUE", "", "null"]) {
            assertRefused(yield* get(`/${collection}?${flag}=${value}`), "INVALID_ARGUMENT", flag)
          }
          yield* list(collection, { [flag]: "false" })
        }
      }
      assertRefused(yield* get("/workers?ownerExternalId=x"), "INVALID_ARGUMENT", "ownerExternalId")
      assertRefused(yield* get("/credentials?externalId=x"), "INVALID_ARGUMENT", "externalId")
    })
  )

  it.effect("ENV-05: reading one accepts includeDeleted only", () =>
    Effect.gen(function* () {
      const id = yield* worker()
      for (const query of ["nope=1", "pageSize=1", "includeDeleted=1", "__proto__=1"]) {
        assertRefused(yield* get(`/workers/${id}?${query}`), "INVALID_ARGUMENT")
      }
      const repeated = yield* get(`/workers/${id}?includeDeleted=true&includeDeleted=true`)
      assertRefused(repeated, "INVALID_ARGUMENT", "includeDeleted must be given once")
      assertStatus(yield* get(`/workers/${id}?includeDeleted=false`), 200)
    })
  )

  it.effect("ENV-17: reading changes nothing", () =>
    Effect.gen(function* () {
      const id = yield* credential({ worker: yield* worker({ source: { externalId: "ENV-17" } }) })
      const reads = yield* many(3, () => Effect.map(get(`/credentials/${id}`), (answer) => at(answer, "data")))
      const lists = yield* many(3, () => Effect.map(list("credentials", { ownerExternalId: "ENV-17" }), dataOf))
      for (const read of reads) assert.deepStrictEqual(read, reads[0])
      for (const page of lists) assert.deepStrictEqual(page, [reads[0]])
    })
  )
})
