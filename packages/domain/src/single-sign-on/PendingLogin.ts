import { Schema } from "effect"
import { sealedTokens } from "../session/SealedToken.ts"
import type { Seal } from "../shared/Seal.ts"
import { OidcPending } from "./OpenIdConnect.ts"
import { SamlPending } from "./Saml.ts"

/** A pending login of one browser, sealed in its cookie. */
export const PendingLogin = Schema.Struct({
  tenantId: Schema.String,
  providerId: Schema.String,
  /** The origin of the login, as sent to the identity provider in URLs. */
  origin: Schema.String,
  isTest: Schema.Boolean,
  /** When a fresh login was started; null if any login will do. */
  freshSince: Schema.NullOr(Schema.Number),
  request: Schema.Union([
    Schema.Struct({ kind: Schema.Literal("saml"), ...SamlPending.fields }),
    Schema.Struct({ kind: Schema.Literal("oidc"), ...OidcPending.fields })
  ])
})
export type PendingLogin = typeof PendingLogin.Type

/** Returns the sealed tokens of pending logins. */
export const pendingTokens = (seal: Seal["Service"]) => sealedTokens(seal, "single sign-on", PendingLogin)

/** The time that a user has to log in at the identity provider. */
export const pendingLifetimeMillis = 15 * 60 * 1000
