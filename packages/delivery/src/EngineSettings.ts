import { Context } from "effect"

/** What a deployment decides for its workers. All times in milliseconds. */
export const EngineSettings = Context.Reference<{
  /** How many attempts are in flight at once, and how many of one webhook, so that a slow receiver delays nobody else. */
  readonly attemptsMax: number
  readonly attemptsPerWebhook: number
  /** How many questions to registers are open at once, and how many of one kind, so that a slow register delays no other. */
  readonly questionsMax: number
  readonly questionsPerType: number
  /** How long a register may take, whatever its adapter says. */
  readonly questionMillis: number
  /** For how long a question is claimed: longer than it can last, and what comes of it be written. */
  readonly leaseMillis: number
  /**
   * For how long webhooks are held whose worker is not heard of, or a quarter less: longer than an attempt, a statement and
   * a pause can last together, and than clocks differ.
   */
  readonly holdMillis: number
  /** How many events are read, outcomes written and deliveries forgotten at once. */
  readonly portion: number
  /** How long after a round the next one begins at the soonest, so that what ends meanwhile is written together. */
  readonly spacingMillis: number
  /** How long a free place waits at the most for others, so that they are filled together. */
  readonly fillMillis: number
  /** How long an outcome waits at the most for others, so that they are written together. */
  readonly gatherMillis: number
  /** How long a worker takes on no webhooks that has given some back for another. */
  readonly restMillis: number
  /** How often a worker seeks webhooks at the most. */
  readonly seekMillis: number
  /** How long one waits at the most before looking again, should word be lost. */
  readonly pollMillis: number
  /** How often one looks for what is to be forgotten. */
  readonly forgetMillis: number
  /** How long a stop waits for what is in flight. */
  readonly stopMillis: number
}>("@wcs/delivery/EngineSettings", {
  defaultValue: () => ({
    attemptsMax: 1024,
    attemptsPerWebhook: 8,
    questionsMax: 64,
    questionsPerType: 16,
    questionMillis: 60_000,
    leaseMillis: 120_000,
    holdMillis: 60_000,
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
