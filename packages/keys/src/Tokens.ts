import { Layer } from "effect"
import * as AccessTokens from "./AccessTokens.ts"
import * as LegacyTokens from "./LegacyTokens.ts"

/** The tokens of both surfaces, each with keys of its own. */
export const layer = Layer.merge(AccessTokens.layer, LegacyTokens.layer)
