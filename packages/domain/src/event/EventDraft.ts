import type { Instant } from "../shared/Instant.ts"
import type { EventKind } from "./EventKind.ts"

/** An event about a resource, for the webhooks that subscribe to its kind. */
export interface EventDraft {
  readonly id: string
  readonly kind: EventKind
  /** The id of the resource. */
  readonly subjectId: string
  /** Orders the events of the resource. Default: the resource's version after the change. */
  readonly sequence?: number
  readonly correlationId: string | null
  /** `data` of the delivery: ids and verdicts, never names, birth dates or card numbers. */
  readonly data: unknown
  /** Values that webhooks filter by. The delivery need not contain them. */
  readonly about: EventSubject
  readonly at: Instant
}

/** The values of an event that webhook filters match; null when not applicable. */
export interface EventSubject {
  /** A code of the catalogue. */
  readonly credentialType: string | null
  readonly jurisdiction: string | null
}
