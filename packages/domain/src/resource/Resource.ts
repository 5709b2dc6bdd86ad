import { Data, Result, type Schema } from "effect"
import type { EntityType } from "../access/Privilege.ts"
import { cardKey } from "../shared/CardNumber.ts"
import { codeFormat, type IdKind, idFormat, isCode, isId } from "../shared/Id.ts"
import { type Instant, toRfc3339 } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { at, type JsonObject, type JsonValue, type Path, put } from "../shared/Json.ts"
import { personKey } from "../shared/PersonKey.ts"
import { searchWords } from "../shared/SearchWords.ts"

/**
 * A value of the document that is also stored in its own column, for filters and sorts. Absent is stored as the empty
 * string, so that all databases sort alike.
 */
export interface Column {
  readonly path: Path
  /** Stored in lower case, for look-ups that ignore letter case. */
  readonly folded?: true
  /** Stored in the form by which card numbers are compared. */
  readonly card?: true
  /** Stored as the key of the person with this name, and with the birth date at this path. Empty without one of them. */
  readonly born?: Path
  /** Stored in the column only and restored when read. For owner slots, which change without the document. */
  readonly apart?: true
}

/** How a query parameter filters rows. Uses stored columns only. */
export type Filter =
  /** The column equals the value. `among` lists the allowed values; `of` requires an id of this kind. */
  | { readonly by: "equal"; readonly column: string; readonly among?: ReadonlyArray<string>; readonly of?: IdKind }
  /** The column has a date before the value. */
  | { readonly by: "before"; readonly column: string }
  /** The column has a date equal to the value or later. */
  | { readonly by: "from"; readonly column: string }
  /** The words of `searched` match the text, by `isSought`. */
  | { readonly by: "words" }
  /** The column that the parameter `type` selects equals the value. */
  | { readonly by: "slot"; readonly type: string; readonly columns: Readonly<Record<string, string>> }
  /** The column equals the value. After the day in `until` the row counts as `lapsed`. */
  | {
      readonly by: "lapsing"
      readonly column: string
      readonly until: string
      readonly lapsed: string
      readonly among: ReadonlyArray<string>
    }
  /** The row is about a person of this unit or of one below it, or `none`: about a person without a unit. */
  | { readonly by: "unit" }
  /** The column has the id of a resource whose look-up column equals the value. */
  | { readonly by: "holder"; readonly holders: ReadonlyArray<Holder> }

/** A column with ids of another resource, and that resource's column for look-ups. */
export interface Holder {
  readonly column: string
  readonly resource: string
  readonly lookup: string
}

/** Another resource in the document, as `{ id }`. A caller may send `{ externalId }` instead (DECISIONS.md#fields). */
export interface Link {
  readonly path: Path
  readonly resource: Resource
  /** The filter of that resource's list that accepts the external id. */
  readonly lookup: string
}

/** The texts by which a search finds a resource. A path can lead to a list of texts. */
export interface Searched {
  /** The most important one first. */
  readonly names: ReadonlyArray<Path>
  /** Ids, which people write with spaces and punctuation of their own. */
  readonly ids: ReadonlyArray<Path>
}

/**
 * A text that must be plausible when it is set. A stored text stays as it is, because this rule is younger than the
 * first stored rows.
 */
export interface Judged {
  readonly path: Path
  readonly as: "birthDate" | "email"
}

/** A value that an erasure removes from the document, or replaces if the schema needs one. */
export interface Personal {
  readonly path: Path
  readonly as?: JsonValue
}

/** A field that updates cannot change. */
export interface Fixed {
  readonly path: Path
  /** How to change the field instead, for the error text. */
  readonly advice?: string
  /** An update can set the field while it is absent. */
  readonly settable?: true
}

/** How GET returns the stored fields: unchanged, with these exceptions. */
export interface Verbatim {
  /** A column with a date. After that day GET returns other values than the stored ones. */
  readonly until?: string
  /** Keys that GET leaves out, each with its value if that is always the same. */
  readonly hidden?: ReadonlyArray<{ readonly key: string; readonly always?: string }>
}

/** How a resource gets its id. */
export type Naming =
  /** The server mints the id. */
  | { readonly by: "minting"; readonly kind: IdKind }
  /** The id is the code at the path. The caller gives the code on create; it never changes (§2.2). */
  | { readonly by: "code"; readonly path: Path }
  /** The id is a URN of this format and names the record's source. */
  | { readonly by: "urn"; readonly form: RegExp }

/**
 * The definition of a resource, from which it is served and stored. `Fields` is the same on the wire and in the store.
 */
export interface Resource<Fields extends JsonObject = JsonObject> {
  /** The `type` on the wire, and the name of the table. */
  readonly type: EntityType
  readonly naming: Naming
  /** The path below the root of the surface. */
  readonly collection: string
  /** The schema of the document, without `id`, `type`, `createdAt` and `updatedAt`. */
  readonly fields: Schema.Codec<Fields, Fields>
  /** Fields that only the server sets. Ignored in POST and PUT. In PATCH they must equal the stored value. */
  readonly computed: ReadonlyArray<Path>
  /** Fields that are set on create and must stay equal in every update. */
  readonly fixed: ReadonlyArray<Fixed>
  /** Texts that must be plausible when a write sets or changes them. */
  readonly judged?: ReadonlyArray<Judged>
  /** Defaults for fields that POST or PUT leaves out. */
  readonly defaults: ReadonlyArray<{ readonly path: Path; readonly value: JsonValue }>
  /** If absent, GET returns other fields than the stored ones. */
  readonly verbatim?: Verbatim
  /** The maximum number of resources per tenant, without deleted ones. Unlimited if absent. */
  readonly most?: number
  /** Whether registers verify the resource. Decisions then get the number of its open verifications. */
  readonly verified?: true
  /**
   * The column with the parent of a row, if the rows are a tree. Decisions then get the tree, and whether a person links to
   * the row.
   */
  readonly tree?: string
  /** Other resources that the document names. They must exist when a link is set. */
  readonly links: ReadonlyArray<Link>
  readonly columns: Readonly<Record<string, Column>>
  readonly filters: Readonly<Record<string, Filter>>
  /** What an erasure of the person removes. Absent if the resource is about no person, or if nothing erases it. */
  readonly personal?: ReadonlyArray<Personal>
  /**
   * The paths of the email addresses of a person, the preferred one first. The table then has the column `unreachable`, which
   * is `true` after an attempt of a message that found no address that takes it, until the address changes.
   */
  readonly addresses?: ReadonlyArray<Path>
  /** The path of the time of the erasure. Needed if deleted resources can be restored. */
  readonly erasedAt?: Path
  /** The path of the id of the resource that continues this one after a merge. */
  readonly mergedInto?: Path
  /**
   * The fields whose changes the audit log tells, of a resource with secrets: never one that is sealed. The store keeps
   * versions of these alone. Absent if it keeps whole versions, or none.
   */
  readonly told?: ReadonlyArray<string>
  /** Required by a filter `words`. */
  readonly searched?: Searched
  /** The columns for `sort` by their wire names, besides `createdAt`, `updatedAt` and `id`. */
  readonly sorts: Readonly<Record<string, string>>
}

/** Returns whether text has the format of an id of the resource. The resource need not exist. */
export const isIdOf = ({ naming }: Resource, text: string): boolean => {
  switch (naming.by) {
    case "minting":
      return isId(naming.kind, text)
    case "code":
      return isCode(text)
    case "urn":
      return naming.form.test(text)
  }
}

const idFormOf = ({ naming }: Resource): string => {
  switch (naming.by) {
    case "minting":
      return idFormat(naming.kind)
    case "code":
      return codeFormat
    case "urn":
      return "a URN of this service"
  }
}

/** Returns the id in a path, or fails if its format is wrong (DECISIONS.md#resources: 400). */
export const requireId = (resource: Resource, text: string): Result.Result<string, InvalidArgument> =>
  isIdOf(resource, text)
    ? Result.succeed(text)
    : Result.fail(new InvalidArgument({ field: "id", reason: `must be ${idFormOf(resource)}` }))

/** Returns the value of a column for a document: text, `true` or `false`, or the empty string if absent. */
export const columnValue = (resource: Resource, column: string, fields: JsonObject): string => {
  const definition = resource.columns[column]
  const value = definition === undefined ? undefined : at(fields, definition.path)
  if (typeof value === "boolean") return String(value)
  if (definition?.born !== undefined) {
    const birthDate = at(fields, definition.born)
    return typeof value === "string" && typeof birthDate === "string" ? personKey(value, birthDate) : ""
  }
  return typeof value === "string" ? columnText(definition, value) : ""
}

/** Returns text in the form of a column. */
export const columnText = (column: Column | undefined, text: string): string => {
  if (column?.card === true) return cardKey(text)
  return column?.folded === true ? text.toLowerCase() : text
}

const textsAt = (fields: JsonObject, path: Path): ReadonlyArray<string> => {
  const value = at(fields, path)
  const values: ReadonlyArray<JsonValue | undefined> = Array.isArray(value) ? value : [value]
  return values.filter((each) => typeof each === "string")
}

/** Returns the words by which a search finds a document, each once. */
export const wordsOf = ({ searched }: Resource, fields: JsonObject): ReadonlyArray<string> => {
  if (searched === undefined) return []
  const textsOf = (paths: ReadonlyArray<Path>) => paths.flatMap((path) => textsAt(fields, path))
  return searchWords(textsOf(searched.names), textsOf(searched.ids))
}

/** The resource does not exist or is deleted. */
export class ResourceNotFound extends Data.TaggedError("ResourceNotFound")<{
  readonly entityType: EntityType
  readonly id: string
  /** The id of the resource that continues this one after a merge. */
  readonly mergedInto?: string
}> {}

/** Returns the error about a resource that does not exist, or that a caller does not see. */
export const notFound = (
  resource: Resource,
  id: string,
  stored?: Pick<Stored, "fields" | "hidden">
): ResourceNotFound => {
  const { mergedInto, type } = resource
  const into =
    mergedInto === undefined || stored === undefined ? undefined : at(shownFields(resource, stored), mergedInto)
  return new ResourceNotFound({ entityType: type, id, ...(typeof into === "string" ? { mergedInto: into } : {}) })
}

/** The id is already used, even if its resource is deleted (§7.1). */
export class DuplicateId extends Data.TaggedError("DuplicateId")<{
  readonly entityType: EntityType
  readonly id: string
}> {}

/** The tenant has the maximum number of resources of this type. */
export class CollectionFull extends Data.TaggedError("CollectionFull")<{
  readonly entityType: EntityType
  readonly most: number
}> {}

/** A stored resource. */
export interface Stored<Fields extends JsonObject = JsonObject> {
  readonly id: string
  /** 1 on create, plus one per change. Conditional writes compare it. */
  readonly version: number
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly deletedAt: Instant | null
  readonly fields: Fields
  /**
   * The columns with the ids of people or units that the caller does not reach, or `hiddenMerge`. Their values are never
   * shown.
   */
  readonly hidden?: ReadonlyArray<string>
}

/** A resource on the wire (DECISIONS.md#resources). */
export type Document<Fields extends JsonObject> = {
  readonly id: string
  readonly type: string
  readonly createdAt: string
  readonly updatedAt: string
  /** Present on a deleted resource. */
  readonly deletedAt?: string
} & Fields

/** The resource that continues a merged one, in `hidden`. No column has it. */
export const hiddenMerge = "mergedInto"

/** Returns the fields as the caller may see them. A slot becomes null, and a link goes as a whole. */
const shownFields = <Fields extends JsonObject>(
  { columns, mergedInto }: Resource<Fields>,
  { fields, hidden = [] }: Pick<Stored<Fields>, "fields" | "hidden">
): Fields =>
  hidden.reduce((shown, column) => {
    const path = column === hiddenMerge ? mergedInto : columns[column]?.path
    if (path === undefined) return shown
    const isLink = path.at(-1) === "id"
    return put(shown, isLink ? path.slice(0, -1) : path, isLink ? undefined : null) as Fields
  }, fields)

/** Returns the document in `data` of GET, which POST, PUT and PATCH also accept. */
export const toDocument = <Fields extends JsonObject>(
  resource: Resource<Fields>,
  stored: Stored<Fields>
): Document<Fields> => ({
  id: stored.id,
  type: resource.type,
  ...shownFields(resource, stored),
  createdAt: toRfc3339(stored.createdAt),
  updatedAt: toRfc3339(stored.updatedAt),
  ...(stored.deletedAt === null ? {} : { deletedAt: toRfc3339(stored.deletedAt) })
})
