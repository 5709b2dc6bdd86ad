import { Layer } from "effect"
import * as ErrorCode from "./ErrorCode.ts"
import * as Ownership from "./Ownership.ts"
import * as Privilege from "./Privilege.ts"
import * as TokenLifetime from "./TokenLifetime.ts"

/** The rules that can be replaced one by one, as the specification has them. */
export const layer: Layer.Layer<
  Ownership.Ownership | Privilege.PrivilegeRules | TokenLifetime.TokenLifetime | ErrorCode.ErrorCodes
> = Layer.mergeAll(Ownership.layer, Privilege.layer, TokenLifetime.layer, ErrorCode.layer)
