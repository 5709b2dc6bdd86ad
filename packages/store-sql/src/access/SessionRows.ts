import type { LoginBasis } from "@wcs/domain/session/LoginBasis"
import type { Session } from "@wcs/domain/session/Session"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { SqlClient } from "effect/sql"
import { makeColumns, number, orNull, text, word } from "../engine/Columns.ts"
import { rows, type Script } from "../engine/Script.ts"

export const session = makeColumns<Session>({
  id: text,
  tenantId: text,
  accountId: text,
  tokenHash: text,
  method: word(),
  providerId: orNull(text),
  userAgent: text,
  createdAt: number,
  authenticatedAt: number,
  seenAt: number,
  expiresAt: number,
  revokedAt: orNull(number)
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
