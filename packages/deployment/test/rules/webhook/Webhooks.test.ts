import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { at, textAt, webhook, webhookFields } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { get, post } from "../NewerSurface.ts"
import * as Row from "../Row.ts"
import { ids } from "../resource/Listing.ts"

layer(layerService(), { excludeTestServices: true })("webhooks", (it) => {
  it.effect("concurrent rotations return different secrets, and the newest is shown", () =>
    Effect.gen(function* () {
      const path = `/webhooks/${yield* webhook()}`
      const rotated = yield* Effect.replicateEffect(post(`${path}/rotate`), 8, { concurrency: "unbounded" })
      const done = rotated.filter(({ status }) => status === 200)
      const secrets = done.map((answer) => textAt(answer, "data.signingSecret"))
      assert.lengthOf(new Set(secrets), 4)
      const shown = textAt(yield* get(path), "data.delivery.signingSecretLastFour")
      assert.isTrue(secrets.some((secret) => /^whsec_[A-Za-z0-9+/]{43}=$/.test(secret) && secret.endsWith(shown)))
    })
  )

  it.effect("enable and disable return the webhook; a repetition changes nothing, and no write sets the status", () =>
    Effect.gen(function* () {
      const path = `/webhooks/${yield* webhook()}`
      const before = at(yield* get(path), "data")
      const [, disabled] = yield* Row.run([
        { call: `POST ${path}/enable`, expect: { data: before } },
        { call: `POST ${path}/disable`, expect: { "data.status": "DISABLED" } }
      ])
      const [, , ignored] = yield* Row.run([
        { call: `POST ${path}/disable`, expect: { data: at(disabled, "data") } },
        { call: `PUT ${path}`, body: webhookFields, expect: { "data.status": "DISABLED", "meta.warnings": undefined } },
        {
          call: `PUT ${path}`,
          body: { ...webhookFields, status: "ACTIVE" },
          expect: { "data.status": "DISABLED", "meta.warnings.length": 1 }
        },
        { call: `PATCH ${path}`, body: { status: "ACTIVE" }, expect: "INVALID_ARGUMENT: status" },
        { call: `POST ${path}/enable`, expect: { "data.status": "ACTIVE" } }
      ])
      assert.include(String(at(ignored, "meta.warnings")), "ignored: status")
    })
  )

  it.effect("ENV-05, threat 9, threat 14: every write refuses a bad URL with 400, without repeating it", () =>
    Effect.gen(function* () {
      const path = `/webhooks/${yield* webhook()}`
      const before = at(yield* get(path), "data")
      const answers = yield* Row.run(
        (
          [
            ["https://user:hunter2@receiver.invalid/", "url must have no user name and no password"],
            ["http://127.0.0.1/", "url must be an https URL."],
            ["https://[::ffff:127.0.0.1]/", "url"]
          ] as const
        ).flatMap(([url, reason]) =>
          ["POST /webhooks", `PUT ${path}`, `PATCH ${path}`].map((call) => ({
            call,
            body: call.startsWith("PATCH") ? { url } : { ...webhookFields, url },
            expect: `INVALID_ARGUMENT: ${reason}`
          }))
        )
      )
      for (const { text } of answers) assert.notMatch(text, /hunter2|127\.0\.0\.1/)
      yield* Row.run([{ call: `GET ${path}`, expect: { data: before } }])
    })
  )

  it.effect("ENV-07: the filters and orders of webhooks, by status and by a prefix of the name", () =>
    Effect.gen(function* () {
      const [b, a] = [yield* webhook({ name: "Filtered b" }), yield* webhook({ name: "filtered A" })]
      yield* Row.run([
        { call: `POST /webhooks/${b}/disable`, expect: 200 },
        { call: "GET /webhooks?status=active", expect: "INVALID_ARGUMENT: status" },
        { call: "GET /webhooks?sort=url", expect: "INVALID_ARGUMENT" }
      ])
      const query = { query: "FILTERED" }
      assert.deepStrictEqual(yield* ids("webhooks", { ...query, sort: "name:asc" }), [a, b])
      assert.deepStrictEqual(yield* ids("webhooks", { ...query, status: "DISABLED" }), [b])
      assert.deepStrictEqual(yield* ids("webhooks", { ...query, status: "AUTO_DISABLED" }), [])
    })
  )
})
