import { hash } from "node:crypto"

/** The kinds of entity in the data sets. */
export type Kind = "worker" | "applicant" | "credential" | "webhook" | "delivery" | "event" | "tenant" | "unit"

const prefixes = {
  worker: "wkr_",
  applicant: "app_",
  credential: "cred_",
  webhook: "whk_",
  delivery: "dlv_",
  event: "evt_",
  tenant: "tnt_",
  unit: "unit_"
} as const satisfies Record<Kind, string>

/**
 * The id of the nth entity of a kind: scattered over the whole range like random ids, but the same in every run, so
 * that clients know which exist.
 */
export const idAt = (kind: Kind, n: number): string => {
  // Base64url without its two signs is the alphabet of ids, and more than 16 of 86 characters remain.
  const scattered = hash("sha512", `${kind} ${n}`, "base64url").replaceAll(/[-_]/g, "")
  return prefixes[kind] + scattered.slice(0, 16)
}

/** The caller's own id of the nth worker. */
export const externalIdAt = (n: number): string => `EXT-${String(n).padStart(8, "0")}`

/** The creation time of the nth row of each kind. */
export const createdAtOf = (n: number): number => Date.UTC(2025, 0, 1) + n
