import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { AccessStore } from "@wcs/domain/access/AccessStore"
import { Administration } from "@wcs/domain/access/Administration"
import { operator } from "@wcs/domain/access/Operator"
import type { Role } from "@wcs/domain/access/Privilege"
import { Credential, type CredentialFields } from "@wcs/domain/credential/Credential"
import { Applicant, type ApplicantFields } from "@wcs/domain/people/Applicant"
import { Worker, type WorkerFields } from "@wcs/domain/people/Worker"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"
import * as Serve from "@wcs/http-node/Serve"
import { tableOf } from "@wcs/store-sql/resource/ResourceTable"
import { Effect, Layer, Redacted, References } from "effect"
import { settingsOf } from "../Ours.ts"
import { databaseOf, nameDatabase } from "./DatabaseUrl.ts"
import { externalIdAt, idAt } from "./Ids.ts"
import { type FilledRow, type Filling, fillNewPostgres } from "./PostgresFill.ts"

/** How much a data set holds. Beside it there are always `applicants`, and 500 credentials of one worker. */
export interface Size {
  readonly workers: number
  /** The nth is held by the nth worker, all over again where there are fewer of those. */
  readonly credentials: number
}

/** A data directory with rows in it. */
export interface Dataset extends Size {
  readonly directory: string
  readonly tenantId: string
  /** Of a Super Admin. */
  readonly token: Token
  /** Of a user who may do nothing with credentials. */
  readonly powerless: Token
  /** Of another Super Admin; it expires after an hour. */
  readonly expiring: Token
}

/** A personal token. */
export interface Token {
  readonly id: string
  readonly secret: string
}

/** How many applicants there are to link to. */
export const applicants = 64

/** How many credentials a batch moves: as many as it may (§8). */
export const batchSize = 500

/** The workers between whom batches go to and fro: they hold nothing else. */
export const batchWorkers = ({ workers }: Size) => [idAt("worker", workers), idAt("worker", workers + 1)] as const

/** The credentials that batches move. */
export const batchCredentials = ({ credentials }: Size): ReadonlyArray<string> =>
  Array.from({ length: batchSize }, (_, n) => idAt("credential", credentials + n))

/** The store in a data directory. */
export const storeFile = (directory: string): string => join(directory, "wcs.sqlite")

/** When the nth thing of each kind was made. */
export const createdAtOf = (n: number): number => Date.UTC(2025, 0, 1) + n

const stored = <Fields extends JsonObject>(id: string, n: number, fields: Fields): Stored<Fields> => ({
  id,
  version: 1,
  createdAt: createdAtOf(n),
  updatedAt: createdAtOf(n),
  deletedAt: null,
  fields
})

const workerAt = (n: number) =>
  stored<WorkerFields>(idAt("worker", n), n, {
    identity: {
      displayName: `Person Number${n}`,
      firstName: "Person",
      lastName: `Number${n}`,
      birthDate: "1990-05-17"
    },
    contact: { workEmail: `person${n}@example.org`, mobileNumber: "+61 400 000 000" },
    employment: { jobTitle: "Nurse", workerType: "EMPLOYEE", status: "ACTIVE", startDate: "2024-02-01" },
    source: { externalId: externalIdAt(n), sourceSystem: "payroll" }
  })

const applicantAt = (n: number) =>
  stored<ApplicantFields>(idAt("applicant", n), n, {
    emailAddress: `applicant${n}@example.org`,
    firstName: "Applicant",
    lastName: `Number${n}`,
    status: "NEW"
  })

const credentialAt = (n: number, worker: string) =>
  stored<CredentialFields>(idAt("credential", n), n, {
    attributes: {
      credentialType: "WWCC_NSW",
      jurisdiction: "NSW",
      identifier: `WWC${String(n % 10_000_000).padStart(7, "0")}E`,
      holder: { firstName: "Person", lastName: `Number${n}`, birthDate: "1990-05-17" },
      issueDate: "2024-03-01",
      expiryDate: "2099-03-01",
      eligibility: "MAY_ENGAGE",
      statusDetail: "VALID",
      lastVerifiedAt: "2025-01-01T00:00:00.000Z",
      lastCorrelationId: "01JGFJJZ00AAAAAAAAAAAAAAAA",
      owners: { worker, applicant: null }
    }
  })

function* workersOf(size: Size) {
  for (let n = 0; n < size.workers + 2; n++) yield workerAt(n)
}

function* applicantsOf() {
  for (let n = 0; n < applicants; n++) yield applicantAt(n)
}

function* credentialsOf(size: Size) {
  for (let n = 0; n < size.credentials; n++) yield credentialAt(n, idAt("worker", n % size.workers))
  for (let n = 0; n < batchSize; n++) yield credentialAt(size.credentials + n, batchWorkers(size)[0])
}

const filling = <Fields extends JsonObject>(
  tenantId: string,
  resource: Resource<Fields>,
  all: Iterable<Stored<Fields>>
): Filling => {
  const { inserted, name } = tableOf(resource)
  function* rows(): Generator<FilledRow> {
    for (const one of all) yield inserted(tenantId, one)
  }
  return { table: name, rows: rows() }
}

const fillingsOf = (tenantId: string, size: Size): ReadonlyArray<Filling> => [
  filling(tenantId, Worker, workersOf(size)),
  filling(tenantId, Applicant, applicantsOf()),
  filling(tenantId, Credential, credentialsOf(size))
]

/** How many rows one transaction inserts. */
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

/** Fills tables of a store. Their indexes are made anew afterwards, which is quicker than to keep them all the while. */
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
  database.exec("PRAGMA journal_mode = WAL")
}

const fill = async (directory: string, tenantId: string, size: Size): Promise<void> => {
  const database = databaseOf(directory)
  const fillings = fillingsOf(tenantId, size)
  if (database !== null) return fillNewPostgres(database, fillings)
  const tables = fillings.map(({ table }) => table)
  whileUnindexed(directory, tables, (database) => {
    for (const filling of fillings) insertAll(database, filling)
  })
}

const settle = Effect.gen(function* () {
  const administration = yield* Administration
  const [tenant] = yield* AccessStore.use((store) => store.listTenants)
  if (tenant === undefined) return yield* Effect.die(new Error("the first run made no tenant"))
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
    expiring: yield* tokenOf("expiring", "Super Admin", 3600)
  }
})

/** Makes a data directory as a first run makes it, and tells of the tenant in it. */
export const makeEmpty = (directory: string) => {
  const first = Serve.layerAdministration.pipe(
    Layer.provide(settingsOf(directory)),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn"))
  )
  return Effect.runPromise(Effect.scoped(Effect.provide(settle, first)))
}

/** Makes a data directory and fills its store, which is in a database of Postgres where one is named. */
export const makeDataset = async (directory: string, size: Size, database: string | null = null): Promise<Dataset> => {
  mkdirSync(directory, { mode: 0o700 })
  if (database !== null) nameDatabase(directory, database)
  const settled = await makeEmpty(directory)
  await fill(directory, settled.tenantId, size)
  return { ...size, ...settled, directory }
}

/** The same data in a directory of its own, for one more that writes, and in a copy of its database if it has one. */
export const copyDataset = (dataset: Dataset, directory: string, database: string | null = null): Dataset => {
  mkdirSync(directory, { mode: 0o700 })
  cpSync(dataset.directory, directory, { recursive: true })
  if (database !== null) nameDatabase(directory, database)
  return { ...dataset, directory }
}
