import { createHash } from "node:crypto"
import { catalogue } from "./Catalogue.ts"
import type { Rule } from "./Rule.ts"

const known = new WeakMap<ReadonlyArray<Rule>, string>()

/** Identifies a catalogue: the first 16 hexadecimal digits of its SHA-256. */
export const digestOf = (rules: ReadonlyArray<Rule>): string => {
  const digest = known.get(rules) ?? createHash("sha256").update(JSON.stringify(rules)).digest("hex").slice(0, 16)
  known.set(rules, digest)
  return digest
}

/** Identifies the catalogue of this suite. */
export const catalogueDigest = digestOf(catalogue)
