import { assert, describe, it } from "@effect/vitest"
import { knowProfile, layer, Redaction } from "@wcs/conformance/evidence/Redaction"
import { secretAtPosition, shownSecrets, tracesOf } from "@wcs/conformance/evidence/WebhookSecrets"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { type Json, parse } from "@wcs/conformance/text/Json"
import type { Exchange } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import { exchangeOf } from "../Exchanges.ts"
import { profile } from "../Invented.ts"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

const answered = (path: string, data: Json, method = "POST", body = "{}"): Exchange => {
  const text = JSON.stringify({ data })
  const url = `https://t1.example/openapi/v1${path}`
  const made = exchangeOf({ method, body, answer: { text } })
  return {
    ...made,
    request: { ...made.request, url },
    answer: made.answer && { ...made.answer, text, json: parse(text) }
  }
}

const telling = (signingSecret: NonNullable<Profile["signingSecret"]>): Profile => ({ ...profile, signingSecret })

describe("the secret of a webhook", () => {
  const both = telling({ create: "data.hmac.value", rotate: "data.key" })

  it("is read where the profile says, only from the responses to a create and a rotation", () => {
    const created = { id: "whk_1", hmac: { value: secret } }
    assert.strictEqual(secretAtPosition(both, answered("/webhooks", created)), secret)
    assert.strictEqual(secretAtPosition(both, answered("/webhooks/whk_1/rotate", { key: secret })), secret)
    assert.isUndefined(secretAtPosition(both, answered("/webhooks/whk_1/rotate", created)))
    assert.isUndefined(secretAtPosition(both, answered("/webhooks/whk_1", created, "GET")))
    assert.isUndefined(secretAtPosition(both, answered("/webhooks/whk_1/enable", created)))
    assert.isUndefined(secretAtPosition(both, answered("/workers", created)))
    assert.isUndefined(secretAtPosition(both, answered("/webhooks", { hmac: { value: 7 } })))
    assert.isUndefined(secretAtPosition(telling({ rotate: "data.key" }), answered("/webhooks", { key: secret })))
  })

  it("EVT-09: is found in any field named as a secret when the profile gives no position", () => {
    const shown = (data: Json, body = "{}") => shownSecrets(profile, answered("/webhooks", data, "POST", body))
    assert.deepStrictEqual(shown({ name: "HR", nested: { signingSecret: secret } }), [secret])
    assert.deepStrictEqual(shown({ name: secret, id: secret, signingSecretLastFour: "LaSw" }), [])
    assert.deepStrictEqual(shown({ secret: `whsec_${"*".repeat(30)}LaSw` }), [])
    assert.deepStrictEqual(shown({ secret: "short" }), [])
    assert.deepStrictEqual(shown({ secret }, JSON.stringify({ secret })), [], "sent by the caller")
    const told = telling({ create: "data.hmac.value", rotate: "data.key" })
    assert.deepStrictEqual(
      shownSecrets(told, answered("/webhooks", { secret })),
      [],
      "not at the position that the profile gives"
    )
  })

  it("PRV-16: is recognized in fields that contain a part of it", () => {
    const webhook = {
      id: "whk_1",
      delivery: { lastFour: "LaSw", failures: 0 },
      events: ["MfK", "M"],
      name: "whsec_MfX"
    }
    assert.deepStrictEqual(tracesOf(webhook, secret), [
      ["delivery.lastFour", "LaSw"],
      ["events.0", "MfK"]
    ])
    assert.deepStrictEqual(tracesOf(undefined, secret), [])
    assert.deepStrictEqual(tracesOf(webhook, ""), [])
  })

  it.effect("is redacted by value after the first response, under any field name", () =>
    Effect.gen(function* () {
      yield* knowProfile(both, new Map())
      const { exchange, redact } = yield* Redaction
      const told = yield* exchange(answered("/webhooks/whk_1/rotate", { id: "whk_1", key: secret }))
      assert.deepStrictEqual(told.answer?.json, { data: { id: "whk_1", key: `‹signing secret of #${told.number}›` } })
      assert.notInclude(yield* redact(`somewhere else: ${secret}`), secret)
    }).pipe(Effect.provide(layer))
  )
})
