import { Effect, Schema } from "effect"
import {
  basicOf,
  bearerOf,
  call,
  errorKeys,
  introduce,
  logIn,
  readMe,
  requireUser,
  tokenIn,
  tokenPathOf
} from "../../calls/LegacyCalls.ts"
import { onlyIdAndName, tokenFields, userFields } from "../../exchanges/LegacyAnswers.ts"
import { agreeing, hasThreeParts, legacyJwt, legacyLifetime, legacyTimes } from "../../exchanges/Tokens.ts"
import * as Expect from "../../judgement/Expect.ts"
import { blockRule, control, judge, judgePair, observe, statusAndCode } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import type { Exchange } from "../../wire/Exchange.ts"

/** The user name, ignoring case. */
export const isNamed = Effect.fnUntraced(function* (exchange: Exchange, username: string) {
  const { recordValue } = yield* Session
  const email = Expect.valueAt(exchange, "email")
  const isSame = yield* recordValue(
    "email",
    Schema.Boolean,
    ({ open }) => typeof email === "string" && open(email).toLowerCase() === open(username).toLowerCase()
  )
  return isSame ? [] : Expect.difference(exchange, "wrong-value", "body.email", username, email ?? null)
})

const basic = walk({
  name: "legacy/basic",
  judges: ["LEG-01", "LEG-02", "LEG-27", "SIL-24"],
  impact: "read",
  logsIn: true,
  needs: ["legacy user"]
})(function* () {
  const user = yield* requireUser()
  const me = yield* readMe(basicOf(user))
  const wrong = Expect.status(me, 200)
  yield* judge("LEG-01", [me], wrong.length > 0 ? wrong : userFields(me))
  yield* control(Effect.succeed(me))
  yield* judge("LEG-02", [me], onlyIdAndName(me))
  yield* judge("LEG-27", [me], yield* isNamed(me, user.username))
  yield* observe("SIL-24", { "is_verified with Basic": Expect.valueAt(me, "is_verified") ?? "absent" }, [me])
})

const exchanged = walk({
  name: "legacy/token",
  judges: ["LEG-05", "LEG-06", "LEG-07", "LEG-08", "LEG-29"],
  impact: "read",
  logsIn: true,
  needs: ["legacy user"]
})(
  Effect.gen(function* () {
    const { profile } = yield* Session
    const { basic, id, me } = yield* introduce(yield* requireUser())
    const issued = yield* call("POST", tokenPathOf(id), basic)
    const refused = Expect.accepted(issued)
    yield* judge("LEG-05", [me.exchange, issued], refused.length > 0 ? refused : tokenFields(issued))
    yield* control(Effect.succeed(issued))

    yield* judge("LEG-06", [issued], hasThreeParts(issued))
    yield* judge("LEG-08", [issued], legacyLifetime(issued, profile))
    const jwt = legacyJwt(issued)
    if (jwt === undefined) {
      yield* judge("LEG-07", [issued], legacyTimes(issued))
      return yield* Effect.forEach(["LEG-07", "LEG-29"] as const, (rule) =>
        blockRule(rule, "the token is not a readable JWT", [issued])
      )
    }
    yield* judge("LEG-07", [issued], legacyTimes(issued))
    yield* judge("LEG-29", [issued], agreeing(issued, jwt))
  }).pipe(Effect.asVoid)
)

/** Beyond any sequential id, and within 32 bits. */
const farIds = [1_987_654_321, 1_876_543_219]

const paths = walk({
  name: "legacy/token-path",
  judges: ["LEG-09", "LEG-10", "SIL-18", "SIL-24"],
  impact: "read",
  logsIn: true,
  needs: ["legacy user"]
})(function* () {
  const { basic, bearer, id, issued } = yield* logIn(yield* requireUser())
  const read = yield* call("GET", tokenPathOf(id), basic)
  yield* judgePair("LEG-09", { control: issued, probe: read }, Expect.status(read, 404))
  const nobody = yield* call("POST", tokenPathOf(farIds.find((far) => far !== id) ?? 0), basic)
  yield* judgePair("LEG-10", { control: issued, probe: nobody }, Expect.status(nobody, 404))
  yield* observe("SIL-18", errorKeys([read, nobody]), [read, nobody])
  const byBearer = yield* call("POST", tokenPathOf(id), bearer)
  yield* observe("SIL-24", { "token path with Bearer": statusAndCode(byBearer, undefined) }, [byBearer])
})

const earlier = walk({
  name: "legacy/earlier-token",
  judges: ["LEG-24"],
  impact: "read",
  logsIn: true,
  needs: ["legacy user"]
})(function* () {
  const user = yield* requireUser()
  const { basic, bearer, id } = yield* logIn(user)
  yield* control(readMe(bearer))
  const again = yield* control(call("POST", tokenPathOf(id), basic))
  const first = yield* readMe(bearer)
  const second = yield* readMe(bearerOf(tokenIn(again.exchange) ?? ""))
  const said = {
    "the earlier token": statusAndCode(first, undefined),
    "the new one": statusAndCode(second, undefined)
  }
  yield* observe("LEG-24", said, [again.exchange, first, second])
})

/** LEG: the current user, and how to obtain a token. */
export const legacyTokenWalks: ReadonlyArray<Walk> = [basic, exchanged, paths, earlier]
