import { Context, Data, Effect, Layer, Option, Result, Schema } from "effect"
import { Caller } from "../access/Caller.ts"
import { type EntityType, entityTypes, type Forbidden, Operation, PrivilegeRules, readOf } from "../access/Privilege.ts"
import { AccountNames, accountsIn, namesByUrn } from "../audit/AccountNames.ts"
import { type AuditEntry, type AuditedType, auditedTypes } from "../audit/AuditEntry.ts"
import { AuditEvent, showNamed } from "../audit/AuditEvent.ts"
import { AuditSealStore } from "../audit/AuditSealStore.ts"
import { EventStore } from "../audit/EventStore.ts"
import { makeSettling, nothingSettled } from "../audit/SettledPosition.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Ban } from "../holding/Ban.ts"
import { Credential } from "../holding/Credential.ts"
import { Exemption } from "../holding/Exemption.ts"
import { Message } from "../message/Message.ts"
import { ownerResources } from "../people/Owner.ts"
import { Unit } from "../people/Unit.ts"
import { readsOf } from "../resource/DerivedAnswer.ts"
import { makeIncluding } from "../resource/Include.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import type { Resource } from "../resource/Resource.ts"
import { time, typeField } from "../resource/ShownFields.ts"
import { Answer } from "../screening/Answer.ts"
import { ComplianceCheck } from "../screening/ComplianceCheck.ts"
import { FetchRequest } from "../screening/FetchRequests.ts"
import { RecruitmentCheck } from "../screening/RecruitmentChecks.ts"
import { ScreeningPackage } from "../screening/ScreeningPackage.ts"
import { Task } from "../screening/Task.ts"
import { toRfc3339 } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import { IdentityProvider } from "../single-sign-on/IdentityProvider.ts"
import { VerificationSource } from "../verification/VerificationSource.ts"
import { Webhook } from "../webhook/Webhook.ts"

/** The type of a changed row as its own answers name it. The audit log names the account of a user. */
export type ChangedType = Exclude<AuditedType, "account">

const changedType = (type: AuditedType): ChangedType => (type === "account" ? "user" : type)

export const changedTypes: ReadonlyArray<ChangedType> = [...new Set(auditedTypes.map(changedType))]

/** A change on the wire: which row, what happened, and its present version. */
export const ChangeDocument = Schema.Struct({
  id: Schema.String.annotate({ description: "Id of the change, `aud_…`: the id of its audit event." }),
  type: typeField("change"),
  entityType: Schema.Literals(changedTypes).annotate({
    description: "Type of the changed row, as `type` of the row says. Types without rows in this API are for auditors."
  }),
  entityId: Schema.String.annotate({
    description:
      "Id of the changed row. Read the row by this id. Sessions and tokens that end together have one entry: `revoke all` " +
      "with the id of the user or identity provider, a `step up`, or the entry of the user. Read those lists again."
  }),
  operation: Operation.annotate({ description: "Kind of change. An end, such as a revocation, is a DELETE." }),
  action: Schema.String.annotate({
    description: "Name of the action, such as `create`, `link` or `verified`. New ones can be added."
  }),
  version: Schema.NullOr(Schema.Int).annotate({
    description:
      "Present version of the row, as in `sequence` of its events. Each change raises the version, so a copy with this " +
      "version or a later one is up to date. Null for users, tokens, API clients and sessions, which have none."
  }),
  changedAt: time.annotate({
    description: "Time of the request that made the change. The order of changes can differ from these times."
  }),
  auditEvent: Schema.optionalKey(AuditEvent.annotate({ identifier: "AuditEvent" })).annotateKey({
    description: "The audit event of the change. Present with include=auditEvents."
  })
})
export type ChangeDocument = typeof ChangeDocument.Type

/** A page of changes. */
export interface ChangesPage {
  readonly documents: ReadonlyArray<ChangeDocument>
  readonly pageSize: number
  /** The position after the page, for `after`. It is never absent. */
  readonly position: string
  /** Whether further changes can be read at once. */
  readonly hasMore: boolean
}

/** The store has no entry at this position: the position is foreign, or a restore removed the entry. */
export class PositionUnknown extends Data.TaggedError("PositionUnknown") {}

/** The value of `after` for the newest position. */
export const fromNow = "now"

/** The entry before a page. */
interface Place {
  readonly position: number
  readonly id: string
}

/** The cursor text of a place; undefined is the place before the first entry. The surface seals it. */
const toText = (place: Place | undefined): string =>
  ListQuery.toCursorText(place === undefined ? ["change"] : ["change", place.position, place.id])

const parsePlace = (text: string): Result.Result<Place | undefined, PositionUnknown> => {
  const values = ListQuery.fromCursorText(text)
  const [type, position, id] = values
  if (type === "change" && values.length === 1) return Result.succeed(undefined)
  return type === "change" && values.length === 3 && Number.isSafeInteger(position) && typeof id === "string"
    ? Result.succeed({ position: Number(position), id })
    : Result.fail(new PositionUnknown())
}

const isEntityType = (type: ChangedType): type is EntityType & ChangedType =>
  entityTypes.some((entityType) => entityType === type)

/** An entry about a task does not say whose card or which source it is about, so it needs the privileges of all. */
const taskReads = [readOf("task"), ...readsOf("applicantTasks"), ...readsOf("sourceTasks")] as const

/**
 * Returns the types whose changes a caller sees: those that the caller may READ. A caller who may READ the audit log sees
 * all changes there, so all types are visible.
 */
export const visibleTypes = (
  { authorize }: Pick<PrivilegeRules["Service"], "authorize">,
  { account, privileges }: Pick<Caller["Service"], "account" | "privileges">
): ReadonlySet<ChangedType> => {
  const mayRead = (type: EntityType) =>
    Result.isSuccess(authorize(account, privileges, type === "task" ? taskReads : [readOf(type)]))
  return new Set(
    mayRead("auditEvent") ? changedTypes : changedTypes.filter((type) => isEntityType(type) && mayRead(type))
  )
}

/** The changes of a tenant in the order of the audit log, without a gap (DECISIONS.md#changes). */
export class Changes extends Context.Service<
  Changes,
  {
    /**
     * GET of the changes after a position: from the first one without `after`, and none with `after=now`. A page reads a
     * fixed number of entries, so it can have fewer changes than that, or none. A caller who is limited to units sees the
     * changes of those rows that the caller reaches now.
     */
    readonly after: (
      query: ListQuery.Query
    ) => Effect.Effect<ChangesPage, InvalidArgument | Forbidden | PositionUnknown, Caller>
  }
>()("@wcs/domain/Changes") {}

/** The rows with versions. */
export const versioned: ReadonlyArray<Resource> = [
  ...Object.values(ownerResources),
  Credential,
  Exemption,
  Ban,
  ScreeningPackage,
  ComplianceCheck,
  RecruitmentCheck,
  FetchRequest,
  Webhook,
  IdentityProvider,
  VerificationSource,
  Task,
  Unit,
  Message,
  Answer
]

type Entry = AuditEntry & { readonly position: number }

const inOrder = { conditions: [], direction: "asc", includeDeleted: false, includeTotal: false } as const

export const make = Effect.gen(function* () {
  const log = yield* EventStore
  const seals = yield* AuditSealStore
  const resources = yield* ResourceStore
  const accounts = yield* AccountNames
  const rules = yield* PrivilegeRules
  const settle = yield* makeSettling(seals.mark)
  const including = makeIncluding(rules, "auditEvents", "changesWithAuditEvents")

  /** A settled position. Under load, the first mark of a process settles nothing; sealed entries always are settled. */
  const settledPosition = Effect.fnUntraced(function* (tenantId: string) {
    const position = yield* settle
    if (position > nothingSettled.position) return position
    return Option.match(yield* seals.newestSeal(tenantId), {
      onNone: () => position,
      onSome: ({ lastPosition }) => lastPosition
    })
  })

  /** The newest settled entry. */
  const newest = Effect.fnUntraced(function* (tenantId: string) {
    const after = (yield* settledPosition(tenantId)) + 1
    const { items } = yield* log.audit(tenantId, { ...inOrder, direction: "desc", pageSize: 1, after })
    return items[0]
  })

  /** The settled entries after a place, at most `limit`. The entry of the place must still be there. */
  const entriesAfter = Effect.fnUntraced(function* (tenantId: string, place: Place | undefined, limit: number) {
    // Read before the entries, so that each entry up to this position is visible to the read.
    const settled = yield* settledPosition(tenantId)
    const after = place === undefined ? undefined : place.position - 1
    const { items } = yield* log.audit(tenantId, { ...inOrder, pageSize: limit + 1, after })
    const isThere = place === undefined || (items[0]?.position === place.position && items[0].id === place.id)
    if (!isThere) return yield* new PositionUnknown()
    return items.slice(place === undefined ? 0 : 1, limit + 1).filter(({ position }) => position <= settled)
  })

  /** The present versions of the changed rows, by type and id. */
  const versionsOf = Effect.fnUntraced(function* (tenantId: string, entries: ReadonlyArray<Entry>) {
    const versions = new Map<string, ReadonlyMap<string, number>>()
    for (const resource of versioned) {
      const ids = new Set(
        entries.filter(({ entityType }) => entityType === resource.type).map((entry) => entry.entityId)
      )
      if (ids.size > 0) versions.set(resource.type, yield* resources.versions(resource, tenantId, [...ids]))
    }
    return versions
  })

  const after: Changes["Service"]["after"] = Effect.fn("Changes.after")(function* (asked) {
    const { isIncluding, query } = yield* including(asked)
    const given = yield* Effect.fromResult(ListQuery.singles(["after", "pageSize"], query))
    const pageSize = yield* Effect.fromResult(ListQuery.parsePageSize(given.get("pageSize")))
    const caller = yield* Caller
    const { tenantId } = caller
    const text = given.get("after")
    if (text === fromNow) {
      return { documents: [], pageSize, position: toText(yield* newest(tenantId)), hasMore: false }
    }
    const place = text === undefined ? undefined : yield* Effect.fromResult(parsePlace(text))
    const entries = yield* entriesAfter(tenantId, place, pageSize + 1)
    const read = entries.slice(0, pageSize)
    const types = visibleTypes(rules, caller)
    const visible = read.filter(({ entityType }) => types.has(changedType(entityType)))
    const versions = yield* versionsOf(tenantId, visible)
    const acting = isIncluding ? accountsIn(visible.map(({ account }) => account)) : []
    const showEvent = showNamed(namesByUrn(yield* accounts.find(tenantId, acting)))
    const isReached = ({ entityId, entityType }: Entry) =>
      caller.limitedTo === undefined || versions.get(entityType)?.has(entityId) === true
    const show = (entry: Entry): ChangeDocument => ({
      id: entry.id,
      type: "change",
      entityType: changedType(entry.entityType),
      entityId: entry.entityId,
      operation: entry.operation,
      action: entry.action,
      version: versions.get(entry.entityType)?.get(entry.entityId) ?? null,
      changedAt: toRfc3339(entry.at),
      ...(isIncluding ? { auditEvent: showEvent(entry) } : {})
    })
    return {
      documents: visible.filter(isReached).map(show),
      pageSize,
      position: toText(read.at(-1) ?? place),
      hasMore: entries.length > pageSize
    }
  })

  return Changes.of({ after })
})

export const layer = Layer.effect(Changes, make)
