/** Calls a minute, by whom they are counted. */
export interface Limits {
  /** Per account. */
  readonly standard: number
  /** Per address, of calls that fail authentication. */
  readonly unauthenticated: number
}

/** Limits that no measurement reaches. They are counted all the same. */
export const raisedLimits: Limits = { standard: 1_000_000_000, unauthenticated: 1_000_000_000 }

export interface ServerOptions {
  readonly directory: string
  readonly limits: Limits
  /** Of ours alone: how many transactions share one COMMIT at the most. */
  readonly groupMax?: number
}

/** A server that listens on 127.0.0.1, plain HTTP, and believes that the proxy in front of it is there. */
export interface Side {
  readonly port: number
  /** Ends a personal token at once, as an operator does. */
  readonly revoke: (tenantId: string, tokenId: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** Who is measured: ours, ours with groups of one, the floor, the peer. */
const sideNames = ["ours", "single", "floor", "fastify"] as const
export type SideName = (typeof sideNames)[number]

export const isSideName = (text: string): text is SideName => sideNames.some((name) => name === text)
