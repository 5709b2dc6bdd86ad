import { Effect } from "effect"
import { idOf, itemsOf } from "../../calls/Reading.ts"
import type { Owning } from "../../calls/Resources.ts"
import { unlessBlind } from "../../calls/Settling.ts"
import * as Expect from "../../judgement/Expect.ts"
import { judge, walkPart } from "../../judgement/Judge.ts"
import { otherReader, readAs } from "./OwnedCredentials.ts"

/** An owner of a credential, or a former one. */
interface Listed {
  readonly owner: Owning
  readonly isOwner: boolean
}

const judgeAll = Effect.fnUntraced(function* (id: string, owners: ReadonlyArray<Listed>) {
  yield* unlessBlind
  const reader = yield* otherReader("personalToken")
  for (const { isOwner, owner } of owners) {
    const list = yield* readAs(`/credentials?ownerExternalId=${encodeURIComponent(owner.unique)}`, reader)
    const ids = itemsOf(list.answer?.json).map((item) => idOf(item) ?? null)
    const wrong = isOwner
      ? Expect.difference(list, "missing", "body.data", id, ids)
      : Expect.difference(list, "unexpected", "body.data", `no ${id}`, ids)
    yield* judge("CRD-06", [list], [...Expect.accepted(list), ...(ids.includes(id) === isOwner ? [] : wrong)])
  }
})

/** After an operation on a credential, the list of each of its owners has it, and that of a former one does not. */
export const judgeLists = (id: string, owners: ReadonlyArray<Listed>) => {
  // the external ids of existing owners are unknown
  const known = owners.filter(({ owner }) => owner.unique !== owner.id)
  return known.length === 0 ? Effect.void : walkPart(["CRD-06"], judgeAll(id, known))
}
