import { Clock, Effect, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { tenantPlaces } from "../cells/TenantPlaces.ts"
import { documents } from "../document/DocumentTables.ts"
import { erasures, retention } from "../migrations/Erasures.ts"
import { imports } from "../migrations/Imports.ts"
import { joinedUsers, linkedUsers, requiredFactors } from "../migrations/JoinedUsers.ts"
import {
  applicantTasks,
  failedChecks,
  keptCompliance,
  markedApplicants,
  markedWorkers,
  tasksByApplicant,
  workersByCompliance
} from "../migrations/KeptCompliance.ts"
import { merges, usersOfWorkers, workersByName } from "../migrations/Merges.ts"
import {
  applicantsByReach,
  indexesOfPersonalMessages,
  messagePriorities,
  messages,
  messagesByPriority,
  personalMessages,
  unreachablePeople,
  workersByReach
} from "../migrations/Messages.ts"
import {
  deadLetters,
  deliveriesByField,
  deliveryIndexes,
  deliverySubjects,
  failedDeliveries,
  noFailedDeliveries,
  observability,
  openDeliveries
} from "../migrations/Observability.ts"
import {
  auditedVersions,
  recordSeals,
  resourceVersions,
  sealsByPosition,
  versionsByTime
} from "../migrations/ResourceVersions.ts"
import { revokedTokens } from "../migrations/RevokedTokens.ts"
import { schedules } from "../migrations/Schedules.ts"
import { schema } from "../migrations/Schema.ts"
import { searchIndexes, searchTables } from "../migrations/SearchTables.ts"
import { answers, tasks } from "../migrations/Tasks.ts"
import { timeZones } from "../migrations/TimeZones.ts"
import { peopleByUnit, units } from "../migrations/Units.ts"
import { verificationSources } from "../migrations/VerificationSources.ts"
import { notices } from "../migrations/VerificationTables.ts"
import { warnings } from "../migrations/Warnings.ts"
import { notes } from "../note/NoteTables.ts"
import { isLost } from "./Atomic.ts"
import { detailOf, dialectOf } from "./Dialect.ts"
import type { Migration } from "./Migration.ts"
import { StoreError } from "./StoreError.ts"

/** All migrations, oldest first. */
export const migrations: ReadonlyArray<Migration> = [
  schema,
  observability,
  joinedUsers,
  searchTables,
  ...searchIndexes,
  revokedTokens,
  timeZones,
  notices,
  linkedUsers,
  warnings,
  verificationSources,
  erasures,
  resourceVersions,
  schedules,
  keptCompliance,
  workersByCompliance,
  markedWorkers,
  retention,
  imports,
  failedChecks,
  tasks,
  merges,
  workersByName,
  recordSeals,
  sealsByPosition,
  units,
  ...peopleByUnit,
  usersOfWorkers,
  deliverySubjects,
  deliveryIndexes,
  auditedVersions,
  requiredFactors,
  versionsByTime,
  messages,
  documents,
  personalMessages,
  indexesOfPersonalMessages,
  answers,
  notes,
  applicantTasks,
  tasksByApplicant,
  markedApplicants,
  deadLetters,
  failedDeliveries,
  tenantPlaces,
  messagePriorities,
  messagesByPriority,
  unreachablePeople,
  workersByReach,
  applicantsByReach,
  openDeliveries,
  noFailedDeliveries,
  ...deliveriesByField
]

/** A migration that a store has applied. */
export interface Applied {
  readonly id: number
  readonly name: string
}

const unreadable = (error: SqlError.SqlError) =>
  new StoreError({ reason: { _tag: "Unreadable", detail: detailOf(error) } })

/** The reason why this program cannot use a store with these applied migrations, if any. */
export const objection = (applied: ReadonlyArray<Applied>, known: ReadonlyArray<Migration>): StoreError | undefined => {
  for (const { id, name } of applied) {
    const expected = known[id - 1]?.name
    if (expected !== undefined && name !== expected) {
      return new StoreError({ reason: { _tag: "Foreign", id, stored: name, known: expected } })
    }
  }
  const newest = Math.max(0, ...applied.map(({ id }) => id))
  if (newest > known.length) {
    return new StoreError({ reason: { _tag: "Newer", stored: newest, known: known.length } })
  }
  return undefined
}

/** The migrations that a store has applied, oldest first. */
export const applied: Effect.Effect<ReadonlyArray<Applied>, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(
  function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<Applied>`SELECT id, name FROM migration ORDER BY id`
    return rows.map(({ id, name }) => ({ id: Number(id), name }))
  }
)

/** The maximum number of attempts of a migration whose table is locked. They take ten minutes, pauses included. */
const retriesMax = 100

/**
 * Applies all missing migrations. Each runs in one transaction together with its row in the table `migration`. A killed
 * start can simply be repeated, and concurrent starts apply each migration once.
 */
export const migrate = Effect.fn("Migrations.migrate")(function* (known: ReadonlyArray<Migration>) {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const { integer, tableEnd, text } = dialect.types

  const present = Effect.gen(function* () {
    yield* dialect.lockMigrations
    yield* sql.unsafe(
      `CREATE TABLE IF NOT EXISTS migration (
        id ${integer} NOT NULL PRIMARY KEY, name ${text} NOT NULL, applied_at ${integer} NOT NULL
      )${tableEnd}`
    )
    return yield* applied
  }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.mapError(unreadable))

  /** Whether another session has locked a table of the migration, or came first. */
  const isTaken = (error: StoreError | SqlError.SqlError): error is SqlError.SqlError =>
    dialect.writesTogether && error._tag === "SqlError" && (error.reason._tag === "LockTimeoutError" || isLost(error))

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
    const stored = yield* present
    const refusal = objection(stored, known)
    if (refusal !== undefined) return yield* refusal
    const next = known[stored.length]
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
