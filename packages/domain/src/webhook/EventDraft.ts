import type { Instant } from "../shared/Instant.ts"
import type { EventKind } from "./EventKind.ts"

/** Something that happened to a resource, for the webhooks that subscribe to its kind. */
export interface EventDraft {
  readonly id: string
  readonly kind: EventKind
  /** The resource that it happened to. */
  readonly subjectId: string
  /** Counts what is told of the resource; left out, it is the resource's version after the change. */
  readonly sequence?: number
  readonly correlationId: string | null
  /** What the delivery will carry under `data`: ids and verdicts, never names, birth dates or card numbers. */
  readonly data: unknown
  /** What webhooks may filter by, which the delivery need not carry. */
  readonly about: EventSubject
  readonly at: Instant
}

/** What an event is about, as a webhook's filters see it; null where it is about nothing of the kind. */
export interface EventSubject {
  /** A code of the catalogue. */
  readonly credentialType: string | null
  readonly jurisdiction: string | null
}
