import type { Resource } from "@wcs/domain/resource/Resource"
import type { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Location, Many, One, ResourceId } from "./Envelope.ts"
import { GuardOf, guard } from "./Guard.ts"
import { listParameters, readParameters, sortOf } from "./ListParameters.ts"
import { type ListTable, TableOf } from "./ListTable.ts"
import { mergePatch } from "./MergePatch.ts"
import { guarded } from "./Middleware.ts"
import { ResourceOf } from "./ResourceOf.ts"
import { comparesOnly, comparesTag, showsTag, TagsOf } from "./TagsOf.ts"
import { everyBody, everyCall, everyComparison, wireErrors } from "./WireError.ts"

const readErrors = [wireErrors.INVALID_ARGUMENT, ...everyCall] as const
type WriteErrors<E> = ReadonlyArray<(typeof everyBody)[number] | (typeof everyCall)[number] | E>
type UpdateErrors<E> = WriteErrors<E | typeof wireErrors.PRECONDITION_FAILED>

/** A definition with the type of its path. */
export interface Definition<Path extends string> extends Resource {
  readonly collection: Path
}

/** The parts that a group declares besides the definition of its resource. */
export interface CrudParts<
  Document extends Schema.Top,
  Create extends Schema.Top,
  Replace extends Schema.Top,
  Filters extends Schema.Struct.Fields,
  CreateError extends Schema.Top,
  UpdateError extends Schema.Top
> {
  /** The response form. */
  readonly document: Document
  /** The table of the list, as which it is also answered as a file. */
  readonly table: ListTable<never>
  /** The body of create. */
  readonly create: Create
  /** The body of replace. */
  readonly replace: Replace
  /** The query parameters of the list, besides those of every list. */
  readonly filters: Filters
  /** The errors of create, besides those of every call with a body. */
  readonly createErrors: ReadonlyArray<CreateError>
  /** The errors of replace and patch, besides those of every call with a body. */
  readonly updateErrors: ReadonlyArray<UpdateError>
}

/** Returns the standard endpoints of a resource (§4.2). */
export const crudEndpoints = <
  const Path extends string,
  Document extends Schema.Top,
  Create extends Schema.Top,
  Replace extends Schema.Top,
  Filters extends Schema.Struct.Fields,
  CreateError extends Schema.Top,
  UpdateError extends Schema.Top
>(
  resource: Definition<Path>,
  parts: CrudParts<Document, Create, Replace, Filters, CreateError, UpdateError>
) => {
  const { collection, type } = resource
  const all = `/${collection}` as const
  const single = `/${collection}/:id` as const
  const created = HttpApiSchema.WithHeaders(One(parts.document).pipe(HttpApiSchema.status(201)), Location)
  const createErrors: WriteErrors<CreateError> = [...parts.createErrors, ...everyBody, ...everyCall]
  const updateErrors: UpdateErrors<UpdateError> = [
    ...parts.updateErrors,
    wireErrors.PRECONDITION_FAILED,
    ...everyBody,
    ...everyCall
  ]
  return {
    list: HttpApiEndpoint.get("list", all, {
      query: { ...listParameters, sort: sortOf(resource), ...parts.filters },
      success: Many(parts.document),
      error: readErrors
    })
      .annotate(GuardOf, guard(type, "READ"))
      .annotate(TableOf, parts.table)
      .annotate(ResourceOf, resource),
    create: HttpApiEndpoint.post<
      "create",
      `/${Path}`,
      never,
      never,
      Create,
      never,
      typeof created,
      WriteErrors<CreateError>
    >("create", all, {
      payload: parts.create,
      success: created,
      error: createErrors as never
    })
      .annotate(GuardOf, guard(type, "CREATE"))
      .annotate(TagsOf, showsTag(resource)),
    read: HttpApiEndpoint.get("read", single, {
      params: ResourceId,
      query: readParameters,
      success: One(parts.document),
      error: [...everyComparison, ...everyCall]
    })
      .annotate(GuardOf, guard(type, "READ"))
      .annotate(TagsOf, showsTag(resource)),
    replace: HttpApiEndpoint.put<
      "replace",
      `/${Path}/:id`,
      typeof ResourceId,
      never,
      Replace,
      never,
      ReturnType<typeof One<Document>>,
      UpdateErrors<UpdateError>
    >("replace", single, {
      params: ResourceId,
      payload: parts.replace,
      success: One(parts.document),
      error: updateErrors as never
    })
      .annotate(GuardOf, guard(type, "UPDATE"))
      .annotate(TagsOf, comparesTag),
    patch: HttpApiEndpoint.patch<
      "patch",
      `/${Path}/:id`,
      typeof ResourceId,
      never,
      typeof mergePatch,
      never,
      ReturnType<typeof One<Document>>,
      UpdateErrors<UpdateError>
    >("patch", single, {
      params: ResourceId,
      payload: mergePatch,
      success: One(parts.document),
      error: updateErrors as never
    })
      .annotate(GuardOf, guard(type, "UPDATE"))
      .annotate(TagsOf, comparesTag),
    remove: HttpApiEndpoint.delete("remove", single, {
      params: ResourceId,
      success: HttpApiSchema.NoContent,
      error: [...everyComparison, ...everyCall]
    })
      .annotate(GuardOf, guard(type, "DELETE"))
      .annotate(TagsOf, comparesOnly)
  }
}

/** Returns a group with the standard endpoints of a resource and no others. */
export const crudGroup = <
  const Name extends string,
  const Path extends string,
  Document extends Schema.Top,
  Create extends Schema.Top,
  Replace extends Schema.Top,
  Filters extends Schema.Struct.Fields,
  CreateError extends Schema.Top,
  UpdateError extends Schema.Top
>(
  name: Name,
  resource: Definition<Path>,
  parts: CrudParts<Document, Create, Replace, Filters, CreateError, UpdateError>
) => {
  const { create, list, patch, read, remove, replace } = crudEndpoints(resource, parts)
  return guarded(HttpApiGroup.make(name).add(list, create, read, replace, patch, remove))
}
