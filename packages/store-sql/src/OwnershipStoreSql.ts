import { Credential, type CredentialFields } from "@wcs/domain/Credential"
import { type OwnerReference, type Owners, type OwnerType, ownerTypes } from "@wcs/domain/Ownership"
import { type Chosen, OwnershipStore, type Slots, type Transition, type Transitioned } from "@wcs/domain/OwnershipStore"
import type { Stored } from "@wcs/domain/Resource"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { atomically, LostRace } from "./Atomic.ts"
import { dialectOf } from "./Dialect.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"
import { makeTrailWriter } from "./TrailWriter.ts"

interface SlotsRow extends ResourceRow {
  readonly worker_id: string
  readonly applicant_id: string
  readonly credential_type: string
}

const slotColumns = { worker: "worker_id", applicant: "applicant_id" } as const satisfies Record<OwnerType, string>

const holderOf = (text: string): string | null => (text === "" ? null : text)

const slotsOf = (row: SlotsRow): Slots => ({
  id: row.id,
  credentialType: row.credential_type,
  owners: { worker: holderOf(row.worker_id), applicant: holderOf(row.applicant_id) }
})

/** One credential that changes: its row as it was read, and its new slots. */
interface Changed {
  readonly row: SlotsRow
  readonly owners: Owners
}

const changedRows = (rows: ReadonlyMap<string, SlotsRow>, changes: ReadonlyMap<string, Owners>): Array<Changed> =>
  Array.from(changes, ([id, owners]) => {
    const row = rows.get(id)
    if (row === undefined) throw new Error(`${id} is to change but was not chosen`)
    return { row, owners }
  })

/** The credentials as the transition left them; their documents are parsed when somebody asks. */
const transitioned = <Answer>(
  rows: ReadonlyMap<string, SlotsRow>,
  { answer, at, changes }: Transition<Answer>
): Transitioned<Answer> => ({
  answer,
  credential: (id): Stored<CredentialFields> | undefined => {
    const row = rows.get(id)
    if (row === undefined) return undefined
    const before = tableOf(Credential).decode(row)
    const owners = changes.get(id)
    if (owners === undefined) return before
    const fields = { attributes: { ...before.fields.attributes, owners } }
    return { ...before, version: before.version + 1, updatedAt: at, fields }
  }
})

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const dialect = dialectOf(sql)
  const trail = makeTrailWriter(sql)
  const selected = sql.literal(`${tableOf(Credential).selected}, r.credential_type`)

  /** In the order of ids, in which every transition locks: two that share credentials wait, and never for each other. */
  const choose = (tenantId: string, chosen: Chosen) => {
    if (chosen._tag === "Ids") {
      return sql<SlotsRow>`SELECT ${selected} FROM credential AS r
        WHERE r.tenant_id = ${tenantId} AND r.deleted_at IS NULL
        AND r.id IN (SELECT value FROM ${dialect.texts(JSON.stringify(chosen.ids))})
        ORDER BY r.id${dialect.forUpdate}`
    }
    const column = slotColumns[chosen.owner.type]
    return sql<SlotsRow>`SELECT ${selected} FROM credential AS r${dialect.indexedBy(`credential_of_${column}`)}
      WHERE r.tenant_id = ${tenantId} AND r.deleted_at IS NULL AND r.${sql.literal(column)} = ${chosen.owner.id}
      ORDER BY r.id LIMIT ${chosen.limit}${dialect.forUpdate}`
  }

  const isPresent = (tenantId: string, { id, type }: OwnerReference) =>
    Effect.map(
      sql`SELECT 1 AS one FROM ${sql.literal(type)} AS r
        WHERE r.tenant_id = ${tenantId} AND r.id = ${id} AND r.deleted_at IS NULL${dialect.forShare}`,
      (rows) => rows.length > 0
    )

  /** Writes the slots that differ, where every credential still has the version that was read. */
  const write = Effect.fnUntraced(function* (tenantId: string, changed: ReadonlyArray<Changed>, at: number) {
    const moved = ownerTypes.filter((type) =>
      changed.some(({ owners, row }) => owners[type] !== holderOf(row[slotColumns[type]]))
    )
    const assignments = moved.map((type) => `${slotColumns[type]} = n.${type}, `).join("")
    const rows = changed.map(({ owners, row }) => ({
      id: row.id,
      version: Number(row["version"]),
      worker: owners.worker ?? "",
      applicant: owners.applicant ?? ""
    }))
    // The list is made first and holds the tenant too, so that each row is looked up by its key: without statistics
    // SQLite's planner would read the whole tenant and look into the list for each of its rows.
    const written = yield* sql`
      WITH n AS MATERIALIZED (
        SELECT CAST(${tenantId} AS TEXT) AS tenant, value ->> 'id' AS credential,
          CAST(value ->> 'version' AS BIGINT) AS version, value ->> 'worker' AS worker, value ->> 'applicant' AS applicant
        FROM ${dialect.objects(JSON.stringify(rows))}
      )
      UPDATE credential SET ${sql.literal(assignments)}version = n.version + 1, updated_at = ${at} FROM n
      WHERE credential.tenant_id = n.tenant AND credential.id = n.credential AND credential.version = n.version
      RETURNING id`
    if (written.length !== changed.length) return yield* new LostRace()
  })

  const transitionOnce = Effect.fnUntraced(function* <Answer, E>(
    tenantId: string,
    chosen: Chosen,
    entering: OwnerReference | undefined,
    decide: (found: ReadonlyArray<Slots>, enteringIsPresent: boolean) => Result.Result<Transition<Answer>, E>
  ) {
    const found = yield* choose(tenantId, chosen)
    const decision = decide(found.map(slotsOf), entering === undefined || (yield* isPresent(tenantId, entering)))
    if (Result.isFailure(decision)) return Result.fail(decision.failure) // nothing was written, nothing is to be undone
    const transition = decision.success
    const rows = new Map(found.map((row) => [row.id, row]))
    const changed = changedRows(rows, transition.changes)
    if (changed.length > 0) yield* write(tenantId, changed, transition.at)
    const sequenceOf = (id: string) => Number(rows.get(id)?.["version"] ?? 0) + (transition.changes.has(id) ? 1 : 0)
    yield* trail.audit(tenantId, transition.trail.audit)
    yield* trail.events(tenantId, transition.trail.events, sequenceOf)
    return Result.succeed(transitioned(rows, transition))
  })

  return OwnershipStore.of({
    transition: (tenantId, chosen, entering, decide) =>
      Effect.flatMap(atomically(sql, transitionOnce(tenantId, chosen, entering, decide)), Effect.fromResult)
  })
})

export const layer: Layer.Layer<OwnershipStore, never, SqlClient.SqlClient> = Layer.effect(OwnershipStore, make)
