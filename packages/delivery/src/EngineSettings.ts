import { Context } from "effect"

/** Settings of a worker. All times in milliseconds. */
export const EngineSettings = Context.Reference<{
  /** Limits of attempts in flight: in total, and per webhook, so that a slow receiver does not delay others. */
  readonly attemptsMax: number
  readonly attemptsPerWebhook: number
  /** The limit of open register queries. A credential type gets a quarter, so a slow register does not delay others. */
  readonly questionsMax: number
  /** The time limit of a register query, for every adapter. */
  readonly questionMillis: number
  /** How long a lease lasts without a heartbeat: longer than a statement, a pause and the clock difference together. */
  readonly leaseMillis: number
  /** The batch size for reading events and deliveries, storing results and deleting deliveries. */
  readonly portion: number
  /** The longest wait of a loop, in case a notification is lost. */
  readonly pollMillis: number
  /** How long a stop waits for work in flight. */
  readonly stopMillis: number
}>("@wcs/delivery/EngineSettings", {
  defaultValue: () => ({
    attemptsMax: 1024,
    attemptsPerWebhook: 8,
    questionsMax: 64,
    questionMillis: 60_000,
    leaseMillis: 40_000,
    portion: 512,
    pollMillis: 1000,
    stopMillis: 25_000
  })
})
