import { hash } from "node:crypto"

/** The kinds of thing that the data sets hold. */
export type Kind = "worker" | "applicant" | "credential" | "webhook" | "delivery" | "event" | "tenant"

const prefixes = {
  worker: "wkr_",
  applicant: "app_",
  credential: "cred_",
  webhook: "whk_",
  delivery: "dlv_",
  event: "evt_",
  tenant: "tnt_"
} as const satisfies Record<Kind, string>

/**
 * The id of the nth thing of a kind: scattered over the whole range, as ids are that are drawn at random, and the same
 * in every run, so that whoever asks knows what is there.
 */
export const idAt = (kind: Kind, n: number): string => {
  // Base 64 without its two signs is the alphabet of ids, and of 86 characters more than 16 are left.
  const scattered = hash("sha512", `${kind} ${n}`, "base64url").replaceAll(/[-_]/g, "")
  return prefixes[kind] + scattered.slice(0, 16)
}

/** The caller's own id of the nth worker. */
export const externalIdAt = (n: number): string => `EXT-${String(n).padStart(8, "0")}`
