/**
 * What judging a rule does to the deployment, the mildest first: reads, makes resources of its own, changes them, does
 * what cannot be undone, uses up a limit.
 */
export const impacts = ["read", "create", "mutate-own", "irreversible", "exhaust"] as const
export type Impact = (typeof impacts)[number]
