import { Data, Result, Schema } from "effect"
import type { Resource } from "../resource/Resource.ts"
import { LinkedUnitId } from "../shared/Id.ts"
import { line } from "../shared/Text.ts"

/** The levels of the tree of units. */
export const unitLevels = 4
/** The maximum number of units of a tenant. */
export const unitsMax = 1000

/** The unit of a person. Its absence means that only accounts without a limit see the person. */
export const UnitLink = Schema.optionalKey(Schema.Struct({ id: LinkedUnitId })).annotateKey({
  description:
    "Part of the organization that the person belongs to. Users who are limited to other units do not see the person, " +
    "and nobody with a limit sees a person without a unit."
})

export const UnitFields = Schema.Struct({
  name: line(100).annotateKey({ description: "Name of the unit. It need not be unique." }),
  externalId: Schema.optionalKey(line(200)).annotateKey({
    description: "Id of the unit in the caller's own system. Lists, links and imports find the unit by it."
  }),
  parent: Schema.optionalKey(Schema.Struct({ id: LinkedUnitId })).annotateKey({
    description: `Unit above this one. Absent at the top. The tree has at most ${unitLevels} levels.`
  })
})
export type UnitFields = typeof UnitFields.Type

/** A unit as the target of links. */
const node = {
  type: "unit",
  naming: { by: "minting", kind: "unit" },
  collection: "units",
  fields: UnitFields,
  computed: [],
  fixed: [],
  defaults: [],
  most: unitsMax,
  links: [],
  verbatim: {},
  columns: {
    name: { path: ["name"], folded: true },
    external_id: { path: ["externalId"] },
    parent_id: { path: ["parent", "id"] }
  },
  filters: {
    externalId: { by: "equal", column: "external_id" },
    parentId: { by: "equal", column: "parent_id", of: "unit" }
  },
  sorts: { name: "name", externalId: "external_id" }
} as const satisfies Resource<UnitFields>

/** A part of the tenant's organization, such as a branch or a team (DECISIONS.md#units). */
export const Unit = {
  ...node,
  tree: "parent_id",
  links: [{ path: ["parent"], resource: node, lookup: "externalId" }]
} as const satisfies Resource<UnitFields>

/** A link of a person to a unit. */
export const unitLink = { path: ["unit"], resource: node, lookup: "externalId" } as const

/** The parent of each unit; null at the top. */
export type UnitTree = ReadonlyMap<string, string | null>

/** The unit cannot be there: it would be below itself, or on a level that the tree does not have. */
export class Misplaced extends Data.TaggedError("Misplaced")<{ readonly why: "below itself" | "too deep" }> {}

/** The unit has people or units, so it cannot be deleted. */
export class UnitInUse extends Data.TaggedError("UnitInUse")<{ readonly id: string }> {}

/** Returns a unit and all units above it, from below. A unit that is not in the tree ends the list, and so does a circle. */
export const pathUp = (tree: UnitTree, unit: string): ReadonlyArray<string> => {
  const path: Array<string> = []
  let at: string | null = unit
  while (at !== null && tree.has(at) && !path.includes(at)) {
    path.push(at)
    at = tree.get(at) ?? null
  }
  return path
}

/** Returns the number of levels from a unit down to the lowest unit below it. */
const heightOf = (tree: UnitTree, unit: string): number =>
  Math.max(
    1,
    ...[...tree.keys()].map((other) => {
      const index = pathUp(tree, other).indexOf(unit)
      return index + 1
    })
  )

/** Fails if a new or moved unit would be below itself, or if it or a unit below it would be too deep. */
export const place = (tree: UnitTree, unit: string, parent: string | null): Result.Result<void, Misplaced> => {
  const above = parent === null ? [] : pathUp(tree, parent)
  if (above.includes(unit)) return Result.fail(new Misplaced({ why: "below itself" }))
  return above.length + heightOf(tree, unit) > unitLevels
    ? Result.fail(new Misplaced({ why: "too deep" }))
    : Result.void
}
