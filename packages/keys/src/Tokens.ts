import { Layer } from "effect"
import * as AccessTokens from "./AccessTokens.ts"
import * as AuditSignatures from "./AuditSignatures.ts"
import * as LegacyTokens from "./LegacyTokens.ts"

/** The tokens of both surfaces, and the signatures of the audit log. Each has its own keys. */
export const layer = Layer.mergeAll(AccessTokens.layer, LegacyTokens.layer, AuditSignatures.layer)
