import { Clock, Context, Data, Effect, Layer, Option, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import { type Forbidden, PrivilegeRules } from "../access/Privilege.ts"
import { isThere, LinkNotFound } from "../crud/Links.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Resources } from "../crud/Resources.ts"
import { ownerTypes } from "../ownership/Ownership.ts"
import { movedFrom } from "../people/Oversight.ts"
import { ownerResources } from "../people/Owner.ts"
import { type Misplaced, place, Unit, type UnitFields, UnitInUse, type UnitTree } from "../people/Unit.ts"
import type { Collection } from "../resource/Collection.ts"
import { tagAt } from "../resource/EntityTag.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { checkPrecondition, Precondition, type PreconditionFailed } from "../resource/Precondition.ts"
import {
  type CollectionFull,
  isIdOf,
  notFound,
  type Resource,
  type ResourceNotFound,
  requireId
} from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import { momentAt } from "../shared/CalendarDay.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { RequestId } from "../shared/RequestId.ts"

/** How one delete of a unit moves people. */
export interface UnitMoves {
  /** For how long, so that no proxy ends the call. The next call goes on. */
  readonly millis: number
  /** How many people are read at one time. At least so many are moved by a call. */
  readonly people: number
}
export const UnitMovesOf = Context.Reference<UnitMoves>("@wcs/domain/UnitMoves", {
  defaultValue: () => ({ millis: 20_000, people: ListQuery.maxPageSize })
})

/** How many people move at one time. Their writes share commits. */
const atOnce = 8

/** More people are in the unit than one call moves. */
export class UnitTooLarge extends Data.TaggedError("UnitTooLarge")<{
  readonly id: string
  /** How many people were moved. */
  readonly moved: number
  /** How many are left, of workers and of applicants at most `totalLimit` each. */
  readonly left: number
}> {}

/** Parts of the tenant's organization (DECISIONS.md#units). */
export class Units extends Context.Service<
  Units,
  Omit<Collection<UnitFields, CollectionFull, LinkNotFound | Misplaced>, "remove"> & {
    /**
     * Deletes a unit without people and units. `moveTo` in the query names a unit that gets them first, each by an update of
     * its own, which needs UPDATE of units and people. Users who were limited to the deleted unit reach nobody by it.
     */
    readonly remove: (
      id: string,
      query: ListQuery.Query
    ) => Effect.Effect<
      void,
      | InvalidArgument
      | ResourceNotFound
      | PreconditionFailed
      | Forbidden
      | LinkNotFound
      | Misplaced
      | UnitInUse
      | UnitTooLarge,
      Caller | RequestId
    >
  }
>()("@wcs/domain/Units") {}

const parentOf = ({ parent }: UnitFields): string | null => parent?.id ?? null

const isPlaced = (tree: UnitTree, id: string, fields: UnitFields) => place(tree, id, parentOf(fields))

/** Returns the unit that gets the people and units of a deleted one; undefined if none is named. */
const parseTarget = (id: string, query: ListQuery.Query): Result.Result<string | undefined, InvalidArgument> =>
  Result.flatMap(ListQuery.singles(["moveTo"], query), (given) => {
    const target = given.get("moveTo")
    const refused = (reason: string) => Result.fail(new InvalidArgument({ field: "moveTo", reason }))
    if (target === id) return refused("must be another unit")
    return target === undefined || isIdOf(Unit, target) ? Result.succeed(target) : refused("must be the id of a unit")
  })

export const make = Effect.gen(function* () {
  const resources = yield* Resources
  const store = yield* ResourceStore
  const rules = yield* PrivilegeRules
  const moves = yield* UnitMovesOf
  const { create: _, patch: __, remove: ___, replace: ____, ...reading } = resources.collection(Unit)

  /** The first people or units with this value of a column, and how many there are if that is asked for. */
  const withValue = Effect.fnUntraced(function* <Fields extends JsonObject>(
    resource: Resource<Fields>,
    column: string,
    value: string,
    includeTotal = false
  ) {
    const { tenantId } = yield* Caller
    const page = yield* Effect.fromResult(ListQuery.parse(resource, { pageSize: String(moves.people) }, ""))
    const conditions = [{ _tag: "Equal", column, value }] as const
    return yield* store.list(resource, tenantId, { ...page, conditions, includeTotal })
  })

  /** The number of people in a unit. */
  const peopleIn = (id: string) =>
    Effect.map(
      Effect.forEach(ownerTypes, (type) => withValue<JsonObject>(ownerResources[type], "unit_id", id, true)),
      (pages) => pages.reduce((sum, { total = 0 }) => sum + total, 0)
    )

  /** Fails if the unit is not there, has another tag, or if the caller may not move what is in it. Nothing was moved. */
  const requireMovable = Effect.fnUntraced(function* (id: string) {
    const { account, privileges, tenantId, timeZone } = yield* Caller
    const needed = (["unit", ...ownerTypes] as const).map(
      (entityType) => ({ entityType, operation: "UPDATE" }) as const
    )
    yield* Effect.fromResult(rules.authorize(account, privileges, needed))
    const found = Option.getOrUndefined(
      yield* store.find(Unit, tenantId, yield* Effect.fromResult(requireId(Unit, id)))
    )
    if (found === undefined) return yield* notFound(Unit, id)
    // A repeated delete is not refused for the tag that the first one had (RFC 9110, section 13.1.1).
    if (!isVisible(found, false)) return
    const moment = momentAt(yield* Clock.currentTimeMillis, timeZone)
    yield* Effect.fromResult(checkPrecondition(yield* Precondition, () => tagAt(Unit, found, moment).text))
  })

  /** Moves a person who is in a unit, unless the person was moved elsewhere or deleted meanwhile. */
  const moveOne = (
    resource: Resource,
    id: string,
    { from, target }: { readonly from: string; readonly target: string }
  ) =>
    resources
      .act<JsonObject, LinkNotFound>(
        resource,
        id,
        "move",
        (fields, _moment, [found]) =>
          isThere(found)
            ? Result.succeed(movedFrom(fields, from, target))
            : Result.fail(new LinkNotFound({ field: "moveTo", entityType: "unit", found: "none" })),
        {},
        [{ resource: Unit, id: target }]
      )
      .pipe(Effect.catchTag("ResourceNotFound", () => Effect.void))

  /** Moves units and people. Each keeps a valid state if the call is cut off, and the call can be repeated. */
  const moveAll = Effect.fnUntraced(function* (id: string, target: string) {
    for (let below = yield* withValue(Unit, Unit.tree, id); below.items.length > 0; ) {
      for (const unit of below.items) {
        yield* resources.update<UnitFields, typeof Unit, Misplaced>(
          Unit,
          unit.id,
          "patch",
          { parent: { id: target } },
          { place: isPlaced }
        )
      }
      below = yield* withValue(Unit, Unit.tree, id)
    }
    let moved = 0
    const until = (yield* Clock.currentTimeMillis) + moves.millis
    for (const type of ownerTypes) {
      const resource: Resource = ownerResources[type]
      for (;;) {
        const { items: people } = yield* withValue<JsonObject>(resource, "unit_id", id)
        if (people.length === 0) break
        if (moved > 0 && (yield* Clock.currentTimeMillis) >= until) {
          return yield* new UnitTooLarge({ id, moved, left: yield* peopleIn(id) })
        }
        yield* Effect.forEach(people, (person) => moveOne(resource, person.id, { from: id, target }), {
          concurrency: atOnce,
          discard: true
        })
        moved += people.length
      }
    }
  })

  return Units.of({
    ...reading,
    create: (body) => resources.create<UnitFields, typeof Unit, Misplaced>(Unit, body, { place: isPlaced }),
    replace: (id, body) =>
      resources.update<UnitFields, typeof Unit, Misplaced>(Unit, id, "replace", body, { place: isPlaced }),
    patch: (id, body) =>
      resources.update<UnitFields, typeof Unit, Misplaced>(Unit, id, "patch", body, { place: isPlaced }),
    remove: Effect.fn("Units.remove")(function* (id, query) {
      const target = yield* Effect.fromResult(parseTarget(id, query))
      if (target !== undefined) {
        const { tenantId } = yield* Caller
        const found = (yield* store.findAll(Unit, tenantId, [target])).get(target)
        if (found === undefined || !isVisible(found, false)) {
          return yield* new LinkNotFound({ field: "moveTo", entityType: "unit", found: "none" })
        }
        yield* requireMovable(id)
        // `If-Match` is about the unit, not about those who move.
        yield* Effect.provideService(moveAll(id, target), Precondition, {})
      }
      yield* resources.remove(Unit, id, undefined, ({ hasPeople, tree }) =>
        hasPeople || [...tree.values()].includes(id) ? Result.fail(new UnitInUse({ id })) : Result.void
      )
    })
  })
})

export const layer = Layer.effect(Units, make)
