import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, Service, textAt, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, idsOf, post, root } from "../NewerSurface.ts"

const named = { identity: { displayName: "Ann Example" } }
const found = (externalId: string) =>
  Effect.map(get(`/workers?externalId=${encodeURIComponent(externalId)}`), (answer) => {
    assertStatus(answer, 200)
    return idsOf(answer)
  })

layer(layerService(), { excludeTestServices: true })("workers", (it) => {
  it.effect("WRK-01, ENV-05: refuses a worker without identity.displayName, and creates none", () =>
    Effect.gen(function* () {
      const source = { externalId: "WRK-01" }
      const nameless = [
        { source },
        { source, identity: {} },
        { source, identity: null },
        { source, identity: { firstName: "Ann" } },
        { source, identity: { displayName: null } },
        { source, identity: { displayName: "" } },
        { source, displayName: "Ann Example" }
      ]
      for (const body of nameless) assertRefused(yield* post("/workers", body), "INVALID_ARGUMENT", "identity")
      assert.deepStrictEqual(yield* found("WRK-01"), [])
      assertStatus(yield* post("/workers", { source, ...named }), 201)
      assert.lengthOf(yield* found("WRK-01"), 1)
    })
  )

  it.effect("WRK-02, ENV-01: a create is 201 with data and meta, and Location leads to the worker", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const made = yield* post("/workers", named)
      assertStatus(made, 201)
      assert.sameMembers(Object.keys(Object(made.json)), ["data", "meta"])
      assert.strictEqual(at(made, "meta.requestId"), made.headers["x-request-id"])
      assert.strictEqual(made.headers["location"], `${root}/workers/${textAt(made, "data.id")}`)
      const read = yield* call({ method: "GET", path: made.headers["location"] ?? "" })
      assertStatus(read, 200)
      assert.deepStrictEqual(at(read, "data"), at(made, "data"))
      assert.strictEqual(at(read, "data.type"), "worker")
    })
  )

  it.effect("WRK-02: keeps and shows every field of a worker unchanged", () =>
    Effect.gen(function* () {
      const fields = {
        identity: {
          displayName: "Ann Example",
          firstName: "Ann",
          middleName: "Mary",
          lastName: "Example",
          otherNames: ["Ann Sample", "Änne Beispiel 例"],
          birthDate: "1980-02-29"
        },
        contact: { workEmail: "ann@example.org", personalEmail: "ann@example.net", mobileNumber: "+61 400 000 000" },
        employment: {
          jobTitle: "Nurse",
          workerType: "VOLUNTEER",
          status: "ON_LEAVE",
          startDate: "2020-01-01",
          endDate: "2030-12-31",
          organisationName: "Example Ltd"
        },
        source: { externalId: "all fields", sourceSystem: "HR" }
      }
      const made = yield* post("/workers", fields)
      assertStatus(made, 201)
      const { createdAt, id, type, updatedAt, ...shown } = Object(at(made, "data"))
      assert.deepStrictEqual(shown, fields)
      assert.match(String(createdAt), /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
      assert.strictEqual(updatedAt, createdAt)
      assert.isUndefined(at(made, "meta.warnings"))
      assert.deepStrictEqual([type, String(id).slice(0, 4)], ["worker", "wkr_"])
    })
  )

  it.effect("WRK-03: the server creates the id, and ignores a sent one", () =>
    Effect.gen(function* () {
      const taken = yield* worker()
      for (const id of ["wkr_0123456789ABCDEF", taken, "mine", 7, null]) {
        const made = yield* post("/workers", { ...named, id, createdAt: "2001-01-01T00:00:00.000Z" })
        assertStatus(made, 201)
        assert.match(textAt(made, "data.id"), /^wkr_[0-9A-Za-z]{16}$/)
        assert.notStrictEqual(at(made, "data.id"), id)
        assert.notStrictEqual(at(made, "data.createdAt"), "2001-01-01T00:00:00.000Z")
        assert.include(String(at(made, "meta.warnings")), "id")
      }
      assertRefused(yield* get("/workers/wkr_0123456789ABCDEF"), "NOT_FOUND")
    })
  )

  it.effect("WRK-04: each create has a new id", () =>
    Effect.gen(function* () {
      const ids = yield* Effect.forEach(Array.from({ length: 200 }), () => worker(), { concurrency: 20 })
      assert.strictEqual(new Set(ids).size, 200)
    })
  )

  it.effect("WRK-12, SIL-31: the same body sent twice creates two workers, with source.externalId too", () =>
    Effect.gen(function* () {
      for (const body of [named, { ...named, source: { externalId: "WRK-12" } }]) {
        const [one, two] = [yield* post("/workers", body), yield* post("/workers", body)]
        assertStatus(one, 201)
        assertStatus(two, 201)
        assert.notStrictEqual(textAt(one, "data.id"), textAt(two, "data.id"))
      }
      assert.lengthOf(yield* found("WRK-12"), 2)
    })
  )

  it.effect("WRK-13: ignores an idempotency key", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      for (const name of ["idempotency-key", "x-idempotency-key"]) {
        const create = call({
          method: "POST",
          path: `${root}/workers`,
          body: { ...named, source: { externalId: name } },
          headers: { [name]: "8e03978e-40d5-43e8-bc93-6894a57f9324" }
        })
        const [one, two] = [yield* create, yield* create]
        assert.deepStrictEqual([one.status, two.status], [201, 201])
        assert.sameMembers([...(yield* found(name))], [textAt(one, "data.id"), textAt(two, "data.id")])
      }
    })
  )

  it.effect("WRK-05: the lookup finds the worker with that source.externalId, and no other", () =>
    Effect.gen(function* () {
      const wanted = yield* worker({ source: { externalId: "E-100" } })
      yield* worker({ source: { externalId: "E-200" } })
      yield* worker()
      assert.deepStrictEqual(yield* found("E-100"), [wanted])
    })
  )

  // Threat 29: patterns and SQL fragments are plain text.
  const externalId = "Ab%_c'\"\\é例 100"
  const misses: ReadonlyArray<readonly [string, string]> = [
    ["WRK-06: a prefix", externalId.slice(0, -1)],
    ["WRK-06: a longer text", `${externalId}0`],
    ["WRK-06: a substring", externalId.slice(1)],
    ["WRK-06: blanks around it", ` ${externalId} `],
    ["WRK-16: capitals", externalId.toUpperCase()],
    ["WRK-16: small letters", externalId.toLowerCase()],
    ["WRK-06: %", "%"],
    ["WRK-06: a pattern that would match", "Ab%"],
    ["WRK-06: _ for a letter", externalId.replace("c", "_")],
    ["WRK-06: *", "*"],
    ["WRK-06: a quote that ends a string", `' OR '1'='1`],
    ["WRK-06: NUL after it", `${externalId}\0`],
    ["WRK-06: NUL alone", "\0"],
    ["WRK-06: nothing", ""],
    ["WRK-06: the decomposed form of a letter", externalId.normalize("NFD")]
  ]
  it.effect.each(misses)("WRK-07: %s finds nobody: 200 with empty data", ([, text]) =>
    Effect.gen(function* () {
      const wanted = yield* worker({ source: { externalId } })
      assert.include(yield* found(externalId), wanted)
      const answer = yield* get(`/workers?externalId=${encodeURIComponent(text)}`)
      assertStatus(answer, 200)
      assert.deepStrictEqual(at(answer, "data"), [])
      assert.strictEqual(at(answer, "meta.requestId"), answer.headers["x-request-id"])
    })
  )

  it.effect("WRK-08: the list is { data: [worker], meta }", () =>
    Effect.gen(function* () {
      yield* worker()
      const answer = yield* get("/workers")
      assertStatus(answer, 200)
      assert.sameMembers(Object.keys(Object(answer.json)), ["data", "meta"])
      assert.isNotEmpty(dataOf(answer))
      for (const item of dataOf(answer)) {
        assert.match(String(Object(item).id), /^wkr_/)
        assert.isString(Object(item).identity.displayName)
      }
      assert.strictEqual(at(answer, "meta.requestId"), answer.headers["x-request-id"])
    })
  )

  it.effect("WRK-09: pageSize limits the number of rows", () =>
    Effect.gen(function* () {
      const group = { source: { sourceSystem: "WRK-09" } }
      yield* Effect.forEach(Array.from({ length: 30 }), () => worker(group), { concurrency: 30 })
      const sizeOf = (parameters: string) =>
        Effect.map(get(`/workers?sourceSystem=WRK-09${parameters}`), (answer) => dataOf(answer).length)
      const sizes = yield* Effect.forEach(["", "&pageSize=1", "&pageSize=7", "&pageSize=30", "&pageSize=31"], sizeOf)
      assert.deepStrictEqual(sizes, [25, 1, 7, 30, 30])
    })
  )

  it.effect.each(["x", "1.5", "1e1", "", " ", "0", "-1", "NaN", "0x10", "١"])(
    "WRK-10: pageSize=%s is refused",
    (pageSize) =>
      Effect.gen(function* () {
        const answer = yield* get(`/workers?pageSize=${encodeURIComponent(pageSize)}`)
        assertRefused(answer, "INVALID_ARGUMENT", "pageSize")
        assertStatus(yield* get("/workers?pageSize=1"), 200)
      })
  )

  it.effect("WRK-11: source and source.externalId are optional", () =>
    Effect.gen(function* () {
      for (const body of [named, { ...named, source: {} }, { ...named, source: { sourceSystem: "HR" } }]) {
        assertStatus(yield* post("/workers", body), 201)
      }
    })
  )

  it.effect("WRK-14: create, read, list and lookup show the same id and source.externalId", () =>
    Effect.gen(function* () {
      const source = { externalId: "WRK-14", sourceSystem: "WRK-14" }
      const made = yield* post("/workers", { ...named, source })
      const data = at(made, "data")
      assert.strictEqual(at(made, "data.source.externalId"), "WRK-14")
      assert.deepStrictEqual(at(yield* get(`/workers/${textAt(made, "data.id")}`), "data"), data)
      assert.deepStrictEqual(at(yield* get("/workers?externalId=WRK-14"), "data"), [data])
      assert.deepStrictEqual(at(yield* get("/workers?sourceSystem=WRK-14"), "data"), [data])
    })
  )
})
