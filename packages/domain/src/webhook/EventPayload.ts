import { toRfc3339 } from "../shared/Instant.ts"
import type { StoredEvent } from "./EventStore.ts"

/**
 * The body of a delivery (DECISIONS.md#webhooks). It is stored, signed and sent unchanged. It has ids and verdicts, but
 * no names, dates of birth or card numbers.
 */
export const payloadOf = (
  { at, correlationId, data, id, kind, sequence }: Omit<StoredEvent, "subjectId" | "about">,
  deliveryId: string
): string =>
  JSON.stringify({ type: kind, timestamp: toRfc3339(at), deliveryId, eventId: id, correlationId, sequence, data })
