import { Effect } from "effect"
import { forbidden } from "../../calls/GuardedCalls.ts"
import {
  applicant,
  bulkLink,
  bulkTransfer,
  link,
  readSlots,
  transfer,
  unlink,
  worker
} from "../../calls/OwnershipCalls.ts"
import { anyOwner, makeCredential, makeFrom, makeParts } from "../../calls/Resources.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, judgePair, observe } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { covered, type Holder, holdersOf, strangers, withOnly } from "../../profile/LimitedPrincipals.ts"
import { needs } from "../../profile/Need.ts"
import type { Operation } from "../../profile/Profile.ts"
import type { Json } from "../../text/Json.ts"
import { statusOf } from "../../wire/Exchange.ts"
import { rotate } from "../event/Webhooks.ts"
import { nobodysId } from "../resource/UnknownIds.ts"
import { offersApplicants } from "./OwnedCredentials.ts"
import { holdBodies } from "./OwnershipBodies.ts"

/** The maximum number of tried principals without privileges on credential; the fewest with all others. */
const maxStrangers = 8

/** A credential of one worker, and another worker as its next owner. `applicant`: no owner yet. */
const makeOwned = Effect.gen(function* () {
  const [holder, other] = [yield* anyOwner("worker"), yield* anyOwner("worker")]
  const idle = (yield* offersApplicants) ? applicant((yield* anyOwner("applicant")).id) : undefined
  const { id } = yield* makeCredential({ worker: holder.id })
  return { id, holder: worker(holder.id), other: worker(other.id), idle }
})

type Owned = Effect.Success<typeof makeOwned>

/**
 * The ownership calls that are not plain CRUD, single and bulk, as a principal. Each would have an effect: the link if
 * no applicant owns the credential, the unlink if one does.
 */
const ownershipCalls = Effect.fnUntraced(function* ({ holder, id, idle = holder, other }: Owned, { name: as }: Holder) {
  return [
    yield* link(id, idle, { as }),
    yield* unlink(id, idle, { as }),
    yield* transfer(id, holder, other, { as }),
    yield* bulkLink({ to: other, credentialIds: [id] }, { as }),
    yield* bulkTransfer({ from: holder, to: other, credentialIds: [id] }, { as })
  ]
})

/** The admin moves a credential, then these principals try every call. Detects changes despite the refusals. */
const askAll = Effect.fnUntraced(function* (them: ReadonlyArray<Holder>, isShared: boolean) {
  const { holder, id, idle, other } = yield* makeOwned
  const done = yield* control(transfer(id, holder, other))
  if (isShared && idle !== undefined) yield* control(link(id, idle))
  const owned = { id, holder: other, other: holder, idle }
  const before = yield* readSlots(owned.id)
  if (before.slots.worker !== owned.holder.id) {
    return yield* block("prerequisite failed: a credential does not show its new owner", before.exchange)
  }
  const probe = (yield* Effect.forEach(them, (holder) => ownershipCalls(owned, holder))).flat()
  const after = yield* readSlots(owned.id)
  const differences = [
    ...probe.flatMap(forbidden),
    ...Expect.same(after.exchange, "body.data.attributes.owners.worker", owned.holder.id, after.slots.worker),
    ...Expect.same(
      after.exchange,
      "body.data.attributes.owners.applicant",
      before.slots.applicant ?? null,
      after.slots.applicant ?? null
    )
  ]
  if (differences.length > 0) yield* holdBodies(probe)
  return { pair: { control: done, probe, after: after.exchange }, differences, owned }
})

const withoutAny = walk({
  name: "privileges/ownership",
  judges: ["PRV-16"],
  alsoJudges: ["PRV-07", "PRV-08"],
  impact: "mutate-own",
  needs: ["limited tokens", "credential body"]
})(function* () {
  const { profile } = yield* Session
  const them = covered(strangers(holdersOf(profile), "credential"), maxStrangers)
  if (them.length === 0) return yield* block("every limited principal of the profile has a privilege on credential")
  const { differences, owned, pair } = yield* askAll(them, false)
  yield* judgePair("PRV-16", pair, differences)
  yield* judgeChecksFirst(owned, pair, them.slice(0, 1))
})

/** The privilege is checked before the body and before the resource. */
const judgeChecksFirst = Effect.fnUntraced(function* (
  { holder, id }: Owned,
  pair: Pick<Parameters<typeof judgePair>[1], "control">,
  them: ReadonlyArray<Holder>
) {
  const { send } = yield* Session
  const nobody = nobodysId(id)
  const raw = { body: '{"type":', type: "application/json" }
  for (const { name: as } of them) {
    const paths = ["link", "unlink", "transfer"].map((action) => `/credentials/${encodeURIComponent(id)}/${action}`)
    const bad = yield* Effect.forEach([...paths, "/credentials/link", "/credentials/transfer"], (path) =>
      send({ method: "POST", path, raw, as })
    )
    yield* judgePair("PRV-07", { ...pair, probe: bad }, bad.flatMap(forbidden))
    if (nobody === undefined) continue
    const unknown = [
      yield* link(nobody, holder, { as }),
      yield* unlink(nobody, holder, { as }),
      yield* transfer(nobody, holder, holder, { as })
    ]
    yield* judgePair("PRV-08", { ...pair, probe: unknown }, unknown.flatMap(forbidden))
  }
})

const readAlone = walk({
  name: "privileges/read-alone",
  judges: ["PRV-17"],
  impact: "mutate-own",
  needs: ["limited tokens", "credential body"]
})(function* () {
  const { profile } = yield* Session
  const reader = withOnly(holdersOf(profile), "credential", "READ")
  if (reader === undefined) return yield* block("no limited principal of the profile has READ alone on credential")
  const { differences, pair } = yield* askAll([reader], true)
  yield* judgePair("PRV-17", pair, differences)
})

const writing: ReadonlyArray<Operation> = ["CREATE", "UPDATE", "DELETE"]

/** Which privilege allows a call. Uses calls that change nothing even if they are allowed. */
const opens = Effect.fnUntraced(function* ({ holder, id, other }: Owned, { name: as }: Holder) {
  return {
    link: yield* link(id, holder, { as }), // already the owner
    unlink: yield* unlink(id, holder, { as }), // the last owner
    transfer: yield* transfer(id, other, other, { as }) // not the owner
  }
})

/** The same for a webhook's secret. */
const opensRotate = Effect.gen(function* () {
  const { profile } = yield* Session
  const { id } = yield* makeFrom("webhook", yield* makeParts("webhook"))
  const answers = yield* Effect.forEach(writing, (operation) =>
    Effect.gen(function* () {
      const holder = withOnly(holdersOf(profile), "webhook", operation)
      return holder === undefined ? [] : [{ operation, exchange: yield* rotate(id, { as: holder.name }) }]
    })
  )
  const opening = answers.flat().filter(({ exchange }) => statusOf(exchange) !== 403)
  return {
    seen: { rotate: opening.map(({ operation }) => operation) },
    evidence: answers.flat().map(({ exchange }) => exchange)
  }
})

const guards = walk({
  name: "privileges/ownership-guards",
  judges: ["SIL-13"],
  impact: "mutate-own",
  needs: ["limited tokens", "credential body"]
})(function* () {
  const { profile } = yield* Session
  const owned = yield* makeOwned
  const asked = writing.flatMap((operation) => {
    const holder = withOnly(holdersOf(profile), "credential", operation)
    return holder === undefined ? [] : [{ operation, holder }]
  })
  if (asked.length === 0)
    return yield* block("no limited principal of the profile may write credentials in one way alone")
  const answers = yield* Effect.forEach(asked, ({ holder, operation }) =>
    Effect.map(opens(owned, holder), (calls) => ({ operation, calls }))
  )
  const opening = (call: keyof (typeof answers)[number]["calls"]): Json =>
    answers.filter(({ calls }) => statusOf(calls[call]) !== 403).map(({ operation }) => operation)
  const evidence = answers.flatMap(({ calls }) => Object.values(calls))
  const seen = { link: opening("link"), unlink: opening("unlink"), transfer: opening("transfer") }
  const rotating = needs["webhook body"].isMet(profile) ? yield* opensRotate : { seen: {}, evidence: [] }
  const readings = { asked: asked.map(({ operation }) => operation), ...seen, ...rotating.seen }
  yield* observe("SIL-13", readings, [...evidence, ...rotating.evidence])
})

/** Privileges for changing the owners of credentials. */
export const privilegedOwnershipWalks: ReadonlyArray<Walk> = [withoutAny, readAlone, guards]
