import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { AccessStore } from "@wcs/domain/AccessStore"
import { Administration } from "@wcs/domain/Administration"
import { EventStore, type StoredEvent } from "@wcs/domain/EventStore"
import { ResourceStore } from "@wcs/domain/ResourceStore"
import { type Actor, type AuditEntry, noTrail, operatorUrn } from "@wcs/domain/Trail"
import { Webhook, type WebhookFields } from "@wcs/domain/Webhook"
import * as DataDirectory from "@wcs/http-node/DataDirectory"
import * as Serve from "@wcs/http-node/Serve"
import * as Settings from "@wcs/http-node/Settings"
import * as SqliteStores from "@wcs/http-node/SqliteStores"
import { ConfigProvider, Effect, Layer, Redacted, References, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Owners } from "./History.ts"

/** The file of the store in a data directory. */
export const storeFile = (directory: string): string => join(directory, "wcs.sqlite")

const settings = (directory: string) =>
  Settings.layer.pipe(
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ WCS_DATA: directory }))),
    Layer.merge(Layer.succeed(References.MinimumLogLevel, "Warn"))
  )

/** The storage ports as the server opens them, on the data directory of one that does not run. */
const ports = (directory: string) =>
  Layer.fresh(
    SqliteStores.layer.pipe(
      Layer.provide(DataDirectory.layer),
      Layer.provide(Layer.merge(settings(directory), SecureRandom.layerWebCrypto))
    )
  )

/** A row of `worker`, `applicant` or `credential`. */
export interface Row {
  readonly id: string
  readonly version: number
  readonly updatedAt: number
  readonly deletedAt: number | null
  readonly owners: Owners | undefined
  /** The one field that a client changes. */
  readonly written: string
}

/** All that a store holds of what clients did. */
export interface Stored {
  readonly soundness: string
  readonly rows: ReadonlyMap<string, Row>
  readonly audit: ReadonlyArray<AuditEntry>
  readonly events: ReadonlyArray<StoredEvent>
}

const pageSize = 1000

/** Everything that a port answers page by page. */
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

const rowsOf = (database: DatabaseSync, table: "worker" | "applicant" | "credential"): ReadonlyArray<Row> =>
  database
    .prepare(`SELECT * FROM ${table}`)
    .all()
    .map((row): Row => {
      const document = JSON.parse(String(row["document"]))
      return {
        id: String(row["id"]),
        version: Number(row["version"]),
        updatedAt: Number(row["updated_at"]),
        deletedAt: row["deleted_at"] === null ? null : Number(row["deleted_at"]),
        owners:
          table === "credential"
            ? { worker: holder(row["worker_id"]), applicant: holder(row["applicant_id"]) }
            : undefined,
        written: document.identity?.displayName ?? document.attributes?.identifier ?? document.displayName
      }
    })

const forwards = { conditions: [], direction: "asc", includeDeleted: false, includeTotal: false } as const

/** Opens the store as a server would, and reads all of it. */
export const read = (directory: string): Effect.Effect<Stored, unknown> =>
  Effect.gen(function* () {
    const events = yield* EventStore
    const tenant = yield* tenantId
    using database = new DatabaseSync(storeFile(directory), { readOnly: true })
    const tables = ["worker", "applicant", "credential"] as const
    return {
      soundness: String(Object.values(database.prepare("PRAGMA quick_check").get() ?? {})[0]),
      rows: new Map(tables.flatMap((table) => rowsOf(database, table)).map((row) => [row.id, row])),
      audit: yield* everything((after) =>
        Effect.map(events.audit(tenant, { ...forwards, after, pageSize }), ({ items }) => items)
      ),
      events: yield* everything((after, limit) => events.events(tenant, after, limit))
    }
  }).pipe(Effect.provide(ports(directory)))

const actor: Actor = { account: operatorUrn, bearer: null, requestId: "faults" }

/** A webhook without a trace in the history that is judged. */
const subscribe = Effect.fnUntraced(function* (tenant: string) {
  const store = yield* ResourceStore
  const fields: WebhookFields = {
    name: "faults",
    url: "https://receiver.invalid/",
    events: ["credential.created", "credential.updated"],
    status: "ACTIVE",
    secrets: []
  }
  const next = { id: "whk_0000000000000000", version: 1, createdAt: 0, updatedAt: 0, deletedAt: null, fields }
  yield* store.change(Webhook, tenant, next.id, [], () =>
    Result.succeed({ _tag: "Changed", next, trail: noTrail, subscribesTo: fields.events } as const)
  )
})

/** Makes a store that keeps every event of a credential, and the token of its administrator. */
export const prepare = (directory: string): Effect.Effect<string, unknown> =>
  Effect.gen(function* () {
    const { createToken, createUser } = yield* Administration
    const tenant = yield* tenantId
    yield* subscribe(tenant)
    yield* createUser(tenant, "root@example.com", "Super Admin", actor)
    const { secret } = yield* createToken(tenant, "root@example.com", "faults", null, actor)
    return Redacted.value(secret)
  }).pipe(Effect.provide(Layer.fresh(Layer.provide(Serve.layerAdministration, settings(directory)))))
