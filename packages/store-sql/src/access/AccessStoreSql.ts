import type { Account } from "@wcs/domain/access/Account"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { Instant } from "@wcs/domain/shared/Instant"
import { AccessStore, HostTaken } from "@wcs/domain/token/AccessStore"
import type { IssuedReference, Maker } from "@wcs/domain/token/Lineage"
import type { OAuthClient } from "@wcs/domain/token/OAuthClient"
import type { PersonalToken } from "@wcs/domain/token/PersonalToken"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { makeRecordsWriter, type RecordsWriter } from "../audit/RecordsWriter.ts"
import { retrying } from "../engine/Atomic.ts"
import type { Row } from "../engine/Columns.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, run, type Script } from "../engine/Script.ts"
import { makeTimelinePage, type TimelineTable } from "../engine/TimelineTable.ts"
import { userWordsSource } from "../resource/SearchRows.ts"
import { AccessEpoch, makeAccessWrites } from "./AccessEpoch.ts"
import * as Rows from "./AccessRows.ts"
import { makeAccessWrite } from "./AccessWrite.ts"
import { makeInsertAccount } from "./AccountInsert.ts"
import { makeIssuedTree } from "./IssuedTree.ts"
import { makeLiveCounts } from "./LiveCounts.ts"
import { makeRevoke } from "./Revocation.ts"
import { makeTenantChanges } from "./TenantChanges.ts"

/** The tenant of rows without one: signing keys belong to all tenants. */
const noTenant = ""

/** The reads, one statement each. */
const makeReads = (sql: SqlClient.SqlClient) => {
  const accountColumns = sql.literal(Rows.account.selected("a"))
  const clientColumns = sql.literal(Rows.client.selected("c"))
  const tokenColumns = sql.literal(Rows.token.selected("t"))
  const first = <A>(rows: Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>, decode: (row: Row) => A) =>
    Effect.orDie(Effect.map(rows, ([row]) => (row === undefined ? Option.none<A>() : Option.some(decode(row)))))
  const all = <A>(rows: Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>, decode: (row: Row) => A) =>
    Effect.orDie(Effect.map(rows, (found) => found.map(decode)))
  const account = (condition: Statement.Fragment): Effect.Effect<Option.Option<Account>> =>
    first(sql<Row>`SELECT ${accountColumns} FROM account AS a WHERE ${condition}`, Rows.account.of)

  return {
    tenantByHost: (host: string) =>
      sql<Rows.TenantHostRow>`SELECT ${sql.literal(Rows.tenantColumns)}, h.host FROM tenant_host AS asked
        JOIN tenant AS t ON t.id = asked.tenant_id JOIN tenant_host AS h ON h.tenant_id = t.id
        WHERE asked.host = ${host} ORDER BY h.ordinal`.pipe(
        Effect.orDie,
        Effect.map((rows) => Option.fromUndefinedOr(Rows.tenantsOf(rows)[0]))
      ),
    tenants: sql<Rows.TenantHostRow>`SELECT ${sql.literal(Rows.tenantColumns)}, h.host FROM tenant AS t
      LEFT JOIN tenant_host AS h ON h.tenant_id = t.id ORDER BY t.position, h.ordinal`.pipe(
      Effect.orDie,
      Effect.map(Rows.tenantsOf)
    ),
    account: (tenantId: string, id: string) => account(sql`a.id = ${id} AND a.tenant_id = ${tenantId}`),
    accountByEmail: (tenantId: string, email: string) => account(sql`a.tenant_id = ${tenantId} AND a.email = ${email}`),
    serviceAccount: (tenantId: string) => account(sql`a.tenant_id = ${tenantId} AND a.kind = 'service'`),
    client: (tenantId: string, clientId: string) =>
      first(
        sql<Row>`SELECT ${clientColumns}, ${accountColumns} FROM oauth_client AS c
          JOIN account AS a ON a.tenant_id = c.tenant_id AND a.kind = 'service'
          WHERE c.tenant_id = ${tenantId} AND c.client_id = ${clientId}`,
        (row) => ({ client: Rows.client.of(row), account: Rows.account.of(row) })
      ),
    clients: (tenantId: string) =>
      all(
        sql<Row>`SELECT ${clientColumns} FROM oauth_client AS c
          WHERE c.tenant_id = ${tenantId} ORDER BY c.position`,
        Rows.client.of
      ),
    personalToken: (tenantId: string, tokenHash: string) =>
      first(
        sql<Row>`SELECT ${tokenColumns}, ${accountColumns} FROM personal_token AS t
          JOIN account AS a ON a.id = t.account_id AND a.tenant_id = t.tenant_id
          WHERE t.tenant_id = ${tenantId} AND t.token_hash = ${tokenHash}`,
        (row) => ({ token: Rows.token.of(row), account: Rows.account.of(row) })
      ),
    personalTokenById: (tenantId: string, id: string) =>
      first(
        sql<Row>`SELECT ${tokenColumns} FROM personal_token AS t WHERE t.id = ${id} AND t.tenant_id = ${tenantId}`,
        Rows.token.of
      ),
    personalTokens: (tenantId: string) =>
      all(
        sql<Row>`SELECT ${tokenColumns} FROM personal_token AS t
          WHERE t.tenant_id = ${tenantId} ORDER BY t.position`,
        Rows.token.of
      ),
    signingKeys: all(
      sql<Row>`SELECT ${sql.literal(Rows.signingKey.selected("k"))} FROM signing_key AS k
        ORDER BY k.created_at DESC, k.position DESC`,
      Rows.signingKey.of
    )
  }
}

const clientTable: TimelineTable<never, Row, OAuthClient> = {
  name: "oauth_client",
  selected: Rows.client.selected("r"),
  index: "oauth_client_of_tenant",
  fields: {},
  ends: "revoked_at",
  decode: Rows.client.of
}

const tokenTable: TimelineTable<"accountId", Row, PersonalToken> = {
  name: "personal_token",
  selected: Rows.token.selected("r"),
  index: "personal_token_of_tenant",
  fields: { accountId: { column: "account_id", index: "personal_token_of_account" } },
  ends: "revoked_at",
  decode: Rows.token.of
}

/** Inserts and revocations of clients and tokens, each the script of one transaction. */
const makeScripts = (sql: SqlClient.SqlClient, records: RecordsWriter) => {
  const tree = makeIssuedTree(sql, records)

  function* insert<E>(
    { createdBy, tenantId }: Pick<OAuthClient | PersonalToken, "createdBy" | "tenantId">,
    count: Script<number>,
    judge: (maker: Option.Option<Maker>, others: number) => Result.Result<void, E>,
    statement: Statement.Statement<unknown>,
    entry: AuditEntry
  ): Script<Result.Result<void, E>> {
    const others = yield* count
    const judged = judge(yield* tree.makerOf(tenantId, createdBy), others)
    if (Result.isFailure(judged)) return judged
    yield* changes(statement)
    yield* records.audit(tenantId, [entry])
    return judged
  }

  function* revokeTree<E>(
    tenantId: string,
    root: IssuedReference,
    decide: (live: ReadonlyArray<IssuedReference>) => Result.Result<ReadonlyArray<AuditEntry>, E>
  ): Script<Result.Result<boolean, E>> {
    if (!(yield* tree.lockOwner(tenantId, root))) return Result.succeed(false)
    const decided = decide(yield* tree.liveFrom(tenantId, root))
    if (Result.isFailure(decided)) return Result.fail(decided.failure)
    yield* tree.revokeAll(tenantId, decided.success)
    return Result.succeed(true)
  }

  return { insert, revokeTree }
}

/** The writes of the operator and the server, each in one transaction. */
const makeWrites = (sql: SqlClient.SqlClient, epoch: AccessEpoch["Service"], records: RecordsWriter) => {
  const dialect = dialectOf(sql)
  const accessWrites = makeAccessWrites(sql, epoch)
  const write = <A, E>(tenantId: string, statements: Effect.Effect<A, E | SqlError.SqlError>) =>
    epoch.moving(retrying(sql.withTransaction(Effect.tap(statements, () => run(accessWrites.enter(tenantId, 1))))))
  const writeOrDie = <A>(tenantId: string, statements: Effect.Effect<A, SqlError.SqlError>) =>
    Effect.orDie(write(tenantId, statements))
  const audited = (tenantId: string, entry: AuditEntry) => run(records.audit(tenantId, [entry]))

  const insertTenant: AccessStore["Service"]["insertTenant"] = Effect.fn("AccessStore.insertTenant")(
    (tenant, serviceAccount, audit) =>
      write(
        tenant.id,
        Effect.gen(function* () {
          yield* sql`INSERT INTO tenant ${sql.insert({ id: tenant.id, name: tenant.name, time_zone: tenant.timeZone })}`
          const rows = tenant.hosts.map((host, ordinal) => ({ host, ordinal }))
          const inserted = yield* sql<{ readonly host: string }>`INSERT INTO tenant_host (host, tenant_id, ordinal)
            SELECT value ->> 'host', CAST(${tenant.id} AS TEXT), CAST(value ->> 'ordinal' AS BIGINT)
            FROM ${dialect.objects(JSON.stringify(rows))} WHERE true
            ON CONFLICT (host) DO NOTHING RETURNING host`
          const taken = tenant.hosts.find((host) => !inserted.some((row) => row.host === host))
          if (taken !== undefined) return yield* new HostTaken({ host: taken })
          const searched = { words: "", words_of: userWordsSource({ firstName: "", surname: "" }) }
          yield* sql`INSERT INTO account ${sql.insert({ ...Rows.account.row(serviceAccount), ...searched })}`
          yield* audited(tenant.id, audit)
        })
      ).pipe(Effect.catchTag("SqlError", Effect.die))
  )

  const insertSigningKey: AccessStore["Service"]["insertSigningKey"] = Effect.fn("AccessStore.insertSigningKey")(
    (key, unlessSince, audit) =>
      writeOrDie(
        noTenant,
        Effect.gen(function* () {
          yield* dialect.lockTable("signing_key")
          const inserted = yield* sql`INSERT INTO signing_key (use, kid, sealed_private_key, created_at)
          SELECT CAST(${key.use} AS TEXT), CAST(${key.kid} AS TEXT), CAST(${key.sealedPrivateKey} AS TEXT), CAST(${key.createdAt} AS BIGINT)
          WHERE NOT EXISTS (SELECT 1 FROM signing_key AS k WHERE k.use = ${key.use} AND k.created_at > ${unlessSince}) RETURNING kid`
          if (inserted.length > 0) yield* audited(noTenant, audit)
        })
      )
  )

  const resealSigningKey: AccessStore["Service"]["resealSigningKey"] = Effect.fn("AccessStore.resealSigningKey")(
    (key, sealed, audit) =>
      writeOrDie(
        noTenant,
        Effect.gen(function* () {
          const replaced = yield* sql`UPDATE signing_key SET sealed_private_key = ${sealed}
            WHERE kid = ${key.kid} AND sealed_private_key = ${key.sealedPrivateKey} RETURNING kid`
          if (replaced.length > 0) yield* audited(noTenant, audit)
          return replaced.length > 0
        })
      )
  )

  return { insertSigningKey, insertTenant, resealSigningKey }
}

type Revocable = "oauth_client" | "personal_token"

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const records = makeRecordsWriter(sql)
  const reads = makeReads(sql)
  const clientPage = yield* makeTimelinePage(clientTable)
  const tokenPage = yield* makeTimelinePage(tokenTable)
  const revoke = makeRevoke(sql, records)
  const epoch = yield* AccessEpoch
  const scripted = yield* makeAccessWrite
  const { insert, revokeTree } = makeScripts(sql, records)
  const insertAccount = makeInsertAccount(sql, records)
  const { changeHosts, setRetention, setSecondFactorFrom, setTimeZone } = makeTenantChanges(sql, records)
  const counts = makeLiveCounts(sql)
  const revoking = (table: Revocable, tenantId: string, id: string, at: Instant, audit: AuditEntry) =>
    scripted<boolean>(tenantId, function* () {
      return Result.succeed(yield* revoke(table, tenantId, id, at, audit))
    })
  const { insertSigningKey, insertTenant, resealSigningKey } = makeWrites(sql, epoch, records)

  return AccessStore.of({
    epoch: epoch.current,
    insertTenant,
    changeHosts: Effect.fn("AccessStore.changeHosts")((tenantId, decide, audit) =>
      scripted(tenantId, () => changeHosts(tenantId, decide, audit))
    ),
    setTimeZone: Effect.fn("AccessStore.setTimeZone")((tenantId, timeZone, audit) =>
      scripted(tenantId, () => setTimeZone(tenantId, timeZone, audit))
    ),
    setRetention: Effect.fn("AccessStore.setRetention")((tenantId, years, audit) =>
      scripted(tenantId, () => setRetention(tenantId, years, audit))
    ),
    setSecondFactorFrom: Effect.fn("AccessStore.setSecondFactorFrom")((tenantId, from, audit, judge) =>
      scripted(tenantId, () => setSecondFactorFrom(tenantId, from, audit, judge))
    ),
    findTenantByHost: Effect.fn("AccessStore.findTenantByHost")(reads.tenantByHost),
    listTenants: reads.tenants,
    insertAccount: Effect.fn("AccessStore.insertAccount")((account, audit, judge) =>
      Effect.asVoid(
        scripted(account.tenantId, () =>
          insertAccount({ account, firstName: "", surname: "" }, Rows.account.row(account), audit, judge)
        )
      )
    ),
    findAccount: Effect.fn("AccessStore.findAccount")(reads.account),
    findAccountByEmail: Effect.fn("AccessStore.findAccountByEmail")(reads.accountByEmail),
    serviceAccount: Effect.fn("AccessStore.serviceAccount")(reads.serviceAccount),

    insertClient: Effect.fn("AccessStore.insertClient")((client, audit, judge) =>
      scripted(client.tenantId, () =>
        insert(
          client,
          counts.clients(client),
          judge,
          sql`INSERT INTO oauth_client ${sql.insert(Rows.client.row(client))}`,
          audit
        )
      )
    ),
    findClient: Effect.fn("AccessStore.findClient")(reads.client),
    clients: Effect.fn("AccessStore.clients")((tenantId, selection) => Effect.orDie(clientPage(tenantId, selection))),
    listClients: Effect.fn("AccessStore.listClients")(reads.clients),
    revokeClient: Effect.fn("AccessStore.revokeClient")((tenantId, clientId, at, audit) =>
      revoking("oauth_client", tenantId, clientId, at, audit)
    ),

    insertPersonalToken: Effect.fn("AccessStore.insertPersonalToken")((token, audit, judge) =>
      scripted(token.tenantId, () =>
        insert(
          token,
          counts.tokens(token),
          judge,
          sql`INSERT INTO personal_token ${sql.insert(Rows.token.row(token))}`,
          audit
        )
      )
    ),
    findPersonalToken: Effect.fn("AccessStore.findPersonalToken")(reads.personalToken),
    findPersonalTokenById: Effect.fn("AccessStore.findPersonalTokenById")(reads.personalTokenById),
    personalTokens: Effect.fn("AccessStore.personalTokens")((tenantId, selection) =>
      Effect.orDie(tokenPage(tenantId, selection))
    ),
    listPersonalTokens: Effect.fn("AccessStore.listPersonalTokens")(reads.personalTokens),
    revokePersonalToken: Effect.fn("AccessStore.revokePersonalToken")((tenantId, id, at, audit) =>
      revoking("personal_token", tenantId, id, at, audit)
    ),
    revokeTree: Effect.fn("AccessStore.revokeTree")((tenantId, root, decide) =>
      scripted(tenantId, () => revokeTree(tenantId, root, decide))
    ),
    touchPersonalToken: Effect.fn("AccessStore.touchPersonalToken")((tenantId, id, at) =>
      Effect.orDie(
        Effect.asVoid(sql`UPDATE personal_token SET last_used_at = ${at}
          WHERE tenant_id = ${tenantId} AND id = ${id} AND (last_used_at IS NULL OR last_used_at < ${at})`)
      )
    ),

    listSigningKeys: reads.signingKeys,
    insertSigningKey,
    resealSigningKey
  })
})

export const layer = Layer.effect(AccessStore, make)
