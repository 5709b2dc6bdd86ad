import type { Chosen, FoundCredential, Transition, Transitioned } from "@wcs/domain/credential/OwnershipStore"
import type { ChangeRecords } from "@wcs/domain/crud/ChangeRecords"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import {
  noFacts,
  type OwnerFacts,
  type OwnerReference,
  type Owners,
  type OwnerType,
  ownerTypes,
  perOwner
} from "@wcs/domain/ownership/Ownership"
import { ownerColumns } from "@wcs/domain/people/Owner"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import { FetchRequest } from "@wcs/domain/screening/FetchRequests"
import { RecruitmentCheck } from "@wcs/domain/screening/RecruitmentChecks"
import type { SqlClient, Statement } from "effect/sql"
import type { BatchColumns } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { type At, keep } from "../engine/Query.ts"
import { rows, type Script } from "../engine/Script.ts"
import { isOpen } from "../resource/ProgressionRows.ts"
import { type ResourceRow, tableOf } from "../resource/ResourceTable.ts"

/** A chosen credential as it was read. */
export interface SlotsRow extends ResourceRow, EnteringRow, Readonly<Record<(typeof ownerColumns)[OwnerType], string>> {
  readonly credential_type: string
  readonly jurisdiction: string
  /** Whether the tenant has any subscriber; a boolean or a number, depending on the engine. */
  readonly is_heard: unknown
  /** The number of the tenant's access writes, on an engine with concurrent writers. */
  readonly access_writes?: unknown
  /** The latest last day of the new owner's open recruitment checks or fetch requests; null if none is open. */
  readonly asked_until?: unknown
  /** The slots with owners whom a limited caller does not reach. No column: `seenBy` adds it. */
  readonly hidden?: ReadonlyArray<OwnerType>
}

/** The values that a transition reads of its new owner `o`. A new fact is a value here, and a line of `factsOf`. */
const enteringColumns = { entering_version: "o.version" } as const

/** The new owner as it was read. Every value is null if the owner does not exist, and absent if there is none. */
export type EnteringRow = { readonly [Column in keyof typeof enteringColumns]?: unknown }

/** Returns the facts about the new owner for a decision. */
export const factsOf = (row: EnteringRow | undefined): OwnerFacts =>
  (row?.entering_version ?? null) === null ? noFacts : { isPresent: true }

/** The selected values of the new owner. `read` reads one of them. */
export const enteringValues = (sql: SqlClient.SqlClient, read: (value: string) => Statement.Fragment) =>
  sql.csv(Object.entries(enteringColumns).map(([column, value]) => sql`${read(value)} AS ${sql.literal(column)}`))

/** The resource that requests documents from an owner of each type. */
export const askedBy = { worker: FetchRequest, applicant: RecruitmentCheck } as const satisfies Record<
  OwnerType,
  Resource
>

const holderOf = (text: string): string | null => (text === "" ? null : text)

const storedIn = (row: SlotsRow): Stored<CredentialFields> => {
  const stored = tableOf(Credential).decode(row)
  const { hidden = [] } = row
  return hidden.length === 0 ? stored : { ...stored, hidden: hidden.map((type) => ownerColumns[type]) }
}

/** The owners in chosen rows, and others, each once. */
export const peopleIn = (found: ReadonlyArray<SlotsRow>, others: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set([
    ...found.flatMap((row) => ownerTypes.flatMap((type) => holderOf(row[ownerColumns[type]]) ?? [])),
    ...others
  ])
]

/** Restricts rows to those with an owner whom a limited caller reaches, and names the owner slots to hide. */
export const seenBy = (found: ReadonlyArray<SlotsRow>, reached: ReadonlySet<string>): ReadonlyArray<SlotsRow> =>
  found.flatMap((row) => {
    const held = ownerTypes.filter((type) => row[ownerColumns[type]] !== "")
    const hidden = held.filter((type) => !reached.has(row[ownerColumns[type]]))
    return hidden.length === held.length ? [] : [{ ...row, hidden }]
  })

export const slotsOf = (row: SlotsRow): FoundCredential => ({
  id: row.id,
  credentialType: row.credential_type,
  jurisdiction: row.jurisdiction === "" ? null : row.jurisdiction,
  owners: { worker: holderOf(row.worker_id), applicant: holderOf(row.applicant_id) },
  ...(row.hidden === undefined ? {} : { hidden: row.hidden }),
  stored: () => storedIn(row)
})

/** A changed credential: its row as it was read, and its new slots. */
export interface Changed {
  readonly row: SlotsRow
  readonly owners: Owners
}

export const changedRows = (
  rows: ReadonlyMap<string, SlotsRow>,
  changes: ReadonlyMap<string, Owners>
): Array<Changed> =>
  Array.from(changes, ([id, owners]) => {
    const row = rows.get(id)
    if (row === undefined) throw new Error(`the decision changes credential ${id}, which was not selected`)
    return { row, owners }
  })

/** Whether the tenant has a subscriber. Without one, events need not be built. */
export const isHeard = ([first]: ReadonlyArray<SlotsRow>): boolean => first === undefined || Boolean(first.is_heard)

/** Whether the new owner has open requests that the records' progressions concern. */
export const isAsked = ([first]: ReadonlyArray<SlotsRow>, { progressions = [] }: ChangeRecords): boolean => {
  const until = first?.asked_until
  return typeof until === "string" && progressions.some(({ today }) => until >= today)
}

/** The version of a chosen credential after the transition, which its events carry. */
export const sequenceIn =
  (rows: ReadonlyMap<string, SlotsRow>, changes: ReadonlyMap<string, Owners>) =>
  (id: string): number =>
    Number(rows.get(id)?.["version"] ?? 0) + (changes.has(id) ? 1 : 0)

/** The columns that a write sends for a credential. */
export const writtenColumns = {
  tenant: "TEXT",
  credential: "TEXT",
  version: "BIGINT",
  at: "BIGINT",
  ...perOwner(() => "TEXT" as const)
} as const satisfies BatchColumns

/** The slots that a write changes. Indexes of other slots stay untouched. */
export const movedOf = (changed: ReadonlyArray<Changed>): ReadonlyArray<OwnerType> =>
  ownerTypes.filter((type) => changed.some(({ owners, row }) => owners[type] !== holderOf(row[ownerColumns[type]])))

/** The SET clause of an UPDATE of credentials, from rows `n` of `writtenColumns`. */
export const assignmentsOf = (moved: ReadonlyArray<OwnerType>): string =>
  [...moved.map((type) => `${ownerColumns[type]} = n.${type}`), "version = n.version + 1", "updated_at = n.at"].join(
    ", "
  )

/** The credential with the version that was read, and its new slots. */
export const writtenRow = (
  tenantId: string,
  row: SlotsRow,
  owners: Owners,
  moved: ReadonlyArray<OwnerType>,
  at: number
) => ({
  tenant: tenantId,
  credential: row.id,
  version: Number(row["version"]),
  at,
  worker: moved.includes("worker") ? (owners.worker ?? "") : "",
  applicant: moved.includes("applicant") ? (owners.applicant ?? "") : ""
})

/** The credentials after the transition. Their documents are parsed on access. */
export const transitioned = <Answer>(
  rows: ReadonlyMap<string, SlotsRow>,
  { answer, at, changes }: Transition<Answer>
): Transitioned<Answer> => ({
  answer,
  credential: (id): Stored<CredentialFields> | undefined => {
    const row = rows.get(id)
    if (row === undefined) return undefined
    const before = storedIn(row)
    const owners = changes.get(id)
    if (owners === undefined) return before
    const fields = { attributes: { ...before.fields.attributes, owners } }
    return { ...before, version: before.version + 1, updatedAt: at, fields }
  }
})

/** Options for reading chosen rows. */
interface Choosing {
  /** The end of the SELECT. */
  readonly lock: Statement.Fragment
  /** Also reads the last day of open requests of the new owner, of this type. */
  readonly entering: OwnerType | undefined
  /** Also reads that owner. With concurrent writers, also the number of the tenant's access writes. */
  readonly readsOwner: boolean
}

/** Orders by id, in which every transition locks: transitions that share credentials cannot deadlock. */
const makeChoose = (sql: SqlClient.SqlClient, { entering, lock, readsOwner }: Choosing) => {
  const dialect = dialectOf(sql)
  type Owner = { tenantId: string; entering: string }
  const values = (owner: OwnerType, at: At<Owner>) =>
    enteringValues(
      sql,
      (value) => sql`(SELECT ${sql.literal(value)} FROM ${sql.literal(owner)} AS o
        WHERE o.tenant_id = ${at("tenantId")} AND o.id = ${at("entering")} AND o.deleted_at IS NULL)`
    )
  const askedUntil = (owner: OwnerType, at: At<Owner>) =>
    sql`, (SELECT max(i.expiry_date) FROM ${sql.literal(askedBy[owner].type)} AS i
      WHERE i.tenant_id = ${at("tenantId")} AND i.${sql.literal(ownerColumns[owner])} = ${at("entering")}
      AND ${sql.literal(isOpen("i"))}) AS asked_until`
  const ofOwner = (at: At<Owner>) =>
    entering === undefined
      ? sql.literal("")
      : sql`${askedUntil(entering, at)}${readsOwner ? sql`, ${values(entering, at)}` : sql.literal("")}`
  const accessWrites = (at: At<Owner>) =>
    readsOwner && dialect.writesTogether
      ? sql`, (SELECT e.writes FROM access_epoch AS e WHERE e.tenant_id = ${at("tenantId")}) AS access_writes`
      : sql.literal("")
  const selected = (at: At<Owner>) =>
    sql`${sql.literal(tableOf(Credential).selected)}, r.credential_type, r.jurisdiction,
      EXISTS (SELECT 1 FROM subscription AS s WHERE s.tenant_id = ${at("tenantId")}) AS is_heard
      ${ofOwner(at)}${accessWrites(at)}`

  const one = keep<{ tenantId: string; entering: string; id: string | undefined }, SlotsRow>(
    sql,
    (at) => sql`SELECT ${selected(at)} FROM credential AS r
      WHERE r.tenant_id = ${at("tenantId")} AND r.deleted_at IS NULL AND r.id = ${at("id")}${lock}`
  )
  const several = keep<{ tenantId: string; entering: string; ids: string }, SlotsRow>(
    sql,
    (at) => sql`SELECT ${selected(at)} FROM credential AS r
      WHERE r.tenant_id = ${at("tenantId")} AND r.deleted_at IS NULL
      AND r.id IN (SELECT value FROM ${dialect.texts(at("ids"))})
      ORDER BY r.id${lock}`
  )
  const heldBy = (column: string) =>
    keep<{ tenantId: string; entering: string; owner: string; limit: number }, SlotsRow>(
      sql,
      (at) => sql`SELECT ${selected(at)} FROM credential AS r${dialect.indexedBy(`credential_of_${column}`)}
        WHERE r.tenant_id = ${at("tenantId")} AND r.deleted_at IS NULL AND r.${sql.literal(column)} = ${at("owner")}
        ORDER BY r.id LIMIT ${at("limit")}${lock}`
    )
  const held = perOwner((type) => heldBy(ownerColumns[type]))

  return (tenantId: string, chosen: Chosen, enteringId = "") => {
    const common = { tenantId, entering: enteringId }
    if (chosen._tag === "HeldBy") {
      return held[chosen.owner.type]({ ...common, owner: chosen.owner.id, limit: chosen.limit })
    }
    const { ids } = chosen
    return ids.length === 1 ? one({ ...common, id: ids[0] }) : several({ ...common, ids: JSON.stringify(ids) })
  }
}

/** The statement that reads the chosen credentials: one for each type of new owner, and one without. */
export const makeChoices = (sql: SqlClient.SqlClient, lock: Statement.Fragment, readsOwner: boolean) => {
  const choose = (entering: OwnerType | undefined) => makeChoose(sql, { entering, lock, readsOwner })
  return { none: choose(undefined), ...perOwner(choose) }
}

/** Reads the facts about an owner. `lock` ends the SELECT. */
export const makeFacts = (sql: SqlClient.SqlClient, lock: Statement.Fragment) => {
  const owners = perOwner((type) =>
    keep<{ tenantId: string; id: string }, EnteringRow>(
      sql,
      (at) => sql`SELECT ${enteringValues(sql, sql.literal)} FROM ${sql.literal(type)} AS o
        WHERE o.tenant_id = ${at("tenantId")} AND o.id = ${at("id")} AND o.deleted_at IS NULL${lock}`
    )
  )
  return function* (tenantId: string, { id, type }: OwnerReference): Script<OwnerFacts> {
    const [owner] = yield* rows(owners[type]({ tenantId, id }))
    return factsOf(owner)
  }
}
