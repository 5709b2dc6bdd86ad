import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import type { Operation } from "../access/Privilege.ts"
import { type Actor, type AuditEntry, actorOf, entryOf, type OwnershipChange } from "../audit/AuditEntry.ts"
import type { Holdings } from "../credential/Holdings.ts"
import type { ChangedBy, Progression } from "../screening/Progression.ts"
import { dayAt } from "../shared/CalendarDay.ts"
import { Ids } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import { at, equals, type JsonObject, put } from "../shared/Json.ts"
import * as Notifications from "../shared/Notifications.ts"
import { RequestId } from "../shared/RequestId.ts"
import type { VerificationDraft } from "../verification/VerificationRecord.ts"
import type { EventDraft } from "../webhook/EventDraft.ts"
import type { EventKind } from "../webhook/EventKind.ts"
import type { Rerun } from "./ChangeRecords.ts"
import type { Acting, Collection, Shown } from "./Collection.ts"
import * as Links from "./Links.ts"
import * as ListQuery from "./ListQuery.ts"
import {
  CollectionFull,
  type Document,
  DuplicateId,
  type Resource,
  ResourceNotFound,
  requireId,
  type Stored,
  toDocument
} from "./Resource.ts"
import {
  type Basis,
  type Change,
  type HoldingsOf,
  type Reference,
  ResourceStore,
  storedAfter
} from "./ResourceStore.ts"
import * as SoftDelete from "./SoftDelete.ts"
import * as Write from "./Write.ts"

/** The rules of a group beyond its definition. All functions are pure. `plain` has none. */
export interface Peculiarity<Fields extends JsonObject, CreateError, WriteError, View extends JsonObject = Fields> {
  /** Returns the document at a time: the stored one, or the view that callers get. */
  readonly show: (stored: Stored<Fields>, now: Instant) => Document<View>
  /** Validates and completes new fields. The warnings go to the caller. */
  readonly settleCreated: (
    fields: Fields,
    now: Instant,
    correlationId: string | undefined
  ) => Result.Result<Write.Written<Fields>, InvalidArgument>
  /** The same for an update. */
  readonly settleUpdated: (
    before: Fields,
    after: Fields,
    update: Write.Update
  ) => Result.Result<Write.Written<Fields>, InvalidArgument | WriteError>
  /** Other resources that a create needs to read. */
  readonly references: (fields: Fields) => ReadonlyArray<Reference>
  /** Validates and completes new fields by the references, in their order. */
  readonly settleReferences: (
    fields: Fields,
    found: ReadonlyArray<Option.Option<Stored>>
  ) => Result.Result<Fields, CreateError>
  /** Returns the error for a link to a missing resource. */
  readonly linkNotFound: (refusal: Links.LinkNotFound) => WriteError
  /** Returns the error for an id that is already used. */
  readonly duplicate: (refusal: DuplicateId) => CreateError
  /** Returns the error for a tenant with the most resources of this type. */
  readonly full: (refusal: CollectionFull) => CreateError
  /** Mints the id, if other records must know it first. By default create mints one. */
  readonly mint?: Effect.Effect<string>
  /** Returns the change of owners of a create; undefined if the resource has no owners. */
  readonly ownership: (fields: Fields) => OwnershipChange | undefined
  /** Returns whether a write gets a correlation id while this many verifications of the resource are open. */
  readonly correlates: (openCount: number) => boolean
  /** Returns the events of a change. */
  readonly event: (
    change: "created" | "updated",
    eventId: string,
    stored: Stored<Fields>,
    correlationId: string | undefined
  ) => ReadonlyArray<EventDraft>
  /** Returns the verifications that a create (no `before`) or an update starts. */
  readonly verifications: (
    before: Stored<Fields> | undefined,
    after: Stored<Fields>,
    verificationId: () => string,
    correlationId: string | undefined,
    actor: Actor
  ) => ReadonlyArray<VerificationDraft>
  /** Returns the person whose holdings a change needs. `fields` are the new ones on create, else the stored ones. */
  readonly holdingsOf: (change: "created" | "updated", fields: Fields, now: Instant) => HoldingsOf | undefined
  /** Completes new fields by the holdings. */
  readonly settleHoldings: (fields: Fields, holdings: Holdings, now: Instant) => Fields
  /** Returns the effects of a change on open recruitment checks and fetch requests. */
  readonly progressions: (stored: Stored<Fields>, by: ChangedBy) => ReadonlyArray<Progression>
  /** Returns the credentials to verify again after an update or a delete. */
  readonly reruns: (before: Stored<Fields>, after: Stored<Fields>) => ReadonlyArray<Rerun>
  /** Returns the kinds of event that the resource subscribes to. */
  readonly subscribesTo: (fields: Fields) => ReadonlyArray<EventKind>
}

/** The rules of a group without rules of its own and without links. */
export const plain = <Fields extends JsonObject>(resource: Resource<Fields>): Peculiarity<Fields, never, never> => ({
  show: (stored) => toDocument(resource, stored),
  settleCreated: (fields) => Result.succeed({ fields, warnings: [] }),
  settleUpdated: (_before, fields) => Result.succeed({ fields, warnings: [] }),
  references: () => [],
  settleReferences: (fields) => Result.succeed(fields),
  linkNotFound: ({ field }) => {
    throw new Error(`no link uses the field ${field}`)
  },
  duplicate: ({ id }) => {
    throw new Error(`${id} was minted twice`)
  },
  full: ({ entityType }) => {
    throw new Error(`the type ${entityType} has no maximum`)
  },
  ownership: () => undefined,
  correlates: () => false,
  event: () => [],
  verifications: () => [],
  holdingsOf: () => undefined,
  settleHoldings: (fields) => fields,
  progressions: () => [],
  reruns: () => [],
  subscribesTo: () => []
})

/** The rules of a group whose id is a code. */
export const coded = <Fields extends JsonObject>(
  resource: Resource<Fields>
): Peculiarity<Fields, DuplicateId, never> => ({ ...plain(resource), duplicate: (refusal) => refusal })

/** The rules of a group with links and no other rules of its own. */
export const linking = <Fields extends JsonObject>(
  resource: Resource<Fields>
): Peculiarity<Fields, never, Links.LinkNotFound> => ({ ...plain(resource), linkNotFound: (refusal) => refusal })

/** Makes the standard use cases of a group (§4.2) from its definition. */
export class Resources extends Context.Service<
  Resources,
  {
    readonly collection: <Fields extends JsonObject, CreateError, WriteError, View extends JsonObject = Fields>(
      resource: Resource<Fields>,
      peculiarity: Peculiarity<Fields, CreateError, WriteError, View>
    ) => Collection<View, CreateError, WriteError> & Acting<Fields, View>
  }
>()("@wcs/domain/Resources") {}

/** A change with its warnings. */
type Remarked<Fields extends JsonObject> = Change<Fields> & {
  readonly warnings: ReadonlyArray<string>
  /** The correlation id of the verification that the change starts; undefined if none. */
  readonly started: string | undefined
}

/** The context of a change, for its records. */
interface Occasion {
  readonly tenantId: string
  readonly actor: Actor
  readonly now: Instant
  readonly auditId: string
  readonly eventId: string
}

const rewrites = { replace: Write.replace, patch: Write.patch } as const

const auditOf = (
  resource: Resource,
  entityId: string,
  operation: Operation,
  { actor, auditId, now }: Occasion,
  action = operation.toLowerCase()
): AuditEntry => entryOf(auditId, actor, { operation, action, entityType: resource.type, entityId }, now)

export const make = Effect.gen(function* () {
  const store = yield* ResourceStore
  const ids = yield* Ids
  const notifications = yield* Notifications.Notifications
  const resolve = Links.makeResolve(store)
  const verificationId = ids.source("verification")
  const sources = { auditId: ids.source("audit"), eventId: ids.source("event") }

  const occasion = Effect.gen(function* () {
    const caller = yield* Caller
    const actor = actorOf(caller, yield* RequestId)
    const now = yield* Clock.currentTimeMillis
    return {
      tenantId: caller.tenantId,
      actor,
      now,
      auditId: yield* ids.mint("audit"),
      eventId: yield* ids.mint("event")
    } satisfies Occasion
  })

  /** Notifies the workers of what a change left to do, so that they need not poll. */
  const tellOf = Effect.fnUntraced(function* <Fields extends JsonObject>(change: Change<Fields>) {
    if (change._tag === "Unchanged") return
    const { events, progressions = [], reruns = [], verifications = [] } = change.records
    if (events.length + progressions.length > 0) yield* notifications.notify(Notifications.deliveryDue)
    if (reruns.length + verifications.length > 0) yield* notifications.notify(Notifications.verificationDue)
  })

  const collection = <Fields extends JsonObject, CreateError, WriteError, View extends JsonObject>(
    resource: Resource<Fields>,
    own: Peculiarity<Fields, CreateError, WriteError, View>
  ): Collection<View, CreateError, WriteError> & Acting<Fields, View> => {
    type Group = Collection<View, CreateError, WriteError>
    const notFound = (id: string) => new ResourceNotFound({ entityType: resource.type, id })
    const wellFormed = (id: string) => Effect.fromResult(requireId(resource, id))

    /** Returns the new subscription; empty if unchanged. */
    const resubscribing = (before: ReadonlyArray<EventKind>, after: ReadonlyArray<EventKind>) =>
      equals(before, after) ? {} : { subscribesTo: after }

    const { naming } = resource
    const idFor = (fields: Fields): Effect.Effect<string> => {
      switch (naming.by) {
        case "minting":
          return own.mint ?? ids.mint(naming.kind)
        case "code":
          return Effect.succeed(String(at(fields, naming.path)))
        case "urn":
          return Effect.die(new Error(`only its register creates a ${resource.type}`))
      }
    }
    /** A PUT may omit the code, because the path has it. */
    const withCode = (id: string, document: JsonObject) =>
      naming.by === "code" && at(document, naming.path) === undefined
        ? Effect.map(wellFormed(id), (code) => put(document, naming.path, code))
        : Effect.succeed(document)

    const create: Group["create"] = Effect.fnUntraced(function* (body) {
      const during = yield* occasion
      const correlationId = own.correlates(0) ? yield* ids.ulid : undefined
      const { document, named } = yield* resolve(resource, during.tenantId, body)
      const written = yield* Effect.fromResult(Write.create(resource, document))
      const settled = yield* Effect.fromResult(own.settleCreated(written.fields, during.now, correlationId))
      const { now: createdAt, tenantId } = during
      const id = yield* idFor(settled.fields)
      const references = own.references(settled.fields)
      const decide = (basis: Basis<Fields>): Result.Result<Change<Fields>, CreateError | WriteError> =>
        Result.gen(function* () {
          const { current, holdings, others, references: found } = basis
          if (Option.isSome(current)) {
            return yield* Result.fail(own.duplicate(new DuplicateId({ entityType: resource.type, id })))
          }
          if (resource.most !== undefined && others >= resource.most) {
            return yield* Result.fail(own.full(new CollectionFull({ entityType: resource.type, most: resource.most })))
          }
          const referring = yield* own.settleReferences(settled.fields, found.slice(0, references.length))
          const broken = Links.broken(named, found.slice(references.length), {}, referring)
          if (broken !== undefined) return yield* Result.fail(own.linkNotFound(broken))
          const fields = own.settleHoldings(referring, holdings, createdAt)
          const next = { id, version: 1, createdAt, updatedAt: createdAt, deletedAt: null, fields }
          const ownership = own.ownership(fields)
          const entry = auditOf(resource, id, "CREATE", during)
          const records = {
            audit: [ownership === undefined ? entry : { ...entry, ownership }],
            events: own.event("created", during.eventId, next, correlationId),
            verifications: own.verifications(undefined, next, verificationId, correlationId, during.actor),
            progressions: own.progressions(next, { ...during, ...sources })
          }
          return { _tag: "Changed", next, records, ...resubscribing([], own.subscribesTo(fields)) }
        })
      const created = yield* store.change(resource, tenantId, id, [...references, ...named], decide, () =>
        own.holdingsOf("created", settled.fields, createdAt)
      )
      yield* tellOf(created)
      return {
        document: own.show(storedAfter(created), createdAt),
        warnings: [...written.warnings, ...settled.warnings],
        ...(correlationId === undefined ? {} : { correlationId })
      }
    })

    const read: Group["read"] = Effect.fnUntraced(function* (id, query) {
      const { tenantId } = yield* Caller
      const { includeDeleted } = yield* Effect.fromResult(ListQuery.parseRead(query))
      const found = yield* store.find(resource, tenantId, yield* wellFormed(id))
      if (Option.isNone(found) || !SoftDelete.isVisible(found.value, includeDeleted)) return yield* notFound(id)
      return { document: own.show(found.value, yield* Clock.currentTimeMillis), warnings: [] }
    })

    const list: Group["list"] = Effect.fnUntraced(function* (query) {
      const { tenantId } = yield* Caller
      const now = yield* Clock.currentTimeMillis
      const selection = yield* Effect.fromResult(ListQuery.parse(resource, query, dayAt(now)))
      const page = yield* store.list(resource, tenantId, selection)
      return {
        documents: page.items.map((stored) => own.show(stored, now)),
        pageSize: selection.pageSize,
        nextCursor: ListQuery.nextCursor(resource, selection, page),
        total: page.total,
        warnings: []
      }
    })

    /** Reads, decides and writes. An unchanged resource writes nothing. */
    const alter = Effect.fnUntraced(function* <E>(
      id: string,
      action: string,
      named: ReadonlyArray<Links.Named>,
      decide: (
        before: Stored<Fields>,
        now: Instant,
        references: ReadonlyArray<Option.Option<Stored>>,
        correlationId: string | undefined
      ) => Result.Result<Write.Written<Fields>, E>
    ) {
      const during = yield* occasion
      const minted = own.correlates(0) ? yield* ids.ulid : undefined
      yield* wellFormed(id)
      const altered = yield* store.change(
        resource,
        during.tenantId,
        id,
        named,
        ({ current, holdings, openCount, references }): Result.Result<Remarked<Fields>, E | ResourceNotFound> =>
          Result.gen(function* () {
            if (Option.isNone(current) || !SoftDelete.isVisible(current.value, false)) {
              return yield* Result.fail(notFound(id))
            }
            const before = current.value
            const correlationId = own.correlates(openCount) ? minted : undefined
            const { fields: decided, warnings } = yield* decide(before, during.now, references, correlationId)
            if (equals(decided, before.fields)) {
              return { _tag: "Unchanged", current: before, warnings, started: undefined }
            }
            const fields = own.settleHoldings(decided, holdings, during.now)
            const next = { ...before, version: before.version + 1, updatedAt: during.now, fields }
            const verifications = own.verifications(before, next, verificationId, correlationId, during.actor)
            const started = verifications.length === 0 ? undefined : correlationId
            const records = {
              audit: [auditOf(resource, id, "UPDATE", during, action)],
              events: own.event("updated", during.eventId, next, started),
              verifications,
              progressions: own.progressions(next, { ...during, ...sources }),
              reruns: own.reruns(before, next)
            }
            const subscription = resubscribing(own.subscribesTo(before.fields), own.subscribesTo(fields))
            return { _tag: "Changed", next, records, warnings, started, ...subscription }
          }),
        (current) =>
          Option.getOrUndefined(Option.map(current, ({ fields }) => own.holdingsOf("updated", fields, during.now)))
      )
      yield* tellOf(altered)
      const { started, warnings } = altered
      return {
        document: own.show(storedAfter(altered), during.now),
        warnings,
        ...(started === undefined ? {} : { correlationId: started })
      } satisfies Shown<View>
    })

    const update = (id: string, method: Write.UpdateMethod, document: JsonObject, named: ReadonlyArray<Links.Named>) =>
      alter(id, "update", named, (before, now, references, correlationId) =>
        Result.gen(function* () {
          const written = yield* rewrites[method](resource, before, own.show(before, now), document)
          const settled = yield* own.settleUpdated(before.fields, written.fields, { method, correlationId })
          const broken = Links.broken(named, references, before.fields, settled.fields)
          if (broken !== undefined) return yield* Result.fail(own.linkNotFound(broken))
          return { fields: settled.fields, warnings: [...written.warnings, ...settled.warnings] }
        })
      )

    const act: Acting<Fields, View>["act"] = (id, action, decide) =>
      alter(id, action, [], (before, now) =>
        Result.map(decide(before.fields, now), (fields) => ({ fields, warnings: [] }))
      )

    // Validates the body before any look-up, so that its errors do not depend on the id.
    const replace: Group["replace"] = Effect.fnUntraced(function* (id, body) {
      const { tenantId } = yield* Caller
      const { document, named } = yield* resolve(resource, tenantId, body)
      yield* Effect.fromResult(Write.create(resource, yield* withCode(id, document)))
      return yield* update(id, "replace", document, named)
    })

    const patch: Group["patch"] = Effect.fnUntraced(function* (id, body) {
      const { tenantId } = yield* Caller
      const { document, named } = yield* resolve(resource, tenantId, body)
      return yield* update(id, "patch", document, named)
    })

    const remove: Group["remove"] = Effect.fnUntraced(function* (id) {
      const during = yield* occasion
      yield* wellFormed(id)
      const removed = yield* store.change(
        resource,
        during.tenantId,
        id,
        [],
        ({ current }): Result.Result<Change<Fields>, ResourceNotFound> => {
          if (Option.isNone(current)) return Result.fail(notFound(id))
          const next = SoftDelete.remove(current.value, during.now)
          if (next === current.value) return Result.succeed({ _tag: "Unchanged", current: next })
          const records = {
            audit: [auditOf(resource, id, "DELETE", during)],
            events: [],
            reruns: own.reruns(current.value, next)
          }
          const subscription = resubscribing(own.subscribesTo(current.value.fields), [])
          return Result.succeed({ _tag: "Changed", next, records, ...subscription })
        }
      )
      yield* tellOf(removed)
    })

    return { create, read, list, replace, patch, remove, act }
  }

  return Resources.of({ collection })
})

export const layer: Layer.Layer<Resources, never, ResourceStore | Ids | Notifications.Notifications> = Layer.effect(
  Resources,
  make
)
