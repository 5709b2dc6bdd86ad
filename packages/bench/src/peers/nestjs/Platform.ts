import type { IncomingMessage, ServerResponse } from "node:http"
import type { Caller } from "../Gate.ts"

/** The part of a request of Nest's platform that the peer uses. */
export interface PlatformRequest extends IncomingMessage {
  requestId: string
  /** Set by the authentication. */
  caller?: Caller
  /** Whether the body has this media type. */
  readonly is: (type: string) => string | false | null
}

/** The part of a response of Nest's platform that the peer uses. */
export interface PlatformResponse extends ServerResponse {
  readonly status: (status: number) => this
  readonly set: (headers: Readonly<Record<string, string>>) => this
  readonly type: (type: string) => this
  readonly send: (body: string) => this
}
