import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, complianceCheck, freshCode, screeningPackage } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, get, idsOf, patch, post, put } from "../NewerSurface.ts"
import { ids, list, type Parameters, pathOf } from "./Listing.ts"

const requirement = { credentialTypes: ["FIRST_AID"] }

/** The groups whose resources are named by their codes, each with a body without the code. */
const groups: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>>]> = [
  ["compliance-checks", { displayName: "First aid", requirement }],
  ["screening-packages", { name: "Child care" }]
]

layer(layerService(), { excludeTestServices: true })("resources named by their code", (it) => {
  for (const [collection, body] of groups) {
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
  }

  it.effect("ENV-07: the filters and sorts of compliance checks and of screening packages", () =>
    Effect.gen(function* () {
      const [care, aged] = [
        yield* screeningPackage({ name: "Filtered child care" }),
        yield* screeningPackage({ name: "FILTERED aged care", active: false })
      ]
      const packages: ReadonlyArray<readonly [Parameters, ReadonlyArray<string>]> = [
        [{}, [care, aged]],
        [{ active: "true" }, [care]],
        [{ active: "false" }, [aged]],
        [{ query: "filtered ag" }, [aged]]
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
