import { assert, layer } from "@effect/vitest"
import { dayAt, defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { Effect } from "effect"
import {
  type Answer,
  accessToken,
  at,
  complianceCheck,
  credential,
  engaging,
  exemption,
  Service,
  textAt,
  worker
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, idOfNothing, patch, post, remove, root } from "../NewerSurface.ts"

const check = (requirement: Readonly<Record<string, unknown>> = {}) =>
  complianceCheck({ requirement: { credentialTypes: ["WWCC_VIC", "FIRST_AID"], ...requirement } })

const evaluate = (code: string, workers: ReadonlyArray<unknown>) =>
  post(`/compliance-checks/${code}/evaluate`, { workers })

/** `PASS`, or `FAIL` with the missing types, for each worker. */
const results = (answer: Answer): ReadonlyArray<string> => {
  assertStatus(answer, 200)
  return dataOf(answer).map((item) => {
    const { missingCredentialTypes, result } = Object(item)
    return [result, ...missingCredentialTypes].join(" ")
  })
}

/** A worker's result for a check. */
const resultOf = (code: string, id: string) =>
  Effect.map(evaluate(code, [{ id }]), (answer) => results(answer).join(", "))

/** The simulator answers immediately. For identifiers that end in 43 it takes time, and then has no result. */
const vic = { credentialType: "WWCC_VIC", identifier: "1234567A-01" }
const dayMillis = 24 * 3600 * 1000

/** Minutes until the day ends in the tenant's time zone. */
const minutesLeft = (now: number): number => {
  const today = dayAt(now, defaultTimeZone)
  let minutes = 0
  while (dayAt(now + minutes * 60_000, defaultTimeZone) === today) minutes++
  return minutes
}

layer(layerService(), { excludeTestServices: true })("evaluating a compliance check", (it) => {
  const modes = { all: {}, any: { mode: "ANY" }, sparing: { exemptionsCount: true } }

  it.effect(
    "a credential counts until the end of its last day, and an exemption from its first, in the tenant's time zone",
    () =>
      Effect.gen(function* () {
        const { advance, now } = yield* Service
        const code = yield* check({ ...modes.sparing, credentialTypes: ["FIRST_AID"] })
        const id = yield* worker()
        /** Moves the clock to half an hour after or before midnight. */
        const advanceTo = (minutes: 30 | -30) => Effect.flatMap(now, (at) => advance((minutesLeft(at) + minutes) * 60))
        yield* advanceTo(30)
        const noon = Date.parse(`${dayAt(yield* now, defaultTimeZone)}T12:00:00Z`)
        const dayIn = (days: number) => new Date(noon + days * dayMillis).toISOString().slice(0, 10)
        yield* engaging(id, { expiryDate: dayIn(2) })
        yield* exemption(
          { worker: { id } },
          { exemptedCredentialTypes: ["FIRST_AID"], issueDate: dayIn(4), expiryDate: dayIn(5) }
        )
        const seen = []
        for (let day = 0; day <= 6; day++) {
          assert.strictEqual(dayAt(yield* now, defaultTimeZone), dayIn(day))
          const early = yield* resultOf(code, id)
          yield* advanceTo(-30)
          assert.strictEqual(yield* resultOf(code, id), early, dayIn(day))
          seen.push(early)
          yield* advanceTo(30)
        }
        assert.deepStrictEqual(seen, ["PASS", "PASS", "PASS", "FAIL FIRST_AID", "PASS", "PASS", "FAIL FIRST_AID"])
      })
  )

  it.effect("answers the named workers, in order, repeated ones too, by id and by external id", () =>
    Effect.gen(function* () {
      const code = yield* check({ credentialTypes: ["FIRST_AID"] })
      const [ann, bob] = [yield* worker({ source: { externalId: "evaluated Ann" } }), yield* worker()]
      yield* engaging(ann)
      const answer = yield* evaluate(code, [{ id: bob }, { externalId: "evaluated Ann" }, { id: bob }, { id: ann }])
      assertStatus(answer, 200)
      const passed = { worker: { id: ann, externalId: "evaluated Ann" }, result: "PASS", missingCredentialTypes: [] }
      const failed = { worker: { id: bob }, result: "FAIL", missingCredentialTypes: ["FIRST_AID"] }
      assert.deepStrictEqual(at(answer, "data"), [failed, passed, failed, passed])
      assert.deepStrictEqual(at(answer, "meta"), {
        requestId: answer.headers["x-request-id"],
        pageSize: 4,
        nextCursor: null
      })
    })
  )

  it.effect("ENV-05: accepts 1 to 100 workers, each with one id, and names unknown fields", () =>
    Effect.gen(function* () {
      const code = yield* check()
      const there = { id: yield* worker() }
      for (const [workers, field] of [
        [[], "workers"],
        [Array(101).fill(there), "workers"],
        [[there, {}], "workers.1"],
        [[there, { ...there, externalId: "e" }], "workers.1"]
      ] as const) {
        assertRefused(yield* evaluate(code, workers), "INVALID_ARGUMENT", field)
      }
      assert.lengthOf(results(yield* evaluate(code, Array(100).fill(there))), 100)
      const answer = yield* post(`/compliance-checks/${code}/evaluate`, { workers: [{ ...there, a: 1 }], b: 2 })
      assert.match(String(at(answer, "meta.warnings")), /workers\.0\.a.*\bb\b/)
    })
  )

  it.effect("ENV-03: a missing worker is 422, with the field's name, and there are no results for the others", () =>
    Effect.gen(function* () {
      const code = yield* check()
      const there = { id: yield* worker() }
      const gone = yield* worker({ source: { externalId: "evaluated gone" } })
      assertStatus(yield* remove(`/workers/${gone}`), 204)
      // The tests of exemptions have every other way of naming a missing person.
      for (const person of [{ id: idOfNothing(gone) }, { id: gone }, { externalId: "evaluated gone" }]) {
        const answer = yield* evaluate(code, [there, there, there, person])
        assertRefused(answer, "UNPROCESSABLE", "workers.3")
        assert.notInclude(answer.text, "PASS")
      }
      assertStatus(yield* evaluate(code, [there]), 200)
    })
  )

  it.effect("ENV-07: unknown parameters are 400, and cursor and pageSize beside workers too", () =>
    Effect.gen(function* () {
      const path = `/compliance-checks/${yield* check()}/evaluate`
      const workers = [{ id: yield* worker() }]
      for (const query of ["sort=x", "includeDeleted=x", "pageSize=0", "pageSize=1&pageSize=2", "cursor=nonsense"]) {
        assertRefused(yield* post(`${path}?${query}`), "INVALID_ARGUMENT", query.slice(0, query.indexOf("=")))
      }
      const page = yield* post(`${path}?pageSize=1`)
      const cursor = textAt(page, "meta.nextCursor")
      assertRefused(yield* post(`${path}?cursor=${cursor}`, { workers }), "INVALID_ARGUMENT", "cursor")
      assertRefused(yield* post(`${path}?pageSize=1`, { workers }), "INVALID_ARGUMENT", "pageSize")
      assertStatus(yield* post(`${path}?cursor=${cursor}`, {}), 200)
    })
  )

  it.effect("DEL-01, ENV-10: a missing or deleted check is 404, a disabled one 422 until it is enabled", () =>
    Effect.gen(function* () {
      const workers = [{ id: yield* worker() }]
      const gone = yield* check()
      assertStatus(yield* remove(`/compliance-checks/${gone}`), 204)
      assertRefused(yield* evaluate(gone, workers), "NOT_FOUND")
      assertRefused(yield* evaluate("no-such-check", workers), "NOT_FOUND")
      assertRefused(yield* evaluate("No-Code", workers), "INVALID_ARGUMENT", "id")
      const code = yield* complianceCheck({ enabled: false })
      assertRefused(yield* evaluate(code, workers), "UNPROCESSABLE", "Enable")
      assertRefused(yield* post(`/compliance-checks/${code}/evaluate`), "UNPROCESSABLE", code)
      assertStatus(yield* patch(`/compliance-checks/${code}`, { enabled: true }), 200)
      assertStatus(yield* evaluate(code, workers), 200)
    })
  )
})

layer(layerService(), { excludeTestServices: true })("evaluating a compliance check for all", (it) => {
  it.effect("WRK-08, WRK-09: without workers it pages through the whole tenant, in the order of creation", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const ids = yield* Effect.replicateEffect(worker(), 27)
      const gone = yield* worker()
      assertStatus(yield* remove(`/workers/${gone}`), 204)
      yield* engaging(ids[3] ?? "")
      const code = yield* check({ credentialTypes: ["FIRST_AID"] })
      const path = `/compliance-checks/${code}/evaluate`
      const walk = Effect.fnUntraced(function* (size: string) {
        const seen: Array<string> = []
        let cursor = ""
        do {
          const page = yield* post(`${path}?${size}${cursor}`)
          assertStatus(page, 200)
          seen.push(...dataOf(page).map((item) => Object(item).worker.id))
          const next = at(page, "meta.nextCursor")
          cursor = next === null ? "" : `&cursor=${next}`
        } while (cursor !== "")
        return seen
      })
      const whole = yield* walk("")
      assert.sameMembers(whole, ids)
      // Workers created in the same millisecond have a stable but unspecified order.
      const times = yield* Effect.forEach(whole, (id) =>
        Effect.map(get(`/workers/${id}`), (answer) => String(at(answer, "data.createdAt")))
      )
      assert.deepStrictEqual(times, times.toSorted())
      assert.isAbove(new Set(times).size, 1)
      for (const size of ["pageSize=1", "pageSize=10", "pageSize=27", "pageSize=1000"]) {
        assert.deepStrictEqual(yield* walk(size), whole, size)
      }
      const first = yield* post(path)
      assert.lengthOf(dataOf(first), 25)
      assert.strictEqual(at(first, "meta.pageSize"), 25)
      assert.deepStrictEqual(results(first).filter((result) => result === "PASS").length, 1)
      assert.strictEqual(at(yield* post(`${path}?pageSize=1000`), "meta.pageSize"), 100)
      // No body, an empty object and a typed empty body are equivalent.
      const headers = { "content-type": "application/json" }
      for (const sent of [
        { body: {} },
        { rawBody: "", headers },
        { rawBody: "" },
        { token: (yield* accessToken()).token }
      ]) {
        const answer = yield* call({ method: "POST", path: root + path, ...sent })
        assert.deepStrictEqual(at(answer, "data"), at(first, "data"))
      }
    })
  )

  it.effect("reads all that a worker holds, beyond one page, up to a documented limit", () =>
    Effect.gen(function* () {
      const code = yield* check({ credentialTypes: ["FIRST_AID"] })
      const id = yield* worker()
      const fill = (count: number) =>
        Effect.replicateEffect(credential({ worker: id }, vic), count, { concurrency: 16, discard: true })
      yield* fill(205)
      const last = yield* engaging(id)
      assert.strictEqual(yield* resultOf(code, id), "PASS")
      assertStatus(yield* remove(`/credentials/${last}`), 204)
      assert.strictEqual(yield* resultOf(code, id), "FAIL FIRST_AID")
      yield* fill(795)
      assert.isUndefined(at(yield* evaluate(code, [{ id }]), "meta.warnings"))
      yield* engaging(id)
      const answer = yield* evaluate(code, [{ id }])
      assert.deepStrictEqual(results(answer), ["FAIL FIRST_AID"])
      assert.match(String(at(answer, "meta.warnings")), new RegExp(`${id}.*1000`))
    })
  )
})
