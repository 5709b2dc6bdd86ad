import { Clock, Effect, Option, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import type { Operation } from "../access/Privilege.ts"
import { actorOf, entryOf } from "../audit/AuditEntry.ts"
import { requireUnit, unitIn } from "../people/Oversight.ts"
import { unitLink } from "../people/Unit.ts"
import { tagAt } from "../resource/EntityTag.ts"
import { isGone } from "../resource/Erasing.ts"
import { checkPrecondition, Precondition, type PreconditionFailed } from "../resource/Precondition.ts"
import {
  CollectionFull,
  DuplicateId,
  notFound,
  type Resource,
  type ResourceNotFound,
  requireId,
  type Stored
} from "../resource/Resource.ts"
import * as SoftDelete from "../resource/SoftDelete.ts"
import * as Write from "../resource/Write.ts"
import { type Moment, momentAt } from "../shared/CalendarDay.ts"
import type { Ids } from "../shared/Id.ts"
import { at, equals, type JsonObject, type JsonValue, put } from "../shared/Json.ts"
import * as Notifications from "../shared/Notifications.ts"
import { RequestId } from "../shared/RequestId.ts"
import type {
  CreateRefusal,
  Creating,
  HoldingsRule,
  OwnRecords,
  RecordedBy,
  RestoreRules,
  Rules,
  Updating,
  WriteRefusal
} from "./GroupRules.ts"
import * as Links from "./Links.ts"
import { shownBy } from "./ResourceReads.ts"
import {
  type Basis,
  type Change,
  type HoldingsOf,
  type Reference,
  type ResourceStore,
  storedAfter
} from "./ResourceStore.ts"

/** The services that the write use cases share. */
export interface Services {
  readonly store: ResourceStore["Service"]
  readonly ids: Ids["Service"]
  readonly notifications: Notifications.Notifications["Service"]
  readonly resolve: ReturnType<typeof Links.makeResolve>
  readonly auditId: () => string
  readonly eventId: () => string
  readonly messageId: () => string
}

/** The context of a change, for its records. */
interface Occasion extends RecordedBy {
  readonly tenantId: string
  readonly limits: ReadonlyArray<string> | undefined
}

const begin = Effect.fnUntraced(function* ({ auditId, eventId, messageId }: Services) {
  const caller = yield* Caller
  const actor = actorOf(caller, yield* RequestId)
  const moment = momentAt(yield* Clock.currentTimeMillis, caller.timeZone)
  const { limitedTo: limits, tenantId } = caller
  return { ...moment, tenantId, limits, actor, auditId, eventId, messageId } satisfies Occasion
})

/** Notifies the workers of what a change left to do, so that they need not poll. */
const notify = Effect.fnUntraced(function* <Fields extends JsonObject>(
  { notifications }: Services,
  change: Change<Fields>
) {
  if (change._tag === "Unchanged") return
  const { events, messages = [], progressions = [], reruns = [], verifications = [] } = change.records
  if (events.length + progressions.length > 0) yield* notifications.notify(Notifications.deliveryDue)
  if (messages.length > 0) yield* notifications.notify(Notifications.messageDue)
  if (reruns.length + verifications.length > 0) yield* notifications.notify(Notifications.verificationDue)
})

const noOwnRecords: OwnRecords = {}

/** Returns the change to a new state, with its audit entry and the group's own records. */
const changeTo = <Fields extends JsonObject>(
  resource: Resource<Fields>,
  next: Stored<Fields>,
  operation: Operation,
  action: string,
  { health, ownership, subscribesTo, ...records }: OwnRecords = noOwnRecords,
  { actor, auditId, now }: Occasion
) => {
  const entry = entryOf(auditId(), actor, { operation, action, entityType: resource.type, entityId: next.id }, now)
  return {
    _tag: "Changed",
    next,
    records: { events: [], ...records, audit: [ownership === undefined ? entry : { ...entry, ownership }] },
    ...(subscribesTo === undefined ? {} : { subscribesTo }),
    ...(health === undefined ? {} : { health })
  } satisfies Change<Fields>
}

/** Returns the id of a new resource. */
const idFor = ({ ids }: Services, { naming, type }: Resource, fields: JsonObject): Effect.Effect<string> => {
  switch (naming.by) {
    case "minting":
      return ids.mint(naming.kind)
    case "code":
      return Effect.succeed(String(at(fields, naming.path)))
    case "urn":
      return Effect.die(new Error(`only its register creates a ${type}`))
  }
}

/** Returns why the resource cannot be created; undefined if it can. */
const conflictOf = <Fields extends JsonObject>(
  { most, naming, type }: Resource<Fields>,
  id: string,
  { current, others }: Basis<Fields>
): DuplicateId | CollectionFull | undefined => {
  if (Option.isSome(current)) {
    if (naming.by !== "code") throw new Error(`${id} was minted twice`)
    return new DuplicateId({ entityType: type, id })
  }
  return most !== undefined && others >= most ? new CollectionFull({ entityType: type, most }) : undefined
}

/** Returns the holdings that a change needs, if any. `requiring` returns the fields with their requirements. */
const neededBy = <Fields extends JsonObject>(
  rule: HoldingsRule<Fields> | undefined,
  change: "created" | "updated",
  fields: Fields,
  today: string,
  requiring: (references: Basis<Fields>["references"]) => Fields
): HoldingsOf | undefined => {
  const whose = rule?.of(change, fields, today)
  return rule === undefined || whose === undefined
    ? undefined
    : { ...whose, credentialTypes: (references) => rule.credentialTypes(requiring(references)) }
}

/** Makes POST: creates with a new id. */
export const makeCreate = (services: Services) =>
  Effect.fnUntraced(function* <
    Fields extends JsonObject,
    Definition extends Resource<Fields>,
    Refused = never,
    View extends JsonObject = Fields
  >(resource: Definition & Resource<Fields>, body: JsonValue, creating: Creating<Fields, Refused, View> = {}) {
    // The type of the definition says which of these can occur.
    const refuse = (refusal: DuplicateId | CollectionFull | Links.LinkNotFound) =>
      Result.fail(refusal as CreateRefusal<Definition> | WriteRefusal<Definition>)
    const occasion = yield* begin(services)
    const { now, tenantId, today } = occasion
    const { document, named } = yield* services.resolve(resource, tenantId, body)
    const written = yield* Effect.fromResult(
      Result.flatMap(Write.create(resource, document), (given) => Write.judge(resource, undefined, given, today))
    )
    const settled =
      creating.settle === undefined ? written : yield* Effect.fromResult(creating.settle(written.fields, occasion))
    const id = creating.id ?? (yield* idFor(services, resource, settled.fields))
    const references = creating.references?.of(settled.fields) ?? []
    const referringTo = (found: Basis<Fields>["references"]) =>
      creating.references === undefined
        ? Result.succeed(settled.fields)
        : creating.references.complete(settled.fields, found.slice(0, references.length))
    const decide = (basis: Basis<Fields>) =>
      Result.gen(function* () {
        const conflict = conflictOf(resource, id, basis)
        if (conflict !== undefined) return yield* refuse(conflict)
        const referring = yield* referringTo(basis.references)
        const broken = Links.broken(named, basis.references.slice(references.length), {}, referring)
        if (broken !== undefined) return yield* refuse(broken)
        if (creating.place !== undefined) yield* creating.place(basis.tree, id, referring)
        yield* requireUnit(occasion.limits, resource.type, referring)
        const fields = creating.holdings?.complete(referring, basis.holdings, today) ?? referring
        const next = { id, version: 1, createdAt: now, updatedAt: now, deletedAt: null, fields }
        return changeTo(resource, next, "CREATE", "create", creating.records?.(undefined, next, occasion), occasion)
      })
    const created = yield* services.store.change(resource, tenantId, id, [...references, ...named], decide, () =>
      neededBy(creating.holdings, "created", settled.fields, today, (found) =>
        Result.getOrElse(referringTo(found), () => settled.fields)
      )
    )
    yield* notify(services, created)
    const warnings = settled === written ? written.warnings : [...written.warnings, ...settled.warnings]
    const stored = storedAfter(created)
    return {
      document: shownBy(resource, creating.show, stored, occasion),
      warnings,
      tag: tagAt(resource, stored, occasion)
    }
  })

/** The input of the decision on an update or another operation. */
interface Present<Fields extends JsonObject> {
  readonly before: Stored<Fields>
  readonly moment: Moment
  readonly references: Basis<Fields>["references"]
  readonly openCount: number
  readonly tree: Basis<Fields>["tree"]
}

/** The name of an update in the audit log. */
const actionOf = (action: string, before: JsonObject, after: JsonObject): string =>
  action === "update" && unitIn(before) !== unitIn(after) ? "move" : action

/** Returns a function that reads, decides and writes. A resource with equal fields is not written. */
const makeAlter = (services: Services) =>
  Effect.fnUntraced(function* <Fields extends JsonObject, View extends JsonObject, E>(
    resource: Resource<Fields>,
    id: string,
    action: string,
    named: ReadonlyArray<Reference>,
    rules: Rules<Fields, View>,
    decide: (present: Present<Fields>) => Result.Result<Write.Written<Fields>, E>
  ) {
    const occasion = yield* begin(services)
    const { now, tenantId, today } = occasion
    const condition = yield* Precondition
    yield* Effect.fromResult(requireId(resource, id))
    const altered = yield* services.store.change(
      resource,
      tenantId,
      id,
      named,
      ({ current, holdings, openCount, references, tree }) =>
        Result.gen(function* () {
          if (Option.isNone(current) || !SoftDelete.isVisible(current.value, false)) {
            return yield* Result.fail(notFound(resource, id, Option.getOrUndefined(current)))
          }
          const before = current.value
          yield* checkPrecondition(condition, () => tagAt(resource, before, occasion).text)
          const { fields: decided, warnings } = yield* decide({ before, moment: occasion, references, openCount, tree })
          if (equals(decided, before.fields)) return { _tag: "Unchanged" as const, current: before, warnings }
          yield* requireUnit(occasion.limits, resource.type, decided)
          const fields = rules.holdings?.complete(decided, holdings, today) ?? decided
          const next = { ...before, version: before.version + 1, updatedAt: now, fields }
          const own = rules.records?.(before, next, occasion)
          const named = actionOf(action, before.fields, fields)
          return { ...changeTo(resource, next, "UPDATE", named, own, occasion), warnings }
        }),
      (current) =>
        Option.getOrUndefined(
          Option.map(current, ({ fields }) => neededBy(rules.holdings, "updated", fields, today, () => fields))
        )
    )
    yield* notify(services, altered)
    const stored = storedAfter(altered)
    const document = shownBy(resource, rules.show, stored, occasion)
    return { document, warnings: altered.warnings, tag: tagAt(resource, stored, occasion) }
  })

const rewrites = { replace: Write.replace, patch: Write.patch } as const

/** A PUT may omit the code, because the path has it. */
const withCode = (resource: Resource, id: string, document: JsonObject) => {
  const { naming } = resource
  return naming.by === "code" && (at(document, naming.path) ?? undefined) === undefined
    ? Result.map(requireId(resource, id), (code) => put(document, naming.path, code))
    : Result.succeed(document)
}

const hasUnit = ({ links }: Resource): boolean => links.some(({ path }) => path === unitLink.path)

/** A PUT of a person may omit the unit, because a client can know no units. Only a PATCH with null removes it. */
const withUnit = (resource: Resource, before: JsonObject, document: JsonObject): JsonObject =>
  hasUnit(resource) && (at(document, unitLink.path) ?? undefined) === undefined
    ? put(document, unitLink.path, at(before, unitLink.path))
    : document

/** Makes PUT, which replaces the document, and PATCH, which merges into it (RFC 7396). */
export const makeUpdate = (services: Services) => {
  const alter = makeAlter(services)

  return Effect.fnUntraced(function* <
    Fields extends JsonObject,
    Definition extends Resource<Fields>,
    Refused = never,
    View extends JsonObject = Fields
  >(
    resource: Definition & Resource<Fields>,
    id: string,
    method: Write.UpdateMethod,
    body: JsonValue,
    updating: Updating<Fields, Refused, View> = {}
  ) {
    const { tenantId } = yield* Caller
    const { document, named } = yield* services.resolve(resource, tenantId, body)
    // Validates a whole body before any look-up, so that its errors do not depend on the id.
    if (method === "replace") {
      const whole = Result.flatMap(withCode(resource, id, document), (complete) => Write.create(resource, complete))
      yield* Effect.fromResult(whole)
    }
    return yield* alter(resource, id, "update", named, updating, ({ before, moment, openCount, references, tree }) =>
      Result.gen(function* () {
        const shown = shownBy(resource, updating.show, before, moment)
        const complete = method === "replace" ? withUnit(resource, before.fields, document) : document
        const given = yield* rewrites[method](resource, before, shown, complete)
        const written = yield* Write.judge(resource, before.fields, given, moment.today)
        const settled =
          updating.settle === undefined
            ? written
            : yield* updating.settle(before.fields, written.fields, { method, ...moment, openCount, updated: before })
        const broken = Links.broken(named, references, before.fields, settled.fields)
        // The type of the definition says whether a link can be broken.
        if (broken !== undefined) return yield* Result.fail(broken as WriteRefusal<Definition>)
        if (updating.place !== undefined) yield* updating.place(tree, id, settled.fields)
        if (settled === written) return written
        return { fields: settled.fields, warnings: [...written.warnings, ...settled.warnings] }
      })
    )
  })
}

/**
 * Makes other operations: applies `decide`, which is pure, and audits the change as `action`. `decide` gets the stored
 * `references`, in their order.
 */
export const makeAct = (services: Services) => {
  const alter = makeAlter(services)

  return <Fields extends JsonObject, E, View extends JsonObject = Fields>(
    resource: Resource<Fields>,
    id: string,
    action: string,
    decide: (fields: Fields, moment: Moment, found: Basis<Fields>["references"]) => Result.Result<Fields, E>,
    rules: Rules<Fields, View> = {},
    references: ReadonlyArray<Reference> = []
  ) =>
    alter(resource, id, action, references, rules, ({ before, moment, references: found }) =>
      Result.map(decide(before.fields, moment, found), (fields) => ({ fields, warnings: [] }))
    )
}

/** Makes DELETE: soft delete; repeating it changes nothing (§3). `judge` can refuse it. */
export const makeRemove = (services: Services) =>
  Effect.fnUntraced(function* <Fields extends JsonObject, Refused = never>(
    resource: Resource<Fields>,
    id: string,
    records?: (before: Stored<Fields>, after: Stored<Fields>) => OwnRecords,
    judge: (basis: Basis<Fields>) => Result.Result<void, Refused> = () => Result.void
  ) {
    const occasion = yield* begin(services)
    const condition = yield* Precondition
    yield* Effect.fromResult(requireId(resource, id))
    const removed = yield* services.store.change(
      resource,
      occasion.tenantId,
      id,
      [],
      (basis): Result.Result<Change<Fields>, ResourceNotFound | PreconditionFailed | Refused> => {
        const { current } = basis
        if (Option.isNone(current)) return Result.fail(notFound(resource, id))
        const before = current.value
        const next = SoftDelete.remove(before, occasion.now)
        // A repeated delete is not refused for the tag that the first one had (RFC 9110, section 13.1.1).
        if (next === before) return Result.succeed({ _tag: "Unchanged", current: next })
        return Result.gen(function* () {
          yield* checkPrecondition(condition, () => tagAt(resource, before, occasion).text)
          yield* judge(basis)
          return changeTo(resource, next, "DELETE", "delete", records?.(before, next), occasion)
        })
      }
    )
    yield* notify(services, removed)
  })

const deletedUnit = "the unit of this person was deleted, so the person has none now"

/** Makes restore: undoes a delete, but no erasure and no merge; repeating it changes nothing (DECISIONS.md#resources). */
export const makeRestore = (services: Services) =>
  Effect.fnUntraced(function* <Fields extends JsonObject, View extends JsonObject = Fields, Refused = never>(
    resource: Resource<Fields>,
    id: string,
    { records, settle = ({ fields }) => Result.succeed(fields), show }: RestoreRules<Fields, View, Refused> = {}
  ) {
    const occasion = yield* begin(services)
    const { now, tenantId } = occasion
    const condition = yield* Precondition
    yield* Effect.fromResult(requireId(resource, id))
    const deleted = hasUnit(resource) ? yield* services.store.find(resource, tenantId, id) : Option.none()
    const units = Option.match(deleted, { onNone: () => [], onSome: ({ fields }) => Links.unitOf(resource, fields) })
    const restored = yield* services.store.change(resource, tenantId, id, units, ({ current, openCount, references }) =>
      Result.gen(function* () {
        if (Option.isNone(current) || isGone(resource, current.value.fields)) {
          return yield* Result.fail(notFound(resource, id, Option.getOrUndefined(current)))
        }
        const before = current.value
        yield* checkPrecondition(condition, () => tagAt(resource, before, occasion).text)
        const visible = SoftDelete.restore(before, now)
        if (visible === before) return { _tag: "Unchanged" as const, current: before, warnings: [] }
        const settled = yield* settle(visible, openCount)
        // A unit that somebody gave the person since that read was living a moment ago.
        const isRead = units.some((unit) => unit.id === unitIn(before.fields))
        const fields = isRead ? Links.withLivingUnit(settled, references) : settled
        const next = { ...visible, fields }
        const change = changeTo(resource, next, "UPDATE", "restore", records?.(before, next, occasion), occasion)
        return { ...change, warnings: fields === settled ? [] : [deletedUnit] }
      })
    )
    yield* notify(services, restored)
    const stored = storedAfter(restored)
    const document = shownBy(resource, show, stored, occasion)
    return { document, warnings: restored.warnings, tag: tagAt(resource, stored, occasion) }
  })
