// Apart from HttpRegister.ts, so that reading the settings does not load an HTTP client.

import type { Place } from "./Gateway.ts"
import type { GatewayUrl } from "./GatewayUrl.ts"

export interface HttpRegisterOptions extends Place, AskingOptions {
  readonly url: GatewayUrl
}

/** How gateways are asked. */
export interface AskingOptions {
  /** The time limit of one attempt, to the end of the response. */
  readonly timeoutMillis: number
  /** The time limit of all tries and delays of a query, without the wait for its turn. */
  readonly totalMillis: number
  /** The maximum number of tries of a query. */
  readonly tries: number
  /** The delay after the first try. It doubles after each further one, ±20 %. */
  readonly firstDelayMillis: number
  /** The maximum number of concurrent queries. Waiting credential types, or sources, take turns. */
  readonly concurrency: number
  /** The circuit breaker of each credential type or source. */
  readonly circuit: {
    /** How many failed queries in a row open it. */
    readonly failures: number
    readonly openMillis: number
  }
}

/** The settings of a deployment: URL and access, and any overrides of the defaults. */
export type HttpRegisterSettings = Pick<HttpRegisterOptions, "url" | "access"> & Partial<HttpRegisterOptions>

export const defaultOptions: AskingOptions = {
  timeoutMillis: 4000,
  totalMillis: 10_000,
  tries: 3,
  firstDelayMillis: 200,
  concurrency: 64,
  circuit: { failures: 5, openMillis: 30_000 }
}
