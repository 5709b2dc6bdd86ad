import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, textAt, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { login, person, send } from "../legacy/LegacySurface.ts"
import { assertRefused, assertStatus, dataOf, get, patch, post } from "../NewerSurface.ts"
import { ids, list, walk } from "./Listing.ts"

layer(layerService(), { excludeTestServices: true })("search", (it) => {
  it.effect("finds people however their names are written, in part, and by the caller's own id", () =>
    Effect.gen(function* () {
      const hong = yield* worker({
        identity: { displayName: "Nguyễn Thị Hồng".normalize("NFC"), lastName: "Nguyễn" },
        source: { externalId: "HR-0042 17" }
      })
      const sean = yield* worker({ identity: { displayName: "Seán O’Brien" } })
      const cases: ReadonlyArray<readonly [query: string, found: string]> = [
        ["Nguyễn".normalize("NFD"), hong],
        ["  Nguyễn", hong],
        ["nguyen", hong],
        ["Hồng", hong],
        ["hong  nguyen", hong],
        ["HR-0042 17", hong],
        ["hr004217", hong],
        ["sean o'brien", sean]
      ]
      for (const [query, found] of cases) assert.deepStrictEqual(yield* ids("workers", { query }), [found], query)
      assert.deepStrictEqual(yield* ids("workers", { externalId: "hr004217" }), [], "WRK-05: exact")
    })
  )

  it.effect("WRK-08, WRK-09: pages of a search lose and repeat none", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 12; n++) yield* worker({ identity: { displayName: `Page${n % 3} Pagey Person` } })
      const pages = yield* walk("workers", { query: "page", sort: "displayName:desc", pageSize: "5" })
      assert.strictEqual(new Set(pages.flat()).size, 12)
      assert.deepStrictEqual(
        pages.map(({ length }) => length),
        [5, 5, 2]
      )
    })
  )

  it.effect("finds users by name and email address", () =>
    Effect.gen(function* () {
      const { email } = yield* person()
      for (const query of [email, `${email.slice(0, 8)} exa an`]) {
        const found = yield* list("users", { query })
        assert.deepStrictEqual(
          dataOf(found).map((user) => Object(user).email),
          [email],
          query
        )
      }
      assert.deepStrictEqual(yield* ids("users", { query: "nn" }), [])
    })
  )

  it.effect("takes a card number with other letter case, spaces and hyphens for the same card", () =>
    Effect.gen(function* () {
      const holder = { firstName: "Zoë‐Ann", lastName: "O’Hara" }
      const sent = { credentialType: "WWCC_NSW", identifier: "wwc 7654321e", holder }
      const owners = { worker: yield* worker(), applicant: null }
      const made = yield* post("/credentials", { attributes: { ...sent, owners } })
      assertStatus(made, 201)
      assert.strictEqual(at(made, "data.attributes.identifier"), "WWC7654321E")
      const id = textAt(made, "data.id")
      for (const identifier of ["wwc-7654321 e", "WWC7654321E"]) {
        assert.deepStrictEqual(yield* ids("credentials", { identifier }), [id], identifier)
      }
      for (const query of ["wwc 7654", "ohara zoe"]) {
        assert.deepStrictEqual(yield* ids("credentials", { query }), [id], query)
      }

      const { bearer } = yield* login(yield* person())
      const scan = { type: "wwcc-nsw", identifier: "wwc 7654321e", first_name: "Zoë-Ann", surname: "O'Hara" }
      assert.strictEqual(at(yield* send("POST", "/scan", bearer, { body: scan }), "status"), "queued")
      for (const identifier of ["WWC7654321E", "wwc 7654321e"]) {
        assert.lengthOf(yield* ids("scans", { identifier }), 1, identifier)
      }
    })
  )

  it.effect("threat 41: refuses a birth date that nobody can have, and a work email without an address", () =>
    Effect.gen(function* () {
      const id = yield* worker()
      const identity = { displayName: "Ann" }
      for (const birthDate of ["2999-01-01", "1899-12-31", "0990-01-01"]) {
        assertRefused(
          yield* post("/workers", { identity: { ...identity, birthDate } }),
          "INVALID_ARGUMENT",
          "birthDate"
        )
        assertRefused(yield* patch(`/workers/${id}`, { identity: { birthDate } }), "INVALID_ARGUMENT", "birthDate")
      }
      assertRefused(yield* post("/workers", { identity, contact: { workEmail: "x" } }), "INVALID_ARGUMENT", "workEmail")
      const held = { credentialType: "FIRST_AID", holder: { birthDate: "2999-01-01" } }
      const owners = { worker: id, applicant: null }
      assertRefused(yield* post("/credentials", { attributes: { ...held, owners } }), "INVALID_ARGUMENT", "birthDate")
      assertStatus(yield* get(`/workers/${id}`), 200)
    })
  )
})
