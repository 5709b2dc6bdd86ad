import * as PgClient from "@effect/sql-pg/PgClient"
import type { Layer, Redacted } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with `sslmode` and further parameters. */
  readonly url: Redacted.Redacted
  /** The maximum number of open connections. Callers wait for a free one. */
  readonly connections: number
}

/** Time limits of a statement and of an idle transaction. */
const timeouts = { statement_timeout: "30s", idle_in_transaction_session_timeout: "30s" }

/** An `effect/sql` client over a connection pool with prepared statements. */
export const layer = ({
  connections,
  url
}: PostgresOptions): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError.SqlError> =>
  PgClient.layer({
    url,
    maxConnections: connections,
    applicationName: "wcs",
    connectTimeout: "5 seconds",
    keepAlive: "10 seconds",
    startupParameters: timeouts
  })
