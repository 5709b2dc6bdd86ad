import { assert, layer } from "@effect/vitest"
import { AccountNames } from "@wcs/domain/audit/AccountNames"
import { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { LeaseStore } from "@wcs/domain/lease/LeaseStore"
import { ScanStore } from "@wcs/domain/legacy/ScanStore"
import { ProofStore } from "@wcs/domain/proof/ProofStore"
import { KeptComplianceStore } from "@wcs/domain/screening/KeptComplianceStore"
import { SecondFactorStore } from "@wcs/domain/second-factor/SecondFactorStore"
import { SessionStore } from "@wcs/domain/session/SessionStore"
import { SingleSignOnStore } from "@wcs/domain/single-sign-on/SingleSignOnStore"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { UserStore } from "@wcs/domain/user/UserStore"
import { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { putTenant } from "@wcs/store-suite/access/AccessFixtures"
import { idTails } from "@wcs/store-suite/resource/RandomFields"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { postgresStore } from "../engines.ts"
import { type Ran, recording } from "../recording.ts"
import { methodOf, newTenant, sharedWrites, tenantWrites } from "../tenantWrites.ts"
import { planOf, type Step, shown } from "./postgresPlans.ts"

/** The methods of the ports that write nothing. */
const reads = [
  ...["ResourceStore.find", "ResourceStore.findText", "ResourceStore.findAll", "ResourceStore.heldByEach"],
  ...["ResourceStore.versions", "ResourceStore.list"],
  ...["AccessStore.epoch", "AccessStore.findTenantByHost", "AccessStore.listTenants", "AccessStore.findAccount"],
  ...["AccessStore.findAccountByEmail", "AccessStore.serviceAccount", "AccessStore.findClient", "AccessStore.clients"],
  ...["AccessStore.listClients", "AccessStore.findPersonalToken", "AccessStore.findPersonalTokenById"],
  ...["AccessStore.personalTokens", "AccessStore.listPersonalTokens", "AccessStore.listSigningKeys"],
  ...["EventStore.events", "EventStore.audit", "EventStore.ownership"],
  ...["AuditSealStore.mark", "AuditSealStore.tenants", "AuditSealStore.entries", "AuditSealStore.newestSeal"],
  ...["AuditSealStore.seals", "AuditSealStore.unsealedVersions"],
  ...[
    "ProofStore.versions",
    "ProofStore.entries",
    "ProofStore.newestEntries",
    "ProofStore.seals",
    "ProofStore.sealsAt",
    "AccountNames.find"
  ],
  ...["UserStore.organization", "UserStore.find", "UserStore.findByInvite", "UserStore.page", "UserStore.findByEmail"],
  ...["UserStore.list", "UserStore.logins", "UserStore.findLegacyToken", "UserStore.listLegacyTokens"],
  "ScanStore.list",
  ...["VerificationStore.readDue", "VerificationStore.find", "VerificationStore.list"],
  ...["DeliveryStore.listDeadLetters", "DeliveryStore.readDue", "DeliveryStore.webhooks", "DeliveryStore.find"],
  ...["DeliveryStore.list", "DeliveryStore.countRedrive", "DeliveryStore.health", "DeliveryStore.backlog"],
  ...["DeliveryStore.failing", "DeliveryStore.exchanges"],
  ...["SessionStore.find", "SessionStore.findById", "SessionStore.page"],
  ...["SecondFactorStore.find", "SecondFactorStore.page"],
  "SingleSignOnStore.accountOf",
  ...["KeptComplianceStore.definitions", "KeptComplianceStore.read", "KeptComplianceStore.uncertain"],
  "KeptComplianceStore.tenants"
]

const ports = [
  ...[ResourceStore, OwnershipStore, AccessStore, EventStore, AuditSealStore, UserStore, ScanStore],
  ...[VerificationStore, DeliveryStore, LeaseStore, SessionStore, SecondFactorStore, SingleSignOnStore],
  ...[KeptComplianceStore, ProofStore, AccountNames]
]

/** Tables without a tenant, and why a request need not write them with the rows of its tenant. */
const globalTables = {
  tenant: "the tenants themselves; `id` is the tenant",
  signing_key: "keys of the deployment",
  rate_window: "counts of callers, each in a statement of its own; unlogged",
  lease: "partitions of background work",
  lease_holder: "workers of the deployment",
  migration: "the schema's version"
}

/** Unique keys and indexes without a leading tenant. */
const withoutTenant = {
  tenant_host_pkey: "finds the tenant of a request; a host has one tenant",
  event_unsent: "a worker's fan-out reads the waiting events of all tenants",
  event_sent: "a worker deletes old events of all tenants",
  delivery_by_created_at: "a worker deletes old deliveries of all tenants",
  receiver_due: "a worker reads the due webhooks of all tenants",
  receiver_failing: "metrics list the failing webhooks of all tenants",
  verification_run_waiting: "a worker reads the due runs of all tenants",
  erasure_open: "a worker reads the open erasures of all tenants",
  message_queue_by_due_at: "a worker reads the due messages of all tenants",
  document_ending: "a worker removes the content of deleted documents of all tenants",
  import_working: "a worker reads the imports of all tenants with work to do",
  import_by_updated_at: "a worker deletes old imports of all tenants",
  import_uploading: "a worker deletes lost uploads of all tenants"
}

interface Index {
  readonly name: string
  readonly table: string
  readonly is_unique: boolean
  readonly first: string | null
}

const indexes = SqlClient.SqlClient.use(
  (sql) => sql<Index>`SELECT i.relname AS name, t.relname AS table, x.indisunique AS is_unique, a.attname AS first
    FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid JOIN pg_class AS t ON t.oid = x.indrelid
    LEFT JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attnum = x.indkey[0]
    WHERE t.relnamespace = 'public'::regnamespace ORDER BY 1`
)

const tables = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql<{ readonly name: string }>`SELECT relname AS name FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1`,
    (rows) => rows.map(({ name }) => name)
  )
)

/** The first columns of indexes of tenants' tables that are not the tenant. */
const astray = Effect.map(indexes, (all) =>
  all.filter(({ first, table }) => first !== "tenant_id" && !Object.hasOwn(globalTables, table)).map(({ name }) => name)
)

layer(postgresStore, { excludeTestServices: true })("the schema of a tenant on Postgres", (it) => {
  it.effect("every table has a tenant, which each row gives, or is listed as one without", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owned = yield* sql<{ readonly name: string }>`SELECT table_name AS name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name = 'tenant_id' AND is_nullable = 'NO' AND column_default IS NULL
        AND is_identity = 'NO' AND is_generated = 'NEVER' AND data_type = 'text' AND collation_name = 'C'`
      assert.sameMembers([...(yield* tables)], [...owned.map(({ name }) => name), ...Object.keys(globalTables)])
    })
  )

  it.effect("every unique key and index begins with the tenant, or is listed as one that does not", () =>
    Effect.gen(function* () {
      assert.sameMembers([...(yield* astray)], Object.keys(withoutTenant))
      const unique = (yield* indexes).filter(({ is_unique, name }) => is_unique && Object.hasOwn(withoutTenant, name))
      assert.deepStrictEqual(
        unique.map(({ name }) => name),
        ["tenant_host_pkey"]
      )
    })
  )

  // `DistributedStore.test.ts` judges the statements of triggers.
  it.effect("no foreign key, rule or function connects rows of tenants", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const keys = yield* sql<{
        readonly key: string
      }>`SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) AS key
        FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`
      assert.deepStrictEqual(
        keys.map(({ key }) => key),
        ["tenant_host FOREIGN KEY (tenant_id) REFERENCES tenant(id)"]
      )
      const others = yield* sql`SELECT rulename AS name FROM pg_rules WHERE schemaname = 'public'
        UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
          AND oid NOT IN (SELECT tgfoid FROM pg_trigger)
        UNION ALL SELECT conname FROM pg_constraint WHERE contype = 'x' AND connamespace = 'public'::regnamespace`
      assert.deepStrictEqual(others, [])
    })
  )

  it.effect(
    "every sequence numbers the rows of one table, after the tenant in its key, and nothing else uses one",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const sequences = yield* sql<{ readonly name: string; readonly table: string; readonly column: string }>`
        SELECT s.relname AS name, d.refobjid::regclass::text AS table, a.attname AS column FROM pg_class AS s
        LEFT JOIN pg_depend AS d ON d.classid = 'pg_class'::regclass AND d.objid = s.oid AND d.deptype = 'i'
        LEFT JOIN pg_attribute AS a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
        WHERE s.relkind = 'S' AND s.relnamespace = 'public'::regnamespace`
        for (const { column, name, table } of sequences) assert.strictEqual(name, `${table}_${column}_seq`)
        const numbered = sequences.filter(({ table }) => !Object.hasOwn(globalTables, table))
        assert.sameMembers(
          numbered.map(({ column, table }) => `${table} ${column}`),
          [
            "account",
            "audit_event",
            "compliance_mark",
            "delivery",
            "document",
            "erasure",
            "event",
            "import",
            "note",
            "oauth_client",
            "personal_token",
            "scan",
            "session",
            "verification",
            "worker_merge"
          ].map((table) => `${table} position`)
        )
        const defaults = yield* sql`SELECT table_name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_default LIKE '%nextval%'`
        assert.deepStrictEqual(defaults, [])
      })
  )

  it.effect("detects a unique key without the tenant", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE UNIQUE INDEX worker_email ON worker (external_id)`
      assert.include(yield* astray, "worker_email")
      yield* sql`DROP INDEX worker_email`
    })
  )
})

const tenantIds = /\btnt_[0-9A-Za-z]{16}\b/g

/** The tenants that the parameters of a statement name, also in JSON. Sample texts can have the form of a tenant's id. */
const tenantsIn = ({ params }: Ran): ReadonlyArray<string> =>
  [...new Set(params.flatMap((param) => String(param).match(tenantIds) ?? []))].filter(
    (id) => !idTails.some((tail) => id.endsWith(tail))
  )

const conditionsOf = (step: Step): string =>
  [step["Index Cond"], step["Recheck Cond"], step.Filter].filter((text) => text !== undefined).join(" AND ")

/** Whether a step reads rows of one tenant only: of a value of the statement, or of the tenant of another row of it. */
const isOfTenant = (step: Step): boolean =>
  (step["Relation Name"] === "tenant" ? /\bid = / : /\btenant_id = /).test(conditionsOf(step))

/** Tables whose rows belong to a tenant. */
const isOwned = (table: string | undefined): boolean =>
  table === "tenant" || (table !== undefined && !Object.hasOwn(globalTables, table))

/** The steps of a statement that read rows of any tenant. A modification reads its rows by a step of its own. */
const astraySteps = (plan: ReadonlyArray<Step>): ReadonlyArray<Step> =>
  plan.filter((step) => step["Node Type"] !== "ModifyTable" && isOwned(step["Relation Name"]) && !isOfTenant(step))

/** Statements that read no row: advisory locks, which name a tenant or an account of it. */
const isAdvisoryLock = ({ text }: Ran): boolean => text.startsWith("SELECT pg_advisory_xact_lock(hashtextextended(")

/** Plans without scans of whole tables and without hashes, so that each step shows the rows that the statement names. */
const byIndexes = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  SqlClient.SqlClient.use((sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        for (const method of ["seqscan", "hashjoin", "mergejoin", "bitmapscan"]) {
          yield* sql`SELECT set_config(${`enable_${method}`}, 'off', true)`
        }
        return yield* effect
      })
    )
  )

/** Asserts that each statement names only this tenant and reads, locks and writes only its rows. */
const assertConfined = Effect.fnUntraced(function* (ran: ReadonlyArray<Ran>, tenantId: string) {
  assert.isNotEmpty(ran)
  for (const statement of ran) {
    assert.notMatch(statement.text, /\b(LOCK TABLE|NOTIFY|pg_notify|nextval|setval)\b/i)
    if (isAdvisoryLock(statement)) continue
    assert.deepStrictEqual(tenantsIn(statement), [tenantId], statement.text)
    const plan = yield* byIndexes(planOf(statement))
    assert.deepStrictEqual(astraySteps(plan), [], `${statement.text}\n${shown(plan)}`)
  }
})

/** Fails as soon as a transaction of this database waits for another one. */
const waiting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (;;) {
    const locks = yield* sql<{ readonly query: string }>`SELECT a.query FROM pg_locks AS l
      JOIN pg_stat_activity AS a ON a.pid = l.pid AND a.datname = current_database() WHERE NOT l.granted`
    if (locks.length > 0) return yield* Effect.die(new Error(`waits for another tenant: ${locks[0]?.query}`))
    yield* Effect.yieldNow
  }
})

/** Runs a write while the transaction of another write is open. */
const beside = Effect.fnUntraced(function* <E, R>(
  open: Effect.Effect<unknown, E, R>,
  write: Effect.Effect<unknown, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const [isOpen, isOver] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const steps = [open, Deferred.succeed(isOpen, undefined), Deferred.await(isOver)]
  const holder = yield* Effect.forkChild(sql.withTransaction(Effect.all(steps)))
  yield* Effect.raceFirst(Deferred.await(isOpen), Fiber.join(holder))
  yield* Effect.raceFirst(write, waiting)
  yield* Deferred.succeed(isOver, undefined)
  yield* Fiber.join(holder)
})

layer(postgresStore, { excludeTestServices: true })("the writes of a tenant on Postgres", (it) => {
  it.effect("every method of a port writes for one tenant, for all of them, or nothing", () =>
    Effect.gen(function* () {
      const methods: Array<string> = []
      for (const port of ports) {
        const name = port.key.slice(port.key.lastIndexOf("/") + 1)
        for (const method of Object.keys(yield* port)) methods.push(`${name}.${method}`)
      }
      const known = [...new Set(Object.keys(tenantWrites).map(methodOf)), ...Object.keys(sharedWrites), ...reads]
      assert.sameMembers(methods, known)
    })
  )

  for (const [name, prepare] of Object.entries(tenantWrites)) {
    it.effect(`${name} reads, locks and writes rows of its tenant only, and waits for no other`, () =>
      Effect.gen(function* () {
        const owned = yield* putTenant
        const { ran } = yield* recording(yield* prepare(owned))
        yield* assertConfined(ran, owned.tenant.id)
        const [one, other] = [yield* prepare(yield* putTenant), yield* prepare(yield* putTenant)]
        yield* beside(one, other)
      })
    )
  }

  it.effect("AccessStore.insertTenant concerns rows of its tenant only, and waits for no other tenant", () =>
    Effect.gen(function* () {
      const { tenant, write } = yield* newTenant
      const { ran } = yield* recording(write)
      yield* assertConfined(ran, tenant.id)
      yield* beside((yield* newTenant).write, (yield* newTenant).write)
    })
  )

  it.effect("detects a statement that reaches rows of other tenants, and one that waits for them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { account, tenant } = yield* putTenant
      const fails = (ran: Ran) => Effect.exit(assertConfined([ran], tenant.id))
      const byId = { text: "UPDATE account SET first_name = $2 WHERE id = $1", params: [account.id, tenant.id] }
      const joined = {
        text: "SELECT 1 FROM account AS a JOIN session AS s ON s.account_id = a.id WHERE a.tenant_id = $1 FOR UPDATE",
        params: [tenant.id]
      }
      const two = {
        text: "SELECT 1 FROM account WHERE tenant_id = ANY (string_to_array($1, ' '))",
        params: [`${tenant.id} ${(yield* putTenant).tenant.id}`]
      }
      for (const ran of [byId, joined, two]) assert.strictEqual((yield* fails(ran))._tag, "Failure", ran.text)
      const touch = sql`UPDATE account SET first_name = '' WHERE tenant_id = ${tenant.id}`
      assert.strictEqual((yield* Effect.exit(Effect.scoped(beside(touch, touch))))._tag, "Failure")
    })
  )
})
