import type { Instant } from "../shared/Instant.ts"
import type { User } from "./User.ts"

/** The lifetime of an invite link. */
export const lifetimeMillis = 7 * 24 * 60 * 60 * 1000

type Joining = Pick<User, "account" | "joinedAt" | "passwordHash">

/**
 * Returns whether the user is active and has not joined, so an invite link can be made. A server of an older version
 * sets a password without `joinedAt`.
 */
export const isInvitable = ({ account, joinedAt, passwordHash }: Joining): boolean =>
  joinedAt === null && passwordHash === null && account.deactivatedAt === null

/** Returns the user who has joined. No invite link works any more. */
export const joined = (user: User, at: Instant): User => ({ ...user, invite: null, joinedAt: user.joinedAt ?? at })

/** Returns whether the user's invite link with this hash is accepted now. */
export const isOpen = (user: Joining & Pick<User, "invite">, tokenHash: string, now: Instant) =>
  isInvitable(user) && user.invite !== null && user.invite.tokenHash === tokenHash && now < user.invite.expiresAt
