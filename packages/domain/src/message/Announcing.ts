import { type Account, isEmail } from "../access/Account.ts"
import type { PrivilegeName } from "../access/Privilege.ts"
import type { Sha256 } from "../shared/Digest.ts"
import { prefixes } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
import type { MessageFields, Placed, StoredMessage } from "./Message.ts"
import { type MessageKind, officerKinds } from "./MessageKind.ts"
import type { Round } from "./MessageSettings.ts"
import type { Recipient } from "./MessageStore.ts"

/** The most users of a tenant who receive a kind: the oldest accounts. */
export const recipientsMax = 2000

/** The id of a message: the same each time that a user would get a kind for a cause. */
export const messageIdOf = (
  sha256: Sha256,
  tenantId: string,
  { cause, kind, recipientId }: { readonly kind: MessageKind; readonly cause: string; readonly recipientId: string }
): string => prefixes.message + sha256([tenantId, kind, recipientId, cause].join(" ")).slice(0, 16)

/** Returns a new message, due now. */
export const queued = (
  id: string,
  kind: MessageKind,
  cause: string,
  account: Pick<Account, "id" | "email">,
  now: Instant
): Placed => {
  const fields: MessageFields = {
    kind,
    state: "QUEUED",
    recipient: { type: "user", id: account.id, email: account.email ?? "" },
    cause,
    attempts: 0
  }
  const message: StoredMessage = { id, version: 1, createdAt: now, updatedAt: now, deletedAt: null, fields }
  return { message, dueAt: now }
}

/**
 * Whether a message may go to the address of a user. The address of somebody who was invited and has never logged in may be
 * that of a stranger.
 */
export const hasProvenAddress = ({ invitedBy, joinedAt }: Pick<Recipient, "invitedBy" | "joinedAt">): boolean =>
  joinedAt !== null || invitedBy === null

/** Returns the messages of a round: each kind to the users with its privilege who have not turned it off. */
export const messagesOf = (
  { causes }: Round,
  recipients: ReadonlyArray<Recipient>,
  privilegesOf: (account: Account) => ReadonlySet<PrivilegeName>,
  idOf: (message: Pick<MessageFields, "kind" | "cause"> & { readonly recipientId: string }) => string,
  now: Instant
): ReadonlyArray<Placed> =>
  recipients.filter(hasProvenAddress).flatMap(({ account, declined }) => {
    if (account.email === null || !isEmail(account.email)) return []
    const privileges = privilegesOf(account)
    return causes
      .filter(({ kind }) => privileges.has(officerKinds[kind].to) && !declined.includes(kind))
      .map(({ cause, kind }) => queued(idOf({ kind, cause, recipientId: account.id }), kind, cause, account, now))
  })
