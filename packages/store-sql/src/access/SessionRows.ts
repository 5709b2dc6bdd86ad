import type { LoginBasis } from "@wcs/domain/session/LoginBasis"
import type { Session } from "@wcs/domain/session/Session"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { SqlClient } from "effect/sql"
import { rows, type Script } from "../engine/Script.ts"

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

interface BasisRow {
  readonly deactivated_at: unknown
  readonly password_hash: string | null
  readonly factor_confirmed_at: unknown
  /** A boolean or a number, depending on the engine. */
  readonly is_provider_active: unknown
}

const instantOf = (value: unknown): Instant | null => (value === null ? null : Number(value))

/** Reads what a login depends on. Access writes cannot change it meanwhile, if this transaction is one. */
export function* basisOf(
  sql: SqlClient.SqlClient,
  { accountId, providerId, tenantId }: Session
): Script<LoginBasis | undefined> {
  const isProviderActive =
    providerId === null
      ? sql.literal("true")
      : sql`EXISTS (SELECT 1 FROM ${sql.literal("identityProvider")} AS p
          WHERE p.tenant_id = ${tenantId} AND p.id = ${providerId} AND p.active = 'true' AND p.deleted_at IS NULL)`
  const [row] = yield* rows(
    sql<BasisRow>`SELECT a.deactivated_at, a.password_hash, ${isProviderActive} AS is_provider_active,
        (SELECT f.confirmed_at FROM second_factor AS f
          WHERE f.tenant_id = ${tenantId} AND f.account_id = a.id) AS factor_confirmed_at
      FROM account AS a WHERE a.tenant_id = ${tenantId} AND a.id = ${accountId}`
  )
  return (
    row && {
      deactivatedAt: instantOf(row.deactivated_at),
      passwordHash: row.password_hash,
      factorConfirmedAt: instantOf(row.factor_confirmed_at),
      isProviderActive: Boolean(row.is_provider_active)
    }
  )
}

/** Ends all open sessions of an account, except one. */
export const endSessions = (
  sql: SqlClient.SqlClient,
  tenantId: string,
  accountId: string,
  at: Instant,
  keep: string | null
) => sql`UPDATE session SET revoked_at = ${at}
  WHERE tenant_id = ${tenantId} AND account_id = ${accountId} AND revoked_at IS NULL AND id <> ${keep ?? ""}`
