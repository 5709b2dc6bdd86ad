import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, Service, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { person } from "../legacy/LegacySurface.ts"
import { assertRefused, dataOf, get, remove } from "../NewerSurface.ts"
import { run } from "../Row.ts"
import { ids } from "./Listing.ts"

const checked = { checkedAt: "2026-01-31T19:30:00+10:00", eligibility: "MAY_NOT_ENGAGE" }

// The store's suite tests every filter, sort and page of every list. `ListQuery.test.ts` tests their parameters.
layer(layerService(), { excludeTestServices: true })("reads", (it) => {
  it.effect("find people and cards however they are written, and count all matches on request", () =>
    Effect.gen(function* () {
      const source = { sourceSystem: "reads" }
      const hong = yield* worker({ source, identity: { displayName: "Nguyễn Thị Hồng".normalize("NFC") } })
      yield* worker({ source })
      const { email } = yield* person()
      const card = { credentialType: "WWCC_NSW", identifier: "wwc 7654321e", owners: { worker: hong } }
      yield* run([
        { call: "GET /workers?query=hong%20%20nguyen", expect: { "data.0.id": hong, "data.1": undefined } },
        { call: "GET /workers?query=uyen", expect: { data: [] } },
        { call: "GET /workers?sourceSystem=reads&pageSize=1", expect: { "meta.total": undefined } },
        { call: "GET /workers?sourceSystem=reads&pageSize=1&includeTotal=true", expect: { "meta.total": 2 } },
        { call: `GET /users?query=${email}`, expect: { "data.0.email": email, "data.1": undefined } },
        {
          call: "POST /credentials",
          body: { attributes: card },
          expect: { "data.attributes.identifier": "WWC7654321E" }
        },
        { call: "GET /credentials?identifier=wwc-7654321%20e", expect: { "data.0.attributes.owners.worker": hong } },
        { call: "GET /credentials?query=wwc%207654", expect: { "data.0.attributes.owners.worker": hong } }
      ])
    })
  )

  it.effect("PRV-12, ENV-08: show a register's ban under its URN, with READ; each change by an import is audited", () =>
    Effect.gen(function* () {
      const { recordBan, tenant } = yield* Service
      const id = yield* worker()
      const matches = [{ name: "Ann Example", reference: "B/1", detail: "2024" }, {}]
      const entry = { register: "ndis", key: "A.1_b-2", worker: { id }, ...checked, matches }
      const urn = "urn:wcs:ban:ndis:A.1_b-2"
      assert.deepStrictEqual(yield* recordBan(tenant.id, { ...entry, matches: [] }), { id: urn, change: "created" })
      assert.deepStrictEqual(yield* recordBan(tenant.id, entry), { id: urn, change: "updated" })
      const entries = dataOf(yield* get(`/audit-events?entityId=${urn}`)).map(Object)
      assert.sameMembers(
        entries.map(({ action, entityType, operation }) => `${action} ${operation} ${entityType}`),
        ["import CREATE ban", "import UPDATE ban"]
      )
      const { token: as } = yield* tokenOf(["ban:READ"])
      const [read] = yield* run([
        { call: `GET /bans/${urn}`, as, expect: { "data.id": urn } },
        { call: `GET /bans/${encodeURIComponent(urn)}`, as, expect: { "data.id": urn } },
        { call: "GET /bans/urn:wcs:ban:ndis:nothing", as, expect: "NOT_FOUND" },
        { call: `GET /bans/${urn}?nonsense=1`, as, expect: "INVALID_ARGUMENT: nonsense" }
      ])
      const { createdAt: _c, updatedAt: _u, ...shown } = Object(at(read, "data"))
      const checkedAt = "2026-01-31T09:30:00.000Z"
      assert.deepStrictEqual(shown, {
        ...checked,
        id: urn,
        type: "ban",
        register: "ndis",
        worker: { id },
        checkedAt,
        matches
      })
      const malformed = [
        "x",
        "urn:wcs:ban:ndis:",
        "urn:wcs:ban:NDIS:1",
        "urn:other:ban:ndis:1",
        `${urn}%0A`,
        `${urn}:1`,
        id
      ]
      for (const text of malformed) assertRefused(yield* get(`/bans/${text}`), "INVALID_URN", "id")
    })
  )

  it.effect("ENV-05: an import refuses a malformed record or one of an unknown person, and keeps nothing of it", () =>
    Effect.gen(function* () {
      const { recordBan, tenant } = yield* Service
      const gone = yield* worker()
      yield* remove(`/workers/${gone}`)
      const entry = { register: "refused", key: "1", worker: { id: yield* worker() }, ...checked }
      const rows = [
        [{ ...entry, register: "No Register" }, "InvalidArgument"],
        [{ ...entry, key: "a b" }, "InvalidArgument"],
        [{ ...entry, key: null }, "InvalidArgument"],
        [{ ...entry, checkedAt: "yesterday" }, "InvalidArgument"],
        [{ ...entry, worker: {} }, "InvalidArgument"],
        [{ ...entry, matches: [7] }, "InvalidArgument"],
        [[], "InvalidArgument"],
        [{ ...entry, worker: { id: gone } }, "LinkNotFound"]
      ] as const
      for (const [record, tag] of rows) {
        assert.strictEqual((yield* Effect.flip(recordBan(tenant.id, record)))._tag, tag)
      }
      assert.deepStrictEqual(yield* ids("bans", { register: "refused" }), [])
    })
  )
})
