import { Schema } from "effect"

/** The error body of the legacy surface (§7.3; DECISIONS.md#fields). */
export interface LegacyError {
  readonly status: number
  readonly message: string
  /** `authentication`, `authorization`, or a field of the body or query. Null for all other errors. */
  readonly field: string | null
}

const errorAt = <const Status extends number>(status: Status) =>
  Schema.Struct({
    status: Schema.Literal(status).annotate({ description: "Equal to the HTTP status." }),
    message: Schema.String.annotate({ description: "Cause of the error, for people. The text may change." }),
    field: Schema.NullOr(Schema.String).annotate({
      description: "`authentication`, `authorization`, or a field of the body or query. Null for all other errors."
    })
  }).annotate({ identifier: `LegacyError${status}`, httpApiStatus: status })

/** The error schema of each status. */
export const LegacyErrors = {
  400: errorAt(400),
  401: errorAt(401),
  403: errorAt(403),
  404: errorAt(404),
  413: errorAt(413),
  415: errorAt(415),
  429: errorAt(429),
  500: errorAt(500),
  503: errorAt(503)
} as const
