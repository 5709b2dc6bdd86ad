import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, credential, ownersOf, Service, textAt, verified, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { get, remove } from "../NewerSurface.ts"
import { assertLegacyError, login, person, send } from "./LegacySurface.ts"

const constituentsOf = (page: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> => {
  if (!Array.isArray(Object(page).data)) throw new Error(`not a page: ${JSON.stringify(page)}`)
  return Object(page).data
}

const scanOf = (more: Readonly<Record<string, unknown>> = {}) => ({
  type: "wwcc-nsw",
  identifier: "WWC1234567E",
  first_name: "Ann",
  surname: "Example",
  ...more
})

layer(layerService(), { excludeTestServices: true })("the legacy surface: constituents and scans", (it) => {
  it.effect("LEG-13: a constituent is a worker, in the surface's form", () =>
    Effect.gen(function* () {
      const { bearer } = yield* login(yield* person({ role: ["worker:READ"] }))
      const full = yield* worker({
        identity: { displayName: "Ann Example", firstName: "Ann", lastName: "Example", birthDate: "1990-02-28" },
        contact: { workEmail: "ann@example.org", personalEmail: "ann@example.com", mobileNumber: "0400 000 000" },
        employment: { status: "ON_LEAVE" },
        source: { externalId: "hr-1" }
      })
      const bare = yield* worker({ identity: { displayName: "Cher" }, employment: { status: "TERMINATED" } })
      const shown = {
        id: full,
        first_name: "Ann",
        surname: "Example",
        date_of_birth: "1990-02-28",
        email: "ann@example.org",
        mobile_number: "0400 000 000",
        external_id: "hr-1",
        is_active: true
      }
      assert.deepStrictEqual((yield* send("GET", `/constituents/${full}`, bearer)).json, shown)
      const nothing = { date_of_birth: null, email: null, mobile_number: null, external_id: null }
      const one = { id: bare, first_name: "", surname: "Cher", ...nothing, is_active: false }
      assert.deepStrictEqual((yield* send("GET", `/constituents/${bare}`, bearer)).json, one)
      const list = yield* send("GET", "/constituents", bearer)
      assert.deepStrictEqual(Object.keys(Object(list.json)), ["data", "page", "page_size", "total"])
      assert.deepStrictEqual(constituentsOf(list.json), [shown, one])
    })
  )

  it.effect("LEG-13: lists constituents by page and by number, without deleted ones", () =>
    Effect.gen(function* () {
      const { bearer } = yield* login(yield* person({ other: true })) // a tenant without workers
      const { call } = yield* Service
      const empty = yield* send("GET", "/constituents", bearer, { host: "other.localhost" })
      assert.deepStrictEqual(empty.json, { data: [], page: 1, page_size: 25, total: 0 })
      const mine = yield* login(yield* person())
      const before = Number(at(yield* send("GET", "/constituents", mine.bearer), "total"))
      const made = [yield* worker(), yield* worker(), yield* worker()]
      yield* remove(`/workers/${made[1]}`)
      const page = yield* send("GET", `/constituents?page=${before + 2}&page_size=1`, mine.bearer)
      assert.deepStrictEqual([at(page, "page"), at(page, "page_size"), at(page, "total")], [before + 2, 1, before + 2])
      assert.deepStrictEqual(
        constituentsOf(page.json).map(({ id }) => id),
        [made[2]]
      )
      assertLegacyError(yield* send("GET", `/constituents/${made[1]}`, mine.bearer), 404)
      for (const [query, field] of [
        ["page=0", "page"],
        ["page=x", "page"],
        ["page_size=0", "page_size"],
        ["page_size=1.5", "page_size"],
        ["page=1&page=2", "page"],
        ["page=100000000", "page"],
        ["pageSize=2", "pageSize"],
        ["includeDeleted=true", "includeDeleted"]
      ] as const) {
        assertLegacyError(yield* send("GET", `/constituents?${query}`, mine.bearer), 400, field)
      }
      assert.strictEqual(at(yield* send("GET", "/constituents?page_size=5000", mine.bearer), "page_size"), 100)
      assert.strictEqual((yield* call({ method: "HEAD", path: "/api/constituents", token: null })).status, 401)
    })
  )

  it.effect("LEG-12: verifies only the one credential that a scan matches, and changes no other record", () =>
    Effect.gen(function* () {
      const { bearer } = yield* login(yield* person())
      const owner = yield* worker()
      const holder = { firstName: "Ann", lastName: "Example" }
      const card = { credentialType: "WWCC_NSW", identifier: "WWC7654399V", holder }
      const id = yield* verified({ worker: owner }, card)
      const record = Effect.map(get(`/credentials/${id}`), (shown) => Object(at(shown, "data")).attributes)
      const before = yield* record
      const submit = Effect.fnUntraced(function* (more: object, status: string) {
        const submitted = yield* send("POST", "/scan", bearer, {
          body: scanOf({ identifier: card.identifier, ...more })
        })
        assert.strictEqual(submitted.status, 200, submitted.text)
        assert.deepStrictEqual(Object.keys(Object(submitted.json)), ["correlation_id", "status", "type", "identifier"])
        assert.strictEqual(at(submitted, "status"), status)
        return textAt(submitted, "correlation_id")
      })
      for (const more of [{ surname: "Other" }, { first_name: "Bob" }, { identifier: "WWC0000000E" }]) {
        yield* submit(more, "unmatched")
      }
      yield* submit({ type: "first-aid" }, "not_verifiable")
      assert.deepStrictEqual(yield* record, before)
      const matching = [yield* submit({}, "queued"), yield* submit({ first_name: " ANN " }, "queued")]
      assert.deepStrictEqual(yield* record, { ...before, lastCorrelationId: matching[1] })
      const history = Object(at(yield* get(`/credentials/${id}/verifications`), "data"))
      assert.deepStrictEqual(
        history.map(({ correlationId, trigger }: Record<string, unknown>) => [trigger, correlationId]).slice(1),
        matching.map((correlationId) => ["scan", correlationId])
      )
      assert.deepStrictEqual(yield* ownersOf(id), { worker: owner, applicant: null })
      yield* credential({ worker: owner }, card)
      yield* submit({}, "unmatched")
      yield* remove(`/credentials/${id}`)
      yield* submit({}, "queued")
    })
  )

  it.effect("LEG-12: refuses an invalid scan in the surface's shape, and names the field", () =>
    Effect.gen(function* () {
      const { bearer } = yield* login(yield* person())
      const { surname: _, ...without } = scanOf()
      for (const [body, field] of [
        [scanOf({ type: "passport" }), "type"],
        [scanOf({ type: "wwcc_nsw" }), "type"],
        [scanOf({ type: 7 }), "type"],
        [scanOf({ identifier: "" }), "identifier"],
        [scanOf({ identifier: "x".repeat(101) }), "identifier"],
        [scanOf({ first_name: "a\nb" }), "first_name"],
        [without, "surname"],
        [[], null]
      ] as const) {
        assertLegacyError(yield* send("POST", "/scan", bearer, { body }), 400, field)
      }
      const json = { "content-type": "application/json" }
      assertLegacyError(yield* send("POST", "/scan", bearer, { rawBody: "{", headers: json }), 400)
      assertLegacyError(yield* send("POST", "/scan", bearer, { rawBody: "", headers: json }), 400)
      const form = { "content-type": "application/x-www-form-urlencoded" }
      assertLegacyError(yield* send("POST", "/scan", bearer, { rawBody: "type=wwcc-nsw", headers: form }), 415)
      const large = JSON.stringify(scanOf({ surname: "x".repeat(1024 * 1024) }))
      assertLegacyError(yield* send("POST", "/scan", bearer, { rawBody: large, headers: json }), 413)
    })
  )
})
