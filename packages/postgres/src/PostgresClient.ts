import * as PgClient from "@effect/sql-pg/PgClient"
import type { Layer, Redacted } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with `sslmode` and whatever else such URLs may have. */
  readonly url: Redacted.Redacted
  /** How many connections are open at once at the most; who finds none free waits. */
  readonly connections: number
}

/** How long a statement may take, and how long a transaction may wait between two, before Postgres ends it. */
const patience = { statement_timeout: "30s", idle_in_transaction_session_timeout: "30s" }

/** An `effect/sql` client over a pool of connections, each of which keeps its statements prepared. */
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
    startupParameters: patience
  })
