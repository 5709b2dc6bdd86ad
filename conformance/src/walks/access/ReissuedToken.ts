import { Effect } from "effect"
import { forbidden, readableTypes, readCall } from "../../calls/GuardedCalls.ts"
import { bodyOf, create, groupOf, madeId } from "../../calls/Resources.ts"
import { block, control, judgePair } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { holdersOf, may } from "../../profile/LimitedPrincipals.ts"
import { limitsOf } from "../../profile/Limits.ts"
import type { PrincipalName } from "../../profile/Principals.ts"
import { fillPath } from "../../profile/Template.ts"
import { at } from "../../text/Json.ts"

/** Issues a second token to a principal by the profile's create of access tokens, and deletes the token after its use. */
const reissuedTo = Effect.fnUntraced(function* (as: PrincipalName) {
  const { profile, send, unique: nextName } = yield* Session
  if (limitsOf(profile).ceiling === "read") return yield* block("needs the ceiling create; the profile allows read")
  const unique = yield* nextName
  const answer = yield* create("accessToken", unique, yield* bodyOf("accessToken", unique), { as })
  const group = yield* groupOf("accessToken")
  const secret = at(answer.answer?.json, group?.create?.secret ?? "")
  const [id, how] = [madeId(answer), group?.delete]
  if (id !== undefined && typeof secret === "string") {
    const end = how === undefined ? Effect.void : send({ method: how.method, path: fillPath(how.path, { id }), as })
    return { token: { authorization: `Bearer ${secret}` }, end }
  }
  return yield* block(
    `${as} cannot create a second token. principals.limited.reissued in the profile would show that it is refused the ` +
      "same calls",
    answer
  )
})

const reissued = walk({
  name: "privileges/reissued-token",
  judges: ["PRV-11"],
  impact: "read",
  needs: ["limited tokens", "re-issued token"]
})(function* () {
  const all = holdersOf((yield* Session).profile)
  const types = yield* readableTypes
  // prefer a second token of the profile
  const issues = !all.some(({ limited }) => limited.reissued !== undefined)
  const [found] = all.flatMap((holder) => {
    const mayRead = types.find((entity) => may(holder, entity, "READ"))
    const mayNot = types.find((entity) => !may(holder, entity, "READ"))
    const hasTwo = holder.limited.reissued !== undefined || issues
    return hasTwo && mayRead !== undefined && mayNot !== undefined ? [{ holder, mayRead, mayNot }] : []
  })
  if (found === undefined) {
    return yield* block("no principal with a re-issued token may READ one entity type and not another")
  }
  const { holder, mayNot, mayRead } = found
  const { end, token } = issues
    ? yield* reissuedTo(holder.name)
    : { token: `${holder.name}.reissued` as const, end: Effect.void }
  const { send } = yield* Session
  const read = yield* send({ ...(yield* readCall(mayRead)).call, as: token })
  const { call } = yield* readCall(mayNot)
  const both = [yield* send({ ...call, as: holder.name }), yield* send({ ...call, as: token })]
  yield* end
  const allowed = yield* control(Effect.succeed(read))
  yield* judgePair("PRV-11", { control: allowed, probe: both }, both.flatMap(forbidden))
})

/** A second token, from the profile or issued by the walk. */
export const reissuedTokenWalks: ReadonlyArray<Walk> = [reissued]
