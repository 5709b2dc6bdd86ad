import { Effect } from "effect"
import { forbidden } from "../../calls/GuardedCalls.ts"
import { sharedResource } from "../../calls/Resources.ts"
import { codesOf } from "../../catalogue/ErrorCodes.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, type Control, control, judge, judgePair } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { holdersOf, strangers } from "../../profile/LimitedPrincipals.ts"
import { fill } from "../../profile/Template.ts"
import { at, type Json } from "../../text/Json.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { nobodysId } from "./UnknownIds.ts"

/** The default positions: of the items in the response, and of the id in an item. */
const usual = { items: "data", id: "id" }

const itemsAt = (batch: Exchange, position: string): ReadonlyArray<Json> => {
  const list = Expect.valueAt(batch, position)
  return Array.isArray(list) ? list : []
}

const hasFailed = (item: Json): boolean => at(item, "success") === false

/** At least one item has failed, and each failed item has its reason as a plain string. */
const reportsFailures = (batch: Exchange, position: string): Expect.Met => {
  const wrong = [...Expect.status(batch, 200), ...Expect.type(batch, position, "list")]
  if (wrong.length > 0) return wrong
  const failed = itemsAt(batch, position).flatMap((item, index) => (hasFailed(item) ? [index] : []))
  return failed.length === 0
    ? Expect.difference(batch, "missing", `body.${position}`, "an item with success: false", null)
    : failed.flatMap((index) => Expect.type(batch, `${position}.${index}.error`, "non-empty string"))
}

/** Registers the items that a batch made for deletion. */
const noteDone = Effect.fnUntraced(function* (batch: Exchange, positions: typeof usual, unique: string) {
  const { made } = yield* Session
  const done = itemsAt(batch, positions.items).filter((item) => !hasFailed(item))
  for (const id of done.map((item) => at(item, positions.id))) {
    if (typeof id === "string") yield* made({ type: "captureRequest", id }, unique)
  }
  return done
})

const bulk = walk({
  name: "bulk/fetch-requests",
  judges: ["BLK-17"],
  alsoJudges: ["ENV-04", "PRV-02"],
  impact: "create",
  needs: ["bulk fetch request"]
})(function* () {
  const session = yield* Session
  const asked = session.profile.bulkFetchRequest
  if (asked === undefined) return yield* block("the profile has no bulk fetch request")
  const worker = yield* sharedResource("worker", "part")
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
  const positions = { ...usual, ...asked }
  const done = yield* noteDone(batch, positions, unique)
  if (isIn(batch, 4)) yield* session.refused("captureRequest", unique)
  const differences = reportsFailures(batch, positions.items)
  if (differences.length === 0 && done.length === 0) {
    return yield* block("prerequisite failed: no item of the bulk fetch request succeeded", batch)
  }
  yield* judge("BLK-17", [batch], differences)
  yield* judgeRefused({ json, path: asked.path, positions, unique }, yield* control(Effect.succeed(batch)))
})

/** A bulk fetch request: its body and the positions in its answer. */
interface BulkFetchRequest {
  readonly path: string
  readonly json: Json
  readonly positions: typeof usual
  readonly unique: string
}

/** The same call without the privilege, and with a broken body. */
const judgeRefused = Effect.fnUntraced(function* ({ json, path, positions, unique }: BulkFetchRequest, good: Control) {
  const { profile, send } = yield* Session
  const raw = { body: JSON.stringify(json).slice(0, -1), type: "application/json" }
  const broken = yield* send({ method: "POST", path, raw })
  yield* judgePair("ENV-04", { control: good, probe: broken }, Expect.error(broken, 400, ...codesOf(400)))
  const holder = strangers(holdersOf(profile), "captureRequest").at(-1)
  if (holder === undefined) return
  const denied = yield* send({ method: "POST", path, json, as: holder.name })
  if (isIn(denied, 2)) yield* noteDone(denied, positions, unique)
  yield* judgePair("PRV-02", { control: good, probe: denied }, forbidden(denied))
})

/** The walk of the bulk fetch request. */
export const fetchRequestWalks: ReadonlyArray<Walk> = [bulk]
