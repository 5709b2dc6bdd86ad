/**
 * The effect of judging a rule on the deployment, mildest first: it reads, creates its own resources, changes them,
 * makes irreversible changes, or uses up a limit.
 */
export const impacts = ["read", "create", "mutate-own", "irreversible", "exhaust"] as const
export type Impact = (typeof impacts)[number]
