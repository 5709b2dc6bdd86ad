import { Context, type Effect, type Option, type Redacted, Schema } from "effect"
import type { Instant } from "../shared/Instant.ts"
import type { OidcSettings } from "./IdentityProvider.ts"
import type { ProvenLogin } from "./ProvenLogin.ts"
import type { SignOnRefused } from "./SignOnRefused.ts"

export interface OidcConnection {
  readonly settings: OidcSettings
  /** None for a public client. */
  readonly clientSecret: Option.Option<Redacted.Redacted>
  readonly redirectUri: string
}

/** A pending authorization request of one browser. */
export const OidcPending = Schema.Struct({ state: Schema.String, nonce: Schema.String, verifier: Schema.String })
export type OidcPending = typeof OidcPending.Type

/** The callback from the provider. */
export interface OidcReturn {
  readonly callbackUrl: string
  /** The user must have authenticated since then; null if any login will do. */
  readonly freshSince: Instant | null
}

/** The user of an external provider's access token (§5.2, item 2). */
export type ExternalBearer = Pick<ProvenLogin, "emailVerified"> & { readonly email: string }

/** OpenID Connect as a relying party. Fetches the provider's configuration, keys and tokens. */
export class OpenIdConnect extends Context.Service<
  OpenIdConnect,
  {
    /**
     * Returns a new authorization request with the URL of the provider. If `isFresh`, the user must authenticate again
     * (`prompt=login`, `max_age=0`; OpenID Connect Core, section 3.1.2.1).
     */
    readonly begin: (
      connection: OidcConnection,
      isFresh: boolean
    ) => Effect.Effect<{ readonly url: string; readonly pending: OidcPending }, SignOnRefused>
    /** Exchanges the code of the callback. Checks state, issuer, nonce, `auth_time` and the ID token. */
    readonly finish: (
      connection: OidcConnection,
      pending: OidcPending,
      back: OidcReturn
    ) => Effect.Effect<ProvenLogin, SignOnRefused>
    /**
     * Returns the user of a valid access token, else none. Valid: a JWT of the issuer for `bearerAudience` with an
     * allowed signature algorithm and an email address, not expired.
     */
    readonly bearer: (settings: OidcSettings, token: Redacted.Redacted) => Effect.Effect<Option.Option<ExternalBearer>>
  }
>()("@wcs/domain/OpenIdConnect") {}
