/**
 * What judging a rule does to the deployment, the mildest first: reads, makes resources of its own, changes them, does
 * what cannot be undone, uses up a limit.
 */
export const blasts = ["read", "create", "mutate-own", "irreversible", "exhaust"] as const
export type Blast = (typeof blasts)[number]
