declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http"

  interface Interaction {
    readonly uid: string
  }

  /** The parts of the package that the tests use. */
  export default class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>)
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionResult(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>
    ): Promise<string>
  }
}
