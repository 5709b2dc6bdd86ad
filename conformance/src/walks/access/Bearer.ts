import { Effect } from "effect"
import { newGrantTo, requireClient, tokenIn } from "../../calls/Grants.ts"
import { opened, readWorkers } from "../../calls/Lookup.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, judge, judgePair, observe } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { isObject, type Json } from "../../text/Json.ts"
import { type Exchange, statusOf } from "../../wire/Exchange.ts"

// The sweep of strangers makes every call without a valid token. These walks judge what it does not.

const workers = { method: "GET", path: "/workers?pageSize=1" } as const

const keysOf = (json: Json | undefined): Json => (isObject(json) ? Object.keys(json).sort() : null)

/** The form of a 401. */
const form = walk({ name: "bearer/absent", judges: ["SIL-10"], impact: "read", needs: [] })(function* () {
  const { send } = yield* Session
  const refused = yield* send({ ...workers, as: null })
  if (statusOf(refused) !== 401) return yield* block("no call was answered 401", refused)
  const { headers, json } = refused.answer ?? {}
  const observed = { keys: keysOf(json), "www-authenticate": headers?.["www-authenticate"] ?? null }
  yield* observe("SIL-10", observed, [refused])
})

/** Another spelling of the prefix. Tokens have all spellings in their turns. */
const prefix = walk({ name: "bearer/prefix", judges: ["AUT-03"], impact: "read", needs: [] })(function* () {
  const { bearer, send } = yield* Session
  const token = (yield* bearer("admin")) ?? ""
  const good = yield* control(readWorkers())
  const accepted = yield* send({ ...workers, as: { authorization: `BeArEr ${token}` } })
  yield* judge("AUT-03", [good.exchange, accepted], opened(accepted))
})

const unauthorized = (exchange: Exchange): Expect.Met => Expect.status(exchange, 401)

const expired = walk({ name: "bearer/expired", judges: ["AUT-05"], impact: "read", needs: ["expired token"] })(
  function* () {
    const { profile } = yield* Session
    if (profile.principals.expiredToken === undefined) return yield* judgeShortLived
    const good = yield* control(readWorkers())
    const refused = yield* readWorkers("expiredToken")
    yield* judgePair("AUT-05", { control: good, probe: refused }, unauthorized(refused))
  }
)

/** Without an expired token in the profile, a new token is used before and after its expiry. */
const judgeShortLived = Effect.gen(function* () {
  const { wait } = yield* Session
  const { exchange } = (yield* newGrantTo(yield* requireClient())).good
  const token = tokenIn(exchange) ?? ""
  const good = yield* control(readWorkers({ token }))
  const seconds = Expect.valueAt(exchange, "expires_in")
  if (typeof seconds !== "number" || !(yield* wait(seconds + 1))) {
    return yield* block("the token lives longer than the profile says", exchange)
  }
  const refused = yield* readWorkers({ token })
  yield* judgePair("AUT-05", { control: good, probe: refused }, unauthorized(refused))
})

/** AUT: bearer authentication on the newer surface. */
export const bearerWalks: ReadonlyArray<Walk> = [form, prefix, expired]
