declare module "samlp" {
  export interface SamlpOptions {
    readonly issuer: string
    readonly cert: string
    readonly key: string
    readonly audience: string
    readonly recipient: string
    readonly destination: string
    readonly inResponseTo: string
    readonly lifetimeInSeconds: number
    readonly signatureAlgorithm: string
    readonly digestAlgorithm: string
    readonly nameIdentifierFormat: string
    readonly signResponse: boolean
    readonly signAssertion: boolean
    readonly signatureNamespacePrefix?: string
    readonly sessionIndex?: string
    readonly authnContextClassRef?: string
    readonly typedAttributes?: boolean
    readonly includeAttributeNameFormat?: boolean
  }
  type Profile = { readonly id: string; readonly displayName: string } & Readonly<Record<string, unknown>>

  /** Calls back synchronously. The response has the system clock's time. */
  export const getSamlResponse: (
    options: SamlpOptions,
    profile: Profile,
    callback: (error: Error | null, response: string) => void
  ) => void

  interface Request {
    readonly method: string
    readonly query: Readonly<Record<string, string>>
    readonly originalUrl: string
  }
  interface ReadRequest {
    readonly issuer: string
    readonly assertionConsumerServiceURL: string
    readonly destination: string
    readonly forceAuthn?: string
    readonly id: string
  }
  /** Verifies the request's signature, if a certificate is given. */
  export const parseRequest: (
    request: Request,
    options: {
      readonly signingCert?: string
      readonly signature?: string
      readonly sigAlg?: string
      readonly relayState?: string
    },
    callback: (error: Error | null, request: ReadRequest) => void
  ) => void
}
