import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, ban, Service, tokenOf, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, idsOf, remove, root } from "../NewerSurface.ts"
import { ids, list, type Parameters, pathOf } from "./Listing.ts"

const checked = { checkedAt: "2026-01-31T19:30:00+10:00", eligibility: "MAY_NOT_ENGAGE" }

layer(layerService(), { excludeTestServices: true })("bans", (it) => {
  it.effect("PRV-12: a register's ban can be read, under its URN, with READ", () =>
    Effect.gen(function* () {
      const { call, recordBan, tenant } = yield* Service
      const w = yield* worker()
      const matches = [{ name: "Ann Example", reference: "B/1", detail: "2024" }, {}]
      const entry = { register: "ndis", key: "A.1_b-2", worker: { id: w }, ...checked, matches }
      const made = yield* recordBan(tenant.id, entry)
      assert.deepStrictEqual(made, { id: "urn:wcs:ban:ndis:A.1_b-2", change: "created" })
      const { token } = yield* tokenOf(["ban:READ"])
      for (const id of [made.id, encodeURIComponent(made.id)]) {
        const answer = yield* call({ method: "GET", path: `${root}/bans/${id}`, token })
        assertStatus(answer, 200)
        const { createdAt, updatedAt, ...shown } = Object(at(answer, "data"))
        assert.deepStrictEqual(shown, {
          id: made.id,
          type: "ban",
          register: "ndis",
          worker: { id: w },
          checkedAt: "2026-01-31T09:30:00.000Z",
          eligibility: "MAY_NOT_ENGAGE",
          matches
        })
        assert.strictEqual(createdAt, updatedAt)
      }
    })
  )

  it.effect("ENV-02, ENV-08: a malformed URN of a ban is 400 INVALID_URN, an unknown one 404", () =>
    Effect.gen(function* () {
      const id = yield* ban(yield* worker())
      const malformed = [
        "x",
        "urn",
        "urn:wcs:ban",
        "urn:wcs:ban:ndis",
        "urn:wcs:ban:ndis:",
        "urn:wcs:ban::1",
        "urn:wcs:ban:NDIS:1",
        "urn:wcs:account:ndis:1",
        "urn:other:ban:ndis:1",
        `${id}:1`,
        `${id}%20`,
        `${id}%0A`,
        `urn:wcs:ban:ndis:${"a".repeat(65)}`,
        "wkr_0123456789abcdef"
      ]
      for (const text of malformed) assertRefused(yield* get(`/bans/${text}`), "INVALID_URN", "id")
      assertRefused(yield* get("/bans/urn:wcs:ban:ndis:nothing"), "NOT_FOUND")
      assertRefused(yield* get(`/bans/${id}?nonsense=1`), "INVALID_ARGUMENT", "nonsense")
      assertStatus(yield* get(`/bans/${id}`), 200)
    })
  )

  it.effect(
    "ENV-16: importing a record again changes nothing, another one with its key replaces it, and each is audited",
    () =>
      Effect.gen(function* () {
        const { recordBan, tenant } = yield* Service
        yield* worker({ source: { externalId: "banned" } })
        const entry = { register: "ndis", key: "again", worker: { externalId: "banned" }, ...checked }
        const [first, second] = [yield* recordBan(tenant.id, entry), yield* recordBan(tenant.id, entry)]
        assert.deepStrictEqual([first.change, second.change], ["created", "unchanged"])
        const before = Object(at(yield* get(`/bans/${first.id}`), "data"))
        assert.deepStrictEqual(before.matches, [])
        const third = yield* recordBan(tenant.id, { ...entry, eligibility: "MAY_ENGAGE" })
        assert.strictEqual(third.change, "updated")
        const after = Object(at(yield* get(`/bans/${first.id}`), "data"))
        assert.deepStrictEqual({ ...after, updatedAt: before.updatedAt }, { ...before, eligibility: "MAY_ENGAGE" })
        const entries = dataOf(yield* get(`/audit-events?entityId=${encodeURIComponent(first.id)}`)).map(Object)
        assert.sameMembers(
          entries.map(({ action, entityType, operation }) => `${action} ${operation} ${entityType}`),
          ["import CREATE ban", "import UPDATE ban"]
        )
      })
  )

  it.effect("ENV-05: refuses a malformed record or one of an unknown person, and keeps nothing of it", () =>
    Effect.gen(function* () {
      const { recordBan, tenant } = yield* Service
      const gone = yield* worker()
      assertStatus(yield* remove(`/workers/${gone}`), 204)
      const entry = { register: "refused", key: "1", worker: { id: yield* worker() }, ...checked }
      const wrong = [
        { ...entry, register: "No Register" },
        { ...entry, register: 7 },
        { ...entry, key: "" },
        { ...entry, key: "a b" },
        { ...entry, key: null },
        { ...entry, eligibility: "BANNED" },
        { ...entry, checkedAt: "yesterday" },
        { ...entry, worker: {} },
        { ...entry, matches: [7] },
        []
      ]
      for (const each of wrong) {
        assert.strictEqual((yield* Effect.flip(recordBan(tenant.id, each)))._tag, "InvalidArgument")
      }
      for (const person of [{ id: gone }, { externalId: "nobody is banned" }]) {
        const refused = yield* Effect.flip(recordBan(tenant.id, { ...entry, worker: person }))
        assert.strictEqual(refused._tag, "LinkNotFound")
      }
      assert.deepStrictEqual(yield* ids("bans", { register: "refused" }), [])
      assert.strictEqual((yield* recordBan(tenant.id, entry)).change, "created")
    })
  )

  it.effect("ENV-07: the filters and the sort of bans", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* worker({ source: { externalId: "ban filter" } }), yield* worker()]
      const register = "filters"
      const [a, b, c] = [
        yield* ban(one, { register, checkedAt: "2026-01-02T00:00:00Z" }),
        yield* ban(one, { register, checkedAt: "2026-01-01T00:00:00Z", eligibility: "MAY_ENGAGE" }),
        yield* ban(two, { register, checkedAt: "2026-01-03T00:00:00Z" })
      ]
      const rows: ReadonlyArray<readonly [Parameters, ReadonlyArray<string>]> = [
        [{}, [a, b, c]],
        [{ ownerExternalId: "ban filter" }, [a, b]],
        [{ ownerExternalId: "" }, []],
        [{ workerId: two }, [c]],
        [{ eligibility: "MAY_NOT_ENGAGE" }, [a, c]],
        [{ workerId: one, eligibility: "MAY_ENGAGE" }, [b]]
      ]
      for (const [parameters, expected] of rows) {
        assert.sameMembers(yield* ids("bans", { register, ...parameters }), [...expected], JSON.stringify(parameters))
      }
      assert.deepStrictEqual([...idsOf(yield* list("bans", { register, sort: "checkedAt:desc" }))], [c, a, b])
      assertRefused(yield* get(pathOf("bans", { eligibility: "BANNED" })), "INVALID_ARGUMENT", "eligibility")
    })
  )
})
