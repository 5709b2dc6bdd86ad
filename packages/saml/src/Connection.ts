import type { Certificate } from "./Certificate.ts"

/** We, as one tenant's connection names us. */
export interface ServiceProvider {
  /** The audience of assertions. */
  readonly entityId: string
  /** The assertion consumer service: where browsers post responses to. */
  readonly acsUrl: string
}

/** An identity provider, as its metadata describes it. */
export interface IdentityProvider {
  readonly entityId: string
  /** Where browsers are sent with a request, by the HTTP-Redirect binding. */
  readonly ssoUrl: string
  /** Any of these may sign: several while the identity provider replaces its key. */
  readonly certificates: ReadonlyArray<Certificate>
  /** Whether it takes signed requests only. */
  readonly wantsSignedRequests: boolean
}

/** At most this many certificates per connection: each one costs a verification of a forged response. */
export const certificatesMax = 5

export interface Connection {
  readonly serviceProvider: ServiceProvider
  readonly identityProvider: IdentityProvider
}
