import { Effect } from "effect"
import { applicant, link, transfer, unlink, worker } from "../../calls/OwnershipCalls.ts"
import { anyOwner, type Owners, read } from "../../calls/Resources.ts"
import type { Blocked } from "../../judgement/Blocked.ts"
import * as Expect from "../../judgement/Expect.ts"
import { judge } from "../../judgement/Judge.ts"
import type { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import type { Exchange } from "../../wire/Exchange.ts"
import { makeOwned } from "./OwnedCredentials.ts"
import { judgeUnlessMistaken } from "./OwnershipBodies.ts"
import { holds } from "./Slots.ts"

/** Sends the same call twice concurrently. In either order the second call is a no-op, so both must succeed. */
const twice = Effect.fnUntraced(function* (
  id: string,
  call: Effect.Effect<Exchange, Blocked, Session>,
  owners: Owners
) {
  const both = yield* Effect.all([call, call], { concurrency: 2 })
  const after = yield* read("credential", id)
  yield* judgeUnlessMistaken("OWN-19", [...both, after], both.flatMap(Expect.accepted))
  yield* judge("OWN-23", [...both, after], holds(after, owners))
})

const twiceAtOnce = walk({
  name: "ownership/twice-at-once",
  judges: ["OWN-19", "OWN-23"],
  impact: "mutate-own",
  needs: ["credential body", "applicant"]
})(function* () {
  const [one, next, other] = [yield* anyOwner("worker"), yield* anyOwner("worker"), yield* anyOwner("applicant")]
  const { id } = yield* makeOwned({ worker: one.id })
  yield* twice(id, link(id, applicant(other.id)), { worker: one.id, applicant: other.id })
  yield* twice(id, transfer(id, worker(one.id), worker(next.id)), { worker: next.id, applicant: other.id })
  yield* twice(id, unlink(id, applicant(other.id)), { worker: next.id })
})

/** One call, sent twice concurrently. */
export const twiceWalks: ReadonlyArray<Walk> = [twiceAtOnce]
