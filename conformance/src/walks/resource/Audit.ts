import { Effect } from "effect"
import { itemsOf } from "../../calls/Reading.ts"
import { bodyOf, create, madeId } from "../../calls/Resources.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, judge } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import type { PrincipalName } from "../../profile/Principals.ts"
import { fillPath } from "../../profile/Template.ts"
import { at, type Json } from "../../text/Json.ts"
import type { Exchange } from "../../wire/Exchange.ts"

/** The audit history of one resource, and the actors in it. */
interface AuditReading {
  readonly exchange: Exchange
  /** The positions of its entries in the answer. */
  readonly indices: ReadonlyArray<number>
  /** One for each entry, in order; undefined for an entry without an actor. */
  readonly actors: ReadonlyArray<Json | undefined>
}

/** The seconds between repeated reads of a history that does not show the latest change yet. */
const delays = [0.1, 0.4, 1.5]

/**
 * The history of a resource. Waits a little, because the specification does not promise that entries appear
 * immediately.
 */
const historyOf = Effect.fnUntraced(function* (id: string) {
  const { profile, send, wait } = yield* Session
  const { audit } = profile
  if (audit === undefined) return yield* block("the profile does not say how the audit history is read")
  const read = send({ method: "GET", path: fillPath(audit.path, { id }) })
  const isOfOne = audit.path.includes("{{id}}")
  const entriesIn = ({ answer }: Exchange) =>
    itemsOf(answer?.json).filter((item) => isOfOne || JSON.stringify(item).includes(JSON.stringify(id)))
  let { exchange } = yield* control(read)
  for (const seconds of delays) {
    if (entriesIn(exchange).length > 0 || !(yield* wait(seconds))) break
    exchange = (yield* control(read)).exchange
  }
  const entries = entriesIn(exchange)
  const indices = itemsOf(exchange.answer?.json).flatMap((item, index) => (entries.includes(item) ? [index] : []))
  return { exchange, indices, actors: entries.map((item) => at(item, audit.actor)) } satisfies AuditReading
})

/** Creates a worker as a principal, and reads its history. */
const auditReadingOf = Effect.fnUntraced(function* (as: PrincipalName) {
  const unique = yield* (yield* Session).unique
  const { exchange } = yield* control(create("worker", unique, yield* bodyOf("worker", unique), { as }))
  const id = madeId(exchange, unique)
  return id === undefined
    ? yield* block("prerequisite failed: a create returned no id", exchange)
    : yield* historyOf(id)
})

const oneAccount = walk({
  name: "privileges/audit",
  judges: ["PRV-15"],
  impact: "create",
  needs: ["two OAuth clients", "audit log path"]
})(function* () {
  const { profile } = yield* Session
  const first = yield* auditReadingOf("admin")
  const [account] = first.actors
  if (first.actors.length === 0) {
    return yield* block("prerequisite failed: the audit history does not show the created worker", first.exchange)
  }
  if (account === undefined) {
    return yield* block(
      "the audit history has no actor at the position that the profile gives, for a call by an OAuth client",
      first.exchange
    )
  }
  if (profile.principals.personalToken !== undefined) {
    const own = yield* auditReadingOf("personalToken")
    if (own.actors.every((actor) => actor === account)) {
      return yield* block(
        "the value at the position that the profile gives for the actor is the same for two accounts",
        own.exchange
      )
    }
  }
  const second = yield* auditReadingOf("secondClient")
  const where = `data.0.${profile.audit?.actor ?? ""}`
  const missing = second.actors.length === 0 ? Expect.value(second.exchange, where, account) : []
  const differences = [first, second].flatMap(({ exchange, indices }) =>
    indices.flatMap((nth) => Expect.value(exchange, `data.${nth}.${profile.audit?.actor ?? ""}`, account))
  )
  yield* judge("PRV-15", [first.exchange, second.exchange], [...missing, ...differences])
})

/** The actors in the audit history. */
export const auditWalks: ReadonlyArray<Walk> = [oneAccount]
