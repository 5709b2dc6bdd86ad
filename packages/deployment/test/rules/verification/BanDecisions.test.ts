import { assert, layer } from "@effect/vitest"
import { accountIdOf } from "@wcs/domain/access/Account"
import { dayAt, defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { dayAfter } from "@wcs/domain/shared/Instant"
import { Effect } from "effect"
import { at, ban, complianceCheck, Service, tokenOf, verified, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { dataOf } from "../NewerSurface.ts"
import * as Row from "../Row.ts"

const possible = { key: "1", checkedAt: "2026-01-31T09:30:00Z", eligibility: "REVIEW_REQUIRED" }

/** A worker with a valid card and a possible ban, and the calls about them. */
const matched = Effect.fnUntraced(function* (register: string) {
  const { now } = yield* Service
  const holder = yield* worker()
  yield* verified({ worker: holder })
  const check = yield* complianceCheck({ requirement: { credentialTypes: ["WWCC_NSW"] } })
  const id = yield* ban(holder, { ...possible, register })
  const today = dayAt(yield* now, defaultTimeZone)
  return {
    ...{ holder, id, call: `POST /bans/${id}/decisions` },
    body: (outcome = "MAY_ENGAGE", days = 30) => ({ outcome, reason: "x", endsOn: dayAfter(today, days) }),
    /** The result of the worker, and the verdict of the ban that counts. */
    comesTo: (result: string, eligibility?: string) => ({
      call: `POST /compliance-checks/${check}/evaluate`,
      body: { workers: [{ id: holder }] },
      expect: { "data.0.result": result, "data.0.bans.0.eligibility": eligibility }
    })
  }
})

layer(layerService(), { excludeTestServices: true })("R15: a decision about a possible ban", (it) => {
  it.effect("ends the task, counts in compliance, and ends when the register changes the record", () =>
    Effect.gen(function* () {
      const { call: send, recordBan, tenant } = yield* Service
      const { body, call, comesTo, holder, id } = yield* matched("decided")
      const read = send({ method: "GET", path: `/openapi/v1/tasks?workerId=${holder}` })
      const open = yield* Effect.repeat(read, { until: (answer) => at(answer, "data.0.id") !== undefined })
      assert.deepInclude(at(open, "data.0"), { reason: "POSSIBLE_BAN", ban: { id } })
      yield* Row.run([
        comesTo("FAIL", "REVIEW_REQUIRED"),
        {
          call,
          body: body(),
          expect: { "data.decision.outcome": "MAY_ENGAGE", "data.eligibility": "REVIEW_REQUIRED" }
        },
        { call: `GET /tasks?workerId=${holder}`, expect: { "data.0": undefined } },
        comesTo("PASS"),
        { call, body: body("MAY_NOT_ENGAGE"), expect: { "data.decision.outcome": "MAY_NOT_ENGAGE" } },
        comesTo("FAIL", "MAY_NOT_ENGAGE"),
        { call, body: body(), expect: 200 }
      ])
      const again = { ...possible, register: "decided", worker: { id: holder } }
      assert.strictEqual((yield* recordBan(tenant.id, again)).change, "unchanged")
      const later = { ...again, checkedAt: "2026-02-28T09:30:00Z" }
      assert.strictEqual((yield* recordBan(tenant.id, later)).change, "updated")
      yield* Row.run([comesTo("PASS")])
      yield* recordBan(tenant.id, { ...later, matches: [{ name: "Ann Example" }] })
      const [, entries] = yield* Row.run([
        comesTo("FAIL", "REVIEW_REQUIRED"),
        { call: `GET /audit-events?entityId=${id}`, expect: 200 }
      ])
      const actions = dataOf(entries).map((entry) => Object(entry).action)
      assert.deepStrictEqual(actions, ["import", "import", "decide", "decide", "decide", "import"])
    })
  )

  it.effect("needs its privileges, a possible match of another person than the caller, and an end within a year", () =>
    Effect.gen(function* () {
      const { session } = yield* Service
      const { body, call, holder, id } = yield* matched("refused")
      const bounds = `GET /bans/${id}/decidable`
      const certain = yield* ban(holder, { key: "2", register: "refused" })
      const user = yield* tokenOf("Super Admin")
      const link = { call: `PATCH /users/${accountIdOf(user.urn)}`, body: { worker: { id: holder } } }
      const { headers } = yield* session(accountIdOf((yield* tokenOf("Super Admin")).urn))
      const reads = ["ban:READ", "worker:READ"] as const
      yield* Row.run([
        { call, body: body(), as: (yield* tokenOf("Viewer")).token, expect: "FORBIDDEN: UPDATE verifications" },
        { call, body: body(), as: (yield* tokenOf(reads)).token, expect: "FORBIDDEN: UPDATE verifications" },
        { ...link, as: null, headers, expect: 200 },
        { call, body: body(), as: user.token, expect: "UNPROCESSABLE: Nobody decides about themself" },
        { call, body: body("MAY_ENGAGE", -1), expect: "UNPROCESSABLE: endsOn must be from today" },
        { call, body: body("MAY_ENGAGE", 367), expect: "UNPROCESSABLE: endsOn must be from today" },
        { call, body: body("VALID"), expect: "INVALID_ARGUMENT: outcome" },
        {
          call: bounds,
          expect: { "data.outcomes": ["MAY_ENGAGE", "MAY_NOT_ENGAGE"], "data.until": body("", 366).endsOn }
        },
        { call: bounds, as: user.token, expect: { "data.outcomes": [], "data.until": null } },
        { call: `GET /bans/${certain}/decidable`, expect: { "data.outcomes": [], "data.until": null } },
        { call: "GET /bans/urn:wcs:ban:ndis:none/decidable", expect: "NOT_FOUND" },
        { call: "GET /bans/ban_1/decidable", expect: "INVALID_URN" },
        { call, body: body(), headers: { "if-match": '"1-a"' }, expect: "PRECONDITION_FAILED" },
        { call: `POST /bans/${certain}/decisions`, body: body(), expect: "UNPROCESSABLE: leaves no question" },
        { call: "POST /bans/urn:wcs:ban:ndis:none/decisions", body: body(), expect: "NOT_FOUND" },
        { call: "POST /bans/ban_1/decisions", body: body(), expect: "INVALID_URN" },
        { call, body: body("MAY_ENGAGE", 366), expect: 200 }
      ])
    })
  )
})
