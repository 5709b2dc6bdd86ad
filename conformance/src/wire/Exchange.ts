import { type Effect, Ref } from "effect"
import type { Json } from "../text/Json.ts"
import { type SecretShape, shapeOf } from "./SecretShape.ts"

/** A request, with handles instead of secrets. */
export interface Request {
  readonly method: string
  /** Absolute. */
  readonly url: string
  /** As sent, in order and with the original letter case. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Empty if none was sent. */
  readonly body: string
}

/** An answer, with handles instead of secrets. */
export interface Answer {
  readonly status: number
  /** By lower-case name. Repeated headers are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The parsed body if it is JSON. */
  readonly json: Json | undefined
  /** The shapes of the secrets in its fields, by handle. */
  readonly secrets?: Readonly<Record<string, SecretShape>>
}

/** Why there was no answer. */
export const silences = [
  ...(["refused", "reset", "timeout", "tls", "unknown host", "too large", "malformed", "no connection"] as const),
  ...(["expired certificate", "wrong host", "unknown issuer", "client certificate required"] as const)
] as const
export type Silence = (typeof silences)[number]

/** The failures of a connection: the request was not sent, so they say nothing about a call. */
export const unconnected: ReadonlySet<Silence | null> = new Set<Silence>([
  ...(["refused", "tls", "unknown host", "no connection"] as const),
  ...(["expired certificate", "wrong host", "unknown issuer", "client certificate required"] as const)
])

/** The kind of an exchange. Decides which of the rules for every exchange apply. */
export const kinds = [
  /** A call of the newer surface on a path in the specification or the profile. */
  "call",
  /** A call of the newer surface on an unknown path. */
  "unknown path",
  /** A request to the token endpoint. */
  "token",
  /** A call of the legacy surface. */
  "legacy",
  /** A browser request to the web login. */
  "web",
  /** Plain HTTP. */
  "plain",
  /** A delivery to a webhook: the deployment sent it and the suite answered. */
  "delivery"
] as const
export type Kind = (typeof kinds)[number]

/** A request and its answer. */
export interface Exchange {
  /** Unique in the run, in the order of requests sent and deliveries received. */
  readonly number: number
  /** The highest number that was sent before this answer arrived. Exchanges with a higher number were sent after it. */
  readonly lastSent: number
  /**
   * The walk of the exchange, and its position in that walk: the same in every run. For a delivery, the position of its
   * address if the walk has several.
   */
  readonly walk: string
  readonly step: number
  readonly kind: Kind
  /** The principal whose credentials were sent; null for none or invented ones. */
  readonly principal: string | null
  readonly request: Request
  /** Null without an answer. */
  readonly answer: Answer | null
  readonly silence: Silence | null
  /** Unix milliseconds. */
  readonly startedAt: number
  readonly millis: number
}

/** The number of the next exchange of a run. */
export const nextNumber = (numbers: Ref.Ref<number>): Effect.Effect<number> =>
  Ref.updateAndGet(numbers, (count) => count + 1)

/** The shape of a text in an answer, which may be the handle of a secret. */
export const shapeIn = ({ answer }: Exchange, text: string): SecretShape => answer?.secrets?.[text] ?? shapeOf(text)

/** The answer's status; 0 without an answer. */
export const statusOf = ({ answer }: Exchange): number => answer?.status ?? 0

/** Whether the answer's status is in this hundred: 2, 4 or 5. */
export const isIn = (exchange: Exchange, family: number): boolean => Math.floor(statusOf(exchange) / 100) === family
