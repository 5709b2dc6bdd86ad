import { assert, layer } from "@effect/vitest"
import { dayAt, defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { dayAfter } from "@wcs/domain/shared/Instant"
import { Effect } from "effect"
import { at, complianceCheck, Service, tokenOf, verifiable, verified, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { dataOf } from "../NewerSurface.ts"
import * as Row from "../Row.ts"

const dayIn = (days: number) =>
  Effect.flatMap(Service, ({ now }) => Effect.map(now, (at) => dayAfter(dayAt(at, defaultTimeZone), days)))

const shown = "data.attributes"

/** A worker with a card, and the calls about them. */
const heldCard = Effect.fnUntraced(function* (workerType: string) {
  const holder = yield* worker({ employment: { workerType } })
  const id = yield* verified({ worker: holder }, { ...verifiable, identifier: "WWC1234568V" })
  const check = yield* complianceCheck({ requirement: { credentialTypes: ["WWCC_NSW"] } })
  const issuedOn = yield* dayIn(0)
  const evaluated = { call: `POST /compliance-checks/${check}/evaluate`, body: { workers: [{ id: holder }] } }
  return {
    id,
    /** The result of the worker, and the reviews. */
    comesTo: (result: string, review?: string) => ({
      ...evaluated,
      expect: { "data.0.result": result, "data.0.reviews.0.statusDetail": review }
    }),
    says: (statusDetail: string, expect: Readonly<Record<string, unknown>>) => ({
      call: `POST /credentials/${id}/notices`,
      body: { statusDetail, issuedOn, reference: "letter" },
      expect
    })
  }
})

const decision = Effect.map(dayIn(30), (endsOn) => ({ outcome: "MAY_ENGAGE", reason: "Works with Bo", endsOn }))

layer(layerService(), { excludeTestServices: true })("a decision", (it) => {
  it.effect("counts in compliance, leaves the verdict, and does not return after a later verdict that is worse", () =>
    Effect.gen(function* () {
      const { comesTo, id, says } = yield* heldCard("VOLUNTEER")
      const body = yield* decision
      const call = `POST /credentials/${id}/decisions`
      const bounds = { call: `GET /credentials/${id}/decidable` }
      const until = yield* dayIn(366)
      const both = ["MAY_ENGAGE", "MAY_NOT_ENGAGE"]
      const [, , , , , , , read] = yield* Row.run([
        says("CONDITIONAL", { [`${shown}.decision`]: undefined }),
        { ...bounds, expect: { data: { about: ["CONDITIONAL"], outcomes: both, until } } },
        comesTo("FAIL", "CONDITIONAL"),
        {
          call,
          body,
          expect: {
            [`${shown}.eligibility`]: "REVIEW_REQUIRED",
            [`${shown}.statusDetail`]: "CONDITIONAL",
            [`${shown}.decision.outcome`]: "MAY_ENGAGE",
            [`${shown}.decision.about`]: ["CONDITIONAL"]
          }
        },
        comesTo("PASS"),
        says("CONDITIONAL", { [`${shown}.decision.reason`]: body.reason }),
        comesTo("PASS"),
        { call: `GET /credentials/${id}`, expect: { [`${shown}.decision.endsOn`]: body.endsOn } }
      ])
      yield* Row.run([
        says("SUSPENDED", { [`${shown}.decision`]: undefined }),
        { ...bounds, expect: { data: { about: [], outcomes: [], until: null } } },
        { call, body, expect: "UNPROCESSABLE: leaves no question" },
        says("CONDITIONAL", { [`${shown}.decision`]: undefined }),
        comesTo("FAIL", "CONDITIONAL"),
        { call, body: { ...body, outcome: "MAY_NOT_ENGAGE" }, expect: 200 },
        comesTo("FAIL"),
        {
          call: `GET /credentials/${id}?asOf=${at(read, `${shown}.decision.decidedAt`)}`,
          expect: { [`${shown}.decision.outcome`]: "MAY_ENGAGE" }
        }
      ])
    })
  )

  it.effect("R5: about a card for volunteers that is used for paid work answers that question, and no later one", () =>
    Effect.gen(function* () {
      const { comesTo, id, says } = yield* heldCard("EMPLOYEE")
      yield* Row.run([
        comesTo("FAIL", "VOLUNTEER_ONLY"),
        {
          call: `GET /credentials/${id}/decidable`,
          expect: { "data.about": ["VOLUNTEER_ONLY"], "data.until": yield* dayIn(92) }
        },
        {
          call: `POST /credentials/${id}/decisions`,
          body: yield* decision,
          expect: { [`${shown}.statusDetail`]: "VALID", [`${shown}.decision.about`]: ["VOLUNTEER_ONLY"] }
        },
        comesTo("PASS"),
        says("POSSIBLE_MATCH", { [`${shown}.decision`]: undefined }),
        comesTo("FAIL", "POSSIBLE_MATCH"),
        {
          call: `POST /credentials/${id}/decisions`,
          body: yield* decision,
          expect: { [`${shown}.decision.about`]: ["POSSIBLE_MATCH", "VOLUNTEER_ONLY"] }
        },
        comesTo("PASS")
      ])
      const [entries] = yield* Row.run([{ call: `GET /audit-events?entityId=${id}&action=decide`, expect: 200 }])
      assert.lengthOf(dataOf(entries), 2)
    })
  )

  it.effect("is refused where nothing is open, beyond its bounds, in the past, without a reason, and to others", () =>
    Effect.gen(function* () {
      const holder = yield* worker({ employment: { workerType: "CONTRACTOR" } })
      const open = yield* verified({ worker: holder }, { ...verifiable, identifier: "WWC1234568V" })
      const lacking = yield* verified(
        { worker: holder },
        { credentialType: "WWCC_NSW", identifier: "WWC1234567E" },
        "DETAILS_MISSING"
      )
      const valid = yield* verified({ worker: holder })
      const { token } = yield* tokenOf("Data Manager")
      const body = yield* decision
      const call = `POST /credentials/${open}/decisions`
      yield* Row.run([
        { call: `POST /credentials/${valid}/decisions`, body, expect: "UNPROCESSABLE: leaves no question" },
        { call: `POST /credentials/${lacking}/decisions`, body, expect: "UNPROCESSABLE: can be MAY_NOT_ENGAGE" },
        {
          call: `POST /credentials/${lacking}/decisions`,
          body: { ...body, outcome: "MAY_NOT_ENGAGE" },
          expect: { [`${shown}.decision.about`]: ["DETAILS_MISSING"] }
        },
        { call, body: { ...body, endsOn: yield* dayIn(93) }, expect: "UNPROCESSABLE: endsOn must be from today to" },
        { call, body: { ...body, endsOn: yield* dayIn(-1) }, expect: "UNPROCESSABLE: endsOn" },
        { call, body: { ...body, reason: "" }, expect: "INVALID_ARGUMENT: reason" },
        { call, body: { ...body, outcome: "VALID" }, expect: "INVALID_ARGUMENT: outcome" },
        { call, body, as: token, expect: "FORBIDDEN: UPDATE verifications" },
        { call, body, headers: { "if-match": '"9-9"' }, expect: "PRECONDITION_FAILED" },
        { call, body: { ...body, endsOn: yield* dayIn(92) }, expect: 200 },
        { call: "POST /credentials/cred_0000000000000000/decisions", body, expect: "NOT_FOUND" }
      ])
    })
  )
})
