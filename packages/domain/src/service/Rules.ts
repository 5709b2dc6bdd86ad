import { Layer } from "effect"
import * as Privilege from "../access/Privilege.ts"
import * as TokenLifetime from "../access/TokenLifetime.ts"
import * as Ownership from "../ownership/Ownership.ts"
import * as Refusals from "./Refusals.ts"

/** The specification's rules, each of which can be replaced. */
export const layer: Layer.Layer<
  Ownership.Ownership | Privilege.PrivilegeRules | TokenLifetime.TokenLifetime | Refusals.ErrorCodes
> = Layer.mergeAll(Ownership.layer, Privilege.layer, TokenLifetime.layer, Refusals.layer)
