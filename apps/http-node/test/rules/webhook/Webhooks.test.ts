import { assert, layer } from "@effect/vitest"
import type { PrivilegeName } from "@wcs/domain/access/Privilege"
import { Effect } from "effect"
import {
  type Answer,
  at,
  disabledWebhook,
  otherHost,
  Service,
  textAt,
  tokenOf,
  webhook,
  webhookFields
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, get, idOfNothing, patch, post, put, remove, root } from "../NewerSurface.ts"
import { ids } from "../resource/Listing.ts"

/** POST without a body, as for actions on webhooks. */
const act = (path: string, more: { readonly token?: string; readonly host?: string } = {}) =>
  Service.use(({ call }) => call({ method: "POST", path: `${root}${path}`, ...more }))

const secretOf = (answer: Answer): string => {
  const secret = textAt(answer, "data.signingSecret")
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  return secret
}

const actions = ["rotate", "enable", "disable"] as const

layer(layerService(), { excludeTestServices: true })("webhooks", (it) => {
  it.effect(
    "EVT-14, ENV-11: a create is 201 with an id whk_<id>, and Location leads to it, which shows the sent fields",
    () =>
      Effect.gen(function* () {
        const fields = {
          ...webhookFields,
          filters: { credentialTypes: ["WWCC_NSW"], jurisdictions: ["NSW", "NATIONAL"] }
        }
        const made = yield* post("/webhooks", fields)
        assertStatus(made, 201)
        const id = textAt(made, "data.id")
        assert.match(id, /^whk_[0-9A-Za-z]{16}$/)
        assert.strictEqual(made.headers["location"], `${root}/webhooks/${id}`)
        const secret = secretOf(made)
        const { createdAt, id: _, type, updatedAt, ...shown } = Object(at(yield* get(`/webhooks/${id}`), "data"))
        assert.deepStrictEqual([type, updatedAt], ["webhook", createdAt])
        assert.deepStrictEqual(shown, {
          ...fields,
          status: "ACTIVE",
          delivery: {
            signingSecretLastFour: secret.slice(-4),
            previousSecretExpiresAt: null,
            consecutiveFailures: 0,
            lastSuccessAt: null,
            lastFailureAt: null
          }
        })
        assert.notStrictEqual(textAt(yield* post("/webhooks", fields), "data.id"), id)
      })
  )

  it.effect("EVT-09: only the responses to create and rotate contain the secret", () =>
    Effect.gen(function* () {
      const made = yield* post("/webhooks", { ...webhookFields, name: "EVT-09" })
      const path = `/webhooks/${textAt(made, "data.id")}`
      const rotated = yield* act(`${path}/rotate`)
      const secrets = [secretOf(made), secretOf(rotated)]
      const others = [
        yield* get(path),
        yield* get("/webhooks?query=EVT-09"),
        yield* put(path, Object(at(rotated, "data"))),
        yield* put(path, { ...webhookFields, name: "EVT-09 b" }),
        yield* patch(path, { name: "EVT-09 c" }),
        yield* act(`${path}/disable`),
        yield* act(`${path}/enable`),
        yield* patch(path, { signingSecret: secrets[1] }),
        yield* remove(path),
        yield* get(`${path}?includeDeleted=true`),
        yield* get("/webhooks?query=EVT-09&includeDeleted=true")
      ]
      for (const [index, { text }] of others.entries()) {
        for (const secret of secrets) assert.notInclude(text, secret.slice("whsec_".length), String(index))
        assert.notMatch(text, /whsec_|"sealed"|"secrets"|v1\./, String(index))
      }
      assert.include(JSON.stringify(at(others[2] as Answer, "meta.warnings")), "ignored: signingSecret")
    })
  )

  it.effect("EVT-08: each rotation returns a new secret, and shows until when the previous one is valid", () =>
    Effect.gen(function* () {
      const made = yield* post("/webhooks", webhookFields)
      const path = `/webhooks/${textAt(made, "data.id")}`
      const secrets = [secretOf(made)]
      for (let rotation = 0; rotation < 4; rotation++) {
        const rotated = yield* act(`${path}/rotate`)
        assertStatus(rotated, 200)
        secrets.push(secretOf(rotated))
        const shown = yield* get(path)
        assert.strictEqual(at(shown, "data.delivery.signingSecretLastFour"), secrets.at(-1)?.slice(-4))
        const until = Date.parse(textAt(shown, "data.delivery.previousSecretExpiresAt"))
        assert.strictEqual(until, Date.parse(textAt(shown, "data.updatedAt")) + 86_400_000)
      }
      assert.lengthOf(new Set(secrets), 5)
    })
  )

  it.effect("EVT-11: refuses a rotation while five secrets are valid, and accepts one a day later", () =>
    Effect.gen(function* () {
      const { advance } = yield* Service
      const path = `/webhooks/${yield* webhook()}`
      for (let rotation = 0; rotation < 4; rotation++) yield* act(`${path}/rotate`)
      const before = yield* get(path)
      const refused = yield* act(`${path}/rotate`)
      assertRefused(refused, "UNPROCESSABLE", "5 valid signing secrets")
      assert.deepStrictEqual(at(yield* get(path), "data"), at(before, "data"))
      yield* advance(86_400)
      assertStatus(yield* act(`${path}/rotate`), 200)
    })
  )

  it.effect("EVT-11: does not show the previous secret's expiry after the overlap", () =>
    Effect.gen(function* () {
      const { advance } = yield* Service
      const path = `/webhooks/${yield* webhook()}`
      yield* act(`${path}/rotate`)
      yield* advance(86_399 - 60)
      assert.isString(at(yield* get(path), "data.delivery.previousSecretExpiresAt"))
      yield* advance(61)
      const after = at(yield* get(path), "data.delivery")
      assert.isNull(Object(after).previousSecretExpiresAt)
      const same = yield* patch(path, { delivery: after })
      assertStatus(same, 200)
    })
  )

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

  it.effect("ENV-08, ENV-09: refuses an action on a missing, deleted or malformed id", () =>
    Effect.gen(function* () {
      const id = yield* webhook()
      assertStatus(yield* remove(`/webhooks/${id}`), 204)
      for (const action of actions) {
        assertRefused(yield* act(`/webhooks/${id}/${action}`), "NOT_FOUND")
        assertRefused(yield* act(`/webhooks/${idOfNothing(id)}/${action}`), "NOT_FOUND")
        assertRefused(yield* act(`/webhooks/nonsense/${action}`), "INVALID_ARGUMENT", "id")
      }
      assert.strictEqual(at(yield* get(`/webhooks/${id}?includeDeleted=true`), "data.status"), "ACTIVE")
    })
  )

  it.effect("TRN-05, threat 1: every action on another tenant's webhook is 404, and the webhook stays unchanged", () =>
    Effect.gen(function* () {
      const id = yield* webhook()
      const before = at(yield* get(`/webhooks/${id}`), "data")
      const { token } = yield* tokenOf("Super Admin", true)
      for (const action of actions) {
        assertRefused(yield* act(`/webhooks/${id}/${action}`, { host: otherHost, token }), "NOT_FOUND")
      }
      assert.deepStrictEqual(at(yield* get(`/webhooks/${id}`), "data"), before)
    })
  )

  it.effect("PRV-16, PRV-17, SIL-13: only UPDATE on webhooks allows the actions; refused ones change nothing", () =>
    Effect.gen(function* () {
      const sets: ReadonlyArray<ReadonlyArray<PrivilegeName>> = [
        [],
        ["webhook:READ"],
        ["webhook:READ", "webhook:CREATE", "webhook:DELETE", "credential:UPDATE", "worker:UPDATE"]
      ]
      for (const set of sets) {
        const { token, urn } = yield* tokenOf(set)
        for (const action of actions) {
          const id = action === "enable" ? yield* disabledWebhook : yield* webhook()
          const before = at(yield* get(`/webhooks/${id}`), "data")
          const refused = yield* act(`/webhooks/${id}/${action}`, { token })
          assertRefused(refused, "FORBIDDEN", `${urn} is unauthorized to UPDATE webhooks.`)
          assert.deepStrictEqual(at(yield* get(`/webhooks/${id}`), "data"), before)
          const { token: updating } = yield* tokenOf(["webhook:UPDATE"])
          assertStatus(yield* act(`/webhooks/${id}/${action}`, { token: updating }), 200)
          assert.notDeepEqual(at(yield* get(`/webhooks/${id}`), "data"), before)
        }
      }
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

  it.effect("ENV-05, threat 9: every write refuses a URL that is not https with 400, without repeating it", () =>
    Effect.gen(function* () {
      const path = `/webhooks/${yield* webhook()}`
      const before = at(yield* get(path), "data")
      for (const url of [
        "http://receiver.invalid/",
        "ftp://receiver.invalid/",
        "https://user:hunter2@receiver.invalid/",
        "https://hunter2@receiver.invalid/",
        "https://receiver.invalid/#hunter2",
        "https:///hunter2",
        "hunter2",
        "https://receiver.invalid/hunter2 ",
        `https://receiver.invalid/hunter2${"a".repeat(2048)}`
      ]) {
        for (const refused of [
          yield* post("/webhooks", { ...webhookFields, url }),
          yield* put(path, { ...webhookFields, url }),
          yield* patch(path, { url })
        ]) {
          assertRefused(refused, "INVALID_ARGUMENT", "url")
          assert.notInclude(refused.text, "hunter2")
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

layer(layerService(undefined, undefined, { WCS_WEBHOOKS_MAX: String(webhooksMax) }), { excludeTestServices: true })(
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
