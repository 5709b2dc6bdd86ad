import type { Session } from "@wcs/domain/login/Session"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { SqlClient } from "effect/sql"

export interface SessionRow {
  readonly id: string
  readonly tenant_id: string
  readonly account_id: string
  readonly token_hash: string
  readonly method: Session["method"]
  readonly provider_id: string | null
  readonly user_agent: string
  readonly created_at: unknown
  readonly authenticated_at: unknown
  readonly seen_at: unknown
  readonly expires_at: unknown
  readonly revoked_at: unknown
}

/** The columns of a session, read from a table by its alias. */
export const sessionColumns = (alias: string): string =>
  [
    ...["id", "tenant_id", "account_id", "token_hash", "method", "provider_id", "user_agent"],
    ...["created_at", "authenticated_at", "seen_at", "expires_at", "revoked_at"]
  ]
    .map((column) => `${alias}.${column}`)
    .join(", ")

export const sessionOf = (row: SessionRow): Session => ({
  id: row.id,
  tenantId: row.tenant_id,
  accountId: row.account_id,
  tokenHash: row.token_hash,
  method: row.method,
  providerId: row.provider_id,
  userAgent: row.user_agent,
  createdAt: Number(row.created_at),
  authenticatedAt: Number(row.authenticated_at),
  seenAt: Number(row.seen_at),
  expiresAt: Number(row.expires_at),
  revokedAt: row.revoked_at === null ? null : Number(row.revoked_at)
})

export const sessionRow = (session: Session) => ({
  id: session.id,
  tenant_id: session.tenantId,
  account_id: session.accountId,
  token_hash: session.tokenHash,
  method: session.method,
  provider_id: session.providerId,
  user_agent: session.userAgent,
  created_at: session.createdAt,
  authenticated_at: session.authenticatedAt,
  seen_at: session.seenAt,
  expires_at: session.expiresAt,
  revoked_at: session.revokedAt
})

/** Ends all open sessions of an account, except one. */
export const endSessions = (
  sql: SqlClient.SqlClient,
  tenantId: string,
  accountId: string,
  at: Instant,
  keep: string | null
) => sql`UPDATE session SET revoked_at = ${at}
  WHERE tenant_id = ${tenantId} AND account_id = ${accountId} AND revoked_at IS NULL AND id <> ${keep ?? ""}`
