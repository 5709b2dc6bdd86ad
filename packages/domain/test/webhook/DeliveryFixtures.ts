import type { Delivery } from "@wcs/domain/webhook/Delivery"
import { type DeliveryState, deliveryStates } from "@wcs/domain/webhook/Delivery"
import * as fc from "fast-check"

export const now = Date.UTC(2026, 0, 31, 9, 30)

export const delivery = (overrides: Partial<Delivery> = {}): Delivery => ({
  id: "dlv_0123456789abcDEF",
  tenantId: "tnt_0123456789abcDEF",
  webhookId: "whk_0123456789abcDEF",
  eventId: "evt_0123456789abcDEF",
  subjectId: "cred_0123456789abcDEF",
  kind: "credential.verified",
  correlationId: null,
  state: "PENDING",
  body: "{}",
  attemptCount: 0,
  failures: 0,
  attempts: [],
  lastResponse: null,
  traceparent: null,
  dueAt: now,
  createdAt: now,
  deliveredAt: null,
  ...overrides
})

/** A delivery with some attempts, in any state. */
export const deliveries: fc.Arbitrary<Delivery> = fc
  .record({ state: fc.constantFrom<DeliveryState>(...deliveryStates), failures: fc.nat({ max: 12 }), more: fc.nat(30) })
  .map(({ failures, more, state }) => {
    const attemptCount = failures + more
    const attempts = Array.from({ length: Math.min(20, attemptCount) }, (_, index) => ({
      number: attemptCount - Math.min(20, attemptCount) + index + 1,
      at: "2026-01-31T09:30:00.000Z",
      durationMillis: 3,
      responseStatus: 500,
      fault: null
    }))
    return delivery({ state, failures, attemptCount, attempts })
  })
