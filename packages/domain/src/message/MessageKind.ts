import type { PrivilegeName } from "../access/Privilege.ts"

/** The values that a template can show. */
export const placeholders = ["organization", "date", "count", "items", "link"] as const
export type Placeholder = (typeof placeholders)[number]

/** How often a kind is sent. */
export type Rhythm = "weekly" | "daily"

interface Kind {
  readonly rhythm: Rhythm
  /** Who receives it: the active users with this privilege. */
  readonly to: PrivilegeName
  /** The screen of the console that `{link}` opens. */
  readonly screen: `/${string}`
}

/** The kinds of message (DECISIONS.md#messages). Each is sent only if it has something to say. */
export const kinds = {
  WEEKLY_DIGEST: { rhythm: "weekly", to: "credential:UPDATE", screen: "/" },
  RED_TODAY: { rhythm: "daily", to: "credential:UPDATE", screen: "/" }
} as const satisfies Record<string, Kind>

export type MessageKind = keyof typeof kinds
export const messageKinds = Object.keys(kinds) as ReadonlyArray<MessageKind>

/** The parts of a weekly digest, in their order. */
export const digestPartNames = ["notCompliant", "lapsing", "tasks", "sources", "webhooks", "mentions"] as const
export type DigestPart = (typeof digestPartNames)[number]
