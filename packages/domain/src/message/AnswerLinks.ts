import { Context, type Effect, type Option, type Redacted } from "effect"
import type { InvitationReference } from "../event/MessageDraft.ts"

/** What was decided about a person's answer. */
export interface AnswerDecision {
  readonly isAccepted: boolean
  /** The officer's words for the person, as stored; empty if there are none. */
  readonly reason: string
}

/**
 * The page on which a person answers a fetch request or a recruitment check, as messages need it. All methods are called
 * when a message is written for an attempt to send it. So no secret is stored in clear, and none is in the outbox. Each
 * attempt calls again, and of two workers one can call for nothing. So an earlier secret must stay valid: keep the newest
 * few. None: the request does not exist, does not wait for an answer any more, or has no page. Then nothing is sent, and
 * the message is deleted. Infrastructure failures die; the message is tried again.
 */
export class AnswerLinks extends Context.Service<
  AnswerLinks,
  {
    /**
     * Mints a link to answer the request. Returns the path with its secret, from the first `/`. Messages add the
     * tenant's host.
     */
    readonly issue: (
      tenantId: string,
      request: InvitationReference
    ) => Effect.Effect<Option.Option<Redacted.Redacted<string>>>

    /** Mints the code that a further device of the person needs. */
    readonly issueCode: (
      tenantId: string,
      request: InvitationReference
    ) => Effect.Effect<Option.Option<Redacted.Redacted<string>>>

    /** Returns what was decided at last about the person's answer. */
    readonly decision: (tenantId: string, request: InvitationReference) => Effect.Effect<Option.Option<AnswerDecision>>
  }
>()("@wcs/domain/AnswerLinks") {}
