import { createHash } from "node:crypto"
import { catalogue } from "./Catalogue.ts"

/** Tells catalogues apart: the first 16 hexadecimal digits of the SHA-256 of this one. */
export const catalogueDigest = createHash("sha256").update(JSON.stringify(catalogue)).digest("hex").slice(0, 16)
