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

layer(Deployment.services())("refused access", (it) => {
  it.effect("leaves one warning a minute of each address and account, without secrets, and counts", () =>
    Effect.gen(function* () {
      const { tenant, tokenOf } = yield* Deployment.settle
      const { counts, entries, statusesOf } = yield* observed
      const viewer = yield* tokenOf("Viewer")
      const grant = { grant_type: "client_credentials", client_id: clientId, client_secret: "hidden" }
      const calls = [
        workers, // no token: nothing was refused
        unknown,
        { ...workers, token: viewer, method: "POST", body: "{}" },
        login("ann@example.org"),
        login("hidden"), // no email: it may be a secret
        form(`${newerRoot}/oauth/token`, grant)
      ]
      const statuses = [401, 401, 403, 401, 401, 401]
      assert.deepStrictEqual(yield* statusesOf([...calls, ...calls]), [...statuses, ...statuses])
      const refused = (message: string, account: string | undefined, omitted = 0) => ({
        logLevel: "Warn",
        message,
        address: "192.0.2.1",
        account,
        tenantId: tenant.id,
        omitted
      })
      const account = String(entries[1]?.["account"])
      assert.match(account, /^urn:wcs:account:/)
      assert.deepStrictEqual(entries, [
        refused("A token was refused.", undefined),
        refused("A call was refused because the caller lacks a privilege.", account),
        refused("A login was refused.", "ann@example.org"),
        refused("A login was refused.", undefined),
        refused("A login was refused.", clientId)
      ])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* statusesOf([unknown]), [401])
      assert.deepStrictEqual(entries.slice(5), [refused("A token was refused.", undefined, 5)])
      assert.deepStrictEqual(yield* counts, { login: 6, token: 3, privilege: 2 })
    })
  )

  it.effect("leaves at most 60 warnings a minute", () =>
    Effect.gen(function* () {
      const { entries, statusesOf } = yield* observed
      yield* statusesOf(
        Array.from({ length: 70 }, (_, n) => ({ ...unknown, headers: { "x-test-address": `192.0.2.${n}` } }))
      )
      assert.lengthOf(entries, 60)
      yield* TestClock.adjust("1 minute")
      yield* statusesOf([unknown])
      assert.strictEqual(entries.at(-1)?.["omitted"], 10)
    })
  )
})
