/** Durations, repetitions and data sizes of a run. */
export interface Plan {
  /** Each round measures every side once, one after the other. */
  readonly rounds: number
  readonly roundMillis: number
  readonly warmUpMillis: number
  /** Credentials to be linked once each. */
  readonly credentials: number
  /** Rows of the small and the large store. */
  readonly fewRows: number
  readonly manyRows: number
  /** Credentials, and entries of the audit log, of the store for fairness. */
  readonly fairRows: number
  readonly lookupMillis: number
  /** Rounds for each filter and each sort. There are hundreds of these. */
  readonly listRounds: number
  readonly listMillis: number
  /** Batches per round; an even number, since each undoes the previous one. */
  readonly batches: number
  /** Deliveries per round. */
  readonly deliveries: number
  /** The same for workers that share a Postgres, and for workers with few attempts in flight. */
  readonly sharedDeliveries: number
  readonly fewSharedDeliveries: number
  readonly coldStarts: number
  /** Workers of the console's organization. */
  readonly consoleWorkers: number
}

export const full: Plan = {
  rounds: 9,
  roundMillis: 2_000,
  warmUpMillis: 4_000,
  credentials: 200_000,
  fewRows: 1_000,
  manyRows: 1_000_000,
  fairRows: 300_000,
  lookupMillis: 1_500,
  listRounds: 7,
  listMillis: 100,
  batches: 10,
  deliveries: 16_000,
  sharedDeliveries: 32_000,
  fewSharedDeliveries: 1_000,
  coldStarts: 9,
  consoleWorkers: 100_000
}

/** Shorter, to finish in a few minutes. */
export const quick: Plan = {
  rounds: 5,
  roundMillis: 1_000,
  warmUpMillis: 1_500,
  credentials: 60_000,
  fewRows: 1_000,
  manyRows: 50_000,
  fairRows: 300_000,
  lookupMillis: 500,
  listRounds: 5,
  listMillis: 50,
  batches: 6,
  deliveries: 8_000,
  sharedDeliveries: 16_000,
  fewSharedDeliveries: 500,
  coldStarts: 3,
  consoleWorkers: 2_000
}
