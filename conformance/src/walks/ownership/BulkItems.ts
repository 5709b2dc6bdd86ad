import { Effect } from "effect"
import { bulkLink, worker } from "../../calls/OwnershipCalls.ts"
import { anyOwner, read } from "../../calls/Resources.ts"
import { counts, envelope, errors, isFor, outcomes, ownersSaid, says, shapes } from "../../exchanges/BatchAnswers.ts"
import * as Expect from "../../judgement/Expect.ts"
import { control, judge } from "../../judgement/Judge.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { unknownCredential } from "../resource/UnknownIds.ts"
import { linkMaterial, type Material, offersBulkLink, ownedBy, readAll, transferMaterial } from "./Batches.ts"
import { offersApplicants } from "./OwnedCredentials.ts"
import { holds } from "./Slots.ts"

/** A batch in which every item is a conflict. Uses a separate credential, because a wrong server may move it. */
const judgeConflicts = Effect.fnUntraced(function* ({ ask, makeConflicting }: Material) {
  const { id } = yield* makeConflicting
  const batch = yield* ask([id])
  yield* judge("BLK-12", [batch], Expect.status(batch, 200))
  return { batch, id }
})

/** A batch with items of each kind; the first and the last are skipped. */
const judgeMixture = Effect.fnUntraced(function* (
  material: Material,
  conflicts: { readonly batch: Exchange; readonly id: string }
) {
  const { ask, changing, conflicting, done, settled, to } = material
  const ids = [conflicting.id, settled.id, changing.id, conflicts.id]
  const batch = yield* ask(ids)
  // if conflicts alone cause a refusal of the whole batch, the mixture is refused for the same reason
  if (!isIn(batch, 2)) yield* control(Effect.succeed(conflicts.batch))
  const changed = yield* read("credential", changing.id)
  const changes = holds(changed, { ...changing.owners, [to.type]: to.id })
  yield* judge("BLK-14", [batch, changed], [...Expect.accepted(batch), ...says(batch, changing.id, done), ...changes])
  yield* control(Effect.succeed(batch))
  yield* judge("BLK-03", [batch], [...shapes(batch), ...isFor(batch, ids)])
  yield* judge("BLK-06", [batch], errors(batch))
  yield* judge("BLK-07", [batch], counts(batch))
  yield* judge("BLK-18", [batch], outcomes(batch))
  const after = [...(yield* readAll([conflicting, settled])), { owned: changing, after: changed }]
  yield* judge(
    "BLK-15",
    [batch, ...after.map((one) => one.after)],
    after.flatMap((one) => holds(one.after, ownersSaid(batch, one.owned, to)))
  )
  return batch
})

/** A batch with an unknown credential before a known one. */
const judgeUnknown = Effect.fnUntraced(function* ({ ask, settled }: Material) {
  const unknown = yield* unknownCredential(settled.id)
  const batch = yield* ask([unknown, settled.id])
  yield* judge("BLK-13", [batch], [...Expect.accepted(batch), ...says(batch, unknown, "skipped")])
})

const items = walk({
  name: "bulk/items",
  judges: [
    "BLK-02",
    "BLK-03",
    "BLK-05",
    "BLK-06",
    "BLK-07",
    "BLK-12",
    "BLK-13",
    "BLK-14",
    "BLK-15",
    "BLK-16",
    "BLK-18"
  ],
  impact: "mutate-own",
  needs: ["credential body"]
})(function* () {
  const { again, material, moved, pair } = yield* transferMaterial
  yield* judge("BLK-02", [moved], envelope(moved))
  yield* control(Effect.succeed(moved))
  yield* judge(
    "BLK-16",
    [moved, again],
    [...Expect.accepted(again), ...pair.flatMap(({ id }) => says(again, id, "noop"))]
  )
  const batch = yield* judgeMixture(material, yield* judgeConflicts(material))
  yield* judge(
    "BLK-05",
    [moved, batch],
    [
      ...pair.flatMap(({ id }) => says(moved, id, material.done)),
      ...says(batch, material.changing.id, material.done),
      ...says(batch, material.settled.id, "noop"),
      ...says(batch, material.conflicting.id, "skipped", material.conflict)
    ]
  )
  yield* judgeUnknown(material)
  if (!((yield* offersBulkLink) && (yield* offersApplicants))) return
  const links = yield* linkMaterial
  yield* judgeMixture(links, yield* judgeConflicts(links))
  yield* judgeUnknown(links)
})

const linkAnswer = walk({
  name: "bulk/link-answer",
  judges: ["BLK-01"],
  impact: "mutate-own",
  needs: ["credential body", "bulk link body"]
})(function* () {
  const owner = yield* anyOwner("worker")
  const { id } = yield* ownedBy(owner.id)
  const batch = yield* bulkLink({ to: worker(owner.id), credentialIds: [id] })
  yield* judge("BLK-01", [batch], envelope(batch))
})

const linkItems = walk({
  name: "bulk/link-items",
  judges: ["BLK-04"],
  impact: "mutate-own",
  needs: ["credential body", "bulk link body", "applicant"]
})(function* () {
  const { ask, changing, conflict, conflicting, done, settled } = yield* linkMaterial
  // another walk changes the last item
  const batch = yield* control(ask([conflicting.id, changing.id, settled.id]))
  const again = yield* ask([conflicting.id, changing.id])
  yield* judge(
    "BLK-04",
    [batch.exchange, again],
    [
      ...says(again, changing.id, "noop"),
      ...says(batch.exchange, changing.id, done),
      ...says(batch.exchange, settled.id, "noop"),
      ...says(batch.exchange, conflicting.id, "skipped", conflict)
    ]
  )
})

/** Whether the items of a batch answer match the result. */
export const itemWalks: ReadonlyArray<Walk> = [items, linkAnswer, linkItems]
