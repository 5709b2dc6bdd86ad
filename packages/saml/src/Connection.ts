import type { Certificate } from "./Certificate.ts"

/** Our side of one tenant's connection. */
export interface ServiceProvider {
  /** The audience of assertions. */
  readonly entityId: string
  /** The assertion consumer service: browsers post responses to this URL. */
  readonly acsUrl: string
}

/** An identity provider, as its metadata describes it. */
export interface IdentityProvider {
  readonly entityId: string
  /** The single sign-on URL for the HTTP-Redirect binding. */
  readonly ssoUrl: string
  /** Any of these keys may sign. There are several while the identity provider replaces its key. */
  readonly certificates: ReadonlyArray<Certificate>
  /** Whether it accepts signed requests only. */
  readonly wantsSignedRequests: boolean
}

/** Limit per connection, since each certificate is tried on a forged response. */
export const certificatesMax = 5

export interface Connection {
  readonly serviceProvider: ServiceProvider
  readonly identityProvider: IdentityProvider
}
