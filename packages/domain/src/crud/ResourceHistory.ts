import { Clock, Context, Effect } from "effect"
import { Caller } from "../access/Caller.ts"
import type { VersionFields } from "../audit/FieldChange.ts"
import { parseAsOf, requireKnown } from "../resource/AsOf.ts"
import type { Query } from "../resource/ListQuery.ts"
import type { Resource, Stored } from "../resource/Resource.ts"
import type { Moment } from "../shared/CalendarDay.ts"
import type { Instant } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { ResourceStore } from "./ResourceStore.ts"

/** The last row before a page in the order of creation. */
export interface CreatedAfter {
  readonly createdAt: Instant
  readonly id: string
}

/** A page in the order of creation. */
export interface CreatedPage<Fields extends JsonObject> {
  readonly items: ReadonlyArray<Stored<Fields>>
  /** The last row that was read, also if it was erased; undefined on the last page. */
  readonly next: CreatedAfter | undefined
}

/** Reads of resources as they were at a time. Each has the meaning of the method of `ResourceStore` with its name. */
export interface ReadsAsOf extends Pick<ResourceStore["Service"], "findAll"> {
  /** Of workers. */
  readonly heldByEach: <Fields extends JsonObject>(
    resource: Resource<Fields>,
    tenantId: string,
    workers: ReadonlyArray<string>,
    limit: number
  ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<Stored<Fields>>>>

  /**
   * Returns a page in the order of creation, also of resources that were deleted then. Erased versions are left out, so a
   * page can have fewer items than its size. One read.
   */
  readonly page: <Fields extends JsonObject>(
    resource: Resource<Fields>,
    tenantId: string,
    selection: { readonly after: CreatedAfter | undefined; readonly pageSize: number }
  ) => Effect.Effect<CreatedPage<Fields>>
}

/**
 * Each version of workers, credentials, exemptions, bans and compliance checks. The store keeps a version in the
 * transaction of its change. Infrastructure failures are defects.
 */
export class ResourceHistory extends Context.Service<
  ResourceHistory,
  {
    /** Returns the time from which a tenant's versions are complete. 0 if all are kept. */
    readonly knownSince: (tenantId: string) => Effect.Effect<Instant>

    /**
     * Returns the reads at a time. They find the version with the highest number of those that were written by then,
     * so a clock that steps back never brings back an older version. An erased version is not found.
     */
    readonly asOf: (at: Instant) => ReadsAsOf

    /**
     * Returns the versions of each resource that were written at its times, and the version before each of them, in order.
     * For reads of whole tenants: a limit of the caller does not count. One read, whose cost does not depend on the number
     * of other versions.
     */
    readonly versionsAt: (
      resource: Resource,
      tenantId: string,
      keys: ReadonlyArray<{ readonly id: string; readonly at: Instant }>
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<VersionFields>>>
  }
>()("@wcs/domain/ResourceHistory") {}

/** The reads at the time in `asOf`, that time, and the query without `asOf`. */
export interface Past {
  readonly reads: ReadsAsOf
  readonly moment: Moment
  readonly query: Query
}

/** Returns a function that looks up the past of the caller's tenant, at a time that `asOf` gives as text. */
export const makePast = ({ asOf, knownSince }: ResourceHistory["Service"]) =>
  Effect.fnUntraced(function* (
    text: string | ReadonlyArray<string>,
    query: Query
  ): Effect.fn.Return<Past, InvalidArgument, Caller> {
    const { tenantId, timeZone } = yield* Caller
    const moment = yield* Effect.fromResult(parseAsOf(text, yield* Clock.currentTimeMillis, timeZone))
    yield* Effect.fromResult(requireKnown(moment, yield* knownSince(tenantId)))
    return { reads: asOf(moment.now), moment, query }
  })
