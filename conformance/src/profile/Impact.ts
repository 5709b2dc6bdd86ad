/**
 * The effect of judging a rule on the deployment, mildest first: it reads, creates its own resources, changes them,
 * makes irreversible changes, or uses up a limit.
 */
export const impacts = ["read", "create", "mutate-own", "irreversible", "exhaust"] as const
export type Impact = (typeof impacts)[number]

/** What a run with this impact does to the deployment. */
export const impactTexts: Readonly<Record<Impact, string>> = {
  read: "it only reads",
  create: "it creates resources, and deletes those whose delete path the profile has",
  "mutate-own": "it also changes the resources that it creates",
  irreversible: "it also leaves scans and the codes of compliance checks, which cannot be deleted",
  exhaust: "it also uses up a rate limit"
}
