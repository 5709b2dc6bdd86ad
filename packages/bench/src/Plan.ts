/** How long and how often is measured, and over how much. */
export interface Plan {
  /** Every side is measured once in each round, one after the other. */
  readonly rounds: number
  readonly roundMillis: number
  readonly warmUpMillis: number
  /** Credentials that can each be linked once. */
  readonly credentials: number
  /** Rows of the small and of the large store. */
  readonly fewRows: number
  readonly manyRows: number
  readonly lookupMillis: number
  /** Of each filter and each sort, of which there are hundreds. */
  readonly listRounds: number
  readonly listMillis: number
  /** Batches in a round; an even number, as each undoes the one before. */
  readonly batches: number
  /** Deliveries in a round. */
  readonly deliveries: number
  /** The same where workers share a Postgres, and where each has few attempts in flight. */
  readonly sharedDeliveries: number
  readonly fewSharedDeliveries: number
  readonly coldStarts: number
}

export const full: Plan = {
  rounds: 9,
  roundMillis: 2_000,
  warmUpMillis: 4_000,
  credentials: 200_000,
  fewRows: 1_000,
  manyRows: 1_000_000,
  lookupMillis: 1_500,
  listRounds: 7,
  listMillis: 100,
  batches: 10,
  deliveries: 16_000,
  sharedDeliveries: 32_000,
  fewSharedDeliveries: 1_000,
  coldStarts: 9
}

/** Less of everything, to be done in under two minutes. */
export const quick: Plan = {
  rounds: 5,
  roundMillis: 1_000,
  warmUpMillis: 1_500,
  credentials: 60_000,
  fewRows: 1_000,
  manyRows: 50_000,
  lookupMillis: 500,
  listRounds: 5,
  listMillis: 50,
  batches: 6,
  deliveries: 8_000,
  sharedDeliveries: 16_000,
  fewSharedDeliveries: 500,
  coldStarts: 3
}
