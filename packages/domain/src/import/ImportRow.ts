import { Option, Result, Schema } from "effect"
import { WorkerId } from "../shared/Id.ts"
import { at, type JsonObject } from "../shared/Json.ts"
import { completed, documentOf, type Mapping, type RowFault } from "./ColumnMapping.ts"

/** How far a row has come: read; checked; carried out; undone. */
export const outcomes = [
  "NEW",
  "CREATE",
  "UPDATE",
  "UNCHANGED",
  "DUPLICATE",
  "FAULTY",
  "CREATED",
  "UPDATED",
  "UNDONE",
  "KEPT"
] as const
export const Outcome = Schema.Literals(outcomes).annotate({ identifier: "ImportOutcome" })

const aboutOutcome =
  "NEW: not yet checked. After the check: CREATE, UPDATE and UNCHANGED tell what a run would do. DUPLICATE: an equal " +
  "name and birth date exist, so a run skips the row unless asked. FAULTY: never carried out. After the run: CREATED, " +
  "UPDATED, UNCHANGED. After an undo: UNDONE, or KEPT if the worker was changed or used meanwhile."
export type Outcome = typeof Outcome.Type

/** The number of rows with each outcome. */
export type Counts = Readonly<Partial<Record<Outcome, number>>>

export const countOf = (rows: ReadonlyArray<{ readonly outcome: Outcome }>, before: Counts): Counts => {
  const counts: Partial<Record<Outcome, number>> = { ...before }
  for (const { outcome } of rows) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

/** The result of a check or a run for one row. */
export interface Marked {
  readonly row: number
  readonly outcome: Outcome
  readonly fault: RowFault | null
  /** The worker that the row creates, updates or repeats. */
  readonly workerId: string | null
  /** An earlier row of the file with the same id, or name and birth date. */
  readonly sameAsRow: number | null
}

/** A row of an import. */
export interface ImportRow extends Marked {
  readonly cells: ReadonlyArray<string>
  /** The entity tag of the worker after the change; null before. */
  readonly tag: string | null
  /** The fields of the worker before an update. */
  readonly before: JsonObject | null
}

/** A row as the API shows it. */
export const ImportRowDocument = Schema.Struct({
  row: Schema.Int.annotate({ description: "Number of the row in the file. The header is row 1." }),
  outcome: Outcome.annotateKey({ description: aboutOutcome }),
  cells: Schema.Array(Schema.String).annotate({ description: "The cells of the row, in the order of the columns." }),
  fault: Schema.NullOr(
    Schema.Struct({
      column: Schema.NullOr(Schema.String).annotate({ description: "The column; null for the whole row." }),
      reason: Schema.String.annotate({ description: "What is wrong, for people." })
    })
  ).annotate({ description: "Why the row is FAULTY or KEPT. Null otherwise." }),
  workerId: Schema.NullOr(WorkerId).annotate({
    description: "The worker that the row updates, has created, or repeats. Null if there is none yet."
  }),
  sameAsRow: Schema.NullOr(Schema.Int).annotate({
    description: "An earlier row with the same external id, or the same name and birth date. Null if there is none."
  })
})
export type ImportRowDocument = typeof ImportRowDocument.Type

export const shownRow = ({ cells, fault, outcome, row, sameAsRow, workerId }: ImportRow): ImportRowDocument => ({
  row,
  outcome,
  cells,
  fault: fault === null ? null : { column: fault.column, reason: fault.reason },
  workerId,
  sameAsRow
})

/** A row whose cells have their meaning. */
export interface ReadRow {
  readonly document: JsonObject
  readonly externalId: string | undefined
  readonly sourceSystem: string | undefined
  /** The name and birth date by which people are compared, if the row has both. */
  readonly person: { readonly name: string; readonly birthDate: string } | undefined
}

const textAt = (document: JsonObject, ...path: ReadonlyArray<string>): string | undefined => {
  const value = at(document, path)
  return typeof value === "string" ? value : undefined
}

/** Returns the meaning of a row, or its fault. */
export const readRow = (mapping: Mapping, cells: ReadonlyArray<string>): Result.Result<ReadRow, RowFault> =>
  Result.map(documentOf(mapping, cells), (document) => {
    const name = textAt(completed(document), "identity", "displayName")?.toLowerCase()
    const birthDate = textAt(document, "identity", "birthDate")
    return {
      document,
      externalId: textAt(document, "source", "externalId"),
      sourceSystem: textAt(document, "source", "sourceSystem"),
      person: name === undefined || birthDate === undefined ? undefined : { name, birthDate }
    }
  })

/** The keys by which rows of one file repeat each other. */
export interface RowKeys {
  /** Of the external id. Two such rows would write the same worker. */
  readonly idKey: string
  /** Of the name and birth date. */
  readonly nameKey: string
}

/**
 * The most characters of a key. The texts of a worker make a shorter one, so a row with a longer one is faulty. An
 * index of Postgres takes at most 2,704 bytes.
 */
const keyCharacters = 700

const keyOf = (...parts: ReadonlyArray<string>): string => {
  const key = JSON.stringify(parts)
  return key.length > keyCharacters ? "" : key
}

/** Returns the keys of a row; '' for what it lacks. */
export const keysOf = ({ externalId, person, sourceSystem = "" }: ReadRow): RowKeys => ({
  idKey: externalId === undefined ? "" : keyOf(externalId, sourceSystem),
  nameKey: person === undefined ? "" : keyOf(person.name, person.birthDate)
})

/** Returns the keys of rows about a worker. A row need not name the source system. */
export const keysAbout = (worker: JsonObject) => {
  const externalId = textAt(worker, "source", "externalId")
  const name = textAt(worker, "identity", "displayName")?.toLowerCase()
  const birthDate = textAt(worker, "identity", "birthDate")
  const systems = ["", textAt(worker, "source", "sourceSystem") ?? ""]
  const ids = externalId === undefined ? [] : systems.map((system) => keyOf(externalId, system))
  return { ids, names: name === undefined || birthDate === undefined ? [] : [keyOf(name, birthDate)] }
}

/** A stored worker that may be the person of a row. */
export interface Candidate {
  readonly id: string
  readonly externalId: string
  readonly sourceSystem: string
  /** The display name in lower case. */
  readonly name: string
  readonly birthDate: string | undefined
  /** The external id is that of a worker that was merged into this one. */
  readonly isMerged: boolean
}

/** Whether a row has the external id of a worker, and its source system if the row has one. */
const isOfId = ({ externalId, sourceSystem }: ReadRow, candidate: Candidate): boolean =>
  candidate.externalId === externalId && (sourceSystem === undefined || candidate.sourceSystem === sourceSystem)

/**
 * Returns the worker that a row updates: the one with the external id, and with the source system if the row has one.
 * Fails if there are several.
 */
export const matchOf = (
  row: ReadRow,
  candidates: ReadonlyArray<Candidate>
): Result.Result<Option.Option<string>, "several"> => {
  if (row.externalId === undefined) return Result.succeed(Option.none())
  const found = candidates.filter((each) => !each.isMerged && isOfId(row, each))
  return found.length > 1 ? Result.fail("several") : Result.succeed(Option.fromUndefinedOr(found[0]?.id))
}

/** Returns the key of rows that update a worker. Rows with an equal key repeat each other, also if their source systems differ. */
export const idKeyOf = ({ externalId, sourceSystem }: Candidate): string => keyOf(externalId, sourceSystem)

/**
 * Returns a stored worker that is, or may be, the person of a row without a match: the one that continues a merged worker
 * with the external id, or else one with the name and birth date.
 */
export const namesakeOf = (row: ReadRow, candidates: ReadonlyArray<Candidate>): string | undefined => {
  const { externalId, person } = row
  const merged = externalId === undefined ? undefined : candidates.find((each) => each.isMerged && isOfId(row, each))
  if (merged !== undefined || person === undefined) return merged?.id
  return candidates.find((each) => each.name === person.name && each.birthDate === person.birthDate)?.id
}
