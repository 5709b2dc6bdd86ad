/** A request with placeholders `$0`, `$1` … for a key's values. */
export interface Template {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly body?: string
}

/** A job for a client. */
export interface LoadJob {
  readonly port: number
  readonly token: string
  /** Replaces the bearer token; may contain `$0`, `$1` …. */
  readonly authorization?: string
  /** A session's token, sent in its cookie as the console does, instead of a bearer token. */
  readonly session?: string
  /** Connections, each with one request in flight. */
  readonly connections: number
  readonly template: Template
  /** Each key makes one request. */
  readonly keys: ReadonlyArray<ReadonlyArray<string>>
  /** Whether the keys start over when all are used. Otherwise the job ends. */
  readonly repeats: boolean
  /** No request begins after this time; those in flight are awaited. */
  readonly millis: number
  /** Text that every response must contain, with `$0`, `$1` …. */
  readonly expected: string
  /** The status that every response must have; 200 by default. */
  readonly status?: number
}

/** The result of a job. */
export interface LoadResult {
  readonly requests: number
  /** From the first request to the last response. */
  readonly millis: number
  /** The median of a request and its tail, in milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Processor time of the client, in milliseconds. */
  readonly cpuMillis: number
}

/** A template with the values of a key. */
export const filled = (text: string, key: ReadonlyArray<string>): string =>
  key.reduce((rest, value, index) => rest.replaceAll(`$${index}`, value), text)
