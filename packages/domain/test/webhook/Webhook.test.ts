import { assert, describe, it } from "@effect/vitest"
import type { Stored } from "@wcs/domain/resource/Resource"
import * as Write from "@wcs/domain/resource/Write"
import { at, type JsonValue } from "@wcs/domain/shared/Json"
import { autoDisabled, disabled, documentAt, enabled, Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import { Result } from "effect"

const now = Date.UTC(2026, 0, 31, 9, 30)

const fields: WebhookFields = {
  name: "HR",
  url: "https://receiver.invalid/",
  events: ["credential.created"],
  filters: { jurisdictions: ["NSW"] },
  status: "ACTIVE",
  secrets: [
    { sealed: "v1.bmV3", lastFour: "new=", createdAt: now, retiresAt: null },
    { sealed: "v1.b2xk", lastFour: "old=", createdAt: 0, retiresAt: now + 1000 }
  ]
}
const stored: Stored<WebhookFields> = {
  id: "whk_0123456789abcDEF",
  version: 2,
  createdAt: 0,
  updatedAt: now,
  deletedAt: null,
  fields
}
const sending = {
  health: {
    consecutiveFailures: 3,
    failingSince: now - 3_600_000,
    lastSuccessAt: null,
    lastFailureAt: now - 1_800_000,
    lastFailure: "HTTP_503"
  },
  backlog: { waiting: 7, exhausted: 2 }
}
const shown = documentAt(stored, now, sending)

describe("a webhook as the API shows it", () => {
  it("EVT-09, EVT-14: has an id, and of its secrets only the last four characters and the expiry of the previous one", () => {
    assert.deepStrictEqual(shown, {
      id: stored.id,
      type: "webhook",
      name: "HR",
      url: "https://receiver.invalid/",
      events: ["credential.created"],
      filters: { jurisdictions: ["NSW"] },
      status: "ACTIVE",
      delivery: {
        signingSecretLastFour: "new=",
        previousSecretExpiresAt: "2026-01-31T09:30:01.000Z",
        consecutiveFailures: 3,
        lastSuccessAt: null,
        lastFailureAt: "2026-01-31T09:00:00.000Z",
        lastFailure: "HTTP_503",
        waiting: 7,
        exhausted: 2
      },
      createdAt: "1970-01-01T00:00:00.000Z",
      updatedAt: "2026-01-31T09:30:00.000Z"
    })
    assert.isNull(documentAt(stored, now + 1000).delivery.previousSecretExpiresAt)
  })

  it("ENV-16: can be sent back by PUT and PATCH, including nulls, without a change", () => {
    for (const moment of [now, now + 1000]) {
      const document = documentAt(stored, moment, sending)
      for (const write of [Write.replace, Write.patch]) {
        assert.deepStrictEqual(write(Webhook, stored, document, document), Result.succeed({ fields, warnings: [] }))
      }
    }
  })

  const forged: ReadonlyArray<readonly [string, JsonValue]> = [
    ["secrets", [{ sealed: "v1.mine", lastFour: "mine", createdAt: 0, retiresAt: null }]],
    ["secrets", []],
    ["signingSecret", "whsec_mine"],
    ["status", "AUTO_DISABLED"],
    ["delivery", { consecutiveFailures: 0 }]
  ]
  it.each(forged)("EVT-09: its %s cannot be written: ignored by PUT and POST, refused by PATCH", (name, value) => {
    const { events, filters, url } = fields
    const body = { name: "HR", url, events, filters: filters ?? null, [name]: value }
    const warnings = [`set by the server, ignored: ${name}`]
    assert.deepStrictEqual(Write.replace(Webhook, stored, shown, body), Result.succeed({ fields, warnings }))
    const refused = Write.patch(Webhook, stored, shown, { [name]: value })
    assert.isTrue(Result.isFailure(refused) && refused.failure.field === name)
    const made = Result.getOrThrow(Write.create(Webhook, body))
    assert.deepStrictEqual(made.warnings, warnings)
    assert.deepStrictEqual([at(made.fields, ["secrets"]), made.fields.status], [[], "ACTIVE"])
  })
})

describe("the status of a webhook", () => {
  it("can be disabled and enabled from any status, and disabled automatically only from ACTIVE", () => {
    for (const status of ["ACTIVE", "DISABLED", "AUTO_DISABLED"] as const) {
      assert.deepStrictEqual(disabled({ ...fields, status }), { ...fields, status: "DISABLED" })
    }
    for (const status of ["ACTIVE", "DISABLED", "AUTO_DISABLED"] as const) {
      assert.deepStrictEqual(enabled({ ...fields, status }), fields)
    }
    const off: WebhookFields = { ...fields, status: "DISABLED" }
    assert.strictEqual(autoDisabled(off), off)
    assert.deepStrictEqual(autoDisabled(fields), { ...fields, status: "AUTO_DISABLED" })
  })
})
