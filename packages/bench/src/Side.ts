/** Calls a minute, by principal. */
export interface Limits {
  /** Per account. */
  readonly standard: number
  /** Per address, for calls that fail authentication. */
  readonly unauthenticated: number
}

/** Limits that no measurement reaches. Calls are still counted. */
export const raisedLimits: Limits = { standard: 1_000_000_000, unauthenticated: 1_000_000_000 }

export interface ServerOptions {
  readonly directory: string
  readonly limits: Limits
  /** For our side only: the most transactions per COMMIT. */
  readonly groupMax?: number
}

/** A server on 127.0.0.1 with plain HTTP that trusts a proxy in front of it. */
export interface Side {
  readonly port: number
  /** Revokes a personal token immediately, as an operator does. */
  readonly revoke: (tenantId: string, tokenId: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** The measured sides: ours, ours with groups of one, ours with timed or counted steps, the floor, and the peers. */
const sideNames = ["ours", "single", "timed", "counted", "floor", "fastify", "nestjs"] as const
export type SideName = (typeof sideNames)[number]

export const isSideName = (text: string): text is SideName => sideNames.some((name) => name === text)
