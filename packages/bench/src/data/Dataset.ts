import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { adapters } from "@wcs/deployment/Adapters"
import * as Deployment from "@wcs/deployment/Deployment"
import type { Role } from "@wcs/domain/access/Privilege"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import { Applicant, type ApplicantFields } from "@wcs/domain/people/Applicant"
import { Unit, type UnitFields } from "@wcs/domain/people/Unit"
import { Worker, type WorkerFields } from "@wcs/domain/people/Worker"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import { ComplianceCheck } from "@wcs/domain/screening/ComplianceCheck"
import { Task, type TaskFields, taskIdOf } from "@wcs/domain/screening/Task"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import { operator } from "@wcs/domain/token/Operator"
import { tableOf } from "@wcs/store-sql/resource/ResourceTable"
import { Effect, Layer, Redacted, References } from "effect"
import { settingsOf } from "../Ours.ts"
import { connected } from "../Postgres.ts"
import { databaseOf, nameDatabase } from "./DatabaseUrl.ts"
import { createdAtOf, externalIdAt, idAt } from "./Ids.ts"
import { judgedRows } from "./JudgedData.ts"
import { type FilledRow, type Filling, fillNewPostgres } from "./PostgresFill.ts"

/**
 * The size of a data set. Every data set also has 64 applicants (`applicants`), two workers for batches, and 500
 * credentials of the first of them.
 */
export interface Size {
  readonly workers: number
  /** The nth belongs to the nth worker, starting over if there are fewer workers. */
  readonly credentials: number
  /** Whether there are compliance checks, and the result of each worker is kept. */
  readonly isJudged?: boolean
  /** Whether each card leaves a question to a person, with its task. */
  readonly isOpen?: boolean
  /** Whether each worker is in one of the three units: 20 in the small one, and half of the others in the large one. */
  readonly isInUnits?: boolean
}

/** A filled data directory. */
export interface Dataset extends Size {
  readonly directory: string
  readonly tenantId: string
  /** A Super Admin's token. */
  readonly token: Token
  /** The token of a user without privileges on credentials. */
  readonly powerless: Token
  /** Another Super Admin's token. It expires after an hour. */
  readonly expiring: Token
  /** The tokens of an Admin who is limited to the small unit, and of one who is limited to the large unit. */
  readonly ofSmallUnit: Token
  readonly ofLargeUnit: Token
}

/** A personal token. */
export interface Token {
  readonly id: string
  readonly secret: string
}

/** The number of applicants to link to. */
export const applicants = 64

/** The number of credentials of a batch: the limit of §8. */
export const batchSize = 500

/** The two workers that batches move credentials between. They hold nothing else. */
export const batchWorkers = ({ workers }: Size) => [idAt("worker", workers), idAt("worker", workers + 1)] as const

/** The credentials that batches move. */
export const batchCredentials = ({ credentials }: Size): ReadonlyArray<string> =>
  Array.from({ length: batchSize }, (_, n) => idAt("credential", credentials + n))

/** The store in a data directory. */
export const storeFile = (directory: string): string => join(directory, "wcs.sqlite")

const stored = <Fields extends JsonObject>(id: string, n: number, fields: Fields): Stored<Fields> => ({
  id,
  version: 1,
  createdAt: createdAtOf(n),
  updatedAt: createdAtOf(n),
  deletedAt: null,
  fields
})

const [smallUnit, largeUnit, otherUnit] = [idAt("unit", 0), idAt("unit", 1), idAt("unit", 2)]

/** The number of workers of the small unit. */
const fewWorkers = 20

const unitAt = (n: number, { workers }: Size) => {
  if (n % (workers / fewWorkers) === 0) return smallUnit
  return n % 2 === 0 ? largeUnit : otherUnit
}

const units = [smallUnit, largeUnit, otherUnit].map((id, n) => stored<UnitFields>(id, n, { name: `Unit ${n}` }))

const workerAt = (n: number, size: Size) =>
  stored<WorkerFields>(idAt("worker", n), n, {
    identity: {
      displayName: `Person Number${n}`,
      firstName: "Person",
      lastName: `Number${n}`,
      birthDate: "1990-05-17"
    },
    contact: { workEmail: `person${n}@example.org`, mobileNumber: "+61 400 000 000" },
    employment: { jobTitle: "Nurse", workerType: "EMPLOYEE", status: "ACTIVE", startDate: "2024-02-01" },
    source: { externalId: externalIdAt(n), sourceSystem: "payroll" },
    ...(size.isInUnits === true ? { unit: { id: unitAt(n, size) } } : {})
  })

const applicantAt = (n: number) =>
  stored<ApplicantFields>(idAt("applicant", n), n, {
    emailAddress: `applicant${n}@example.org`,
    firstName: "Applicant",
    lastName: `Number${n}`,
    status: "NEW"
  })

const credentialAt = (n: number, worker: string, isOpen = false) =>
  stored<CredentialFields>(idAt("credential", n), n, {
    attributes: {
      credentialType: "WWCC_NSW",
      jurisdiction: "NSW",
      identifier: `WWC${String(n % 10_000_000).padStart(7, "0")}E`,
      holder: { firstName: "Person", lastName: `Number${n}`, birthDate: "1990-05-17" },
      issueDate: "2024-03-01",
      expiryDate: "2099-03-01",
      eligibility: isOpen ? "REVIEW_REQUIRED" : "MAY_ENGAGE",
      statusDetail: isOpen ? "CONDITIONAL" : "VALID",
      lastVerifiedAt: "2025-01-01T00:00:00.000Z",
      lastCorrelationId: "01JGFJJZ00AAAAAAAAAAAAAAAA",
      owners: { worker, applicant: null }
    }
  })

function* workersOf(size: Size) {
  for (let n = 0; n < size.workers + 2; n++) yield workerAt(n, size)
}

function* applicantsOf() {
  for (let n = 0; n < applicants; n++) yield applicantAt(n)
}

function* credentialsOf(size: Size) {
  for (let n = 0; n < size.credentials; n++) yield credentialAt(n, idAt("worker", n % size.workers), size.isOpen)
  for (let n = 0; n < batchSize; n++) yield credentialAt(size.credentials + n, batchWorkers(size)[0])
}

function* tasksOf(size: Size) {
  for (let n = 0; n < size.credentials; n++) {
    const credential = { id: idAt("credential", n), credentialType: "WWCC_NSW" } as const
    const worker = { id: idAt("worker", n % size.workers) }
    const fields = { reason: "CONDITIONAL", credential, worker, assignee: { id: null } } as const
    yield stored<TaskFields>(taskIdOf(credential.id), n, fields)
  }
}

/** `more` returns further columns of a row. */
const filling = <Fields extends JsonObject>(
  tenantId: string,
  resource: Resource<Fields>,
  all: Iterable<Stored<Fields>>,
  more: (one: Stored<Fields>) => FilledRow = () => ({})
): Filling => {
  const { inserted, name } = tableOf(resource)
  function* rows(): Generator<FilledRow> {
    for (const one of all) yield { ...inserted(tenantId, one), ...more(one) }
  }
  return { table: name, rows: rows() }
}

const fillingsOf = (tenantId: string, size: Size): ReadonlyArray<Filling> => {
  const judged = size.isJudged ? judgedRows(tenantId, size) : undefined
  return [
    filling(tenantId, Worker, workersOf(size), judged?.ofWorker),
    filling(tenantId, Applicant, applicantsOf()),
    filling(tenantId, Credential, credentialsOf(size)),
    ...(size.isInUnits === true ? [filling(tenantId, Unit, units)] : []),
    ...(size.isOpen === true ? [filling(tenantId, Task, tasksOf(size))] : []),
    ...(judged === undefined
      ? []
      : [
          filling(tenantId, ComplianceCheck, judged.checks),
          { table: "compliance", rows: judged.statuses() },
          { table: "compliance_failure", rows: judged.failures() }
        ])
  ]
}

/** Rows per transaction. */
const rowsPerTransaction = 100_000

const insertAll = (database: DatabaseSync, { rows, table }: Filling): void => {
  let insert: ReturnType<DatabaseSync["prepare"]> | undefined
  let inserted = 0
  for (const columns of rows) {
    insert ??= database.prepare(
      `INSERT INTO ${table} (${Object.keys(columns).join(", ")})
       VALUES (${Object.keys(columns)
         .map(() => "?")
         .join(", ")})`
    )
    if (inserted % rowsPerTransaction === 0) database.exec(inserted === 0 ? "BEGIN" : "COMMIT; BEGIN")
    insert.run(...Object.values<SQLInputValue>(columns))
    inserted++
  }
  if (inserted > 0) database.exec("COMMIT")
}

/** Fills tables of a store without indexes, and creates these afterwards, which is faster. */
export const whileUnindexed = (
  directory: string,
  tables: ReadonlyArray<string>,
  fill: (database: DatabaseSync) => void
): void => {
  using database = new DatabaseSync(storeFile(directory))
  database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000")
  const indexes = database
    .prepare("SELECT name, sql, tbl_name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    .all()
    .filter((index) => tables.includes(String(index["tbl_name"])))
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`)
  fill(database)
  for (const { sql } of indexes) database.exec(String(sql))
  database.exec("DELETE FROM compliance_mark") // else the worker evaluates all workers during the measurements
  database.exec("PRAGMA journal_mode = WAL")
}

const fill = async (directory: string, tenantId: string, size: Size): Promise<void> => {
  const database = databaseOf(directory)
  const fillings = fillingsOf(tenantId, size)
  if (database !== null) {
    await fillNewPostgres(database, fillings)
    return connected(database, async (client) => void (await client.query("TRUNCATE compliance_mark")))
  }
  const tables = fillings.map(({ table }) => table)
  whileUnindexed(directory, tables, (database) => {
    for (const filling of fillings) insertAll(database, filling)
  })
}

const settle = Effect.gen(function* () {
  const administration = yield* Administration
  const [tenant] = yield* AccessStore.use((store) => store.listTenants)
  if (tenant === undefined) return yield* Effect.die(new Error("the first run created no tenant"))
  const actor = yield* operator
  const tokenOf = Effect.fnUntraced(function* (name: string, role: Role, lifetimeSeconds: number | null) {
    const email = `${name}@example.org`
    yield* administration.createUser(tenant.id, email, role, actor)
    const { secret, token } = yield* administration.createToken(tenant.id, email, name, lifetimeSeconds, actor)
    return { id: token.id, secret: Redacted.value(secret) } satisfies Token
  })
  return {
    tenantId: tenant.id,
    token: yield* tokenOf("super", "Super Admin", null),
    powerless: yield* tokenOf("powerless", ["ban:READ"], null),
    expiring: yield* tokenOf("expiring", "Super Admin", 3600),
    ofSmallUnit: yield* tokenOf("small", { role: "Admin", units: [smallUnit] }, null),
    ofLargeUnit: yield* tokenOf("large", { role: "Admin", units: [largeUnit] }, null)
  }
})

/** Initializes a data directory by a first run, and returns its tenant. */
export const makeEmpty = (directory: string) => {
  const first = Deployment.administration(adapters).pipe(
    Layer.provide(settingsOf(directory)),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn"))
  )
  return Effect.runPromise(Effect.scoped(Effect.provide(settle, first)))
}

/** Creates a data directory and fills its store, in a Postgres database if one is given. */
export const makeDataset = async (directory: string, size: Size, database: string | null = null): Promise<Dataset> => {
  mkdirSync(directory, { mode: 0o700 })
  if (database !== null) nameDatabase(directory, database)
  const settled = await makeEmpty(directory)
  await fill(directory, settled.tenantId, size)
  return { ...size, ...settled, directory }
}

/**
 * Copies a data directory, so that each side that writes has its own. `database` is the URL of a copy of the Postgres
 * database. The caller makes that copy, and the new directory refers to it.
 */
export const copyDataset = (dataset: Dataset, directory: string, database: string | null = null): Dataset => {
  mkdirSync(directory, { mode: 0o700 })
  cpSync(dataset.directory, directory, { recursive: true })
  if (database !== null) nameDatabase(directory, database)
  return { ...dataset, directory }
}
