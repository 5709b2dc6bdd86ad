import { assert, layer } from "@effect/vitest"
import { dayAt, defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { dayAfter } from "@wcs/domain/shared/Instant"
import { Effect } from "effect"
import { credential, reviewed, Service, textAt, tokenOf, verified, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { dataOf } from "../NewerSurface.ts"
import * as Row from "../Row.ts"

const fresh = Effect.flatMap(worker(), (holder) => verified({ worker: holder }))

/** The tenant's day after so many days, `YYYY-MM-DD`. */
const dayIn = (days: number) =>
  Effect.flatMap(Service, ({ now }) => Effect.map(now, (at) => dayAfter(dayAt(at, defaultTimeZone), days)))

const shown = "data.attributes"

layer(layerService(), { excludeTestServices: true })("R14: a notice of a register", (it) => {
  it.effect("outranks an older answer until the register answers again, and is kept with day and reference", () =>
    Effect.gen(function* () {
      const id = yield* fresh
      const issuedOn = yield* dayIn(0)
      const body = { statusDetail: "INTERIM_BARRED", issuedOn, reference: "OCG 2026/0815" }
      const [, , , all] = yield* Row.run([
        {
          call: `POST /credentials/${id}/notices`,
          body,
          expect: { [`${shown}.eligibility`]: "MAY_NOT_ENGAGE", [`${shown}.statusDetail`]: "INTERIM_BARRED" }
        },
        { call: `GET /credentials/${id}`, expect: { [`${shown}.statusDetail`]: "INTERIM_BARRED" } },
        {
          call: `POST /credentials/${id}/verify`,
          body: { forceRefresh: true },
          expect: { "data.eligibility": "MAY_ENGAGE" }
        },
        { call: `GET /credentials/${id}/verifications`, expect: 200 }
      ])
      const notice = dataOf(all)
        .map(Object)
        .find(({ trigger }) => trigger === "notice")
      assert.deepStrictEqual(notice?.notice, { issuedOn, reference: "OCG 2026/0815" })
      assert.strictEqual(notice?.statusDetail, "INTERIM_BARRED")
    })
  )

  it.effect("only enters the history if the register has answered after its day", () =>
    Effect.gen(function* () {
      const id = yield* fresh
      const body = { statusDetail: "BARRED", issuedOn: yield* dayIn(-2), reference: "old" }
      const [answer, all] = yield* Row.run([
        { call: `POST /credentials/${id}/notices`, body, expect: { [`${shown}.statusDetail`]: "VALID" } },
        { call: `GET /credentials/${id}/verifications`, expect: 200 }
      ])
      assert.include(textAt(answer, "meta.warnings.0"), "issuedOn is before the day of the last verdict")
      assert.strictEqual(Object(dataOf(all).at(-1)).statusDetail, "BARRED")
    })
  )

  it.effect("outranks a notice of an earlier day that was recorded before, and is outranked by a later one", () =>
    Effect.gen(function* () {
      const id = yield* Effect.flatMap(worker(), (holder) => verified({ worker: holder }, reviewed, "QUEUED_MANUAL"))
      const noticed = (days: number, statusDetail: string, expected: string) =>
        Effect.map(dayIn(days), (issuedOn) => ({
          call: `POST /credentials/${id}/notices`,
          body: { statusDetail, issuedOn, reference: "letter" },
          expect: { [`${shown}.statusDetail`]: expected }
        }))
      yield* Row.run([
        yield* noticed(-20, "CONDITIONAL", "CONDITIONAL"),
        yield* noticed(-10, "INTERIM_BARRED", "INTERIM_BARRED"),
        yield* noticed(-15, "VALID", "INTERIM_BARRED")
      ])
    })
  )

  it.effect("R6: starts the person's other cards if it is a bar", () =>
    Effect.gen(function* () {
      const holder = yield* worker()
      const [one, other] = [yield* verified({ worker: holder }), yield* verified({ worker: holder })]
      const body = { statusDetail: "BARRED", issuedOn: yield* dayIn(0), reference: "letter" }
      const [, all] = yield* Row.run([
        { call: `POST /credentials/${one}/notices`, body, expect: 200 },
        { call: `GET /credentials/${other}/verifications`, expect: 200 }
      ])
      const triggers = dataOf(all).map((each) => Object(each).trigger)
      assert.deepStrictEqual(triggers, ["create", "bar"])
    })
  )

  it.effect("is refused from the future, without its day, about a type without a register, and to others", () =>
    Effect.gen(function* () {
      const id = yield* fresh
      const plain = yield* credential({ worker: yield* worker() })
      const { token } = yield* tokenOf("Data Manager")
      const body = { statusDetail: "BARRED", issuedOn: yield* dayIn(-2), reference: "letter" }
      const call = `POST /credentials/${id}/notices`
      yield* Row.run([
        { call, body: { ...body, issuedOn: yield* dayIn(3) }, expect: "INVALID_ARGUMENT: issuedOn" },
        { call, body: { ...body, issuedOn: undefined }, expect: "INVALID_ARGUMENT: issuedOn" },
        { call, body: { ...body, reference: "" }, expect: "INVALID_ARGUMENT: reference" },
        { call, body: { ...body, statusDetail: "DETAILS_MISSING" }, expect: "INVALID_ARGUMENT: statusDetail" },
        { call, body, as: token, expect: "FORBIDDEN: UPDATE verifications" },
        { call: `POST /credentials/${plain}/notices`, body, expect: "UNPROCESSABLE: FIRST_AID" },
        { call: "POST /credentials/cred_0000000000000000/notices", body, expect: "NOT_FOUND" }
      ])
    })
  )
})
