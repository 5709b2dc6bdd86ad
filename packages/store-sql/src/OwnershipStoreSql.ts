import { Credential, type CredentialFields } from "@wcs/domain/Credential"
import { type OwnerReference, type Owners, type OwnerType, ownerTypes } from "@wcs/domain/Ownership"
import { type Chosen, OwnershipStore, type Slots, type Transition, type Transitioned } from "@wcs/domain/OwnershipStore"
import type { Stored } from "@wcs/domain/Resource"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { atomically, LostRace } from "./Atomic.ts"
import { type BatchColumns, type BatchStatement, keepForBatches } from "./Batch.ts"
import { dialectOf } from "./Dialect.ts"
import { type At, keep } from "./Query.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"
import { changes, rows, type Script } from "./Script.ts"
import { makeTrailWriter } from "./TrailWriter.ts"

interface SlotsRow extends ResourceRow {
  readonly worker_id: string
  readonly applicant_id: string
  readonly credential_type: string
  /** Whether anybody of the tenant subscribes to anything; a boolean or a number, as the engine has it. */
  readonly is_heard: unknown
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

/** In the order of ids, in which every transition locks: two that share credentials wait, and never for each other. */
const makeChoose = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const selected = (at: At<{ tenantId: string }>) =>
    sql`${sql.literal(tableOf(Credential).selected)}, r.credential_type,
      EXISTS (SELECT 1 FROM subscription AS s WHERE s.tenant_id = ${at("tenantId")}) AS is_heard`

  const one = keep<{ tenantId: string; id: string | undefined }, SlotsRow>(
    sql,
    (at) => sql`SELECT ${selected(at)} FROM credential AS r
      WHERE r.tenant_id = ${at("tenantId")} AND r.deleted_at IS NULL AND r.id = ${at("id")}${dialect.forUpdate}`
  )
  const several = keep<{ tenantId: string; ids: string }, SlotsRow>(
    sql,
    (at) => sql`SELECT ${selected(at)} FROM credential AS r
      WHERE r.tenant_id = ${at("tenantId")} AND r.deleted_at IS NULL
      AND r.id IN (SELECT value FROM ${dialect.texts(at("ids"))})
      ORDER BY r.id${dialect.forUpdate}`
  )
  const heldBy = (column: string) =>
    keep<{ tenantId: string; owner: string; limit: number }, SlotsRow>(
      sql,
      (at) => sql`SELECT ${selected(at)} FROM credential AS r${dialect.indexedBy(`credential_of_${column}`)}
        WHERE r.tenant_id = ${at("tenantId")} AND r.deleted_at IS NULL AND r.${sql.literal(column)} = ${at("owner")}
        ORDER BY r.id LIMIT ${at("limit")}${dialect.forUpdate}`
    )
  const held = { worker: heldBy(slotColumns.worker), applicant: heldBy(slotColumns.applicant) }

  return (tenantId: string, chosen: Chosen) => {
    if (chosen._tag === "HeldBy") {
      return held[chosen.owner.type]({ tenantId, owner: chosen.owner.id, limit: chosen.limit })
    }
    const { ids } = chosen
    return ids.length === 1 ? one({ tenantId, id: ids[0] }) : several({ tenantId, ids: JSON.stringify(ids) })
  }
}

const makeIsPresent = (sql: SqlClient.SqlClient) => {
  const owner = (type: OwnerType) =>
    keep<{ tenantId: string; id: string }, { readonly one: unknown }>(
      sql,
      (at) => sql`SELECT 1 AS one FROM ${sql.literal(type)} AS r
        WHERE r.tenant_id = ${at("tenantId")} AND r.id = ${at("id")} AND r.deleted_at IS NULL${dialectOf(sql).forShare}`
    )
  const owners = { worker: owner("worker"), applicant: owner("applicant") }
  return function* (tenantId: string, { id, type }: OwnerReference): Script<boolean> {
    return (yield* rows(owners[type]({ tenantId, id }))).length > 0
  }
}

const writtenColumns = {
  tenant: "TEXT",
  credential: "TEXT",
  version: "BIGINT",
  at: "BIGINT",
  worker: "TEXT",
  applicant: "TEXT"
} as const satisfies BatchColumns

/** Writes the slots that differ, where every credential still has the version that was read, and says whether it had. */
const makeWrite = (sql: SqlClient.SqlClient) => {
  /** One statement for each choice of slots: the indexes of the others are not touched. */
  const updates = new Map<string, BatchStatement<typeof writtenColumns>>()
  const updateOf = (moved: ReadonlyArray<OwnerType>) => {
    const known = updates.get(moved.join())
    if (known !== undefined) return known
    const assignments = moved.map((type) => `${slotColumns[type]} = n.${type}, `).join("")
    // A list is made first and holds the tenant too, so that each row is looked up by its key: without statistics
    // SQLite's planner would read the whole tenant and look into the list for each of its rows.
    const update = keepForBatches(
      sql,
      dialectOf(sql),
      writtenColumns,
      (batch, isOne) => sql`WITH n AS ${sql.literal(isOne ? "" : "MATERIALIZED ")}(${batch})
        UPDATE credential SET ${sql.literal(assignments)}version = n.version + 1, updated_at = n.at FROM n
        WHERE credential.tenant_id = n.tenant AND credential.id = n.credential AND credential.version = n.version`
    )
    updates.set(moved.join(), update)
    return update
  }

  return function* (tenantId: string, changed: ReadonlyArray<Changed>, at: number): Script<boolean> {
    const moved = ownerTypes.filter((type) =>
      changed.some(({ owners, row }) => owners[type] !== holderOf(row[slotColumns[type]]))
    )
    const [first, ...others] = changed.map(({ owners, row }) => ({
      tenant: tenantId,
      credential: row.id,
      version: Number(row["version"]),
      at,
      worker: moved.includes("worker") ? (owners.worker ?? "") : "",
      applicant: moved.includes("applicant") ? (owners.applicant ?? "") : ""
    }))
    if (first === undefined) return true
    return (yield* changes(updateOf(moved)([first, ...others]))) === changed.length
  }
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const choose = makeChoose(sql)
  const isPresent = makeIsPresent(sql)
  const write = makeWrite(sql)
  const trail = makeTrailWriter(sql)

  function* transition<Answer, E>(
    tenantId: string,
    chosen: Chosen,
    entering: OwnerReference | undefined,
    decide: (found: ReadonlyArray<Slots>, enteringIsPresent: boolean) => Result.Result<Transition<Answer>, E>
  ): Script<Result.Result<Transitioned<Answer>, E | LostRace>> {
    const found = yield* rows(choose(tenantId, chosen))
    const decision = decide(found.map(slotsOf), entering === undefined || (yield* isPresent(tenantId, entering)))
    if (Result.isFailure(decision)) return Result.fail(decision.failure)
    const { at, changes: owners, trail: entries } = decision.success
    const byId = new Map(found.map((row) => [row.id, row]))
    if (!(yield* write(tenantId, changedRows(byId, owners), at))) return Result.fail(new LostRace())
    const sequenceOf = (id: string) => Number(byId.get(id)?.["version"] ?? 0) + (owners.has(id) ? 1 : 0)
    yield* trail.audit(tenantId, entries.audit)
    // Where nobody listens, events are not written out only to be thrown away.
    const [one] = found
    if (one === undefined || one.is_heard) yield* trail.events(tenantId, entries.events, sequenceOf)
    return Result.succeed(transitioned(byId, decision.success))
  }

  return OwnershipStore.of({
    transition: (tenantId, chosen, entering, decide) =>
      atomically(sql, () => transition(tenantId, chosen, entering, decide))
  })
})

export const layer: Layer.Layer<OwnershipStore, never, SqlClient.SqlClient> = Layer.effect(OwnershipStore, make)
