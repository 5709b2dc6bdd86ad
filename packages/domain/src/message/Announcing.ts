import { type Account, isEmail } from "../access/Account.ts"
import type { PrivilegeName } from "../access/Privilege.ts"
import type { Instant } from "../shared/Instant.ts"
import type { MessageFields, Placed, StoredMessage } from "./Message.ts"
import { kinds, type MessageKind } from "./MessageKind.ts"
import type { Round } from "./MessageSettings.ts"
import type { Recipient } from "./MessageStore.ts"

/** The most users of a tenant who receive a kind: the oldest accounts. */
export const recipientsMax = 2000

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
    recipient: { id: account.id, email: account.email ?? "" },
    cause,
    attempts: 0
  }
  const message: StoredMessage = { id, version: 1, createdAt: now, updatedAt: now, deletedAt: null, fields }
  return { message, dueAt: now }
}

/** Returns the messages of a round: each kind to the users with its privilege who have not turned it off. */
export const messagesOf = (
  { causes }: Round,
  recipients: ReadonlyArray<Recipient>,
  privilegesOf: (account: Account) => ReadonlySet<PrivilegeName>,
  newId: () => string,
  now: Instant
): ReadonlyArray<Placed> =>
  recipients.flatMap(({ account, declined }) => {
    if (account.email === null || !isEmail(account.email)) return []
    const privileges = privilegesOf(account)
    return causes
      .filter(({ kind }) => privileges.has(kinds[kind].to) && !declined.includes(kind))
      .map(({ cause, kind }) => queued(newId(), kind, cause, account, now))
  })
