import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, at, otherHost, Service, textAt, tokenOf, webhook, webhookFields } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, get, patch, post, put, remove, root } from "../NewerSurface.ts"
import { ids } from "../resource/Listing.ts"

/** POST without a body, as for actions on webhooks. */
const act = (path: string, more: { readonly token?: string; readonly host?: string } = {}) =>
  Service.use(({ call }) => call({ method: "POST", path: `${root}${path}`, ...more }))

const secretOf = (answer: Answer): string => {
  const secret = textAt(answer, "data.signingSecret")
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  return secret
}

layer(layerService(), { excludeTestServices: true })("webhooks", (it) => {
  it.effect("concurrent rotations return different secrets, and the newest is shown", () =>
    Effect.gen(function* () {
      const path = `/webhooks/${yield* webhook()}`
      const rotated = yield* Effect.all(
        Array.from({ length: 8 }, () => act(`${path}/rotate`)),
        {
          concurrency: "unbounded"
        }
      )
      const secrets = rotated.filter(({ status }) => status === 200).map(secretOf)
      assert.lengthOf(new Set(secrets), 4)
      const shown = textAt(yield* get(path), "data.delivery.signingSecretLastFour")
      assert.include(
        secrets.map((secret) => secret.slice(-4)),
        shown
      )
    })
  )

  it.effect(
    "enable and disable return the webhook; a repetition changes nothing, and a PUT without status keeps it",
    () =>
      Effect.gen(function* () {
        const path = `/webhooks/${yield* webhook()}`
        const before = at(yield* get(path), "data")
        assert.deepStrictEqual(at(yield* act(`${path}/enable`), "data"), before)
        const disabled = yield* act(`${path}/disable`)
        assertStatus(disabled, 200)
        assert.strictEqual(at(disabled, "data.status"), "DISABLED")
        assert.deepStrictEqual(at(yield* act(`${path}/disable`), "data"), at(disabled, "data"))
        const kept = yield* put(path, webhookFields)
        assert.deepStrictEqual([at(kept, "data.status"), at(kept, "meta.warnings")], ["DISABLED", undefined])
        const ignored = yield* put(path, { ...webhookFields, status: "ACTIVE" })
        assert.strictEqual(at(ignored, "data.status"), "DISABLED")
        assert.include(JSON.stringify(at(ignored, "meta.warnings")), "ignored: status")
        assertRefused(yield* patch(path, { status: "ACTIVE" }), "INVALID_ARGUMENT", "status")
        assert.strictEqual(at(yield* act(`${path}/enable`), "data.status"), "ACTIVE")
      })
  )

  it.effect("READ on webhooks shows the kinds of event; every kind can be subscribed to, and no other", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const path = `${root}/webhooks/events`
      const { token } = yield* tokenOf(["webhook:READ"])
      const answer = yield* call({ method: "GET", path, token })
      assertStatus(answer, 200)
      const listed: ReadonlyArray<{ readonly kind: string; readonly description: string }> = Object(answer.json).data
      const kinds = listed.map(({ kind }) => kind)
      assert.deepStrictEqual(kinds, [
        "credential.created",
        "credential.updated",
        "credential.verified",
        "recruitmentCheck.completed",
        "fetchRequest.completed",
        "webhook.test"
      ])
      for (const { description } of listed) assert.match(description, /\S/)
      assertRefused(yield* get("/webhooks/events?sort=kind"), "INVALID_ARGUMENT", "sort")
      const made = yield* post("/webhooks", { ...webhookFields, events: kinds })
      assert.deepStrictEqual(at(made, "data.events"), kinds)
      for (const events of [[], ["credential.deleted"], ["Credential.created"], [...kinds, "nonsense"]]) {
        assertRefused(yield* post("/webhooks", { ...webhookFields, events }), "INVALID_ARGUMENT", "events")
      }
      const twice = ["webhook.test", "webhook.test"]
      assertRefused(yield* post("/webhooks", { ...webhookFields, events: twice }), "INVALID_ARGUMENT", "events")
    })
  )

  it.effect("ENV-05, threat 9, threat 14: every write refuses a bad URL with 400, without repeating it", () =>
    Effect.gen(function* () {
      const path = `/webhooks/${yield* webhook()}`
      const before = at(yield* get(path), "data")
      for (const [url, reason] of [
        ["https://user:hunter2@receiver.invalid/", "url must have no user name and no password"],
        ["http://receiver.invalid/hunter2", "url must be an https URL."],
        ["http://127.0.0.1/", "url must be an https URL."],
        ["https://127.0.0.1/", "url"],
        ["https://2130706433/", "url"],
        ["https://[::ffff:127.0.0.1]/", "url"],
        ["https://localhost/", "url"]
      ] as const) {
        for (const refused of [
          yield* post("/webhooks", { ...webhookFields, url }),
          yield* put(path, { ...webhookFields, url }),
          yield* patch(path, { url })
        ]) {
          assertRefused(refused, "INVALID_ARGUMENT", reason)
          assert.notMatch(refused.text, /hunter2|127\.0\.0\.1/)
        }
      }
      assert.deepStrictEqual(at(yield* get(path), "data"), before)
    })
  )

  it.effect("ENV-07: the filters and orders of webhooks, by status and by a prefix of the name", () =>
    Effect.gen(function* () {
      const [b, a] = [yield* webhook({ name: "Filtered b" }), yield* webhook({ name: "filtered A" })]
      assertStatus(yield* act(`/webhooks/${b}/disable`), 200)
      const query = { query: "FILTERED" }
      assert.deepStrictEqual(yield* ids("webhooks", { ...query, sort: "name:asc" }), [a, b])
      assert.deepStrictEqual(yield* ids("webhooks", { ...query, status: "DISABLED" }), [b])
      assert.deepStrictEqual(yield* ids("webhooks", { ...query, status: "ACTIVE" }), [a])
      assert.deepStrictEqual(yield* ids("webhooks", { ...query, status: "AUTO_DISABLED" }), [])
      assertRefused(yield* get("/webhooks?status=active"), "INVALID_ARGUMENT", "status")
      assertRefused(yield* get("/webhooks?sort=url"), "INVALID_ARGUMENT")
    })
  )
})

const webhooksMax = 20

layer(layerService(undefined, {}, { WCS_WEBHOOKS_MAX: String(webhooksMax) }), { excludeTestServices: true })(
  "a tenant at its limit of webhooks",
  (it) => {
    it.effect(
      "EVT-14: creates up to the limit, also concurrently, and refuses the next; a deletion frees a place",
      () =>
        Effect.gen(function* () {
          const made = yield* Effect.all(
            Array.from({ length: webhooksMax + 10 }, () => post("/webhooks", webhookFields)),
            { concurrency: 16 }
          )
          const [done, refused] = [201, 422].map((due) => made.filter(({ status }) => status === due))
          assert.lengthOf(done ?? [], webhooksMax)
          assert.lengthOf(refused ?? [], 10)
          for (const answer of refused ?? []) assertRefused(answer, "UNPROCESSABLE", "20 webhooks")
          assertStatus(yield* post("/webhooks", { ...webhookFields, url: "nowhere" }), 400)
          yield* remove(`/webhooks/${textAt(done?.[0] as Answer, "data.id")}`)
          assertStatus(yield* post("/webhooks", webhookFields), 201)
          assertStatus(yield* post("/webhooks", webhookFields), 422)
          const { token } = yield* tokenOf(["webhook:CREATE"], true)
          const { call } = yield* Service
          const elsewhere = { method: "POST", path: `${root}/webhooks`, host: otherHost, token, body: webhookFields }
          assertStatus(yield* call(elsewhere), 201)
        })
    )
  }
)
