import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { joinUsers } from "../migrations/JoinedUsers.ts"
import { revokeTokens } from "../migrations/RevokedTokens.ts"
import { retrying } from "./Atomic.ts"
import { detailOf, dialectOf } from "./Dialect.ts"
import { StoreError } from "./StoreError.ts"

/**
 * Repairs rows that servers of an earlier version wrote after the migrations. Changes nothing the second time. No server
 * runs during the upgrade of a distributed store, so there are no such rows.
 */
export const repairRows: Effect.Effect<void, StoreError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { isDistributed, lockMigrations } = dialectOf(sql)
  if (isDistributed) return
  for (const statement of [joinUsers, revokeTokens]) {
    yield* retrying(sql.withTransaction(Effect.andThen(lockMigrations, sql.unsafe(statement))))
  }
}).pipe(Effect.mapError((error) => new StoreError({ reason: { _tag: "Unreadable", detail: detailOf(error) } })))
