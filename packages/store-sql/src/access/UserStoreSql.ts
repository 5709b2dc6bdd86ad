import { type Account, accountIdOf, accountUrn } from "@wcs/domain/access/Account"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import { type Instant, toUnixSeconds } from "@wcs/domain/shared/Instant"
import type { EmailTaken } from "@wcs/domain/token/AccessStore"
import type { LegacyToken } from "@wcs/domain/token/LegacyToken"
import { type User, wordsOfUser } from "@wcs/domain/user/User"
import { type UserChange, UserStore, userAfter } from "@wcs/domain/user/UserStore"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { makeAtomically } from "../engine/Atomic.ts"
import type { Row } from "../engine/Columns.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { makeTimelinePage, type TimelineTable } from "../engine/TimelineTable.ts"
import { makeWordsWriter, userWordsSource, wordsOfNext } from "../resource/SearchRows.ts"
import * as Rows from "./AccessRows.ts"
import { makeAccessWrite } from "./AccessWrite.ts"
import { makeInsertAccount } from "./AccountInsert.ts"
import { makeIssuedTree } from "./IssuedTree.ts"
import { makeLiveCounts } from "./LiveCounts.ts"
import { makeLogins } from "./LoginStates.ts"
import { makeRevoke } from "./Revocation.ts"
import { endSessions, session as sessionColumns } from "./SessionRows.ts"
import { makeWriteVersion } from "./UserVersions.ts"

const firstOf =
  <A>(decode: (row: Row) => A) =>
  ([row]: ReadonlyArray<Row>): Option.Option<A> =>
    row === undefined ? Option.none() : Option.some(decode(row))

/** Must match the predicate of the index `account_super_admin`, or the index is not used. */
const activeSuperAdmin = `a.role = '"Super Admin"' AND a.kind = 'user' AND a.deactivated_at IS NULL`

const userTable: TimelineTable<never, Row, User> = {
  name: "account",
  selected: Rows.userColumns("r"),
  index: "account_of_tenant",
  only: "r.kind = 'user'",
  fields: {},
  ends: "deactivated_at",
  searched: "user",
  decode: Rows.userOf
}

/** The reads, one statement each. */
const makeReads = (sql: SqlClient.SqlClient) => {
  const userColumns = sql.literal(Rows.userColumns("a"))
  const tokenColumns = sql.literal(Rows.legacyToken.selected("t"))
  const users = (tenantId: string, rest: Statement.Fragment) =>
    sql<Row>`SELECT ${userColumns} FROM account AS a
      WHERE a.tenant_id = ${tenantId} AND a.kind = 'user' AND ${rest}`

  return {
    organization: (tenantId: string) =>
      sql<Row>`SELECT ${sql.literal(Rows.organization.selected("t"))} FROM tenant AS t WHERE t.id = ${tenantId}`,
    superAdmins: (tenantId: string, lock: Statement.Fragment) =>
      sql<{ readonly id: string }>`SELECT a.id FROM account AS a
        WHERE a.tenant_id = ${tenantId} AND ${sql.literal(activeSuperAdmin)} ORDER BY a.position${lock}`,
    user: (tenantId: string, accountId: string, lock: Statement.Fragment) =>
      users(tenantId, sql`a.id = ${accountId}${lock}`),
    account: (tenantId: string, accountId: string) =>
      sql<Row>`SELECT ${sql.literal(Rows.account.selected("a"))} FROM account AS a
        WHERE a.tenant_id = ${tenantId} AND a.id = ${accountId}`,
    userByInvite: (tenantId: string, tokenHash: string) => users(tenantId, sql`a.invite_hash = ${tokenHash}`),
    userByEmail: (tenantId: string, email: string) => users(tenantId, sql`a.email = ${email}`),
    usersAfter: (tenantId: string, number: number, limit: number) =>
      users(tenantId, sql`a.position > ${number} ORDER BY a.position LIMIT ${limit}`),
    token: (tenantId: string, id: string) =>
      sql<Row>`SELECT ${tokenColumns}, ${userColumns} FROM legacy_token AS t
        JOIN account AS a ON a.id = t.account_id AND a.tenant_id = t.tenant_id AND a.kind = 'user'
        WHERE t.tenant_id = ${tenantId} AND t.id = ${id}`,
    tokensAfter: (tenantId: string, accountId: string, id: string, limit: number) =>
      sql<Row>`SELECT ${tokenColumns} FROM legacy_token AS t
        WHERE t.tenant_id = ${tenantId} AND t.account_id = ${accountId} AND t.id > ${id} ORDER BY t.id LIMIT ${limit}`
  }
}

/** The writes, each the script of one transaction. */
const makeScripts = (sql: SqlClient.SqlClient, reads: ReturnType<typeof makeReads>) => {
  const dialect = dialectOf(sql)
  const records = makeRecordsWriter(sql)
  const revoke = makeRevoke(sql, records)
  const tree = makeIssuedTree(sql, records)
  const counts = makeLiveCounts(sql)
  const insertAccount = makeInsertAccount(sql, records)
  const writeWords = makeWordsWriter(sql)
  const writeVersion = makeWriteVersion(sql)

  function* setAbn(tenantId: string, abn: string, audit: AuditEntry): Script<Result.Result<void>> {
    const found = yield* changes(sql`UPDATE tenant SET abn = ${abn} WHERE id = ${tenantId}`)
    if (found === 0) throw new Error(`there is no tenant ${tenantId}`)
    yield* records.audit(tenantId, [audit])
    return Result.void
  }

  function* change<E>(
    tenantId: string,
    accountId: string,
    decide: (
      user: User,
      clients: ReadonlyArray<string>,
      otherSuperAdmins: number,
      otherUsers: number,
      inviter: Option.Option<Account>
    ) => Result.Result<UserChange | undefined, E>
  ): Script<Result.Result<Option.Option<User>, E>> {
    // Locked first and in one order: of two Super Admins who demote each other, the second waits for the first.
    const superAdmins = yield* rows(reads.superAdmins(tenantId, dialect.forUpdate))
    const found = firstOf(Rows.userOf)(yield* rows(reads.user(tenantId, accountId, dialect.forUpdate)))
    if (Option.isNone(found)) return Result.succeed(found)
    const others = superAdmins.filter(({ id }) => id !== accountId).length
    const clients = yield* tree.clientsOf(tenantId, accountUrn(accountId))
    const otherUsers = found.value.account.deactivatedAt === null ? 0 : yield* counts.users(tenantId)
    const { invitedBy } = found.value
    const inviters = invitedBy === null ? [] : yield* rows(reads.account(tenantId, accountIdOf(invitedBy)))
    const decision = decide(found.value, clients, others, otherUsers, firstOf(Rows.account.of)(inviters))
    if (Result.isFailure(decision)) return Result.fail(decision.failure)
    if (decision.success === undefined) return Result.succeed(found)
    const { audit, endTokensAt, next, revocations = [], revokeTokensAt, session } = decision.success
    const after = userAfter(found.value, next)
    yield* changes(
      sql`UPDATE account SET ${sql.update(Rows.userRow(after))}, ${wordsOfNext(sql, "account", userWordsSource(after))}
        WHERE tenant_id = ${tenantId} AND id = ${accountId}`
    )
    const [before, words] = [wordsOfUser(found.value), wordsOfUser(after)]
    yield* writeVersion(found.value.account, after.account, audit.at)
    if (String(before) !== String(words)) yield* writeWords("user", tenantId, accountId, before, words)
    if (endTokensAt !== undefined) {
      yield* changes(sql`UPDATE legacy_token SET revoked_at = ${endTokensAt}
        WHERE tenant_id = ${tenantId} AND account_id = ${accountId} AND revoked_at IS NULL`)
      yield* changes(endSessions(sql, tenantId, accountId, endTokensAt, null))
    }
    if (revokeTokensAt !== undefined) {
      yield* changes(sql`UPDATE personal_token SET revoked_at = ${revokeTokensAt}
        WHERE tenant_id = ${tenantId} AND account_id = ${accountId} AND revoked_at IS NULL`)
    }
    yield* records.audit(tenantId, [audit])
    if (session !== undefined) {
      yield* changes(sql`INSERT INTO session ${sql.insert(sessionColumns.row(session.session))}`)
      yield* records.audit(tenantId, [session.audit])
    }
    yield* tree.revokeAll(tenantId, revocations)
    return Result.succeed(Option.some(after))
  }

  function* insert<E>(
    user: Omit<User, "number">,
    audit: AuditEntry,
    judge: (others: number) => Result.Result<void, E>
  ): Script<Result.Result<User, EmailTaken | E>> {
    const row = { ...Rows.account.row(user.account), ...Rows.userRow(user) }
    return Result.map(yield* insertAccount(user, row, audit, judge), (number) => ({ ...user, number }))
  }

  function* insertLegacyToken(
    token: LegacyToken,
    audit: AuditEntry,
    mayHave: (user: User) => boolean
  ): Script<Result.Result<boolean>> {
    const { accountId, tenantId } = token
    const found = firstOf(Rows.userOf)(yield* rows(reads.user(tenantId, accountId, dialect.forShare)))
    if (Option.isNone(found) || !mayHave(found.value)) return Result.succeed(false)
    yield* changes(sql`DELETE FROM legacy_token WHERE tenant_id = ${tenantId} AND account_id = ${accountId}
      AND expires_at <= ${toUnixSeconds(token.issuedAt)}`)
    yield* changes(sql`INSERT INTO legacy_token ${sql.insert(Rows.legacyToken.row(token))}`)
    yield* records.audit(tenantId, [audit])
    return Result.succeed(true)
  }

  function* revokeLegacyToken(
    tenantId: string,
    id: string,
    at: Instant,
    audit: AuditEntry
  ): Script<Result.Result<boolean>> {
    return Result.succeed(yield* revoke("legacy_token", tenantId, id, at, audit))
  }

  return { change, insert, insertLegacyToken, revokeLegacyToken, setAbn }
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const reads = makeReads(sql)
  const { change, insert, insertLegacyToken, revokeLegacyToken, setAbn } = makeScripts(sql, reads)
  const page = yield* makeTimelinePage(userTable)
  const logins = makeLogins(sql)

  const read = <A>(
    statement: Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>,
    decode: (rows: ReadonlyArray<Row>) => A
  ) => Effect.orDie(Effect.map(statement, decode))
  const write = yield* makeAccessWrite

  return UserStore.of({
    organization: Effect.fn("UserStore.organization")((tenantId) =>
      read(reads.organization(tenantId), ([row]) => {
        if (row === undefined) throw new Error(`there is no tenant ${tenantId}`)
        return Rows.organization.of(row)
      })
    ),
    setAbn: Effect.fn("UserStore.setAbn")((tenantId, abn, audit) =>
      write(tenantId, () => setAbn(tenantId, abn, audit))
    ),
    insert: Effect.fn("UserStore.insert")((user, audit, judge) =>
      write(user.account.tenantId, () => insert(user, audit, judge))
    ),
    find: Effect.fn("UserStore.find")((tenantId, accountId) =>
      read(reads.user(tenantId, accountId, sql``), firstOf(Rows.userOf))
    ),
    findByInvite: Effect.fn("UserStore.findByInvite")((tenantId, tokenHash) =>
      read(reads.userByInvite(tenantId, tokenHash), firstOf(Rows.userOf))
    ),
    page: Effect.fn("UserStore.page")((tenantId, selection) => Effect.orDie(page(tenantId, selection))),
    findByEmail: Effect.fn("UserStore.findByEmail")((tenantId, email) =>
      read(reads.userByEmail(tenantId, email), firstOf(Rows.userOf))
    ),
    logins: Effect.fn("UserStore.logins")((tenantId, accountIds) => logins(tenantId, JSON.stringify(accountIds))),
    list: Effect.fn("UserStore.list")((tenantId, afterNumber, limit) =>
      read(reads.usersAfter(tenantId, afterNumber, limit), (found) => found.map(Rows.userOf))
    ),
    change: Effect.fn("UserStore.change")((tenantId, accountId, decide) =>
      write(tenantId, () => change(tenantId, accountId, decide))
    ),
    insertLegacyToken: Effect.fn("UserStore.insertLegacyToken")((token, audit, mayHave) =>
      atomically(() => insertLegacyToken(token, audit, mayHave))
    ),
    findLegacyToken: Effect.fn("UserStore.findLegacyToken")((tenantId, id) =>
      read(
        reads.token(tenantId, id),
        firstOf((row) => ({ token: Rows.legacyToken.of(row), user: Rows.userOf(row) }))
      )
    ),
    listLegacyTokens: Effect.fn("UserStore.listLegacyTokens")((tenantId, accountId, afterId, limit) =>
      read(reads.tokensAfter(tenantId, accountId, afterId, limit), (found) => found.map(Rows.legacyToken.of))
    ),
    revokeLegacyToken: Effect.fn("UserStore.revokeLegacyToken")((tenantId, id, at, audit) =>
      write(tenantId, () => revokeLegacyToken(tenantId, id, at, audit))
    )
  })
})

export const layer = Layer.effect(UserStore, make)
