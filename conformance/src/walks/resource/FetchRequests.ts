import { makeWorker } from "../../calls/Resources.ts"
import * as Expect from "../../engine/Expect.ts"
import { block, judge } from "../../engine/Judge.ts"
import { Session } from "../../engine/Session.ts"
import { type Walk, walk } from "../../engine/Walk.ts"
import { fill } from "../../profile/Template.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { at, type Json } from "../../wire/Json.ts"
import { nobodysId } from "./UnknownIds.ts"

/** The default positions: of the items in the response, and of the id in an item. */
const usual = { items: "data", id: "id" }

const itemsAt = (batch: Exchange, place: string): ReadonlyArray<Json> => {
  const list = Expect.valueAt(batch, place)
  return Array.isArray(list) ? list : []
}

const hasFailed = (item: Json): boolean => at(item, "success") === false

/** At least one item has failed, and each failed item has its reason as a plain string. */
const reportsFailures = (batch: Exchange, place: string): Expect.Met => {
  const wrong = [...Expect.status(batch, 200), ...Expect.type(batch, place, "list")]
  if (wrong.length > 0) return wrong
  const failed = itemsAt(batch, place).flatMap((item, index) => (hasFailed(item) ? [index] : []))
  return failed.length === 0
    ? Expect.difference(batch, "missing", `body.${place}`, "an item with success: false", null)
    : failed.flatMap((index) => Expect.type(batch, `${place}.${index}.error`, "non-empty string"))
}

const bulk = walk({
  name: "bulk/fetch-requests",
  judges: ["BLK-17"],
  impact: "create",
  needs: ["bulk fetch request"]
})(function* () {
  const session = yield* Session
  const asked = session.profile.bulkFetchRequest
  if (asked === undefined) return yield* block("the profile has no bulk fetch request")
  const worker = yield* makeWorker()
  const nobody = nobodysId(worker.id)
  if (nobody === undefined)
    return yield* block(
      "the suite cannot form an unused id, because the ids of this deployment are too short or too densely used"
    )
  const unique = yield* session.unique
  const values = { unique, name: `Conformance ${unique}`, email: `${unique}@example.org` }
  const json = fill(asked.body, { ...values, worker: worker.id, nobody })
  yield* session.intend("captureRequest", unique)
  const batch = yield* session.send({ method: "POST", path: asked.path, json })
  const places = { ...usual, ...asked }
  const done = itemsAt(batch, places.items).filter((item) => !hasFailed(item))
  for (const id of done.map((item) => at(item, places.id))) {
    if (typeof id === "string") yield* session.made({ type: "captureRequest", id }, unique)
  }
  if (isIn(batch, 4)) yield* session.refused("captureRequest", unique)
  const differences = reportsFailures(batch, places.items)
  if (differences.length === 0 && done.length === 0) {
    return yield* block("prerequisite failed: no item of the bulk fetch request succeeded", batch)
  }
  yield* judge("BLK-17", [batch], differences)
})

/** The walk of the bulk fetch request. */
export const fetchRequestWalks: ReadonlyArray<Walk> = [bulk]
