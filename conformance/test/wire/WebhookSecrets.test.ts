import { assert, describe, it } from "@effect/vitest"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { type Json, parse } from "@wcs/conformance/text/Json"
import type { Exchange } from "@wcs/conformance/wire/Exchange"
import * as Handles from "@wcs/conformance/wire/Handles"
import { secretAtPosition, shownSecrets, tracesOf } from "@wcs/conformance/wire/WebhookSecrets"
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

  it("becomes a handle in the first response and in later ones, under any field name", () => {
    const handles = Handles.make(both, new Map())
    const shown = ({ answer, ...exchange }: Exchange) =>
      answer && handles.answered({ ...exchange, answer }, answer).json
    const rotated = answered("/webhooks/whk_1/rotate", { id: "whk_1", key: secret })
    assert.deepStrictEqual(shown(rotated), { data: { id: "whk_1", key: `‹signing secret of #${rotated.number}›` } })
    const read = shown(answered("/webhooks/whk_1", { name: `was ${secret}` }, "GET"))
    assert.deepStrictEqual(read, { data: { name: `was ‹signing secret of #${rotated.number}›` } })
  })
})
