import { Effect } from "effect"
import { revealed } from "../../calls/Grants.ts"
import { attempt, type Guarded } from "../../calls/GuardedCalls.ts"
import type { Blocked } from "../../judgement/Blocked.ts"
import type * as Expect from "../../judgement/Expect.ts"
import { control } from "../../judgement/Judge.ts"
import { type Call, Session } from "../../judgement/Session.ts"
import { basicHeaders } from "../../profile/ClientForms.ts"
import type { PrincipalName } from "../../profile/Principals.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import type { Aimed } from "./Aims.ts"
import type { Caller, Cell, Names, Row } from "./Row.ts"

/** A cell and its answer. */
export interface Sent {
  readonly cell: Cell
  readonly aimed: Aimed
  readonly exchange: Exchange
  /** The caller's token, if it was sent in an unusual way. */
  readonly token: string
}

/** The differences in an answer from what a row expects. */
export const differencesOf = ({ is }: Row, { cell, exchange, token }: Sent): Expect.Met =>
  is.met(exchange, { caller: cell.caller, point: cell.point, token })

const hearsPlainHttp = Effect.flatMap(Session, ({ send }) =>
  Effect.map(
    send({ method: "GET", path: "/workers?pageSize=1", as: null, to: "plain" }),
    ({ answer }) => answer !== null
  )
)

/** Whether anything listens for plain HTTP. Otherwise each call has the same result. */
const isPlainHttpHeard = Effect.flatMap(Session, ({ share }) => share("plain-http", hearsPlainHttp))

/** How a caller sends a call, and the token that it uses in an unusual way. */
const changeBy = Effect.fnUntraced(function* ({ as, client, made, sent }: Caller, call: Call) {
  const { bearer, derive } = yield* Session
  const own = sent === undefined ? "" : ((yield* bearer(as ?? "admin")) ?? "")
  const [token = ""] = made === undefined ? [own] : yield* derive("forgery", own, (text) => [made(text)])
  const basic = client === undefined ? undefined : basicHeaders(yield* revealed(client))[0]
  const change: Partial<Call> = basic === undefined ? { as } : { as: { authorization: basic } }
  return { token, change: sent === undefined ? change : sent(token, call) }
})

/** Sends a cell. Sends nothing if a name is missing, or if nothing listens. */
const sendCell = (
  cell: Cell,
  aimed: Aimed,
  names: Pick<Names, "isOfOthers" | "nobody">
): Effect.Effect<ReadonlyArray<Sent>, Blocked, Session> =>
  Effect.gen(function* () {
    const { caller, form } = cell
    const { unique } = yield* Session
    const shape = form.of(aimed.guarded.call, { ...names, id: aimed.id, unique: yield* unique })
    if (shape === undefined) return []
    const { change, token } = yield* changeBy(caller, { ...aimed.guarded.call, ...shape })
    const { as = null, turn, ...more } = { ...shape, ...change }
    if (more.to === "plain" && !(yield* isPlainHttpHeard)) return []
    const exchange = yield* attempt(aimed.guarded, turn === undefined ? as : { turn }, more)
    const { otherwise } = caller
    return otherwise?.after.includes(statusOf(exchange)) === true
      ? yield* sendCell({ ...cell, caller: otherwise.caller }, aimed, names)
      : [{ cell, aimed, exchange, token }]
  })

/** Sends each cell of some calls once. */
export const sendAll = Effect.fnUntraced(function* (
  cells: ReadonlyArray<Cell>,
  calls: ReadonlyArray<Aimed>,
  names: Pick<Names, "isOfOthers" | "nobody">
) {
  const sent = yield* Effect.forEach(
    calls.flatMap((aimed) => cells.flatMap((cell) => (cell.point.name === aimed.point.name ? [{ cell, aimed }] : []))),
    ({ aimed, cell }) => sendCell(cell, aimed, names)
  )
  return sent.flat()
})

/** Leaves out reads of one resource if the deployment does not have them: only that of credentials is documented. */
export const offered = Effect.fnUntraced(function* (sent: ReadonlyArray<Sent>) {
  const isDoubtful = ({ aimed: { point } }: Sent) => point.way === "read" && point.entity !== "credential"
  const doubted = sent.find((one) => isDoubtful(one) && one.cell.rows.some((row) => differencesOf(row, one).length > 0))
  if (doubted === undefined || isIn(yield* attempt(doubted.aimed.guarded, "admin"), 2)) return sent
  return sent.filter((one) => !isDoubtful(one))
})

/** A 4xx that depends on the request and not on the caller, such as an invalid body in the profile. */
const isOfTheCall = (exchange: Exchange): boolean => isIn(exchange, 4) && ![401, 403, 404].includes(statusOf(exchange))

/**
 * Sends a call that a principal may make. If it is refused for its content, the admin must be able to make it; then the
 * principal tries again, because the refusal may have depended on the state of the deployment.
 */
export const attemptAllowed = Effect.fnUntraced(function* (call: Guarded, as: PrincipalName) {
  const exchange = yield* attempt(call, as)
  if (!isOfTheCall(exchange)) return exchange
  yield* control(attempt(call, "admin"))
  return yield* attempt(call, as)
})
