import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Redacted } from "effect"
import { configOf } from "./PostgresClient.ts"

/** Engines that speak the protocol of Postgres, by the address and the version of a server. */
const others = [
  { name: "CockroachDB", mark: /CockroachDB/ },
  { name: "YugabyteDB", mark: /-YB-\d/ },
  { name: "Aurora DSQL", mark: /\.dsql(?:-[\w-]+)?\.[\w-]+\.on\.aws(?::\d+)?\// }
]

/** The name of the engine at a URL with this version, if it only resembles Postgres. */
export const resembling = (url: string, version: string): string | undefined =>
  others.find(({ mark }) => mark.test(`${url} ${version}`))?.name

/**
 * The name of the engine of a database if it only resembles Postgres. Some of them claim a version of Postgres, but their advisory
 * locks, notifications or triggers do nothing. So ask before any statement that relies on them.
 */
export const otherEngine = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const connection = yield* PgConnection.make(configOf(url))
  const { rows } = yield* connection.query("SELECT version() AS version", [], false)
  return resembling(Redacted.value(url), String(rows[0]?.["version"]))
}, Effect.scoped)
