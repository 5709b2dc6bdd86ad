import { createHash } from "node:crypto"
import { catalogue } from "./Catalogue.ts"

/** Identifies the catalogue: the first 16 hexadecimal digits of its SHA-256. */
export const catalogueDigest = createHash("sha256").update(JSON.stringify(catalogue)).digest("hex").slice(0, 16)
