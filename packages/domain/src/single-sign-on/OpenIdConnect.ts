import { Context, type Effect, type Option, type Redacted, Schema } from "effect"
import type { Instant } from "../shared/Instant.ts"
import type { OidcSettings } from "./IdentityProvider.ts"
import type { ProvenLogin } from "./ProvenLogin.ts"
import type { SignOnRefused } from "./SignOnRefused.ts"

export interface OidcConnection {
  readonly settings: OidcSettings
  /** Absent for a public client. */
  readonly clientSecret: Option.Option<Redacted.Redacted>
  readonly redirectUri: string
}

/** An authorization request that was sent, kept for the browser that sent it. */
export const OidcPending = Schema.Struct({ state: Schema.String, nonce: Schema.String, verifier: Schema.String })
export type OidcPending = typeof OidcPending.Type

/** The browser's return from the provider. */
export interface OidcReturn {
  readonly callbackUrl: string
  /** The person must have logged in since then; null if any login will do. */
  readonly freshSince: Instant | null
}

/** A user's access token of an external provider (§5.2, item 2). */
export interface ExternalBearer {
  readonly email: string
}

/** OpenID Connect as a relying party. Fetches the provider's configuration, keys and tokens. */
export class OpenIdConnect extends Context.Service<
  OpenIdConnect,
  {
    /**
     * A new authorization request, and the URL that takes the browser to the provider. A fresh login asks for a new
     * proof (`prompt=login`, `max_age=0`; OpenID Connect Core, section 3.1.2.1).
     */
    readonly begin: (
      connection: OidcConnection,
      isFresh: boolean
    ) => Effect.Effect<{ readonly url: string; readonly pending: OidcPending }, SignOnRefused>
    /** Exchanges the code of a callback's URL, and checks state, issuer, nonce, `auth_time` and the ID token. */
    readonly finish: (
      connection: OidcConnection,
      pending: OidcPending,
      back: OidcReturn
    ) => Effect.Effect<ProvenLogin, SignOnRefused>
    /**
     * The user of an access token, if it is a JWT of the issuer for `bearerAudience`, signed by a key of the issuer
     * with an allowed algorithm, not expired, with a verified e-mail address.
     */
    readonly bearer: (settings: OidcSettings, token: Redacted.Redacted) => Effect.Effect<Option.Option<ExternalBearer>>
  }
>()("@wcs/domain/OpenIdConnect") {}
