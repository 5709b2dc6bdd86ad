import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { type Browser, browser, sessionCookie } from "./Browser.ts"
import { assertStatus, get, patch, put, remove, root } from "./rules/NewerSurface.ts"
import { body, collection, connected, login } from "./SamlLogin.ts"
import { at, operator, Service } from "./Service.ts"
import { layerService, raisedLimits } from "./TestService.ts"

const service = layerService(raisedLimits)
const password = "correct horse battery staple"

/** Calls the interface by the browser's session, as the console does. */
const called = Effect.fnUntraced(function* ({ jar }: Browser, method: string, path: string, sent?: unknown) {
  const { call } = yield* Service
  const headers = {
    cookie: `${sessionCookie}=${jar.get(sessionCookie)?.value}`,
    "x-wcs-console": "1",
    "sec-fetch-site": "same-origin",
    origin: "https://localhost"
  }
  return yield* call({
    method,
    path: `${root}${path}`,
    token: null,
    headers,
    ...(sent === undefined ? {} : { body: sent })
  })
})

const statusOf = (client: Browser) => Effect.map(called(client, "GET", "/me"), ({ status }) => status)

/** A person who is logged in twice: through the provider, and with a password. */
const loggedInTwice = Effect.gen(function* () {
  const made = yield* connected
  const { tenant, users } = yield* Service
  yield* Effect.orDie(users.setPassword(tenant.id, made.email, Redacted.make(password), operator))
  const [through, byPassword] = [yield* browser, yield* browser]
  yield* login(through, made.id, made)
  yield* byPassword.post("/login", { email: made.email, password })
  assert.deepStrictEqual([yield* statusOf(through), yield* statusOf(byPassword)], [200, 200])
  return { ...made, through, byPassword }
})

layer(service, { excludeTestServices: true })("sessions of an identity provider", (it) => {
  it.effect.each([
    ["PATCH", (id: string) => patch(`${collection}/${id}`, { active: false })],
    ["PUT", (id: string) => put(`${collection}/${id}`, body({ active: false }))],
    ["DELETE", (id: string) => remove(`${collection}/${id}`)]
  ] as const)("end when a %s switches the provider off, and sessions by password do not", ([, change]) =>
    Effect.gen(function* () {
      const { byPassword, id, through } = yield* loggedInTwice
      const other = yield* connected
      const stranger = yield* browser
      yield* login(stranger, other.id, other)
      assert.include([200, 204], (yield* change(id)).status)
      assert.deepStrictEqual([yield* statusOf(through), yield* statusOf(byPassword)], [401, 200])
      assert.strictEqual(yield* statusOf(stranger), 200)
    })
  )

  it.effect("stay when an update leaves the provider active", () =>
    Effect.gen(function* () {
      const { id, through } = yield* loggedInTwice
      assertStatus(yield* patch(`${collection}/${id}`, { name: "Renamed" }), 200)
      assert.strictEqual(yield* statusOf(through), 200)
    })
  )

  it.effect("stay ended when the provider is switched on again, and are ended once", () =>
    Effect.gen(function* () {
      const { id, through } = yield* loggedInTwice
      for (const active of [false, false, true]) assertStatus(yield* patch(`${collection}/${id}`, { active }), 200)
      assert.strictEqual(yield* statusOf(through), 401)
      const events = yield* get(`/audit-events?entityId=${id}&pageSize=100`)
      const actions = (at(events, "data") as ReadonlyArray<{ readonly action: string }>).map(({ action }) => action)
      assert.strictEqual(actions.filter((action) => action === "revoke all").length, 1)
    })
  )
})
