import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The oldest supported version of Postgres, as `server_version_num`. */
const oldest = 140_000

interface State {
  readonly version: string
  readonly encoding: string
  readonly isStandby: boolean
  readonly readOnly: string
  /** The first schema of `search_path` that exists. New tables are created there. */
  readonly schema: string | null
  /** The schema of the store that statements find. Null without a store. */
  readonly stored: string | null
  readonly role: string
  /** Whether the role may create tables in the schema. Null without a schema. */
  readonly mayCreate: boolean | null
  /** Whether the role may read and write the tables of the store. Null without a store. */
  readonly mayUse: boolean | null
  /** Whether triggers of tables run: `origin`, unless a superuser has set it otherwise. */
  readonly triggers: string
}

const faultsOf = (
  name: string,
  { encoding, isStandby, mayCreate, mayUse, readOnly, role, schema, stored, triggers, version }: State
) => [
  Number(version) < oldest && `The Postgres of ${name} is older than 14: upgrade it.`,
  encoding !== "UTF8" &&
    `The database ${name} has the encoding ${encoding}, which cannot store every name: create another one by ` +
      "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and move an existing store by wcs backup and wcs restore.",
  isStandby && `The database ${name} is a read-only standby: let DATABASE_URL lead to the primary.`,
  readOnly !== "off" &&
    `The database ${name} is read-only: set default_transaction_read_only to off for the server, the database and the role.`,
  schema === null &&
    `The search_path of the database ${name} names no schema that exists: create the schema, or correct search_path for the database and the role.`,
  schema !== null &&
    stored !== null &&
    schema !== stored &&
    `The store of the database ${name} is in the schema ${stored}, but search_path begins with ${schema}: put ${stored} first.`,
  mayCreate === false &&
    `The role ${role} cannot create tables in the database ${name}: run GRANT CREATE ON SCHEMA ${schema} TO ${role}.`,
  mayUse === false &&
    `The role ${role} cannot read and write the store of the database ${name}: connect as the owner of the tables, or run GRANT of the owner TO ${role}.`,
  triggers !== "origin" &&
    `Triggers do not run in the database ${name}: set session_replication_role to origin for the server, the database and the role.`
]

/** Why a database cannot keep the store, each with the remedy. */
export const faults = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const states = yield* sql<State>`SELECT current_setting('server_version_num') AS version,
    current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS "isStandby",
    current_setting('default_transaction_read_only') AS "readOnly", CAST(current_schema() AS TEXT) AS schema,
    (SELECT CAST(n.nspname AS TEXT) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE c.oid = to_regclass('tenant_host')) AS stored,
    CAST(current_user AS TEXT) AS role, has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate",
    (SELECT BOOL_AND(has_table_privilege(to_regclass('tenant_host'), wanted))
      FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS wanted) AS "mayUse",
    current_setting('session_replication_role') AS triggers`
  return states.flatMap((state) => faultsOf(name, state)).filter((fault) => fault !== false)
})
