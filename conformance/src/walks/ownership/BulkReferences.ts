import { Effect } from "effect"
import { type Owner, worker } from "../../calls/OwnershipCalls.ts"
import { makeWorker, read, sharedOwner } from "../../calls/Resources.ts"
import { codesOf } from "../../catalogue/ErrorCodes.ts"
import * as Expect from "../../judgement/Expect.ts"
import { control, judge, judgePair } from "../../judgement/Judge.ts"
import { type Call, Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { fill } from "../../profile/Template.ts"
import type { Json } from "../../text/Json.ts"
import { offersBulkLink, ownedBy } from "./Batches.ts"
import { stillHolds } from "./Slots.ts"

/** A batch. Each part can be of another form than §2.2 shows. */
interface Parts {
  readonly from?: Json
  readonly to?: Json
  readonly credentialIds: Json
}

const sent = (path: string, body: Pick<Call, "json" | "raw">) =>
  Effect.flatMap(Session, ({ send }) => send({ method: "POST", path, ...body }))

/** Owner references without one of their parts, or with a type that no owner has. */
const wrongOwners = (owner: Owner): ReadonlyArray<Json> => [
  { id: owner.id },
  { type: owner.type },
  { ...owner, type: "employer" }
]

/**
 * Batches that name no owner or no list. Each would change the credential if its server took it. The owner of the
 * credential is the walk's own, because a wrong server may take a batch for one of all its credentials.
 */
const references = walk({
  name: "bulk/references",
  judges: ["OWN-16"],
  alsoJudges: ["BLK-15", "ENV-06", "ENV-12"],
  impact: "mutate-own",
  needs: ["credential body"]
})(function* () {
  const { profile } = yield* Session
  const [from, to] = [worker((yield* makeWorker()).id), worker((yield* sharedOwner("worker")).id)]
  const { id, owners } = yield* ownedBy(from.id)
  const credentialIds = [id]
  const transfer = (parts: Parts) => sent("/credentials/transfer", { json: { ...parts } })
  const link = (parts: Parts) =>
    sent("/credentials/link", { json: fill(profile.ownership?.bulkLink ?? {}, { ...parts }) })
  const isLinked = yield* offersBulkLink

  const unnamed = [
    ...(yield* Effect.forEach(wrongOwners(to).slice(0, 1), (one) => transfer({ from, to: one, credentialIds }))),
    ...(yield* Effect.forEach(wrongOwners(from).slice(0, 1), (one) => transfer({ from: one, to, credentialIds }))),
    yield* transfer({ from, credentialIds }),
    yield* transfer({ to, credentialIds }),
    ...(isLinked ? yield* Effect.forEach(wrongOwners(to), (one) => link({ from, to: one, credentialIds })) : [])
  ]
  const unlisted = yield* Effect.forEach([id, [7]] as const, (ids) => transfer({ from, to, credentialIds: ids }))
  const links = isLinked ? [yield* link({ from, to, credentialIds: id })] : []
  const twice = isLinked ? [yield* link({ from, to, credentialIds: [id, id] })] : []
  const list = yield* sent("/credentials/transfer", { raw: { body: "[]", type: "application/json" } })
  const after = yield* read("credential", id)
  const good = yield* control(transfer({ from, to, credentialIds }))

  const kept = stillHolds(after, owners)
  const types = [...unlisted, ...links]
  yield* judgePair("OWN-16", { control: good, probe: unnamed, after }, [...unnamed.flatMap(Expect.rejected), ...kept])
  const wrongTypes = types.flatMap((one) => Expect.error(one, 400, ...codesOf(400)))
  yield* judgePair("ENV-06", { control: good, probe: types, after }, [...wrongTypes, ...kept])
  // another owner has the slot, so no link changes the credential
  yield* judge("BLK-15", [...twice, after], kept)
  yield* judge("ENV-12", [list], Expect.family(list, 4))
})

/** Batches whose parts have another form. */
export const bulkReferenceWalks: ReadonlyArray<Walk> = [references]
