import { Clock, Effect, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { initial } from "../migrations/0001_initial.ts"
import { rateLimit } from "../migrations/0002_rate_limit.ts"
import { rateWindow } from "../migrations/0016_rate_window.ts"
import { signingKeyUse } from "../migrations/access/0006_signing_key_use.ts"
import { accessPages } from "../migrations/access/0010_access_pages.ts"
import { users } from "../migrations/access/0011_users.ts"
import { legacyTokenExpiry } from "../migrations/access/0013_legacy_token_expiry.ts"
import { tenantKeys } from "../migrations/access/0014_tenant_keys.ts"
import { accessEpoch } from "../migrations/access/0015_access_epoch.ts"
import { createdByColumns } from "../migrations/access/0025_created_by.ts"
import { login } from "../migrations/access/0026_login.ts"
import { userInvite } from "../migrations/access/0027_user_invite.ts"
import { singleSignOn } from "../migrations/access/0028_single_sign_on.ts"
import { sessionProvider } from "../migrations/access/0031_session_provider.ts"
import { auditFilters } from "../migrations/audit/0008_audit_filters.ts"
import { auditTypes } from "../migrations/audit/0012_audit_types.ts"
import { ownershipChange } from "../migrations/audit/0029_ownership_change.ts"
import { auditSearch } from "../migrations/audit/0030_audit_search.ts"
import { webhook } from "../migrations/delivery/0007_webhook.ts"
import { delivery } from "../migrations/delivery/0018_delivery.ts"
import { eventAside } from "../migrations/delivery/0019_event_aside.ts"
import { webhookLiving } from "../migrations/delivery/0020_webhook_living.ts"
import { deliveryHold } from "../migrations/delivery/0022_delivery_hold.ts"
import { scanList } from "../migrations/legacy/0023_scan_list.ts"
import { exemption } from "../migrations/resource/0003_exemption.ts"
import { codes } from "../migrations/resource/0004_codes.ts"
import { ban } from "../migrations/resource/0005_ban.ts"
import { invitation } from "../migrations/resource/0009_invitation.ts"
import { openInvitation } from "../migrations/resource/0024_open_invitation.ts"
import { verification } from "../migrations/verification/0017_verification.ts"
import { verificationTurn } from "../migrations/verification/0021_verification_turn.ts"
import { detailOf, dialectOf } from "./Dialect.ts"
import type { Migration } from "./Migration.ts"
import { StoreError } from "./StoreError.ts"

/** All migrations, oldest first. */
export const migrations: ReadonlyArray<Migration> = [
  initial,
  rateLimit,
  exemption,
  codes,
  ban,
  signingKeyUse,
  webhook,
  auditFilters,
  invitation,
  accessPages,
  users,
  auditTypes,
  legacyTokenExpiry,
  tenantKeys,
  accessEpoch,
  rateWindow,
  verification,
  delivery,
  eventAside,
  webhookLiving,
  verificationTurn,
  deliveryHold,
  scanList,
  openInvitation,
  createdByColumns,
  login,
  userInvite,
  singleSignOn,
  ownershipChange,
  auditSearch,
  sessionProvider
]

interface Applied {
  readonly id: number
  readonly name: string
}

const unreadable = (error: SqlError.SqlError) =>
  new StoreError({ reason: { _tag: "Unreadable", detail: detailOf(error) } })

/** The reason why this program cannot use a store with these applied migrations, if any. */
const objection = (applied: ReadonlyArray<Applied>, known: ReadonlyArray<Migration>): StoreError | undefined => {
  const newest = Math.max(0, ...applied.map(({ id }) => id))
  if (newest > known.length) {
    return new StoreError({ reason: { _tag: "Newer", stored: newest, known: known.length } })
  }
  for (const { id, name } of applied) {
    const expected = known[id - 1]?.name ?? "unknown"
    if (name !== expected) {
      return new StoreError({ reason: { _tag: "Foreign", id, stored: name, known: expected } })
    }
  }
  return undefined
}

/** The most attempts for a migration whose table is locked: ten minutes, with five seconds and a pause each. */
const retriesMax = 100

/**
 * Applies all missing migrations. Each runs in one transaction together with its row in the table `migration`. A killed
 * start can simply be repeated, and concurrent starts apply each migration once.
 */
export const migrate = Effect.fn("Migrations.migrate")(function* (known: ReadonlyArray<Migration>) {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const { integer, tableEnd, text } = dialect.types

  const applied = Effect.gen(function* () {
    yield* dialect.lockMigrations
    yield* sql.unsafe(
      `CREATE TABLE IF NOT EXISTS migration (
        id ${integer} NOT NULL PRIMARY KEY, name ${text} NOT NULL, applied_at ${integer} NOT NULL
      )${tableEnd}`
    )
    const rows = yield* sql<Applied>`SELECT id, name FROM migration ORDER BY id`
    return rows.map(({ id, name }) => ({ id: Number(id), name }))
  }).pipe(Effect.mapError(unreadable))

  /** Whether another session has locked a table of the migration. */
  const isTaken = (error: StoreError | SqlError.SqlError): error is SqlError.SqlError =>
    dialect.writesTogether && error._tag === "SqlError" && error.reason._tag === "LockTimeoutError"

  const apply = ({ id, name, statements }: Migration) =>
    Effect.gen(function* () {
      yield* dialect.limitLockWaits
      for (const statement of statements(dialect.types)) yield* sql.unsafe(statement)
      yield* sql`INSERT INTO migration (id, name, applied_at) VALUES (${id}, ${name}, ${yield* Clock.currentTimeMillis})`
    }).pipe(
      Effect.mapError((error) =>
        isTaken(error)
          ? error
          : new StoreError({ reason: { _tag: "MigrationFailed", id, name, detail: detailOf(error) } })
      )
    )

  /** Applies the first missing migration and returns it. */
  const applyNext = Effect.gen(function* () {
    const present = yield* applied
    const refusal = objection(present, known)
    if (refusal !== undefined) return yield* refusal
    const next = known[present.length]
    if (next !== undefined) yield* apply(next)
    return next
  }).pipe(
    sql.withTransaction,
    Effect.retry({ while: isTaken, schedule: Schedule.spaced("1 second"), times: retriesMax }),
    Effect.catchTag("SqlError", (error) => Effect.fail(unreadable(error)))
  )

  for (let done = yield* applyNext; done !== undefined; done = yield* applyNext) {
    yield* Effect.logInfo(`Migration ${done.id} (${done.name}) was applied to the store`)
  }
})
