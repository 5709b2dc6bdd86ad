import { Effect } from "effect"
import * as Expect from "../Expect.ts"
import { attempt, guardedTypes, readCall } from "../GuardedCalls.ts"
import { judge } from "../Judge.ts"
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
    const differences = lists.flatMap((list) => {
      const wrong = Expect.status(list, 200)
      return wrong.length > 0 ? wrong : Expect.type(list, "data", "list")
    })
    yield* judge("PRV-13", lists, differences)
  })
)

/** PRV: what a token may do. */
export const privilegeWalks: ReadonlyArray<Walk> = [there, ...refusalWalks, ...matrixWalks, ...privilegedOwnershipWalks]
