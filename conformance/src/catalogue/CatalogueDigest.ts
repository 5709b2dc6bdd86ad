import { createHash } from "node:crypto"
import { catalogue } from "./Catalogue.ts"
import type { Rule } from "./Rule.ts"

/** Identifies a catalogue: the first 16 hexadecimal digits of its SHA-256. */
export const digestOf = (rules: ReadonlyArray<Rule>): string =>
  createHash("sha256").update(JSON.stringify(rules)).digest("hex").slice(0, 16)

/** Identifies the catalogue of this suite. */
export const catalogueDigest = digestOf(catalogue)
