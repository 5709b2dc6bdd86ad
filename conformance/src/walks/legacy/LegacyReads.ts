import { Effect } from "effect"
import {
  fields,
  isNone,
  keysOf,
  logInUser,
  readConstituents,
  readMe,
  readMine,
  readOrganization,
  refusedAs,
  requireUser,
  scan
} from "../../calls/LegacyCalls.ts"
import { organizationFields } from "../../exchanges/LegacyAnswers.ts"
import * as Expect from "../../judgement/Expect.ts"
import { control, judge, judgePair, observe, statusAndCode } from "../../judgement/Judge.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { isObject } from "../../text/Json.ts"
import type { Exchange } from "../../wire/Exchange.ts"
import { isIn } from "../../wire/Exchange.ts"
import { isNamed } from "./LegacyTokens.ts"

/** Field names that §2.1 does not have. */
const furtherOf = ({ answer }: Exchange) =>
  Object.keys(isObject(answer?.json) ? answer.json : {}).filter((name) => !Object.hasOwn(organizationFields, name))

const byBearer = walk({
  name: "legacy/bearer",
  judges: ["LEG-03", "LEG-04", "LEG-11", "LEG-13", "SIL-22"],
  alsoJudges: ["LEG-27"],
  impact: "read",
  logsIn: true,
  needs: ["legacy user"]
})(function* () {
  const user = yield* requireUser()
  const { bearer } = yield* logInUser()
  const { exchange: me } = yield* control(readMine(bearer))
  yield* judge("LEG-27", [me], yield* isNamed(me, user.username))
  yield* judge("LEG-03", [me], Expect.type(me, "is_verified", "boolean"))
  yield* judge("LEG-04", [me], fields(me, organizationFields, "organization."))
  const own = yield* readOrganization(bearer)
  const wrong = Expect.status(own, 200)
  const same = ["id", "name"].flatMap((name) => {
    const known = Expect.valueAt(me, `organization.${name}`)
    return known === undefined ? [] : Expect.value(own, name, known)
  })
  yield* judge("LEG-11", [me, own], wrong.length > 0 ? wrong : [...fields(own, organizationFields), ...same])
  yield* observe("SIL-22", { "organizations/me": furtherOf(own) }, [own])
  const constituents = yield* readConstituents(bearer)
  yield* judge("LEG-13", [constituents], isNone(constituents, "401", "404", "5xx"))
})

const scanned = walk({
  name: "legacy/scan",
  judges: ["LEG-12", "SIL-19", "SIL-24"],
  impact: "irreversible",
  logsIn: true,
  needs: ["legacy user", "scan body"]
})(function* () {
  const { bearer, issued } = yield* logInUser()
  const submitted = yield* scan(bearer)
  yield* judge("LEG-12", [issued.exchange, submitted], Expect.accepted(submitted))
  const constituents = yield* readConstituents(bearer)
  const shown = [submitted, constituents].map((one) => ({ status: statusAndCode(one, undefined), keys: keysOf(one) }))
  yield* observe("SIL-19", { scan: shown[0] ?? null, constituents: shown[1] ?? null }, [submitted, constituents])
  const untyped = yield* scan(bearer, { type: "conformance-no-such-type" })
  yield* observe("SIL-24", { "a scan of no known type": statusAndCode(untyped, undefined) }, [untyped])
})

/** Bearer is for every call, Basic for two (§5.1, items 1 and 3). */
const schemes = walk({
  name: "legacy/schemes",
  judges: ["LEG-14", "LEG-15"],
  impact: "irreversible",
  logsIn: true,
  needs: ["legacy user"]
})(function* () {
  const { basic, bearer } = yield* logInUser()
  const calls = [readOrganization, readConstituents, scan]
  const me = yield* readMe(bearer)
  const opened = [me, ...(yield* Effect.forEach(calls, (made) => made(bearer)))]
  yield* judge(
    "LEG-15",
    opened,
    opened.flatMap((one) => isNone(one, "401"))
  )
  const carriedOut = yield* control(Effect.succeed(opened.slice(1).find((one) => isIn(one, 2)) ?? me))
  const probe = yield* Effect.forEach(calls, (made) => made(basic))
  const differences = yield* Effect.forEach(probe, (one) => refusedAs(one, 401, 403))
  yield* judgePair("LEG-14", { control: carriedOut, probe }, differences.flat())
})

/** LEG: access with a bearer token. */
export const legacyReadWalks: ReadonlyArray<Walk> = [byBearer, scanned, schemes]
