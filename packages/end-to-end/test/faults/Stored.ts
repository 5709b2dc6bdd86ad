import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { adapters } from "@wcs/deployment/Adapters"
import * as Deployment from "@wcs/deployment/Deployment"
import * as Settings from "@wcs/deployment/Settings"
import * as Stores from "@wcs/deployment/stores/Stores"
import { type Actor, type AuditEntry, operatorUrn } from "@wcs/domain/audit/AuditEntry"
import { EventStore, type StoredEvent } from "@wcs/domain/audit/EventStore"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import type { Owners } from "@wcs/domain/ownership/Ownership"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import { ConfigProvider, Effect, Layer, Redacted, References, Result } from "effect"
import { onDatabase } from "../Machines.ts"
import type { Environment } from "../Process.ts"

/** The store file in a data directory. */
export const storeFile = (directory: string): string => join(directory, "wcs.sqlite")

export const settings = (environment: Environment) =>
  Settings.layer.pipe(
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(environment))),
    Layer.merge(Layer.succeed(References.MinimumLogLevel, "Warn"))
  )

/** Opens the storage ports like a server. No server may run on the data directory. */
const ports = (environment: Environment) =>
  Layer.fresh(Layer.provide(Deployment.migrated(Stores.layer), settings(environment)))

/** A row of `worker`, `applicant` or `credential`. */
export interface Row {
  readonly id: string
  readonly version: number
  readonly updatedAt: number
  readonly deletedAt: number | null
  readonly owners: Owners | undefined
  /** The field that a client changes. */
  readonly written: string
}

/** The stored effects of the clients. */
export interface Stored {
  readonly soundness: string
  readonly rows: ReadonlyMap<string, Row>
  readonly audit: ReadonlyArray<AuditEntry>
  readonly events: ReadonlyArray<StoredEvent>
}

const pageSize = 1000

/** Reads all pages of a port. */
const everything = <Item extends { readonly position: number }>(
  page: (after: number, limit: number) => Effect.Effect<ReadonlyArray<Item>>
) =>
  Effect.gen(function* () {
    const items: Array<Item> = []
    for (;;) {
      const next = yield* page(items.at(-1)?.position ?? 0, pageSize)
      items.push(...next)
      if (next.length < pageSize) return items
    }
  })

const tenantId = Effect.flatMap(AccessStore, (store) => Effect.map(store.listTenants, ([tenant]) => tenant?.id ?? ""))

const holder = (text: unknown): string | null => (text === "" ? null : String(text))

const tables = ["worker", "applicant", "credential"] as const

const rowOf = (table: (typeof tables)[number], row: Readonly<Record<string, unknown>>): Row => {
  const document = JSON.parse(String(row["document"]))
  return {
    id: String(row["id"]),
    version: Number(row["version"]),
    updatedAt: Number(row["updated_at"]),
    deletedAt: row["deleted_at"] === null ? null : Number(row["deleted_at"]),
    owners:
      table === "credential" ? { worker: holder(row["worker_id"]), applicant: holder(row["applicant_id"]) } : undefined,
    written: document.identity?.displayName ?? document.attributes?.identifier ?? document.displayName
  }
}

/** Reads the rows of a file and its quick_check. */
const inFile = (directory: string) => {
  using database = new DatabaseSync(storeFile(directory), { readOnly: true })
  return {
    soundness: String(Object.values(database.prepare("PRAGMA quick_check").get() ?? {})[0]),
    rows: tables.flatMap((table) =>
      database
        .prepare(`SELECT * FROM ${table}`)
        .all()
        .map((row) => rowOf(table, row))
    )
  }
}

/** Reads the rows of a database. */
const inDatabase = (url: string) =>
  Effect.map(onDatabase(Redacted.make(url), ...tables.map((table) => `SELECT * FROM ${table}`)), (found) => ({
    soundness: "ok",
    rows: tables.flatMap((table, index) => (found[index] ?? []).map((row) => rowOf(table, row)))
  }))

const forwards = { conditions: [], direction: "asc", includeDeleted: false, includeTotal: false } as const

/** Opens the store like a server and reads it completely. */
export const read = (environment: Environment): Effect.Effect<Stored, unknown> =>
  Effect.gen(function* () {
    const { DATABASE_URL: url, WCS_DATA: directory = "" } = environment
    const events = yield* EventStore
    const tenant = yield* tenantId
    const { rows, soundness } = yield* url === undefined ? Effect.sync(() => inFile(directory)) : inDatabase(url)
    return {
      soundness,
      rows: new Map(rows.map((row) => [row.id, row])),
      audit: yield* everything((after) =>
        Effect.map(events.audit(tenant, { ...forwards, after, pageSize }), ({ items }) => items)
      ),
      events: yield* everything((after, limit) => events.events(tenant, after, limit))
    }
  }).pipe(Effect.provide(ports(environment)))

const actor: Actor = { account: operatorUrn, bearer: null, requestId: "faults" }

/** A webhook outside the history. */
const subscribe = Effect.fnUntraced(function* (tenant: string, filters: WebhookFields["filters"]) {
  const store = yield* ResourceStore
  const fields: WebhookFields = {
    name: "faults",
    url: "https://receiver.invalid/",
    events: ["credential.created", "credential.updated"],
    status: "ACTIVE",
    secrets: [],
    ...(filters === undefined ? {} : { filters })
  }
  const next = { id: "whk_0000000000000000", version: 1, createdAt: 0, updatedAt: 0, deletedAt: null, fields }
  yield* store.change(Webhook, tenant, next.id, [], () =>
    Result.succeed({ _tag: "Changed", next, records: noRecords, subscribesTo: fields.events } as const)
  )
})

/** Creates a store that keeps all credential events, and an admin token. */
export const prepare = (environment: Environment, filters?: WebhookFields["filters"]): Effect.Effect<string, unknown> =>
  Effect.gen(function* () {
    const { createToken, createUser } = yield* Administration
    const tenant = yield* tenantId
    yield* subscribe(tenant, filters)
    yield* createUser(tenant, "root@example.com", "Super Admin", actor)
    const { secret } = yield* createToken(tenant, "root@example.com", "faults", null, actor)
    return Redacted.value(secret)
  }).pipe(Effect.provide(Layer.fresh(Layer.provide(Deployment.administration(adapters), settings(environment)))))
