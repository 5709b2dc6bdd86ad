import { assert, describe, it } from "@effect/vitest"
import * as Expect from "@wcs/conformance/judgement/Expect"
import { control, judgeNoAccess } from "@wcs/conformance/judgement/Judge"
import { Session } from "@wcs/conformance/judgement/Session"
import { walk } from "@wcs/conformance/judgement/Walk"
import { tenantWalks } from "@wcs/conformance/walks/access/Tenants"
import { secondTenantWalks } from "@wcs/conformance/walks/places/SecondTenant"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import { Effect } from "effect"
import { always, answer, inTime, keeping, profile, runOver, type Serve } from "../Invented.ts"

/** A read that succeeds, and one without access. */
const steps = Effect.gen(function* () {
  const { send } = yield* Session
  const good = yield* control(send({ method: "GET", path: "/workers" }))
  const probe = yield* send({ method: "POST", path: "/denied", json: {} })
  yield* judgeNoAccess("LEG-30", { control: good, probe }, Expect.notAccepted(probe))
})

const never =
  (silence: NoAnswer["silence"]): Serve =>
  () =>
    Effect.fail(new NoAnswer({ silence, detail: "" }))

const cases: ReadonlyArray<readonly [how: string, Serve, outcome: string]> = [
  ...[400, 401, 403, 404, 410, 423, 500].map((status) => [`${status}`, always(status), "pass"] as const),
  // a connection that fails says nothing about the caller
  ["a refused connection", never("refused"), "inconclusive"],
  ["a reset connection", never("reset"), "pass"],
  ["no answer in time", never("timeout"), "blocked"],
  ["200", always(200), "fail"],
  ["204", always(204), "fail"]
]

describe("missing access", () => {
  for (const [how, denied, outcome] of cases) {
    it.effect(`LEG-30: is ${outcome} when the answer is ${how}`, () =>
      Effect.gen(function* () {
        const { found } = yield* inTime(
          runOver({
            serve: (request) =>
              request.url.endsWith("/denied") ? denied(request) : Effect.succeed(answer(200, { data: [] })),
            walks: [walk({ name: "legacy/one", judges: ["LEG-30"], impact: "read", needs: [] })(steps)]
          })
        )
        assert.deepStrictEqual(found, [`LEG-30 ${outcome}`])
      })
    )
  }

  it.effect("TRN-05, TRN-06, TRN-10: blocks when both tenants have one host", () =>
    Effect.gen(function* () {
      const { findings } = yield* runOver({
        serve: keeping().serve,
        walks: [...tenantWalks, ...secondTenantWalks],
        profile: { ...profile, secondTenant: { tenantBaseUrl: "https://one.example/", admin: { token: "${ADMIN}" } } }
      })
      assert.sameMembers([...new Set(findings.map(({ rule }) => rule))], ["TRN-05", "TRN-06", "TRN-10"])
      for (const { outcome, reason } of findings) {
        assert.deepStrictEqual([outcome, reason], ["blocked", "secondTenant.tenantBaseUrl is the tenant's own host"])
      }
    })
  )
})
