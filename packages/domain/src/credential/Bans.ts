import { Clock, Context, Data, Effect, Layer, Option, Result, Schema } from "effect"
import { Caller } from "../access/Caller.ts"
import { type Actor, entryOf } from "../audit/AuditEntry.ts"
import { type ListWithOwners, makeListWithOwners } from "../crud/IncludedOwners.ts"
import * as Links from "../crud/Links.ts"
import { type Change, ResourceStore } from "../crud/ResourceStore.ts"
import { Resources } from "../crud/Resources.ts"
import { Ban, type BanFields } from "../holding/Ban.ts"
import {
  type BanDecisionBounds,
  type BanDecisionRequest,
  decidableUntil,
  decisionOutcomes
} from "../holding/BanDecision.ts"
import type { Reading, Shown } from "../resource/Collection.ts"
import type { PreconditionFailed } from "../resource/Precondition.ts"
import { isIdOf, notFound, type ResourceNotFound } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import * as Write from "../resource/Write.ts"
import { momentAt } from "../shared/CalendarDay.ts"
import { Ids } from "../shared/Id.ts"
import { fromRfc3339, toRfc3339 } from "../shared/Instant.ts"
import { decodeArgument, InvalidArgument, InvalidUrn } from "../shared/InvalidArgument.ts"
import { at, equals, isObject, type JsonObject, type JsonValue, put } from "../shared/Json.ts"
import type { RequestId } from "../shared/RequestId.ts"
import { NotDecidable } from "../verification/Decisions.ts"

/** The record is about the worker of the caller, so somebody else has to decide about it. */
export class OwnBan extends Data.TaggedError("OwnBan")<{ readonly banId: string }> {}

/**
 * Bans. The records come from registers (§4.2), and a person decides about possible matches. `include=owners` of the list
 * also needs READ of the people.
 */
export class Bans extends Context.Service<
  Bans,
  Pick<Reading<BanFields, InvalidUrn>, "read"> &
    ListWithOwners<BanFields> & {
      /** Records whether a possible match is about the worker. Replaces an earlier decision. The record stays as it is. */
      readonly decide: (
        id: string,
        decision: BanDecisionRequest
      ) => Effect.Effect<
        Shown<BanFields>,
        InvalidUrn | InvalidArgument | ResourceNotFound | NotDecidable | OwnBan | PreconditionFailed,
        Caller | RequestId
      >
      /** Returns what `decide` accepts for the record now. */
      readonly bounds: (
        id: string
      ) => Effect.Effect<BanDecisionBounds, InvalidUrn | InvalidArgument | ResourceNotFound, Caller>
    }
>()("@wcs/domain/Bans") {}

export const make = Effect.gen(function* () {
  const resources = yield* Resources
  const store = yield* ResourceStore
  const { list, read } = resources.collection(Ban)
  const listWithOwners = yield* makeListWithOwners
  return Bans.of({
    ...listWithOwners(list),
    read: (id, query) => (isIdOf(Ban, id) ? read(id, query) : Effect.fail(new InvalidUrn({ field: "id" }))),
    bounds: Effect.fn("Bans.bounds")(function* (id) {
      if (!isIdOf(Ban, id)) return yield* new InvalidUrn({ field: "id" })
      const { tenantId, timeZone, workerId } = yield* Caller
      const found = Option.getOrUndefined(yield* store.find(Ban, tenantId, id))
      if (found === undefined || !isVisible(found, false)) return yield* notFound(Ban, id)
      const { today } = momentAt(yield* Clock.currentTimeMillis, timeZone)
      const until = found.fields.worker.id === workerId ? null : decidableUntil(found.fields, today)
      return { outcomes: until === null ? [] : decisionOutcomes, until }
    }),
    decide: Effect.fn("Bans.decide")(function* (id, { endsOn, outcome, reason }) {
      if (!isIdOf(Ban, id)) return yield* new InvalidUrn({ field: "id" })
      const { account, workerId } = yield* Caller
      return yield* resources.act(
        Ban,
        id,
        "decide",
        (fields, { now, today }): Result.Result<BanFields, NotDecidable | OwnBan> => {
          if (fields.worker.id === workerId) return Result.fail(new OwnBan({ banId: id }))
          const until = decidableUntil(fields, today)
          const outcomes = until === null ? [] : decisionOutcomes
          if (until === null || endsOn < today || endsOn > until) {
            return Result.fail(new NotDecidable({ subjectId: id, about: ["POSSIBLE_MATCH"], outcomes, until }))
          }
          return Result.succeed({
            ...fields,
            decision: { outcome, reason, endsOn, decidedAt: toRfc3339(now), account }
          })
        }
      )
    })
  })
})

export const layer = Layer.effect(Bans, make)

/** The result of importing a record. */
export interface Recorded {
  readonly id: string
  readonly change: "created" | "updated" | "unchanged"
}

const decodeKey = decodeArgument(Schema.Struct({ key: Schema.String }))

/** Returns the URN and fields of a record whose worker is already resolved to an id. */
const understand = (document: JsonObject) =>
  Result.gen(function* () {
    const { key } = yield* decodeKey(document)
    const { fields } = yield* Write.create(Ban, put(document, ["key"], undefined))
    const id = `urn:wcs:ban:${fields.register}:${key}`
    if (!isIdOf(Ban, id)) {
      return yield* Result.fail(
        new InvalidArgument({ field: "key", reason: "must be 1 to 64 letters, digits, dots, _ and -" })
      )
    }
    const checkedAt = toRfc3339(fromRfc3339(fields.checkedAt) ?? 0) // the schema has checked the format
    return { id, fields: { ...fields, checkedAt } }
  })

/**
 * Imports one record of a register: the fields of a ban and the register's `key`. Importing the same record again
 * changes nothing. A different record with the same key replaces the stored one. It ends a decision unless only the time
 * of the check is another. The record of a worker that was merged into another one is about that one. Fails if the worker
 * does not exist.
 */
export const record = Effect.fn("Bans.record")(function* (tenantId: string, entry: JsonValue, actor: Actor) {
  const store = yield* ResourceStore
  const ids = yield* Ids
  const now = yield* Clock.currentTimeMillis
  const current = isObject(entry) ? yield* Links.makeFollow(store)(Ban, tenantId, entry) : entry
  const { document, named } = yield* Links.makeResolve(store)(Ban, tenantId, current)
  const { fields, id } = yield* Effect.fromResult(understand(document))
  const auditId = yield* ids.mint("audit")
  const recordsOf = (operation: "CREATE" | "UPDATE") => ({
    audit: [entryOf(auditId, actor, { operation, action: "import", entityType: Ban.type, entityId: id }, now)],
    events: []
  })
  const done = yield* store.change(
    Ban,
    tenantId,
    id,
    named,
    ({ current, references }): Result.Result<Change<BanFields> & Pick<Recorded, "change">, Links.LinkNotFound> => {
      const before = Option.getOrUndefined(current)
      const broken = Links.broken(named, references, before?.fields ?? {}, fields)
      if (broken !== undefined) return Result.fail(broken)
      // Only an erasure deletes a ban. The record of a person who was erased must not bring the person back.
      if (before !== undefined && !isVisible(before, false)) {
        return Result.fail(new Links.LinkNotFound({ field: "worker", entityType: "worker", found: "none" }))
      }
      if (before === undefined) {
        const next = { id, version: 1, createdAt: now, updatedAt: now, deletedAt: null, fields }
        return Result.succeed({ _tag: "Changed", next, records: recordsOf("CREATE"), change: "created" })
      }
      const { decision, ...recorded } = before.fields
      if (equals(recorded, fields)) {
        return Result.succeed({ _tag: "Unchanged", current: before, change: "unchanged" })
      }
      // A later check that finds the same leaves nothing new to decide.
      const isSame = equals({ ...recorded, checkedAt: fields.checkedAt }, fields)
      const kept = isSame && decision !== undefined ? { ...fields, decision } : fields
      const next = { ...before, version: before.version + 1, updatedAt: now, fields: kept }
      return Result.succeed({ _tag: "Changed", next, records: recordsOf("UPDATE"), change: "updated" })
    }
  )
  return { id, change: done.change } satisfies Recorded
})

/** How many records are imported concurrently; concurrent records share the store's commits. */
const atOnce = 64

/** Returns the key by which records are ordered. Records with different keys may be stored in any order. */
const keyOf = (entry: JsonValue): string => JSON.stringify(isObject(entry) ? at(entry, ["key"]) : null) ?? ""

/**
 * Imports many records and returns each result in the order of the input. A refused record does not affect the others.
 * Of several records with one key, the last is stored.
 */
export const recordAll = Effect.fn("Bans.recordAll")(function* (
  tenantId: string,
  entries: ReadonlyArray<JsonValue>,
  actor: Actor
) {
  const numbered = entries.map((entry, index) => ({ entry, index }))
  const recorded = yield* Effect.forEach(
    Map.groupBy(numbered, ({ entry }) => keyOf(entry)).values(),
    (ofOneKey) =>
      Effect.forEach(ofOneKey, ({ entry, index }) =>
        Effect.map(Effect.result(record(tenantId, entry, actor)), (outcome) => ({ index, outcome }))
      ),
    { concurrency: atOnce }
  )
  return recorded
    .flat()
    .toSorted((one, two) => one.index - two.index)
    .map(({ outcome }) => outcome)
})
