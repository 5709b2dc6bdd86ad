import { type Effect, Ref } from "effect"
import type { Json } from "./Json.ts"

/** One request as it was sent. */
export interface Request {
  readonly method: string
  /** Absolute. */
  readonly url: string
  /** As sent, in order and in their own letter case. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Empty where nothing was sent. */
  readonly body: string
}

/** One answer as it was received. */
export interface Answer {
  readonly status: number
  /** By lower-case name; several of one name are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body where it is JSON. */
  readonly json: Json | undefined
}

/** Why there was no answer. */
export const silences = ["refused", "reset", "timeout", "tls", "unknown host", "too large", "malformed"] as const
export type Silence = (typeof silences)[number]

/** What an exchange was made as: decides which of the rules for every exchange apply to it. */
export const kinds = [
  /** A call of the newer surface on a path that the specification or the profile names. */
  "call",
  /** A call of the newer surface on a path that nobody named. */
  "unknown path",
  /** A request to the token endpoint. */
  "token",
  /** A call of the legacy surface. */
  "legacy",
  /** A request of a browser at the pages of the web login. */
  "web",
  /** Plain HTTP. */
  "plain",
  /** A delivery to a webhook: the deployment asked, and the suite answered. */
  "delivery"
] as const
export type Kind = (typeof kinds)[number]

/** A request and what came of it. */
export interface Exchange {
  /** Unique in its run, in the order in which requests were sent and deliveries came. */
  readonly number: number
  /** The number of what was sent last before its answer came: whatever has a higher one was sent after it was over. */
  readonly lastSent: number
  /**
   * The walk that it belongs to, and the how-manieth of that walk it is: together the same in every run. Of a delivery,
   * the how-manieth address of the walk it came to, where several may come.
   */
  readonly walk: string
  readonly step: number
  readonly kind: Kind
  /** The principal whose credentials were sent; null where none or invented ones were. */
  readonly principal: string | null
  readonly request: Request
  /** Null where there was none. */
  readonly answer: Answer | null
  readonly silence: Silence | null
  /** Unix milliseconds. */
  readonly startedAt: number
  readonly millis: number
}

/** The number of the next exchange of a run. */
export const nextNumber = (numbers: Ref.Ref<number>): Effect.Effect<number> =>
  Ref.updateAndGet(numbers, (count) => count + 1)

/** The answer's status; 0 where there was no answer. */
export const statusOf = ({ answer }: Exchange): number => answer?.status ?? 0

/** Whether the answer's status is in the hundred that `family` names: 2, 4, 5. */
export const isIn = (exchange: Exchange, family: number): boolean => Math.floor(statusOf(exchange) / 100) === family
