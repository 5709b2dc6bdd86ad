import { assert, layer } from "@effect/vitest"
import { check } from "@wcs/store-suite/Property"
import { Effect } from "effect"
import fc from "fast-check"
import { at, complianceCheck, credential, engaging, exemption, freshCode, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, patch, post, remove } from "../NewerSurface.ts"
import { walk } from "../resource/Listing.ts"

const types = ["WWCC_VIC", "FIRST_AID", "AHPRA_REGISTRATION"] as const

const rowsOf = Effect.fnUntraced(function* (query: string) {
  const answer = yield* get(`/compliance-matrix?${query}`)
  assertStatus(answer, 200)
  return dataOf(answer).map(Object)
})

/** The result of an evaluation for one worker and one check. */
const evaluated = Effect.fnUntraced(function* (complianceCheckId: string, id: string) {
  const answer = yield* post(`/compliance-checks/${complianceCheckId}/evaluate`, { workers: [{ id }] })
  assertStatus(answer, 200)
  const { missingCredentialTypes, result } = Object(dataOf(answer)[0])
  return { complianceCheckId, result, missingCredentialTypes }
})

const anyRequirement = fc.record({
  credentialTypes: fc.subarray([...types], { minLength: 1 }),
  mode: fc.constantFrom("ALL", "ANY"),
  exemptionsCount: fc.boolean()
})
const anyHolding = fc.record({
  engages: fc.boolean(),
  expired: fc.boolean(),
  aid: fc.boolean(),
  exempt: fc.option(fc.record({ type: fc.constantFrom(...types), isOver: fc.boolean() }), { nil: undefined })
})

layer(layerService(), { excludeTestServices: true })("the compliance matrix", (it) => {
  it.effect("has in each cell the result of an evaluation of its worker and its check", () =>
    check(
      fc.record({
        requirements: fc.array(anyRequirement, { minLength: 1, maxLength: 3 }),
        holdings: fc.array(anyHolding, { minLength: 1, maxLength: 3 })
      }),
      Effect.fnUntraced(function* ({ holdings, requirements }) {
        const sourceSystem = freshCode()
        const workers = yield* Effect.forEach(
          holdings,
          Effect.fnUntraced(function* ({ aid, engages, exempt, expired }) {
            const id = yield* worker({ source: { sourceSystem } })
            if (engages) yield* engaging(id, expired ? { expiryDate: "2001-01-01" } : {})
            if (aid) yield* credential({ worker: id })
            if (exempt !== undefined) {
              const dates = exempt.isOver ? { expiryDate: "2001-01-01" } : {}
              yield* exemption({ worker: { id } }, { exemptedCredentialTypes: [exempt.type], ...dates })
            }
            return id
          })
        )
        const checks = yield* Effect.forEach(requirements, (requirement) => complianceCheck({ requirement }))
        const rows = yield* rowsOf(`sourceSystem=${sourceSystem}&${checks.map((id) => `checkId=${id}`).join("&")}`)
        assert.deepStrictEqual(
          rows.map((row) => row.worker.id),
          workers
        )
        for (const row of rows) {
          const expected = yield* Effect.forEach(checks, (id) => evaluated(id, row.worker.id))
          assert.deepStrictEqual(row.checks, expected)
        }
      }),
      { numRuns: 15 }
    )
  )

  it.effect("filters, sorts and pages workers as their list does, 50 at most", () =>
    Effect.gen(function* () {
      const sourceSystem = freshCode()
      const code = yield* complianceCheck()
      const ids = yield* Effect.forEach(
        Array.from({ length: 52 }, (_, index) => index),
        (index) =>
          worker({
            source: { sourceSystem, externalId: `${sourceSystem}-${index}` },
            identity: { displayName: `Matrix ${String(index).padStart(2, "0")} ${sourceSystem}` }
          }),
        { concurrency: 1 }
      )
      const asked = { sourceSystem, checkId: code }
      const answer = yield* get(`/compliance-matrix?sourceSystem=${sourceSystem}&checkId=${code}&pageSize=100`)
      assert.strictEqual(at(answer, "meta.pageSize"), 50)
      assert.lengthOf(dataOf(answer), 50)
      const first = Object(dataOf(answer)[0])
      assert.deepStrictEqual(first.worker, {
        id: ids[0],
        externalId: `${sourceSystem}-0`,
        displayName: `Matrix 00 ${sourceSystem}`
      })
      const counted = yield* get(`/compliance-matrix?sourceSystem=${sourceSystem}&includeTotal=true&pageSize=1`)
      assert.strictEqual(at(counted, "meta.total"), 52)
      const pages: Array<string> = []
      let cursor = ""
      do {
        const page: Effect.Success<ReturnType<typeof get>> = yield* get(
          `/compliance-matrix?sourceSystem=${sourceSystem}&checkId=${code}&sort=displayName:desc&pageSize=20${cursor}`
        )
        assertStatus(page, 200)
        pages.push(...dataOf(page).map((row) => Object(row).worker.id))
        const next = at(page, "meta.nextCursor")
        cursor = typeof next === "string" ? `&cursor=${next}` : ""
      } while (cursor !== "")
      assert.deepStrictEqual(pages, ids.toReversed())
      const found = yield* rowsOf(`query=matrix%2007%20${sourceSystem}&checkId=${asked.checkId}`)
      assert.deepStrictEqual(
        found.map((row) => row.worker.id),
        [ids[7]]
      )
      assert.deepStrictEqual(
        (yield* rowsOf(`externalId=${sourceSystem}-9&checkId=${code}`)).map((row) => row.worker.id),
        [ids[9]]
      )
    })
  )

  it.effect("uses the oldest enabled checks by default, and says if there are more", () =>
    Effect.gen(function* () {
      // Checks of the same millisecond are in the order of their codes.
      const oldest = Effect.map(
        walk("compliance-checks", { enabled: "true", sort: "createdAt:asc", pageSize: "100" }),
        (pages) => pages.flat()
      )
      for (const code of yield* oldest) {
        assertStatus(yield* patch(`/compliance-checks/${code}`, { enabled: false }), 200)
      }
      const id = yield* worker({ source: { externalId: freshCode() } })
      const externalId = at(yield* get(`/workers/${id}`), "data.source.externalId")
      const created = yield* Effect.replicateEffect(complianceCheck(), 20)
      const whole = yield* get(`/compliance-matrix?externalId=${externalId}`)
      const idsIn = (answer: typeof whole) =>
        Object(dataOf(answer)[0]).checks.map((cell: { complianceCheckId: string }) => cell.complianceCheckId)
      assert.sameMembers(idsIn(whole), created)
      assert.deepStrictEqual(idsIn(whole), yield* oldest)
      assert.isUndefined(at(whole, "meta.warnings"))
      yield* complianceCheck()
      const part = yield* get(`/compliance-matrix?externalId=${externalId}`)
      assert.deepStrictEqual(idsIn(part), (yield* oldest).slice(0, 20))
      assert.include(String(at(part, "meta.warnings")), "more than 20 checks")
    })
  )

  it.effect("ENV-07: refuses checks that are malformed, missing, deleted, disabled or too many", () =>
    Effect.gen(function* () {
      const [kept, gone, off] = [yield* complianceCheck(), yield* complianceCheck(), yield* complianceCheck()]
      assertStatus(yield* remove(`/compliance-checks/${gone}`), 204)
      assertStatus(yield* patch(`/compliance-checks/${off}`, { enabled: false }), 200)
      for (const [query, code, hint] of [
        ["checkId=", "INVALID_ARGUMENT", "checkId"],
        ["checkId=No%20Code", "INVALID_ARGUMENT", "checkId"],
        [`checkId=${kept}&checkId=No%20Code`, "INVALID_ARGUMENT", "checkId"],
        [Array.from({ length: 21 }, (_, n) => `checkId=c${n}`).join("&"), "INVALID_ARGUMENT", "checkId"],
        ["include=credentials", "INVALID_ARGUMENT", "include"],
        ["pageSize=1&pageSize=2", "INVALID_ARGUMENT", "pageSize"],
        ["checkId=no-such-check", "NOT_FOUND", ""],
        [`checkId=${kept}&checkId=${gone}`, "NOT_FOUND", ""],
        [`checkId=${off}`, "UNPROCESSABLE", off]
      ] as const) {
        assertRefused(yield* get(`/compliance-matrix?${query}`), code, hint)
      }
      const [row] = yield* rowsOf(`checkId=${kept}&checkId=${kept}&pageSize=1`)
      assert.lengthOf(row.checks, 1)
    })
  )
})
