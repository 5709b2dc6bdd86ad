import { Layer } from "effect"
import * as AccessTokens from "./AccessTokens.ts"
import * as LegacyTokens from "./LegacyTokens.ts"

/** The tokens of both surfaces. Each surface has its own keys. */
export const layer = Layer.merge(AccessTokens.layer, LegacyTokens.layer)
