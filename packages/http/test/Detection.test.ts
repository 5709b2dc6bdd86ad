import { assert, layer } from "@effect/vitest"
import { newerRoot } from "@wcs/api/NewerSurface"
import { Clock, Context, Effect, Logger, Metric, References } from "effect"
import { TestClock } from "effect/testing"
import * as Deployment from "./Deployment.ts"

/** A deployment that keeps what it logs and counts. */
const observed = Effect.gen(function* () {
  const entries: Array<Readonly<Record<string, unknown>>> = []
  const logger = Logger.make(({ fiber, logLevel, message }) => {
    const { requestId, ...facts } = fiber.getRef(References.CurrentLogAnnotations)
    assert.match(String(requestId), /^[0-9A-Z]{26}$/)
    entries.push({ logLevel, message: String(message), ...facts })
  })
  const metrics = new Map()
  const references = Context.make(Logger.CurrentLoggers, new Set([logger])).pipe(
    Context.add(Metric.MetricRegistry, metrics),
    Context.add(Clock.Clock, yield* Clock.Clock)
  )
  const fetch = yield* Deployment.serve(references)
  const counts = Effect.map(Effect.provideService(Metric.snapshot, Metric.MetricRegistry, metrics), (snapshot) =>
    Object.fromEntries(
      snapshot
        .filter(({ id }) => id === "access_refusals_total")
        .map(({ attributes, state }) => [attributes?.["refused"], "count" in state ? state.count : undefined])
    )
  )
  return {
    entries,
    counts,
    statusesOf: (calls: ReadonlyArray<Deployment.Call>) =>
      Effect.forEach(calls, (call) => Effect.map(Deployment.call(call), ({ status }) => status)).pipe(
        Effect.provideService(Deployment.Fetch, fetch)
      )
  }
})

const workers = { path: `${newerRoot}/workers` }
const unknown = { ...workers, token: `wcs_pat_${"0".repeat(43)}` }
const form = (path: string, fields: Readonly<Record<string, string>>) => ({
  path,
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded", origin: "https://localhost" },
  body: new URLSearchParams(fields).toString()
})
const login = (email: string) => form("/login", { email, password: "hidden" })
const clientId = `wcs_oauth_${"0".repeat(16)}`
const session = { origin: "https://localhost", "x-wcs-console": "1", cookie: `__Host-wcs=${"0".repeat(43)}` }

layer(Deployment.layer(Deployment.services()))("refused access", (it) => {
  it.effect("leaves one warning a minute of each address and account, without secrets, and counts", () =>
    Effect.gen(function* () {
      const { tenant, tokenOf } = yield* Deployment.Settled
      const { counts, entries, statusesOf } = yield* observed
      const viewer = yield* tokenOf("Viewer")
      const calls = [
        workers, // no token: nothing was refused
        { path: "/account", headers: { accept: "application/json" } }, // no session: the same
        unknown,
        { ...workers, headers: session },
        { ...workers, token: viewer, method: "POST", body: "{}" },
        login("User1@example.org"), // the viewer's
        login("Hidden.Password@3.xyz"), // no user's: it may be a password
        form(`${newerRoot}/oauth/token`, {
          grant_type: "client_credentials",
          client_id: clientId,
          client_secret: "hidden"
        })
      ]
      const from = (address: string) =>
        calls.map((call) => ({
          ...call,
          headers: { ...("headers" in call ? call.headers : {}), "x-test-address": address }
        }))
      const statuses = [401, 401, 401, 401, 403, 401, 401, 401]
      assert.deepStrictEqual(yield* statusesOf(from("192.0.2.1")), statuses)
      assert.deepStrictEqual(yield* statusesOf(from("192.0.2.1")), statuses)
      const account = String(entries[1]?.["account"])
      assert.match(account, /^urn:wcs:account:/)
      const refused = (message: string, of: string | undefined, omitted = 0) => ({
        logLevel: "Warn",
        message,
        address: "192.0.2.1",
        account: of,
        tenantId: tenant.id,
        omitted
      })
      assert.deepStrictEqual(entries, [
        refused("A token or session was refused.", undefined),
        refused("A call was refused that the caller may not make.", account, 1),
        refused("A login was refused.", account),
        refused("A login was refused.", undefined),
        refused("A login was refused.", clientId)
      ])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* statusesOf([{ ...unknown, headers: { "x-test-address": "192.0.2.1" } }]), [401])
      assert.deepStrictEqual(entries.slice(5), [refused("A token or session was refused.", undefined, 6)])
      assert.deepStrictEqual(yield* counts, { login: 6, token: 5, call: 2 })
    })
  )

  it.effect("leaves at most 5 warnings a minute of an address and 60 of a tenant", () =>
    Effect.gen(function* () {
      const { entries, statusesOf } = yield* observed
      const at = (address: string, call: Deployment.Call) => ({
        ...call,
        headers: { ...call.headers, "x-test-address": address }
      })
      yield* statusesOf(Array.from({ length: 9 }, (_, n) => at("192.0.2.1", login(`user${n}@other.example`))))
      assert.lengthOf(entries, 5)
      yield* statusesOf(Array.from({ length: 70 }, (_, n) => at(`198.51.100.${n}`, unknown)))
      assert.lengthOf(entries, 60)
      yield* TestClock.adjust("1 minute")
      yield* statusesOf([at("192.0.2.1", unknown)])
      assert.strictEqual(entries.at(-1)?.["omitted"], 15)
    })
  )
})
