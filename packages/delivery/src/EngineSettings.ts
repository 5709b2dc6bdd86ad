import { Context } from "effect"

/** Settings of a worker. All times in milliseconds. */
export const EngineSettings = Context.Reference<{
  /** Limits of attempts in flight: in total, and per webhook, so that a slow receiver does not delay others. */
  readonly attemptsMax: number
  readonly attemptsPerWebhook: number
  /**
   * Limits of open register queries: in total, and per credential type, so that a slow register does not delay others.
   */
  readonly questionsMax: number
  readonly questionsPerType: number
  /** The time limit of a register query, for every adapter. */
  readonly questionMillis: number
  /** The lease of a verification run: longer than a query and the write of its result. */
  readonly runLeaseMillis: number
  /**
   * The lease of a webhook. Three quarters of it must exceed an attempt, a statement, a pause and the clock difference
   * together.
   */
  readonly webhookLeaseMillis: number
  /** The batch size for reading events, storing results and deleting deliveries. */
  readonly portion: number
  /** The shortest time between two rounds, so that results are stored together. */
  readonly spacingMillis: number
  /** The longest time that a free place waits for others, so that they are filled together. */
  readonly fillMillis: number
  /** The longest time that a result waits for others, so that they are stored together. */
  readonly gatherMillis: number
  /** How long a worker acquires no leases after it released some for another worker. */
  readonly restMillis: number
  /** The shortest time between two requests for webhooks. */
  readonly seekMillis: number
  /** The longest wait of a loop, in case a notification is lost. */
  readonly pollMillis: number
  /** The interval of deleting old deliveries. */
  readonly forgetMillis: number
  /** How long a stop waits for work in flight. */
  readonly stopMillis: number
}>("@wcs/delivery/EngineSettings", {
  defaultValue: () => ({
    attemptsMax: 1024,
    attemptsPerWebhook: 8,
    questionsMax: 64,
    questionsPerType: 16,
    questionMillis: 60_000,
    runLeaseMillis: 120_000,
    webhookLeaseMillis: 60_000,
    portion: 512,
    spacingMillis: 5,
    fillMillis: 20,
    gatherMillis: 50,
    restMillis: 50,
    seekMillis: 250,
    pollMillis: 1000,
    forgetMillis: 60_000,
    stopMillis: 25_000
  })
})
