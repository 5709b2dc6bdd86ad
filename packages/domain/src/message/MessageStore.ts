import { Context, type Effect, type Option, type Result } from "effect"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { MessageDraft } from "../event/MessageDraft.ts"
import type { Instant } from "../shared/Instant.ts"
import type { User } from "../user/User.ts"
import type { Placed, StoredMessage } from "./Message.ts"
import type { OfficerKind } from "./MessageKind.ts"
import type { MessageSettings, Round } from "./MessageSettings.ts"
import type { DueMessage, Queue, Share } from "./Turns.ts"

/** A tenant with its choices about messages. */
export interface MessagingTenant {
  readonly tenantId: string
  readonly name: string
  readonly timeZone: string
  /** The first host of the tenant; null if it has none. */
  readonly host: string | null
  readonly settings: MessageSettings
  /** The day of the last round, or of the switch; empty before both. */
  readonly lastDay: string
}

/** A user who may receive messages, with the kinds that the user has turned off. */
export interface Recipient extends Pick<User, "account" | "invitedBy" | "joinedAt"> {
  readonly declined: ReadonlyArray<OfficerKind>
}

/** The outbox, and the choices of tenants and users. Infrastructure failures die. */
export class MessageStore extends Context.Service<
  MessageStore,
  {
    /** Returns a tenant with its settings, those of nobody's choice included. An unknown tenant is a defect. */
    readonly tenant: (tenantId: string) => Effect.Effect<MessagingTenant>

    /** Returns the tenants that have enabled messages, with ids after this one, in the order of their ids. */
    readonly tenants: (after: string, limit: number) => Effect.Effect<ReadonlyArray<MessagingTenant>>

    /**
     * Stores the settings of a tenant with the audit entry. If this enables messages, `day` is the day of the switch: the
     * first round is due on the next day, and people who became red before are forgotten. Keeps a version of changed settings.
     * Fails with the error of `check`, which gets the present settings and is pure, and then stores nothing.
     */
    readonly setSettings: <E = never>(
      tenantId: string,
      settings: MessageSettings,
      day: string,
      audit: AuditEntry,
      check?: (present: MessageSettings) => Result.Result<void, E>
    ) => Effect.Effect<void, E>

    /** Returns the kinds that a user has turned off. */
    readonly declined: (tenantId: string, accountId: string) => Effect.Effect<ReadonlyArray<OfficerKind>>

    /** Replaces the kinds that a user has turned off. Keeps versions and checks as `setSettings` does. */
    readonly decline: <E = never>(
      tenantId: string,
      accountId: string,
      kinds: ReadonlyArray<OfficerKind>,
      audit: AuditEntry,
      check?: (present: ReadonlyArray<OfficerKind>) => Result.Result<void, E>
    ) => Effect.Effect<void, E>

    /**
     * Carries out a round in one transaction. It reads the active users in parts, oldest first, until at most `limit` of them
     * have messages. It stores the messages that `decide` returns, gives the people who became red since the last round the day of this one, and keeps
     * that day. A message is left out if its id is there already. People who became red
     * before the day `forgetDay` are forgotten. `decide` is pure but for new ids, and may be called more than once.
     * Returns the number of stored messages. Stores nothing and returns undefined if the last round is no longer
     * `tenant.lastDay`: another worker was first.
     */
    readonly announce: (
      tenant: MessagingTenant,
      round: Round,
      forgetDay: string,
      limit: number,
      decide: (recipients: ReadonlyArray<Recipient>) => ReadonlyArray<Placed>
    ) => Effect.Effect<number | undefined>

    /** Deletes messages of any tenant that ended before an instant, at most `limit`. Returns how many. */
    readonly forget: (at: Instant, limit: number) => Effect.Effect<number>

    /** Queues the messages of drafts that the tenant has chosen, each once for its cause. Returns how many. */
    readonly tell: (tenantId: string, drafts: ReadonlyArray<MessageDraft>) => Effect.Effect<number>

    /**
     * Stores a message with the audit entry, unless the recipient has `most` that were created after `since`. Returns
     * whether it was stored.
     */
    readonly insert: (
      tenantId: string,
      placed: Placed,
      limit: { readonly since: Instant; readonly most: number },
      audit: AuditEntry
    ) => Effect.Effect<boolean>

    /** Returns the queues of all tenants that have messages which are due. */
    readonly waiting: (now: Instant) => Effect.Effect<ReadonlyArray<Queue>>

    /**
     * Returns the first messages of queues that are due, longest due first within each queue. Some can be SENDING: their
     * attempt has no end since long, by the time that `begun` set.
     */
    readonly due: (shares: ReadonlyArray<Share>, now: Instant) => Effect.Effect<ReadonlyArray<DueMessage>>

    /**
     * Reads a message, and stores what `decide` returns, with the changes of its request and of its person. `null` deletes it, undefined leaves
     * it. Returns what `decide`
     * returned at last; none if there is no such message. When this returns, the change is durable. `decide` is pure and
     * may be called more than once.
     */
    readonly change: (
      tenantId: string,
      id: string,
      decide: (message: StoredMessage) => Placed | null | undefined,
      audit?: AuditEntry
    ) => Effect.Effect<Option.Option<Placed | null | undefined>>

    /** Returns the workers after this id who became red before the round of this day and still are, by their ids. */
    readonly reddened: (
      tenantId: string,
      day: string,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>>
  }
>()("@wcs/domain/MessageStore") {}
