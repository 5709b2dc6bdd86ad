import { assert, describe, it } from "@effect/vitest"
import { codes, jurisdictions } from "@wcs/domain/holding/CredentialType"
import { concerns, fanOut, nextPortion, testDelivery, type WaitingEvent } from "@wcs/domain/webhook/FanOut"
import type { WebhookFields } from "@wcs/domain/webhook/Webhook"
import * as fc from "fast-check"
import { now } from "./DeliveryFixtures.ts"

const fields: WebhookFields = {
  name: "HR",
  url: "https://receiver.invalid/",
  events: ["credential.verified"],
  status: "ACTIVE",
  secrets: []
}

const event: WaitingEvent = {
  id: "evt_0123456789abcDEF",
  isRetry: false,
  traceparent: null,
  tenantId: "tnt_0123456789abcDEF",
  kind: "credential.verified",
  subjectId: "cred_0123456789abcDEF",
  sequence: 7,
  correlationId: "run:1",
  data: { credential: { id: "cred_0123456789abcDEF" } },
  about: { credentialType: "WWCC_NSW", jurisdiction: "NSW" },
  at: now - 5
}

const counting = () => {
  let minted = 0
  return () => `dlv_${++minted}`
}

const some = <Value>(values: ReadonlyArray<Value>) => fc.option(fc.subarray([...values]), { nil: undefined })

describe("the filters of a webhook", () => {
  it("match the values that they name, and events without such a value", () => {
    fc.assert(
      fc.property(
        some(codes),
        some(jurisdictions),
        fc.option(fc.constantFrom(...codes)),
        fc.option(fc.constantFrom(...jurisdictions)),
        (credentialTypes, places, credentialType, jurisdiction) => {
          const filters = {
            ...(credentialTypes === undefined ? {} : { credentialTypes }),
            ...(places === undefined ? {} : { jurisdictions: places })
          }
          const passes = (named: ReadonlyArray<string> = [], value: string | null) =>
            named.length === 0 || value === null || named.includes(value)
          const expected = passes(credentialTypes, credentialType) && passes(places, jurisdiction)
          assert.strictEqual(concerns({ filters }, { credentialType, jurisdiction }), expected)
        }
      )
    )
    assert.isTrue(concerns({}, event.about))
  })
})

describe("the deliveries of an event", () => {
  const webhooks = fc.array(
    fc.record({
      status: fc.constantFrom("ACTIVE", "DISABLED", "AUTO_DISABLED"),
      filters: fc.constantFrom({}, { jurisdictions: ["NSW"] }, { jurisdictions: ["VIC"] })
    }),
    { maxLength: 6 }
  )

  it("go to each matching subscriber under an id of their own, and are skipped for a disabled webhook", () => {
    fc.assert(
      fc.property(webhooks, (all) => {
        const subscribers = all.map((webhook, index) => ({
          webhookId: `whk_${index}`,
          createdAt: event.at + 1,
          fields: { ...fields, ...webhook } as WebhookFields
        }))
        const drafts = fanOut(event, subscribers, counting(), now)
        const receiving = subscribers.filter((one) => concerns(one.fields, event.about))
        assert.deepStrictEqual(
          drafts.map(({ state, webhookId }) => ({ state, webhookId })),
          receiving.map(({ fields: { status }, webhookId }) => ({
            state: status === "ACTIVE" ? "PENDING" : "SKIPPED_DISABLED",
            webhookId
          }))
        )
        assert.strictEqual(new Set(drafts.map(({ id }) => id)).size, drafts.length)
        for (const draft of drafts) {
          assert.deepInclude(draft, { tenantId: event.tenantId, eventId: event.id, kind: event.kind, createdAt: now })
        }
      })
    )
  })

  it("EVT-01: of a retried event do not go to webhooks created after the event", () => {
    const subscribers = [-1, 0, 1].map((later) => ({ webhookId: `whk_${later}`, createdAt: event.at + later, fields }))
    const receiving = (isRetry: boolean) =>
      fanOut({ ...event, isRetry }, subscribers, counting(), now).map(({ webhookId }) => webhookId)
    assert.deepStrictEqual(receiving(true), ["whk_-1", "whk_0"])
    assert.deepStrictEqual(receiving(false), ["whk_-1", "whk_0", "whk_1"])
  })

  it("have the payload as bytes, in order, with the delivery's own id and the event's sequence", () => {
    const [draft] = fanOut(event, [{ webhookId: "whk_1", createdAt: event.at, fields }], counting(), now)
    assert.strictEqual(
      draft?.body,
      '{"type":"credential.verified","timestamp":"2026-01-31T09:29:59.995Z","deliveryId":"dlv_1",' +
        '"eventId":"evt_0123456789abcDEF","correlationId":"run:1","sequence":7,' +
        '"data":{"credential":{"id":"cred_0123456789abcDEF"}}}'
    )
  })

  it("a ping goes to its webhook only, and names it", () => {
    const webhook = { tenantId: "tnt_1", webhookId: "whk_1" }
    const draft = testDelivery(webhook, { deliveryId: "dlv_1", eventId: "evt_1", correlationId: "c" }, now)
    assert.deepInclude(draft, { ...webhook, id: "dlv_1", eventId: "evt_1", state: "PENDING", kind: "webhook.test" })
    assert.deepInclude(JSON.parse(draft.body), {
      type: "webhook.test",
      deliveryId: "dlv_1",
      data: { webhook: { id: "whk_1", type: "webhook" } }
    })
  })
})

describe("the batch size of a fan-out", () => {
  it("EVT-01: falls to one after failures, grows to the maximum after successes, and stays between", () => {
    const most = fc.integer({ min: 1, max: 10_000 })
    const next = (outcomes: ReadonlyArray<boolean>, most: number) =>
      outcomes.reduce((portion, wereSent) => nextPortion(portion, most, wereSent), most)
    const all = (wereSent: boolean) => Array.from({ length: 14 }, () => wereSent)
    fc.assert(
      fc.property(most, fc.array(fc.boolean()), (most, outcomes) => {
        const portion = next(outcomes, most)
        assert.isTrue(Number.isInteger(portion) && portion >= 1 && portion <= most)
        assert.strictEqual(next([...outcomes, ...all(false)], most), 1)
        assert.strictEqual(next([...outcomes, ...all(true)], most), most)
      })
    )
  })
})
