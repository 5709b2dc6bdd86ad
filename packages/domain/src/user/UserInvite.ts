import type { Instant } from "../shared/Instant.ts"
import type { User } from "./User.ts"

/** The lifetime of an invite link. */
export const lifetimeMillis = 7 * 24 * 60 * 60 * 1000

/** Returns whether the user has no password and so still needs an invite link. */
export const isInvitable = ({ passwordHash }: Pick<User, "passwordHash">): boolean => passwordHash === null

/** Returns whether the user's invite link with this hash is accepted now. */
export const isOpen = (user: Pick<User, "account" | "invite" | "passwordHash">, tokenHash: string, now: Instant) =>
  user.account.deactivatedAt === null &&
  isInvitable(user) &&
  user.invite !== null &&
  user.invite.tokenHash === tokenHash &&
  now < user.invite.expiresAt
