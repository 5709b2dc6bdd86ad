import { toUnixSeconds } from "@wcs/domain/shared/Instant"
import type { OAuthClient } from "@wcs/domain/token/OAuthClient"
import type { PersonalToken } from "@wcs/domain/token/PersonalToken"
import type { SqlClient, Statement } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { rows, type Script } from "../engine/Script.ts"

/**
 * Counts a tenant's clients, tokens or users before a transaction creates another one. Other transactions with the same
 * count wait until this one ends.
 */
export const makeLiveCounts = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)

  /** `owner` is the tenant, or an account of the tenant. */
  function* count(table: string, owner: string, selects: ReadonlyArray<Statement.Fragment>): Script<number> {
    const lock = dialect.lockTenant(table, owner)
    if (lock !== undefined) yield* rows(lock)
    let others = 0
    for (const select of selects) {
      const [counted] = yield* rows(sql<{ readonly others: unknown }>`SELECT count(*) AS others FROM ${select}`)
      others += Number(counted?.others)
    }
    return others
  }

  /** Both parts read a range of the index. Rows that expired long ago are outside the range. */
  const live = (from: Statement.Fragment, createdAt: number) => [
    sql`${from} AND r.revoked_at IS NULL AND r.expires_at IS NULL`,
    sql`${from} AND r.revoked_at IS NULL AND r.expires_at > ${toUnixSeconds(createdAt)}`
  ]

  return {
    clients: ({ createdAt, tenantId }: OAuthClient) =>
      count(
        "oauth_client",
        tenantId,
        live(sql`oauth_client AS r${dialect.indexedBy("oauth_client_live")} WHERE r.tenant_id = ${tenantId}`, createdAt)
      ),
    tokens: ({ accountId, createdAt, tenantId }: PersonalToken) =>
      count(
        "personal_token",
        accountId,
        live(
          sql`personal_token AS r${dialect.indexedBy("personal_token_live")}
            WHERE r.tenant_id = ${tenantId} AND r.account_id = ${accountId}`,
          createdAt
        )
      ),
    users: (tenantId: string) =>
      count("account", tenantId, [
        sql`account AS r${dialect.indexedBy("account_active")}
          WHERE r.tenant_id = ${tenantId} AND r.kind = 'user' AND r.deactivated_at IS NULL`
      ])
  }
}
