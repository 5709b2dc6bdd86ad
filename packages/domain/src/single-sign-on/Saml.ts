import { Context, type Effect, type Result, Schema } from "effect"
import type { Instant } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { SamlSettings } from "./IdentityProvider.ts"
import type { ProvenLogin } from "./ProvenLogin.ts"
import type { SignOnRefused } from "./SignOnRefused.ts"

/** The identifiers of this service that the identity provider knows. */
export interface ServiceProvider {
  readonly entityId: string
  /** The assertion consumer service: browsers post responses to this URL. */
  readonly acsUrl: string
}

export interface SamlConnection {
  readonly serviceProvider: ServiceProvider
  readonly settings: SamlSettings
}

/** A pending login request of one browser. */
export const SamlPending = Schema.Struct({ requestId: Schema.String, relayState: Schema.String })
export type SamlPending = typeof SamlPending.Type

/** A certificate for display to administrators. */
export interface CertificateFacts {
  readonly pem: string
  /** SHA-256 of the DER, as hex pairs with colons. */
  readonly fingerprint: string
  readonly subject: string
  readonly notBefore: Instant
  readonly notAfter: Instant
}

/** The form fields of a post to the assertion consumer service. */
export interface PostedResponse {
  readonly samlResponse: string
  readonly relayState: string | undefined
}

/** SAML 2.0 as a service provider (§5.2, item 9). Has no storage and no network access. */
export class Saml extends Context.Service<
  Saml,
  {
    /** Reads the metadata of an identity provider. */
    readonly readMetadata: (xml: string) => Effect.Effect<SamlSettings, InvalidArgument>
    /** Reads one certificate from PEM or base64. */
    readonly readCertificate: (text: string) => Result.Result<CertificateFacts, InvalidArgument>
    /** Returns the metadata of this service as XML. */
    readonly metadataOf: (serviceProvider: ServiceProvider) => string
    /**
     * Returns a new login request with the URL of the identity provider. If `isFresh`, the user must authenticate
     * again, even within a session there (`ForceAuthn`; SAML core, section 3.4.1).
     */
    readonly begin: (
      connection: SamlConnection,
      isFresh: boolean
    ) => Effect.Effect<{ readonly url: string; readonly pending: SamlPending }>
    /** Checks a posted response against the browser's pending login. Changes nothing. */
    readonly check: (
      connection: SamlConnection,
      pending: SamlPending,
      posted: PostedResponse
    ) => Effect.Effect<ProvenLogin, SignOnRefused>
  }
>()("@wcs/domain/Saml") {}
