import { shown as eventKinds } from "@wcs/domain/event/EventKind"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { ids } from "../Requests.ts"
import { shownAs } from "../ShownAs.ts"
import { ownedByBo, ownedByBoth, verdict } from "./Credentials.ts"
import { answer, bodyOf, correlation, created, firstOf, laterTime, other, page, requestId, time } from "./Shapes.ts"

/** The events, each as a webhook receives it. */
const event = (type: string, nth: readonly [delivery: number, event: number, sequence: number], data: JsonObject) => ({
  ...{ type, timestamp: time, deliveryId: nth[0] === 0 ? ids.delivery : other("dlv", nth[0]) },
  ...{ eventId: other("evt", nth[1]), correlationId: null, sequence: nth[2], data }
})

const inEvents = (owners: JsonObject) => ({
  ...{ id: ids.credential, type: "credential", credentialType: "WWCC_NSW", owners }
})

const creation = {
  ...event("credential.created", [0, 1, 1], { credential: inEvents(ownedByBo) }),
  ...{ correlationId: correlation(1) }
}

export const events = {
  "event.credential.created": creation,
  "event.credential.updated": event("credential.updated", [2, 3, 5], { credential: inEvents(ownedByBoth) }),
  "event.credential.verified": {
    ...event("credential.verified", [3, 4, 2], {
      credential: inEvents(ownedByBo),
      verification: { ...verdict, requestId, trigger: "create", verifiedAt: time }
    }),
    ...{ correlationId: correlation(1) }
  },
  "event.credential.expiring": event("credential.expiring", [6, 7, 6], {
    credential: inEvents(ownedByBoth),
    expiry: { expiryDate: "2026-04-01", daysLeft: 30 }
  }),
  "event.credential.expired": event("credential.expired", [7, 8, 7], {
    credential: inEvents(ownedByBoth),
    expiry: { expiryDate: "2026-03-01", daysLeft: -1 }
  }),
  "event.worker.erasing": event("worker.erasing", [8, 9, 3], {
    worker: { id: ids.ann, type: "worker" },
    erasure: { reason: "RETENTION_ENDED", dueOn: "2026-04-01" }
  }),
  "event.worker.erased": event("worker.erased", [9, 10, 5], {
    worker: { id: ids.ann, type: "worker" },
    erasure: { reason: "RETENTION_ENDED", dueOn: "2026-04-01" }
  }),
  "event.recruitmentCheck.completed": event("recruitmentCheck.completed", [4, 5, 1], {
    recruitmentCheck: {
      ...{ id: other("chk", 1), type: "credentialCheck", status: "COMPLETED", applicant: { id: ids.bo } }
    }
  }),
  "event.fetchRequest.completed": event("fetchRequest.completed", [5, 6, 1], {
    fetchRequest: { id: other("cap", 1), type: "captureRequest", status: "COMPLETED", worker: { id: ids.ann } }
  }),
  "event.worker.complianceChanged": event("worker.complianceChanged", [6, 7, 4], {
    worker: { id: ids.ann, type: "worker" },
    complianceCheck: { id: "first-aid", type: "complianceCheck" },
    ...{ from: "PASS", to: "FAIL", reason: "CHECK" }
  }),
  "event.webhook.test": {
    ...event("webhook.test", [1, 2, 1], { webhook: { id: ids.webhook, type: "webhook" } }),
    ...{ correlationId: correlation(3) }
  }
}

const delivered = {
  ...{ type: "delivery", webhookId: ids.webhook, state: "DELIVERED", attemptCount: 1, nextAttemptAt: null },
  attempts: [{ number: 1, at: time, durationMillis: shownAs.millis, responseStatus: 204, fault: null }],
  ...{ lastResponse: "", createdAt: time, deliveredAt: time }
}

const delivery = {
  ...{ id: ids.delivery, eventId: other("evt", 1), event: "credential.created", correlationId: correlation(1) },
  ...{ subjectId: ids.credential, ...delivered }
}

const sending = {
  ...{ signingSecretLastFour: "GKYo", previousSecretExpiresAt: null, consecutiveFailures: 0 },
  ...{ lastFailure: null, waiting: 0, exhausted: 0 }
}

const webhook = (operation: string, further: JsonObject, lastSuccessAt: string | null = time): JsonObject => ({
  ...{ id: ids.webhook, type: "webhook", ...bodyOf(`webhooks.${operation}`), status: "ACTIVE", ...created },
  ...{ delivery: { ...sending, lastSuccessAt, lastFailureAt: null }, ...further }
})

const { signingSecret } = shownAs

const filters = bodyOf("webhooks.patch")

const rotated = {
  ...{
    ...filters,
    delivery: { ...sending, lastSuccessAt: time, lastFailureAt: null, previousSecretExpiresAt: laterTime }
  }
}

export const webhooks = {
  "webhooks.events": answer(eventKinds.map((kind) => ({ ...kind }))),
  "webhooks.create": answer(webhook("create", { signingSecret }, null)),
  "webhooks.read": answer(webhook("create", {})),
  "webhooks.list": page([webhook("create", {})]),
  "webhooks.replace": answer(webhook("replace", {})),
  "webhooks.patch": answer(webhook("replace", filters)),
  "webhooks.rotate": answer(webhook("replace", { ...rotated, signingSecret })),
  "webhooks.disable": answer(webhook("replace", { ...rotated, status: "DISABLED" })),
  "webhooks.enable": answer(webhook("replace", rotated)),
  "webhooks.redrive": answer({ type: "redrive", webhookId: ids.webhook, redriven: 0, hasMore: false }),
  "webhooks.deliveries": firstOf(delivery),
  "webhooks.search": firstOf(delivery),
  "webhooks.operation": answer(shownAs.operation),
  "webhooks.delivery": answer({
    ...delivery,
    exchanges: [{ ...shownAs.exchange }],
    body: JSON.stringify(creation)
  }),
  "webhooks.ping": answer({
    ...{ id: other("dlv", 1), eventId: other("evt", 2), event: "webhook.test", correlationId: correlation(3) },
    ...{ subjectId: ids.webhook, ...delivered }
  })
}
