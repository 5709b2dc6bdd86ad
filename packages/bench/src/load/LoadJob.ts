/** One request with `$0`, `$1` … where a key's values go. */
export interface Template {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly body?: string
}

/** What a client is to do. */
export interface LoadJob {
  readonly port: number
  readonly token: string
  /** In place of the token as a bearer, with `$0`, `$1` … too. */
  readonly authorization?: string
  /** In place of a bearer: a session's token, sent in its cookie as the console's script does. */
  readonly session?: string
  /** Connections, each with one request under way at a time. */
  readonly connections: number
  readonly template: Template
  /** Each makes one request, or the first of a walk. */
  readonly keys: ReadonlyArray<ReadonlyArray<string>>
  /** Whether the keys begin anew when all are used; else the job ends with them. */
  readonly repeats: boolean
  /** Requests begin until then, and all are waited for. */
  readonly millis: number
  /** What every answer must contain, with `$0`, `$1` … too. */
  readonly expected: string
  /** What status every answer must have; 200 where it is left out. */
  readonly status?: number
  /** How many pages more are read by `meta.nextCursor`, with one request after the other. */
  readonly pages?: number
}

/** What came of it. */
export interface LoadResult {
  readonly requests: number
  /** From the first request to the last answer. */
  readonly millis: number
  /** Of one request, in the middle and near the end, in milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Processor time of the client, in milliseconds. */
  readonly cpuMillis: number
}

/** A template with the values of a key in it. */
export const filled = (text: string, key: ReadonlyArray<string>): string =>
  key.reduce((rest, value, index) => rest.replaceAll(`$${index}`, value), text)
