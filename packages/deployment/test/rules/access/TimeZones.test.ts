import { assert, layer } from "@effect/vitest"
import type { Tenant } from "@wcs/domain/access/Tenant"
import { dayAt } from "@wcs/domain/shared/CalendarDay"
import { dayAfter } from "@wcs/domain/shared/Instant"
import { Effect } from "effect"
import { at, operator, otherHost, Service, textAt, tokenOf, verifiable } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { idsOf, root } from "../NewerSurface.ts"

/** In these zones, the days never agree. */
const [east, west] = ["Pacific/Kiritimati", "Pacific/Pago_Pago"] as const

const hourSeconds = 3600

/** Seconds until 20:00 UTC, when midnight is hours away in both zones. */
const untilEvening = (now: number): number =>
  (44 * hourSeconds - (Math.floor(now / 1000) % (24 * hourSeconds))) % (24 * hourSeconds)

/** Sets the time zone of a tenant, and lets it judge a card whose last day is `expiryDate`. */
const judged = Effect.fnUntraced(function* (
  { id: tenantId }: Tenant,
  timeZone: string,
  expiryDate: string,
  as: { readonly host?: string; readonly token?: string }
) {
  const { administration, call } = yield* Service
  const ask = (method: string, path: string, body?: unknown) =>
    call({ method, path: root + path, ...as, ...(body === undefined ? {} : { body }) })
  const zoneOfMe = Effect.map(ask("GET", "/me"), (answer) => textAt(answer, "data.tenant.timeZone"))
  assert.strictEqual(yield* zoneOfMe, "Australia/Sydney")
  yield* Effect.orDie(administration.setTimeZone(tenantId, timeZone, operator))
  assert.strictEqual(yield* zoneOfMe, timeZone)

  const worker = textAt(yield* ask("POST", "/workers", { identity: { displayName: "Ann Example" } }), "data.id")
  const valid = { credentialType: "TEACHER_REGISTRATION_NSW", identifier: "123456" } // the register shows no date
  const card = { ...verifiable, ...valid, expiryDate, owners: { worker } }
  const id = textAt(yield* ask("POST", "/credentials", { attributes: card }), "data.id")
  const verify = Effect.map(ask("POST", `/credentials/${id}/verify`), (answer) => textAt(answer, "data.statusDetail"))
  const fromRegister = yield* verify
  const repeated = yield* verify
  const shown = yield* ask("GET", `/credentials/${id}`)
  const expired = yield* ask("GET", "/credentials?eligibility=MAY_NOT_ENGAGE")
  const check = { code: "card", displayName: "Card", requirement: { credentialTypes: [card.credentialType] } }
  yield* ask("POST", "/compliance-checks", check)
  const evaluated = yield* ask("POST", "/compliance-checks/card/evaluate", { workers: [{ id: worker }] })
  const request = { worker: { id: worker }, requestedCredentialTypes: ["FIRST_AID"], expiryDays: 1 }
  return {
    verdicts: [fromRegister, repeated, textAt(shown, "data.attributes.statusDetail")],
    isTagLapsed: String(shown.headers["etag"]).includes("-lapsed"),
    isListedAsExpired: idsOf(expired).includes(id),
    result: at(evaluated, "data.0.result"),
    tomorrow: textAt(yield* ask("POST", "/fetch-requests", request), "data.expiryDate")
  }
})

layer(layerService(), { excludeTestServices: true })("the time zone of a tenant", (it) => {
  it.effect("threat 41: two tenants judge the same card at the same time by their own days", () =>
    Effect.gen(function* () {
      const { advance, now, otherTenant, tenant } = yield* Service
      yield* advance(untilEvening(yield* now))
      const days = { east: dayAt(yield* now, east), west: dayAt(yield* now, west) }
      assert.strictEqual(days.east, dayAfter(days.west, 1))
      const { token } = yield* tokenOf("Super Admin", true)
      assert.deepStrictEqual(yield* judged(tenant, east, days.west, {}), {
        verdicts: ["EXPIRED", "EXPIRED", "EXPIRED"],
        isTagLapsed: true,
        isListedAsExpired: true,
        result: "FAIL",
        tomorrow: dayAfter(days.east, 1)
      })
      assert.deepStrictEqual(yield* judged(otherTenant, west, days.west, { host: otherHost, token }), {
        verdicts: ["VALID", "VALID", "VALID"],
        isTagLapsed: false,
        isListedAsExpired: false,
        result: "PASS",
        tomorrow: days.east
      })
    })
  )
})
