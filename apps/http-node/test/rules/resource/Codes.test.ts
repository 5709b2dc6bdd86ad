import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, complianceCheck, freshCode, Service, screeningPackage, tokenOf } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, get, idsOf, patch, post, put, remove, root } from "../NewerSurface.ts"
import { ids, list, type Parameters, pathOf } from "./Listing.ts"

const requirement = { credentialTypes: ["FIRST_AID"] }

/** The groups whose resources are named by their codes, each with a body without the code. */
const groups: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> = [
  ["compliance-checks", { displayName: "First aid", requirement }],
  ["screening-packages", { name: "Child care" }]
]

layer(layerService(), { excludeTestServices: true })("resources named by their code", (it) => {
  for (const [collection, body] of groups) {
    it.effect(`DEL-04: the code of a resource of ${collection} becomes its id, and Location leads there`, () =>
      Effect.gen(function* () {
        const code = freshCode()
        const made = yield* post(`/${collection}`, { ...body, code })
        assertStatus(made, 201)
        assert.deepStrictEqual([at(made, "data.id"), at(made, "data.code")], [code, code])
        assert.strictEqual(made.headers["location"], `${root}/${collection}/${code}`)
        assert.deepStrictEqual(at(yield* get(`/${collection}/${code}`), "data"), at(made, "data"))
      })
    )

    it.effect(`DEL-05: an existing code of ${collection} is 409 DUPLICATE_ID, and its resource stays unchanged`, () =>
      Effect.gen(function* () {
        const code = freshCode()
        const made = yield* post(`/${collection}`, { ...body, code })
        assertRefused(yield* post(`/${collection}`, { ...body, code }), "DUPLICATE_ID", code)
        assertRefused(yield* post(`/${collection}`, { ...body, code, description: "Other" }), "DUPLICATE_ID", code)
        assert.deepStrictEqual(at(yield* get(`/${collection}/${code}`), "data"), at(made, "data"))
        assertRefused(yield* post(`/${collection}`, { code }), "INVALID_ARGUMENT")
        assertStatus(yield* post(`/${collection}`, { ...body, code: `${code}-2` }), 201)
      })
    )

    it.effect(
      `DEL-06: the code of a deleted resource of ${collection} is 409 DUPLICATE_ID too, and it stays deleted`,
      () =>
        Effect.gen(function* () {
          const code = freshCode()
          const path = `/${collection}/${code}`
          assertStatus(yield* post(`/${collection}`, { ...body, code }), 201)
          assertStatus(yield* remove(path), 204)
          assertRefused(yield* post(`/${collection}`, { ...body, code }), "DUPLICATE_ID", code)
          assertRefused(yield* get(path), "NOT_FOUND")
          assertRefused(yield* put(path, body), "NOT_FOUND")
          assertStatus(yield* remove(path), 204)
        })
    )

    it.effect(`DEL-05: of concurrent creates of one code of ${collection}, one is 201 and the others 409`, () =>
      Effect.gen(function* () {
        const code = freshCode()
        const answers = yield* Effect.all(
          Array.from({ length: 8 }, () => post(`/${collection}`, { ...body, code })),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [201, ...Array(7).fill(409)])
      })
    )

    it.effect(
      `ENV-05: a code of ${collection} is 1 to 64 of a to z, 0 to 9, _ and -, and begins with a letter or digit`,
      () =>
        Effect.gen(function* () {
          const codes = [undefined, null, "", "A", "-a", "_a", "a b", "a.b", "a/b", "é", "a\n", "a".repeat(65), 7]
          for (const code of codes) {
            assertRefused(yield* post(`/${collection}`, { ...body, code }), "INVALID_ARGUMENT", "code")
          }
          for (const code of ["7", "a", `0_${"z".repeat(62)}`]) {
            assertStatus(yield* post(`/${collection}`, { ...body, code }), 201)
            assertStatus(yield* get(`/${collection}/${code}`), 200)
          }
        })
    )

    it.effect(`ENV-16: no update of ${collection} changes the code, nor needs it`, () =>
      Effect.gen(function* () {
        const code = freshCode()
        const path = `/${collection}/${code}`
        assertStatus(yield* post(`/${collection}`, { ...body, code, description: "First" }), 201)
        for (const send of [put, patch]) {
          assertRefused(yield* send(path, { ...body, code: freshCode() }), "INVALID_ARGUMENT", "code")
          assertRefused(yield* send(path, { ...body, id: freshCode() }), "INVALID_ARGUMENT", "id")
          assertStatus(yield* send(path, { ...body, code, description: "Second" }), 200)
        }
        assertRefused(yield* patch(path, { code: null }), "INVALID_ARGUMENT", "code")
        const replaced = yield* put(path, body)
        assertStatus(replaced, 200)
        assert.deepStrictEqual([at(replaced, "data.code"), at(replaced, "data.description")], [code, undefined])
        assertRefused(yield* put(`/${collection}/${freshCode()}`, body), "NOT_FOUND")
        assertRefused(yield* put(`/${collection}/No-Code`, body), "INVALID_ARGUMENT", "id")
      })
    )

    it.effect(`PRV-07: without CREATE an existing code of ${collection} is 403 like any other`, () =>
      Effect.gen(function* () {
        const { call } = yield* Service
        const code = freshCode()
        assertStatus(yield* post(`/${collection}`, { ...body, code }), 201)
        const { token } = yield* tokenOf("Viewer")
        const path = `${root}/${collection}`
        assertRefused(yield* call({ method: "POST", path, body: { ...body, code }, token }), "FORBIDDEN")
      })
    )
  }

  it.effect("ENV-11: keeps and shows every field of a compliance check unchanged", () =>
    Effect.gen(function* () {
      const fields = {
        code: freshCode(),
        displayName: "Everybody",
        description: "All of it",
        severity: "CRITICAL",
        enabled: false,
        requirement: { credentialTypes: ["WWCC_NSW", "FIRST_AID"], mode: "ANY", exemptionsCount: true }
      }
      const made = yield* post("/compliance-checks", fields)
      const { createdAt, id, type, updatedAt, ...shown } = Object(at(made, "data"))
      assert.deepStrictEqual(shown, fields)
      assert.deepStrictEqual([id, type, updatedAt], [fields.code, "complianceCheck", createdAt])
      const short = yield* post("/compliance-checks", { code: freshCode(), displayName: "Short", requirement })
      const { enabled, requirement: whole, severity } = Object(at(short, "data"))
      assert.deepStrictEqual([enabled, severity], [true, "WARNING"])
      assert.deepStrictEqual(whole, { ...requirement, mode: "ALL", exemptionsCount: false })
      const none = { ...fields, code: freshCode(), requirement: { credentialTypes: [] } }
      assertRefused(yield* post("/compliance-checks", none), "INVALID_ARGUMENT", "requirement.credentialTypes")
    })
  )

  it.effect("ENV-11: keeps and shows every field of a screening package unchanged", () =>
    Effect.gen(function* () {
      const fields = {
        code: freshCode(),
        name: "Child care",
        description: "All of it",
        requirements: { credentialTypes: ["WWCC_NSW"], exemptionTypes: ["MEDICAL"], banChecks: ["NDIS"] },
        active: false
      }
      const made = yield* post("/screening-packages", fields)
      const { createdAt, id, type, updatedAt, ...shown } = Object(at(made, "data"))
      assert.deepStrictEqual(shown, fields)
      assert.deepStrictEqual([id, type, updatedAt], [fields.code, "screeningPackage", createdAt])
      const short = yield* post("/screening-packages", { code: freshCode(), name: "Short" })
      assert.isTrue(at(short, "data.active"))
    })
  )

  it.effect("ENV-07: the filters and sorts of both", () =>
    Effect.gen(function* () {
      const [care, aged] = [
        yield* screeningPackage({ name: "Filtered child care" }),
        yield* screeningPackage({ name: "FILTERED aged care", active: false })
      ]
      const packages: ReadonlyArray<readonly [Parameters, ReadonlyArray<string>]> = [
        [{}, [care, aged]],
        [{ active: "true" }, [care]],
        [{ active: "false" }, [aged]],
        [{ query: "filtered a" }, [aged]]
      ]
      for (const [parameters, expected] of packages) {
        assert.sameMembers(yield* ids("screening-packages", { query: "filtered", ...parameters }), [...expected])
      }
      const [one, two] = [
        yield* complianceCheck({ displayName: "Filtered b", severity: "INFO" }),
        yield* complianceCheck({ displayName: "filtered a", enabled: false })
      ]
      const checks: ReadonlyArray<readonly [Parameters, ReadonlyArray<string>]> = [
        [{}, [one, two]],
        [{ severity: "INFO" }, [one]],
        [{ severity: "CRITICAL" }, []],
        [{ enabled: "false" }, [two]],
        [{ enabled: "true", severity: "WARNING" }, []]
      ]
      for (const [parameters, expected] of checks) {
        assert.sameMembers(yield* ids("compliance-checks", { query: "filtered", ...parameters }), [...expected])
      }
      const sorted = yield* list("compliance-checks", { query: "filtered", sort: "displayName:asc" })
      assert.deepStrictEqual([...idsOf(sorted)], [two, one])
      const byName = yield* list("screening-packages", { query: "filtered", sort: "name:desc" })
      assert.deepStrictEqual([...idsOf(byName)], [care, aged])
      assertRefused(yield* get(pathOf("screening-packages", { active: "yes" })), "INVALID_ARGUMENT", "active")
      assertRefused(yield* get(pathOf("compliance-checks", { severity: "info" })), "INVALID_ARGUMENT", "severity")
    })
  )
})
