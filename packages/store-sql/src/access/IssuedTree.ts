import { accountIdOf } from "@wcs/domain/access/Account"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { CreatedBy } from "@wcs/domain/token/CreatedBy"
import type { IssuedReference, Maker } from "@wcs/domain/token/Lineage"
import { Option } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { RecordsWriter } from "../audit/RecordsWriter.ts"
import type { Row } from "../engine/Columns.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import * as Rows from "./AccessRows.ts"

interface ReferenceRow {
  readonly entity_type: IssuedReference["entityType"]
  readonly id: string
}

/** The tree of issued tokens and clients. Every script must run in the transaction that uses its result. */
export const makeIssuedTree = (sql: SqlClient.SqlClient, records: RecordsWriter) => {
  const dialect = dialectOf(sql)
  const accountColumns = sql.literal(Rows.account.selected("a"))
  const tokenColumns = sql.literal(Rows.token.selected("t"))

  /**
   * Reads the creator and locks its account until the transaction ends. The lock also blocks `liveFrom` of the
   * creator's tokens, so no descendant appears unseen.
   */
  function* makerOf(tenantId: string, createdBy: CreatedBy | null): Script<Option.Option<Maker>> {
    const bearer = createdBy?.bearer ?? null
    if (createdBy === null || bearer === null) return Option.none()
    const [account] = yield* rows(sql<Row>`SELECT ${accountColumns} FROM account AS a
      WHERE a.tenant_id = ${tenantId} AND a.id = ${accountIdOf(createdBy.account)}${dialect.forShare}`)
    if (account === undefined) return Option.none()
    const [token] =
      bearer.kind === "personal"
        ? yield* rows(sql<Row>`SELECT ${tokenColumns} FROM personal_token AS t
            WHERE t.tenant_id = ${tenantId} AND t.id = ${bearer.id}`)
        : []
    return Option.some({
      account: Rows.account.of(account),
      token: token === undefined ? null : Rows.token.of(token)
    })
  }

  /** Locks the account of a token or client. Returns false if there is none. */
  function* lockOwner(tenantId: string, { entityType, id }: IssuedReference): Script<boolean> {
    const found =
      entityType === "apiClient"
        ? sql`SELECT 1 AS one FROM oauth_client WHERE tenant_id = ${tenantId} AND client_id = ${id}`
        : sql`SELECT a.id FROM account AS a WHERE a.tenant_id = ${tenantId} AND a.id =
            (SELECT t.account_id FROM personal_token AS t WHERE t.tenant_id = ${tenantId} AND t.id = ${id})${dialect.forUpdate}`
    return (yield* rows(found)).length > 0
  }

  // CROSS JOIN keeps SQLite from reading the whole tenant for each creator. Postgres ignores the order.
  const madeClients = (tenantId: string, maker: "client" | "token") =>
    sql`oauth_client AS c${dialect.indexedBy("oauth_client_of_maker")}
      WHERE c.tenant_id = ${tenantId} AND c.created_by_bearer_id = ${sql.literal(maker)}.id`

  /** The clients of a SELECT and their descendants. */
  const clientsFrom = (tenantId: string, seeds: Statement.Fragment) => sql`client (id, revoked_at) AS (
    ${seeds} UNION SELECT c.client_id, c.revoked_at FROM client CROSS JOIN ${madeClients(tenantId, "client")})`

  /** All unrevoked descendants of a token or client, itself included. */
  function* liveFrom(tenantId: string, { id }: IssuedReference): Script<ReadonlyArray<IssuedReference>> {
    const seeds = sql`SELECT c.client_id, c.revoked_at FROM oauth_client AS c
      WHERE c.tenant_id = ${tenantId} AND c.client_id = ${id}
      UNION SELECT c.client_id, c.revoked_at FROM token CROSS JOIN ${madeClients(tenantId, "token")}`
    const found = yield* rows(sql<ReferenceRow>`WITH RECURSIVE token (id, revoked_at) AS (
        SELECT t.id, t.revoked_at FROM personal_token AS t WHERE t.tenant_id = ${tenantId} AND t.id = ${id}
        UNION SELECT t.id, t.revoked_at FROM token
        CROSS JOIN personal_token AS t${dialect.indexedBy("personal_token_of_maker")}
        WHERE t.tenant_id = ${tenantId} AND t.created_by_bearer_id = token.id),
      ${clientsFrom(tenantId, seeds)}
      SELECT 'accessToken' AS entity_type, id FROM token WHERE revoked_at IS NULL
      UNION ALL SELECT 'apiClient', id FROM client WHERE revoked_at IS NULL`)
    return found.map(({ entity_type, id }) => ({ entityType: entity_type, id }))
  }

  /** The unrevoked clients that descend from an account. */
  function* clientsOf(tenantId: string, account: string): Script<ReadonlyArray<string>> {
    const seeds = sql`SELECT c.client_id, c.revoked_at FROM oauth_client AS c
      WHERE c.tenant_id = ${tenantId} AND c.created_by_account = ${account}`
    const found = yield* rows(sql<Pick<ReferenceRow, "id">>`WITH RECURSIVE ${clientsFrom(tenantId, seeds)}
      SELECT id FROM client WHERE revoked_at IS NULL`)
    return found.map(({ id }) => id)
  }

  /** Revokes what the entries name, with one statement per entry, and writes the entries. */
  function* revokeAll(tenantId: string, entries: ReadonlyArray<AuditEntry>): Script<void> {
    for (const { at, entityId, entityType } of entries) {
      const [table, key] = entityType === "apiClient" ? ["oauth_client", "client_id"] : ["personal_token", "id"]
      yield* changes(sql`UPDATE ${sql(table)} SET revoked_at = ${at}
        WHERE tenant_id = ${tenantId} AND ${sql(key)} = ${entityId} AND revoked_at IS NULL`)
    }
    yield* records.audit(tenantId, entries)
  }

  return { makerOf, lockOwner, liveFrom, clientsOf, revokeAll }
}
