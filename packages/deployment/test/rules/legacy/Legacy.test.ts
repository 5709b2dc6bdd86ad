import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, type Call, otherHost, ownersOf, textAt, verified, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { dataOf, get, remove } from "../NewerSurface.ts"
import * as Row from "../Row.ts"
import { ids, list } from "../resource/Listing.ts"
import { assertLegacyError, login, person, send } from "./LegacySurface.ts"

const scanOf = (more: Readonly<Record<string, unknown>> = {}) => ({
  type: "wwcc-nsw",
  identifier: "WWC1234567E",
  first_name: "Ann",
  surname: "Example",
  ...more
})
const { surname: _, ...scanWithoutName } = scanOf()

const json = { "content-type": "application/json" }

/** Calls, and the status and the field of their refusals. */
const refused: ReadonlyArray<readonly [call: string, status: number, field: string | null, more?: Partial<Call>]> = [
  ...["GET /users", "DELETE /users/me", "POST /organizations/me", "GET /scan", "POST /constituents", "GET /"].map(
    (call) => [call, 404, null] as const
  ),
  ["GET /v1/users/me", 404, null],
  ["GET /users/%zz", 404, null],
  ["GET /constituents?page=0", 400, "page"],
  ["GET /constituents?page=x", 400, "page"],
  ["GET /constituents?page_size=0", 400, "page_size"],
  ["GET /constituents?page_size=1.5", 400, "page_size"],
  ["GET /constituents?page=1&page=2", 400, "page"],
  ["GET /constituents?page=100000000", 400, "page"],
  ["GET /constituents?pageSize=2", 400, "pageSize"],
  ["GET /constituents?includeDeleted=true", 400, "includeDeleted"],
  ["POST /scan", 400, "type", { body: scanOf({ type: "passport" }) }],
  ["POST /scan", 400, "type", { body: scanOf({ type: 7 }) }],
  ["POST /scan", 400, "identifier", { body: scanOf({ identifier: "x".repeat(101) }) }],
  ["POST /scan", 400, "first_name", { body: scanOf({ first_name: "a\nb" }) }],
  ["POST /scan", 400, "surname", { body: scanWithoutName }],
  ["POST /scan", 400, null, { body: [] }],
  ["POST /scan", 400, null, { rawBody: "{", headers: json }],
  ["POST /scan", 400, null, { rawBody: "", headers: json }],
  ["POST /scan", 415, null, { rawBody: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } }],
  ["POST /scan", 413, null, { rawBody: JSON.stringify(scanOf({ surname: "x".repeat(1024 * 1024) })), headers: json }]
]

layer(layerService(), { excludeTestServices: true })("the legacy surface", (it) => {
  it.effect("TRN-03, LEG-12, LEG-13, LEG-26: refuses in its own shape, and names the field", () =>
    Effect.gen(function* () {
      const { bearer } = yield* login(yield* person())
      for (const [call, status, field, more] of refused) {
        const [method = "", path = ""] = call.split(" ")
        assertLegacyError(yield* send(method, path, bearer, more), status, field)
      }
      assert.strictEqual((yield* send("HEAD", "/constituents", undefined)).status, 401)
    })
  )

  it.effect("LEG-13: constituents are the workers in the surface's form, by page, without deleted ones", () =>
    Effect.gen(function* () {
      const other = yield* login(yield* person({ other: true })) // a tenant without workers
      const empty = yield* send("GET", "/constituents", other.bearer, { host: otherHost })
      assert.deepStrictEqual(empty.json, { data: [], page: 1, page_size: 25, total: 0 })
      const { bearer } = yield* login(yield* person({ role: ["worker:READ"] }))
      const shown = {
        id: yield* worker({
          identity: { displayName: "Ann Example", firstName: "Ann", lastName: "Example", birthDate: "1990-02-28" },
          contact: { workEmail: "ann@example.org", mobileNumber: "0400 000 000" },
          source: { externalId: "hr-1" }
        }),
        first_name: "Ann",
        surname: "Example",
        date_of_birth: "1990-02-28",
        email: "ann@example.org",
        mobile_number: "0400 000 000",
        external_id: "hr-1",
        is_active: true
      }
      const [gone, last] = [yield* worker(), yield* worker()]
      yield* remove(`/workers/${gone}`)
      assert.deepStrictEqual((yield* send("GET", `/constituents/${shown.id}`, bearer)).json, shown)
      assertLegacyError(yield* send("GET", `/constituents/${gone}`, bearer), 404)
      const first = yield* send("GET", "/constituents?page_size=1", bearer)
      assert.deepStrictEqual(first.json, { data: [shown], page: 1, page_size: 1, total: 2 })
      const second = yield* send("GET", "/constituents?page=2&page_size=1", bearer)
      assert.strictEqual(at(second, "data.0.id"), last)
      assert.strictEqual(at(yield* send("GET", "/constituents?page_size=5000", bearer), "page_size"), 100)
    })
  )

  it.effect("LEG-12, SIL-19: a scan verifies only the one credential that it matches; /scans shows its result", () =>
    Effect.gen(function* () {
      const { bearer } = yield* login(yield* person())
      const owner = yield* worker()
      const identifier = "WWC1234568V"
      const holder = { firstName: "Ann", lastName: "Example", birthDate: "1990-04-01" }
      const id = yield* verified({ worker: owner }, { credentialType: "WWCC_NSW", identifier, holder })
      const record = Effect.map(get(`/credentials/${id}`), (shown) => Object(at(shown, "data")).attributes)
      const before = yield* record
      const submit = Effect.fnUntraced(function* (more: object, status: string) {
        const answer = yield* send("POST", "/scan", bearer, { body: scanOf({ identifier, ...more }) })
        assert.deepStrictEqual([answer.status, at(answer, "status")], [200, status], answer.text)
        return { id: textAt(answer, "correlation_id"), requestId: answer.headers["x-request-id"] }
      })
      const other = yield* submit({ surname: "Other" }, "unmatched")
      yield* submit({ type: "first-aid" }, "not_verifiable")
      assert.deepStrictEqual(yield* record, before)
      const matching = yield* submit({}, "queued")
      assert.deepStrictEqual(yield* record, { ...before, lastCorrelationId: matching.id })
      assert.deepStrictEqual(yield* ownersOf(id), { worker: owner, applicant: null })
      const [one, , differing, ...others] = dataOf(yield* list("scans", { identifier })).map(Object)
      assert.match(one.account, /^urn:wcs:account:acc_/)
      const common = { type: "scan", credentialType: "WWCC_NSW", identifier, account: one.account }
      assert.deepStrictEqual(one, {
        ...common,
        ...matching,
        correlationId: matching.id,
        status: "queued",
        outcome: "MATCHED",
        firstName: "Ann",
        lastName: "Example",
        credentialId: id,
        createdAt: one.createdAt
      })
      assert.deepInclude(differing, { ...common, ...other, outcome: "NAME_DIFFERS", credentialId: null })
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual(yield* ids("scans", { identifier, status: "queued" }), [one.id])
      assert.deepStrictEqual(yield* ids("scans", { credentialId: id }), [one.id])
      assert.deepStrictEqual(yield* ids("scans", { correlationId: other.id }), [other.id])
      const [entry] = dataOf(yield* list("audit-events", { entityId: one.id })).map(Object)
      assert.deepStrictEqual([entry.account, entry.action, entry.entityType], [one.account, "scan", "scan"])
      yield* Row.run([
        {
          call: `GET /credentials/${id}/verifications`,
          expect: { "data.1.trigger": "scan", "data.1.correlationId": one.id, "data.length": 2 }
        }
      ])
    })
  )
})
