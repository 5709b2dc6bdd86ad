import { Effect } from "effect"
import { itemsOf } from "../../calls/Reading.ts"
import { bodyOf, create, madeId } from "../../calls/Resources.ts"
import * as Expect from "../../engine/Expect.ts"
import { block, control, judge } from "../../engine/Judge.ts"
import { type PrincipalName, Session } from "../../engine/Session.ts"
import { type Walk, walk } from "../../engine/Walk.ts"
import { fillPath } from "../../profile/Template.ts"
import type { Exchange } from "../../wire/Exchange.ts"
import { at, type Json } from "../../wire/Json.ts"

/** What the audit history shows of one thing, and who made it as it says. */
interface Told {
  readonly exchange: Exchange
  /** One for each entry, in their order; undefined where an entry names none. */
  readonly actors: ReadonlyArray<Json | undefined>
}

/** The seconds after which a history is read again that does not show what was just done. */
const delays = [0.1, 0.4, 1.5]

/** What the history shows of a thing, waited for a little: that it shows it at once is not said. */
const historyOf = Effect.fnUntraced(function* (id: string) {
  const { profile, send, wait } = yield* Session
  const { audit } = profile
  if (audit === undefined) return yield* block("the profile does not say how the audit history is read")
  const read = send({ method: "GET", path: fillPath(audit.path, { id }) })
  let { exchange } = yield* control(read)
  for (const seconds of delays) {
    if (itemsOf(exchange.answer?.json).length > 0 || !(yield* wait(seconds))) break
    exchange = (yield* control(read)).exchange
  }
  const actors = itemsOf(exchange.answer?.json).map((item) => at(item, audit.actor))
  return { exchange, actors } satisfies Told
})

/** Somebody makes a worker, and the history is read of it. */
const toldOf = Effect.fnUntraced(function* (as: PrincipalName) {
  const unique = yield* (yield* Session).unique
  const { exchange } = yield* control(create("worker", unique, yield* bodyOf("worker", unique), { as }))
  const id = madeId(exchange, unique)
  return id === undefined ? yield* block("prerequisite failed: a create showed no id", exchange) : yield* historyOf(id)
})

const oneAccount = walk(
  {
    name: "privileges/audit",
    judges: ["PRV-15"],
    impact: "create",
    needs: ["two OAuth clients", "audit reading"]
  },
  Effect.gen(function* () {
    const { profile } = yield* Session
    const first = yield* toldOf("admin")
    const [account] = first.actors
    if (account === undefined) {
      return yield* block("the audit history names nobody at the profile's place for what a client did", first.exchange)
    }
    if (profile.principals.personalToken !== undefined) {
      const own = yield* toldOf("personalToken")
      if (own.actors.every((actor) => actor === account)) {
        return yield* block("what stands at the profile's place for the actor tells no accounts apart", own.exchange)
      }
    }
    const second = yield* toldOf("secondClient")
    const where = `data.0.${profile.audit?.actor ?? ""}`
    const missing = second.actors.length === 0 ? Expect.value(second.exchange, where, account) : []
    const differences = [first, second].flatMap(({ actors, exchange }) =>
      actors.flatMap((_, index) => Expect.value(exchange, `data.${index}.${profile.audit?.actor ?? ""}`, account))
    )
    yield* judge("PRV-15", [first.exchange, second.exchange], [...missing, ...differences])
  })
)

/** To whom the audit history attributes what was done. */
export const auditWalks: ReadonlyArray<Walk> = [oneAccount]
