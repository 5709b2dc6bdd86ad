import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { databaseWith, pooled, roleWith } from "@wcs/store-suite/postgres/FreshDatabase"
import { startPair } from "@wcs/store-suite/postgres/Pair"
import { Effect, Redacted, type Scope } from "effect"
import { connection } from "./faults/Connection.ts"
import { raisedLimits } from "./faults/Scene.ts"
import { prepare } from "./faults/Stored.ts"
import { inProcess } from "./InProcess.ts"
import { onDatabase, until } from "./Machines.ts"
import { type Environment, serving, temporaryDirectory } from "./Process.ts"

// Databases as others set them up. Each one works, or a start and `wcs doctor` refuse it and say what to do.

type Url = Redacted.Redacted
type SetUp = Effect.Effect<Url, never, Scope.Scope>

type SessionSettings = Readonly<Record<string, string>>

const withSettings = (settings: SessionSettings): SetUp => databaseWith("", settings)

const pair = Effect.acquireRelease(
  Effect.promise(() => startPair()),
  ({ stop }) => Effect.promise(() => stop())
)

/** An ICU collation, another time zone, other formats, short time limits and a schema of its own. */
const unusual: SessionSettings = {
  timezone: "'Pacific/Auckland'",
  datestyle: "'SQL, DMY'",
  intervalstyle: "'sql_standard'",
  bytea_output: "'escape'",
  lock_timeout: "1",
  idle_session_timeout: "2000",
  statement_timeout: "2000",
  search_path: "wcs, public"
}
const icu = "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'"

/** As a managed service gives it: the owner of the database is no superuser, and acts as another role. */
const managed: SetUp = Effect.gen(function* () {
  const owner = yield* roleWith("")
  const role = yield* roleWith(`IN ROLE ${owner.name}`, {
    ...unusual,
    role: owner.name,
    search_path: "public",
    client_encoding: "'LATIN1'",
    client_min_messages: "debug1",
    lc_messages: "'C'",
    extra_float_digits: "-15",
    row_security: "off",
    plan_cache_mode: "force_generic_plan"
  })
  return role.as(yield* databaseWith(`OWNER ${owner.name}`))
})

/** Since Postgres 15, only the owner of a database can create tables in `public`. */
const stranger = Effect.gen(function* () {
  const role = yield* roleWith("")
  const url = yield* databaseWith("")
  yield* onDatabase(url, `REVOKE CREATE ON SCHEMA public FROM PUBLIC`)
  return { role, url }
})

/** A user without rights on the tables of a store that another one has made. */
const anotherOwner: SetUp = Effect.gen(function* () {
  const { role, url } = yield* stranger
  yield* onDatabase(url, `GRANT CREATE ON SCHEMA public TO ${role.name}`, "CREATE TABLE tenant_host (host TEXT)")
  yield* onDatabase(url, `GRANT SELECT ON tenant_host TO ${role.name}`)
  return role.as(url)
})

/** Stands in for an engine that only resembles Postgres, by its answer to `version()`. */
const resembling: SetUp = Effect.tap(withSettings({ search_path: "public, pg_catalog" }), (url) =>
  onDatabase(
    url,
    "CREATE FUNCTION public.version() RETURNS TEXT LANGUAGE sql AS $$ SELECT 'CockroachDB CCL v26.3.0' $$"
  )
)

const working: Readonly<Record<string, SetUp>> = {
  "serializable isolation": withSettings({ default_transaction_isolation: "'serializable'" }),
  "repeatable read isolation, and everything else unlike our own databases": Effect.tap(
    databaseWith(icu, { ...unusual, default_transaction_isolation: "'repeatable read'" }),
    (url) => onDatabase(url, "CREATE SCHEMA wcs")
  ),
  "a role of a managed service, with defaults of its own": managed,
  "a pooler in session mode": Effect.flatMap(databaseWith(""), (url) => pooled(url, "session"))
}

const environmentOf = Effect.fnUntraced(function* (url: Url) {
  const data = join(yield* temporaryDirectory, "data")
  return { WCS_DATA: data, DATABASE_URL: Redacted.value(url), ...raisedLimits } satisfies Environment
})

/** The failed checks of `wcs doctor`, without those about the engine of the tests. */
const doctored = Effect.fnUntraced(function* (environment: Environment) {
  const { stdout } = yield* inProcess(["doctor", "--json"], { ...environment, WCS_PORT: "0", WCS_ADMIN_PORT: "0" })
  const findings: ReadonlyArray<{ readonly result: string; readonly message: string }> = JSON.parse(stdout).findings
  const failed = findings.filter(({ message, result }) => result === "failed" && !message.startsWith("fsync"))
  return failed.map(({ message }) => message)
})

/** Names in the order of the list. ICU would put '_z' first. Some letters are in no single-byte encoding. */
const names = ["-z", "1z", "_z", "a b", "ab", "Māori", "Ωmega"]

interface Shown {
  readonly id: string
  readonly identity: { readonly displayName: string }
  readonly attributes: { readonly eligibility: string }
}

/** Creates, verifies, moves and lists on a server. Returns the failures, and the names in the order of the list. */
const used = Effect.fnUntraced(function* (environment: Environment) {
  const token = yield* Effect.orDie(prepare(environment))
  const server = yield* serving(environment)
  const send = yield* connection(server, token, 16)
  const failures: Array<string> = []
  const call = <Data = Shown>(method: string, path: string, body?: unknown) =>
    Effect.map(
      Effect.promise(() => send(method, path, body)),
      (answer) => {
        if (answer === undefined || answer.status >= 400) failures.push(`${method} ${path}: ${answer?.status}`)
        return answer?.body as { readonly data: Data; readonly meta: { readonly nextCursor: string | null } }
      }
    )
  const together = { concurrency: "unbounded" } as const
  const workers = yield* Effect.forEach(
    names.toReversed(),
    (displayName) => call("POST", "/workers", { identity: { displayName } }),
    together
  )
  const [from, to] = workers.map(({ data: { id } }) => ({ type: "worker", id }))
  const credentials = yield* Effect.forEach(
    Array.from({ length: 16 }, (_, number) => `WWC1${100_000 + number}E`),
    (identifier) => {
      const holder = { lastName: "Example", birthDate: "1990-04-01" }
      const attributes = { credentialType: "WWCC_NSW", identifier, holder, owners: { worker: from?.id } }
      return call("POST", "/credentials", { attributes })
    },
    together
  )
  const credentialIds = credentials.map(({ data: { id } }) => id)
  yield* Effect.forEach(
    credentialIds,
    (id) =>
      Effect.all(
        [
          call("POST", `/credentials/${id}/verify`, { forceRefresh: true }),
          call("POST", `/credentials/transfer`, { from, to, credentialIds })
        ],
        together
      ),
    together
  )
  // the worker stores the verdicts
  yield* until(call<ReadonlyArray<Shown>>("GET", "/credentials?pageSize=100"), ({ data }) =>
    data.every(({ attributes }) => attributes.eligibility !== "IN_PROGRESS")
  )
  const listed: Array<string> = []
  for (let cursor: string | null = ""; cursor !== null; ) {
    const more: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
    const { data, meta } = yield* call<ReadonlyArray<Shown>>("GET", `/workers?sort=displayName&pageSize=3${more}`)
    listed.push(...data.map(({ identity }) => identity.displayName))
    cursor = meta.nextCursor
  }
  server.signal("SIGTERM")
  yield* server.ended
  return { failures, listed }
})

describe("a database that works", () => {
  for (const [name, setUp] of Object.entries(working)) {
    it.live(`has ${name}`, () =>
      Effect.gen(function* () {
        const environment = yield* environmentOf(yield* setUp)
        const { code, stderr } = yield* inProcess(["migrate"], environment)
        assert.strictEqual(code, 0, stderr)
        const { failures, listed } = yield* used(environment)
        assert.deepStrictEqual(failures, [])
        assert.deepStrictEqual(listed, names)
        assert.deepStrictEqual(yield* doctored(environment), [])
      })
    )
  }
})

const refused: Readonly<Record<string, readonly [setUp: SetUp, sentence: RegExp]>> = {
  "the encoding SQL_ASCII": [
    databaseWith("TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'"),
    /^The database wcs_test_\w+ on \S+ has the encoding SQL_ASCII, .*: create another one by CREATE DATABASE/
  ],
  "the encoding LATIN1": [
    databaseWith("TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'"),
    /^The database wcs_test_\w+ on \S+ has the encoding LATIN1, .*: create another one by CREATE DATABASE/
  ],
  "transactions that only read": [
    withSettings({ default_transaction_read_only: "on" }),
    /^The database wcs_test_\w+ on \S+ is read-only: set default_transaction_read_only to off/
  ],
  "a primary elsewhere": [
    Effect.map(pair, ({ standbyUrl }) => Redacted.make(standbyUrl)),
    /^The database postgres on \S+ is a read-only standby: let DATABASE_URL lead to the primary/
  ],
  "no schema in the search path": [
    withSettings({ search_path: "nowhere" }),
    /^The search_path of the database wcs_test_\w+ on \S+ names no schema that exists: create the schema/
  ],
  "a store in a schema that is not the first": [
    Effect.tap(withSettings({ search_path: "wcs, public" }), (url) =>
      onDatabase(url, "CREATE TABLE public.tenant_host (host TEXT)", "CREATE SCHEMA wcs")
    ),
    /^The store of the database wcs_test_\w+ on \S+ is in the schema public, but search_path begins with wcs: put/
  ],
  "a role that cannot create tables": [
    Effect.map(stranger, ({ role, url }) => role.as(url)),
    /^The role wcs_test_\w+ cannot create tables in the database wcs_test_\w+ on \S+: run GRANT CREATE ON SCHEMA public/
  ],
  "tables of another owner": [
    anotherOwner,
    /^The role wcs_test_\w+ cannot read and write the store of the database wcs_test_\w+ on \S+: connect as the owner/
  ],
  "triggers that do not run": [
    withSettings({ session_replication_role: "replica" }),
    /^Triggers do not run in the database wcs_test_\w+ on \S+: set session_replication_role to origin/
  ],
  "too few connections for the role": [
    Effect.gen(function* () {
      const role = yield* roleWith("CONNECTION LIMIT 3")
      return role.as(yield* databaseWith(`OWNER ${role.name}`))
    }),
    /^DATABASE_URL must name a usable Postgres database, but wcs_test_\w+ on \S+ failed: too many connections for role .*: raise/
  ],
  "an engine that only resembles Postgres": [
    resembling,
    /^DATABASE_URL must lead to a Postgres, but wcs_test_\w+ on \S+ is CockroachDB, which lacks parts of it: use/
  ],
  "a pooler in transaction mode": [
    Effect.flatMap(databaseWith(""), (url) => pooled(url, "transaction")),
    /^DATABASE_URL must lead to a server or to a pooler in session mode, but \S+ on \S+ is a pooler .*: set its pool_mode/
  ]
}

describe("a database that is refused", () => {
  for (const [name, [setUp, sentence]] of Object.entries(refused)) {
    it.live(`has ${name}; nothing is created`, () =>
      Effect.gen(function* () {
        const url = yield* setUp
        const environment = yield* environmentOf(url)
        const { code, stderr } = yield* inProcess(["migrate"], environment)
        assert.strictEqual(code, 2, stderr)
        assert.match(stderr.replace(/^wcs: /, ""), sentence)
        const failed = yield* doctored(environment)
        assert.isTrue(
          failed.some((message) => sentence.test(message)),
          failed.join("\n")
        )
        const [tables] = yield* onDatabase(url, "SELECT to_regclass('migration') AS migration")
        assert.deepStrictEqual(tables, [{ migration: null }])
      })
    )
  }
})
