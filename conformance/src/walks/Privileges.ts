import { Effect } from "effect"
import { attempt, guardedTypes, readCall } from "../GuardedCalls.ts"
import { judge } from "../Judge.ts"
import { opened } from "../Lookup.ts"
import { type Walk, walk } from "../Walk.ts"
import { privilegedOwnershipWalks } from "./PrivilegedOwnership.ts"
import { matrixWalks } from "./PrivilegeMatrix.ts"
import { refusalWalks } from "./PrivilegeRefusals.ts"

const there = walk(
  {
    name: "privileges/groups",
    judges: ["PRV-13"],
    blast: "read",
    needs: []
  },
  Effect.gen(function* () {
    const lists = yield* Effect.forEach(guardedTypes, (entity) =>
      Effect.flatMap(readCall(entity), (call) => attempt(call, "admin"))
    )
    yield* judge("PRV-13", lists, lists.flatMap(opened))
  })
)

/** PRV: what a token may do. */
export const privilegeWalks: ReadonlyArray<Walk> = [there, ...refusalWalks, ...matrixWalks, ...privilegedOwnershipWalks]
