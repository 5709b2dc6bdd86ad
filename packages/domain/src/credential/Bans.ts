import { Clock, Context, Effect, Layer, Option, Result, Schema } from "effect"
import type { PrivilegeRules } from "../access/Privilege.ts"
import { type Actor, entryOf } from "../audit/AuditEntry.ts"
import { type ListWithOwners, makeListWithOwners } from "../crud/IncludedOwners.ts"
import * as Links from "../crud/Links.ts"
import { type Change, ResourceStore } from "../crud/ResourceStore.ts"
import { Resources } from "../crud/Resources.ts"
import { Ban, type BanFields } from "../holding/Ban.ts"
import type { Reading } from "../resource/Collection.ts"
import { isIdOf } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import * as Write from "../resource/Write.ts"
import { Ids } from "../shared/Id.ts"
import { fromRfc3339, toRfc3339 } from "../shared/Instant.ts"
import { decodeArgument, InvalidArgument, InvalidUrn } from "../shared/InvalidArgument.ts"
import { at, equals, isObject, type JsonObject, type JsonValue, put } from "../shared/Json.ts"

/**
 * Bans. Read only (§4.2): the records come from registers. `include=owners` of the list also needs READ of the people.
 */
export class Bans extends Context.Service<
  Bans,
  Pick<Reading<BanFields, InvalidUrn>, "read"> & ListWithOwners<BanFields>
>()("@wcs/domain/Bans") {}

export const make = Effect.gen(function* () {
  const { list, read } = (yield* Resources).collection(Ban)
  const listWithOwners = yield* makeListWithOwners
  return Bans.of({
    ...listWithOwners(list),
    read: (id, query) => (isIdOf(Ban, id) ? read(id, query) : Effect.fail(new InvalidUrn({ field: "id" })))
  })
})

export const layer: Layer.Layer<Bans, never, Resources | ResourceStore | PrivilegeRules> = Layer.effect(Bans, make)

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
 * changes nothing. A different record with the same key replaces the stored one. Fails if the worker does not exist.
 */
export const record = Effect.fn("Bans.record")(function* (tenantId: string, entry: JsonValue, actor: Actor) {
  const store = yield* ResourceStore
  const ids = yield* Ids
  const now = yield* Clock.currentTimeMillis
  const { document, named } = yield* Links.makeResolve(store)(Ban, tenantId, entry)
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
      if (equals(before.fields, fields)) {
        return Result.succeed({ _tag: "Unchanged", current: before, change: "unchanged" })
      }
      const next = { ...before, version: before.version + 1, updatedAt: now, fields }
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
