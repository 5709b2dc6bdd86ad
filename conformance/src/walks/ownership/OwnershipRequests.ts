import { Effect } from "effect"
import { applicant, link, type Owner, templateOf, transfer, unlink, worker } from "../../calls/OwnershipCalls.ts"
import { anyOwner, read } from "../../calls/Resources.ts"
import * as Expect from "../../judgement/Expect.ts"
import { control, judgePair } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { fill } from "../../profile/Template.ts"
import type { Exchange } from "../../wire/Exchange.ts"
import { unknownCredential } from "../resource/UnknownIds.ts"
import { anApplicant, makeOwned, seen } from "./OwnedCredentials.ts"
import { linkSaysType, saysType } from "./OwnershipBodies.ts"
import { stillHolds } from "./Slots.ts"

/** Types that no owner has: one of another kind, and one that only resembles a type. */
const otherTypes = ["employer", "Worker"]
const [otherType = ""] = otherTypes

const allRejected = (probes: ReadonlyArray<Exchange>) => probes.flatMap((probe) => Expect.rejected(probe))

/** `POST credentials/{id}/transfer` with any `from` and `to`; undefined leaves one out. */
const transferBy = Effect.fnUntraced(function* (id: string, from: unknown, to: unknown) {
  const { send } = yield* Session
  return yield* send({ method: "POST", path: `/credentials/${encodeURIComponent(id)}/transfer`, json: { from, to } })
})

const transferTo = (id: string, from: string, to: unknown) => transferBy(id, worker(from), to)

/** An action without a reference, with an empty id, and with a number as type. */
const withoutReference = Effect.fnUntraced(function* (action: "link" | "unlink", credential: string, owner: Owner) {
  const { profile, send } = yield* Session
  const template = templateOf(profile, action)
  const path = `/credentials/${encodeURIComponent(credential)}/${action}`
  const bodies = [{}, fill(template, { ...owner, id: "" }), fill(template, { ...owner, type: 7 })]
  return yield* Effect.forEach(bodies, (json) => send({ method: "POST", path, json }))
})

const references = walk({
  name: "ownership/references",
  judges: ["OWN-16"],
  impact: "mutate-own",
  needs: ["credential body"]
})(function* () {
  yield* linkSaysType
  const [holder, next] = [yield* anyOwner("worker"), yield* anyOwner("worker")]
  const { id } = yield* makeOwned({ worker: holder.id })

  const linked = yield* control(link(id, worker(holder.id)))
  const links = [
    ...(yield* Effect.forEach(otherTypes, (type) => link(id, { type, id: holder.id }))),
    yield* link(id, { id: holder.id }),
    // into the empty slot: a full one would conflict for any reference
    yield* link(id, { type: "applicant" }),
    ...(yield* withoutReference("link", id, applicant(holder.id))),
    // these would change the full slot if they were stored
    ...(yield* Effect.forEach(
      [{ type: otherType, id: next.id }, { id: next.id }, { type: "worker" }, { type: "worker", id: "" }],
      (owner) => link(id, owner)
    ))
  ]
  const afterLinks = yield* read("credential", id)
  yield* judgePair("OWN-16", { control: linked, probe: links, after: afterLinks }, [
    ...allRejected(links),
    ...stillHolds(afterLinks, { worker: holder.id })
  ])

  yield* seen(afterLinks, { worker: holder.id })
  const other = yield* anApplicant(holder)
  const moved = yield* control(transfer(id, worker(holder.id), worker(next.id)))
  yield* seen(yield* read("credential", id), { worker: next.id })
  const transfers = [
    ...(yield* Effect.forEach(otherTypes, (type) => transferTo(id, next.id, { type, id: holder.id }))),
    yield* transfer(id, { type: otherType, id: next.id }, worker(holder.id)),
    yield* transferTo(id, next.id, { id: holder.id }),
    ...(yield* Effect.forEach([{ type: "worker" }, { type: "worker", id: "" }, 7], (to) =>
      transferTo(id, next.id, to)
    )),
    yield* transferTo(id, next.id, undefined),
    yield* transferBy(id, { id: next.id }, worker(holder.id)),
    // from the empty slot: a full one would be a mismatch for any reference
    yield* transferBy(id, { type: "applicant" }, other),
    yield* transferBy(id, undefined, worker(holder.id))
  ]
  const afterTransfers = yield* read("credential", id)
  yield* judgePair("OWN-16", { control: moved, probe: transfers, after: afterTransfers }, [
    ...allRejected(transfers),
    ...stillHolds(afterTransfers, { worker: next.id })
  ])
})

const unknown = walk({
  name: "ownership/unknown-credential",
  judges: ["OWN-20"],
  impact: "mutate-own",
  needs: ["credential body"]
})(function* () {
  const [holder, next] = [yield* anyOwner("worker"), yield* anyOwner("worker")]
  const { id } = yield* makeOwned({ worker: holder.id })
  const nothing = yield* unknownCredential(id)
  const other = yield* anApplicant(holder)

  const judgeOne = Effect.fnUntraced(function* (real: Exchange, probe: Exchange) {
    const carriedOut = yield* control(Effect.succeed(real))
    yield* judgePair("OWN-20", { control: carriedOut, probe }, Expect.status(probe, 404))
  })
  yield* judgeOne(yield* link(id, worker(holder.id)), yield* link(nothing, worker(holder.id)))
  const [from, to] = [worker(holder.id), worker(next.id)]
  yield* judgeOne(yield* transfer(id, from, to), yield* transfer(nothing, from, to))
  // from an empty slot, which has no effect on a real credential
  yield* judgeOne(yield* unlink(id, other), yield* unlink(nothing, other))
})

/**
 * Unlinks that name no owner. They need an owner type in the profile's body, because each changes only that type or id.
 */
const unlinks = walk({
  name: "ownership/unlink-references",
  judges: [],
  alsoJudges: ["OWN-16"],
  impact: "mutate-own",
  needs: ["credential body", "applicant"]
})(function* () {
  if (!(yield* saysType("unlink"))) return
  const [holder, other] = [yield* anyOwner("worker"), yield* anyOwner("applicant")]
  const { id } = yield* makeOwned({ worker: holder.id })
  yield* control(link(id, applicant(other.id)))
  const nothing = yield* control(unlink(id, applicant(other.id)))
  yield* control(link(id, applicant(other.id)))
  const both = { worker: holder.id, applicant: other.id }
  yield* seen(yield* read("credential", id), both)
  const probes = [
    yield* unlink(id, { type: otherType, id: other.id }),
    yield* unlink(id, { type: "Applicant", id: other.id }),
    yield* unlink(id, { id: other.id }),
    yield* unlink(id, { type: "applicant" }),
    ...(yield* withoutReference("unlink", id, applicant(other.id)))
  ]
  const after = yield* read("credential", id)
  yield* judgePair("OWN-16", { control: nothing, probe: probes, after }, [
    ...allRejected(probes),
    ...stillHolds(after, both)
  ])
})

/** Rules for every ownership call. */
export const requestWalks: ReadonlyArray<Walk> = [references, unlinks, unknown]
