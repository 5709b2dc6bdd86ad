import { accountIdOf } from "@wcs/domain/access/Account"
import type { Bearer, Caller } from "@wcs/domain/access/Caller"
import { type CallerEnded, mayStillWrite, type StoredCaller } from "@wcs/domain/access/CallerEnded"
import { Result } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Row } from "../engine/Columns.ts"
import { rows, type Script } from "../engine/Script.ts"
import type { AccessEpoch } from "./AccessEpoch.ts"
import { account as accountColumns } from "./AccessRows.ts"

type Call = Caller["Service"]

/** The live bearer of each kind. A password has no row: the account itself is the bearer. */
const makeLiveBearer = (sql: SqlClient.SqlClient) => {
  const revocable = (table: string, key: string) => (tenantId: string, id: string) =>
    sql`SELECT 1 FROM ${sql.literal(table)} AS b
      WHERE b.tenant_id = ${tenantId} AND b.${sql.literal(key)} = ${id} AND b.revoked_at IS NULL`
  return {
    session: revocable("session", "id"),
    personal: revocable("personal_token", "id"),
    oauth: revocable("oauth_client", "client_id"),
    legacy: revocable("legacy_token", "id"),
    external: (tenantId, id) => sql`SELECT 1 FROM ${sql.literal("identityProvider")} AS b
      WHERE b.tenant_id = ${tenantId} AND b.id = ${id} AND b.active = 'true' AND b.deleted_at IS NULL`,
    password: () => sql`SELECT 1`
  } satisfies Record<Bearer["kind"], (tenantId: string, id: string) => Statement.Fragment>
}

/**
 * Compares callers with the store, in the transaction of their writes. The result holds while the number of access
 * writes is the same, so most writes need no read.
 */
export const makeCallerCheck = (sql: SqlClient.SqlClient, { checkedAt }: AccessEpoch["Service"]) => {
  const liveBearer = makeLiveBearer(sql)

  function* storedCallerOf({ account, bearer, tenantId }: Call): Script<StoredCaller> {
    const [row] = yield* rows(
      sql<Row>`SELECT ${sql.literal(accountColumns.selected("a"))},
          NOT EXISTS (${liveBearer[bearer.kind](tenantId, bearer.id)}) AS is_ended
        FROM account AS a WHERE a.tenant_id = ${tenantId} AND a.id = ${accountIdOf(account)}`
    )
    return row === undefined
      ? { isBearerEnded: true, account: undefined }
      : { isBearerEnded: Boolean(row["is_ended"]), account: accountColumns.of(row) } // a boolean or a number
  }

  return {
    /** Whether the caller passed the check at this number of access writes. */
    isKnown: (caller: Call, writes: number): boolean => checkedAt.get(caller) === writes,
    /** Fails if the caller has ended. `writes` must have been read before this check. */
    check: function* (caller: Call, writes: number): Script<Result.Result<void, CallerEnded>> {
      if (checkedAt.get(caller) === writes) return Result.void
      const checked = mayStillWrite(caller, yield* storedCallerOf(caller))
      if (Result.isSuccess(checked)) checkedAt.set(caller, writes)
      return checked
    }
  }
}
