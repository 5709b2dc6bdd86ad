import { Data, Result, type Schema } from "effect"
import type { EntityType } from "../access/Privilege.ts"
import { codeForm, formOfId, type IdKind, isCode, isId } from "../shared/Id.ts"
import { type Instant, toRfc3339 } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { at, type JsonObject, type JsonValue, type Path } from "../shared/Json.ts"

/**
 * A value of the document that the store keeps in a column of its own too, to filter and sort by it. Absent is the
 * empty string, so that every engine sorts it alike.
 */
export interface Column {
  readonly path: Path
  /** Kept in lower case, for lookups that ignore letter case. */
  readonly folded?: true
  /** Kept in the column only, and put back into the document when it is read: the slots, which change by themselves. */
  readonly apart?: true
}

/** How a query parameter selects, by stored columns alone. */
export type Filter =
  /** The column is the value, exactly: one of these, or an id of this kind, where that is said. */
  | { readonly by: "equal"; readonly column: string; readonly among?: ReadonlyArray<string>; readonly of?: IdKind }
  /** The column holds a date before the value, and holds one. */
  | { readonly by: "before"; readonly column: string }
  /** The column holds a date, and the value or a later one. */
  | { readonly by: "from"; readonly column: string }
  /** One of the columns begins with the value, letter case apart. */
  | { readonly by: "prefix"; readonly columns: ReadonlyArray<string> }
  /** The column chosen by the parameter `type` is the value. */
  | { readonly by: "slot"; readonly type: string; readonly columns: Readonly<Record<string, string>> }
  /** The column is the value, but once the day in `until` is past it counts as `lapsed`. */
  | {
      readonly by: "lapsing"
      readonly column: string
      readonly until: string
      readonly lapsed: string
      readonly among: ReadonlyArray<string>
    }
  /** A column holds the id of a resource whose own column is the value. */
  | { readonly by: "holder"; readonly holders: ReadonlyArray<Holder> }

/** A column that holds ids of another resource, and the column by which that one is looked up. */
export interface Holder {
  readonly column: string
  readonly resource: string
  readonly lookup: string
}

/**
 * Another resource that the document names, as `{ id }`; a caller may write `{ externalId }` in its place
 * (DECISIONS.md#fields).
 */
export interface Link {
  readonly path: Path
  readonly resource: Resource
  /** The filter of that resource's list which takes the external id. */
  readonly lookup: string
}

/** What no update changes. */
export interface Fixed {
  readonly path: Path
  /** What changes it instead, for who has tried. */
  readonly advice?: string
}

/** How a resource comes by its id. */
export type Naming =
  /** The server mints it. */
  | { readonly by: "minting"; readonly kind: IdKind }
  /** It is the code at the path, which the caller gives on create and nothing changes (§2.2). */
  | { readonly by: "code"; readonly path: Path }
  /** It is a URN of this form, which says where the record comes from. */
  | { readonly by: "urn"; readonly form: RegExp }

/**
 * A resource as data: what there is to know about it in order to serve and store it. `Fields` is what stands in the
 * document, alike on the wire and at rest, so that nothing is translated on the way.
 */
export interface Resource<Fields extends JsonObject = JsonObject> {
  /** The wire's `type`, and the name of the table. */
  readonly type: EntityType
  readonly naming: Naming
  /** The path below the surface root. */
  readonly collection: string
  /** What may stand in the document beside `id`, `type`, `createdAt` and `updatedAt`. */
  readonly fields: Schema.Codec<Fields, Fields>
  /** What the server alone computes: ignored in POST and PUT, and in PATCH equal or refused. */
  readonly computed: ReadonlyArray<Path>
  /** What is given on create and not changed by an update afterwards: equal, or refused. */
  readonly fixed: ReadonlyArray<Fixed>
  /** What stands where the caller leaves it out, on create and PUT. */
  readonly defaults: ReadonlyArray<{ readonly path: Path; readonly value: JsonValue }>
  /** How many of them a tenant may have, deleted ones apart; left out, any number. */
  readonly most?: number
  /** Whether registers verify it. Decisions then get the number of its open verifications. */
  readonly verified?: true
  /** What else has to be there when the document comes to name it. */
  readonly links: ReadonlyArray<Link>
  readonly columns: Readonly<Record<string, Column>>
  readonly filters: Readonly<Record<string, Filter>>
  /** The columns that `sort` may name, beside `createdAt`, `updatedAt` and `id`, by the name the wire has for them. */
  readonly sorts: Readonly<Record<string, string>>
}

/** Whether text has the form of an id of the resource; says nothing of whether such a thing is stored. */
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
      return formOfId(naming.kind)
    case "code":
      return codeForm
    case "urn":
      return "a URN of this service"
  }
}

/** The text as the id that a path says, or why it can be none (DECISIONS.md#resources: 400). */
export const requireId = (resource: Resource, text: string): Result.Result<string, InvalidArgument> =>
  isIdOf(resource, text)
    ? Result.succeed(text)
    : Result.fail(new InvalidArgument({ field: "id", reason: `must be ${idFormOf(resource)}` }))

/** What a column holds for a document: its text, `true` or `false`, or the empty string where there is none. */
export const columnValue = (resource: Resource, column: string, fields: JsonObject): string => {
  const definition = resource.columns[column]
  const value = definition === undefined ? undefined : at(fields, definition.path)
  if (typeof value === "boolean") return String(value)
  if (typeof value !== "string") return ""
  return definition?.folded === true ? value.toLowerCase() : value
}

/** Nothing has the id, or it is deleted. */
export class ResourceNotFound extends Data.TaggedError("ResourceNotFound")<{
  readonly entityType: EntityType
  readonly id: string
}> {}

/** Something has the id already, deleted or not (§7.1). */
export class DuplicateId extends Data.TaggedError("DuplicateId")<{
  readonly entityType: EntityType
  readonly id: string
}> {}

/** The tenant has as many of them as it may. */
export class CollectionFull extends Data.TaggedError("CollectionFull")<{
  readonly entityType: EntityType
  readonly most: number
}> {}

/** A stored resource. */
export interface Stored<Fields extends JsonObject = JsonObject> {
  readonly id: string
  /** 1 when created, one more at each change: what a conditional write compares. */
  readonly version: number
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly deletedAt: Instant | null
  readonly fields: Fields
}

/** A resource as the wire shows it (DECISIONS.md#resources). */
export type Document<Fields extends JsonObject> = {
  readonly id: string
  readonly type: string
  readonly createdAt: string
  readonly updatedAt: string
} & Fields

/** What GET answers in `data`, and what POST, PUT and PATCH take. */
export const toDocument = <Fields extends JsonObject>(
  resource: Resource<Fields>,
  stored: Stored<Fields>
): Document<Fields> => ({
  id: stored.id,
  type: resource.type,
  ...stored.fields,
  createdAt: toRfc3339(stored.createdAt),
  updatedAt: toRfc3339(stored.updatedAt)
})
