import { Effect } from "effect"
import { read } from "../../calls/Resources.ts"
import {
  fieldPosition,
  fieldPositions,
  makeVerifiable,
  readingOf,
  type VerifyField,
  type VerifyReading,
  verify
} from "../../calls/VerifyCalls.ts"
import * as Expect from "../../judgement/Expect.ts"
import {
  block,
  control,
  ifAsked,
  inconclusive,
  judge,
  judgePair,
  observe,
  statusAndCode
} from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { at, type Json } from "../../text/Json.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { unknownCredential } from "../resource/UnknownIds.ts"

/** A calendar day in the format of §2.2. */
const isDate = (text: string): boolean => {
  const [, month = "", day = ""] = /^\d{4}-(\d{2})-(\d{2})$/.exec(text) ?? []
  const date = new Date(`${text}T00:00:00Z`)
  return month !== "" && !Number.isNaN(date.getTime()) && date.toISOString().slice(5, 10) === `${month}-${day}`
}

const date = (exchange: Exchange, position: string): Expect.Met => {
  const value = Expect.valueAt(exchange, position)
  const isGood = typeof value === "string" && isDate(value)
  return isGood ? [] : Expect.difference(exchange, "wrong-value", `body.${position}`, "a date, YYYY-MM-DD", value)
}

const textOrNull = (exchange: Exchange, position: string): Expect.Met =>
  Expect.valueAt(exchange, position) === null ? [] : Expect.type(exchange, position, "string")

/** Whether an outcome has a date, in any of these forms (SIL-26). */
const hasDate = (value: Json | undefined): boolean => value !== undefined && value !== null && value !== ""

/** Reads every verify answer by the same shape. */
const judgeFields = Effect.fnUntraced(function* (answered: ReadonlyArray<Exchange>, reading: VerifyReading) {
  const position = (field: VerifyField) => fieldPosition(reading, field)
  yield* judge(
    "VER-01",
    answered,
    answered.flatMap((exchange) => [
      ...Expect.type(exchange, position("eligibility"), "string"),
      ...Expect.type(exchange, position("statusDetail"), "string"),
      ...Expect.type(exchange, position("correlationId"), "non-empty string"),
      ...Expect.type(exchange, position("requestId"), "non-empty string")
    ])
  )
  const dateOf = (exchange: Exchange) => Expect.valueAt(exchange, position("expiryDate"))
  const dated = answered.filter((exchange) => hasDate(dateOf(exchange)))
  const undated = answered.filter((exchange) => !hasDate(dateOf(exchange)))
  if (dated.length === 0) yield* inconclusive("VER-02", "no outcome that was seen has an expiryDate", answered)
  else
    yield* judge(
      "VER-02",
      dated,
      dated.flatMap((exchange) => date(exchange, position("expiryDate")))
    )
  const instead = undated.map((one) => dateOf(one) ?? "absent")
  yield* observe("SIL-26", undated.length === 0 ? "every outcome that was seen has a date" : instead, undated)
  yield* judge(
    "VER-03",
    answered,
    answered.flatMap((exchange) => textOrNull(exchange, position("errorMessage")))
  )
  const words = (field: VerifyField) => [
    ...new Set(answered.map((one) => Expect.valueAt(one, position(field)) ?? null))
  ]
  yield* observe("SIL-20", { eligibility: words("eligibility"), statusDetail: words("statusDetail") }, answered)
  const isSame = (exchange: Exchange) =>
    Expect.valueAt(exchange, position("requestId")) === Expect.headerOf(exchange, "x-request-id")
  yield* observe("VER-08", answered.every(isSame) ? "the same" : answered.some(isSame) ? "both" : "another", answered)
  yield* observe("SIL-05", [...new Set(answered.map(fieldPositions))], answered)
})

/** Unusual ids with a run's name: long, in other scripts, and with characters that queries or logs treat specially. */
const oddIds = (name: string): ReadonlyArray<string> => [
  `${name}-${"long".repeat(64)}`,
  `${name}-\u03a9\u017b`,
  `${name}-\u{1f469}`,
  `${name}-5%_*`
]

/** Calls that are refused: with a value of another type, and for an unknown credential. */
const judgeRefused = Effect.fnUntraced(function* (credential: string, carriedOut: Exchange) {
  const done = yield* control(Effect.succeed(carriedOut))
  const wrongTypes = [
    yield* verify(credential, { forceRefresh: "yes" }),
    yield* verify(credential, { correlationId: ["7"] })
  ]
  const accepted = wrongTypes.flatMap((one) => Expect.status(one, 400))
  yield* judgePair("ENV-06", { control: done, probe: wrongTypes }, accepted)
  const unknown = yield* verify(yield* unknownCredential(credential), {})
  yield* judgePair("OWN-20", { control: done, probe: unknown }, Expect.status(unknown, 404))
})

const answers = walk({
  name: "verification/answers",
  judges: ["VER-01", "VER-02", "VER-03", "VER-04", "VER-05", "VER-07", "VER-08", "SIL-05", "SIL-20", "SIL-26"],
  alsoJudges: ["ENV-06", "OWN-20"],
  impact: "mutate-own",
  needs: ["verifiable credential"]
})(function* () {
  const { unique } = yield* Session
  const { id } = yield* makeVerifiable()
  const bodies = [{}, { forceRefresh: true }, { forceRefresh: true }]
  const bare = yield* Effect.forEach(bodies, (one) => verify(id, one))
  const ids = [yield* unique, yield* unique, yield* unique] as const
  const named = [
    yield* verify(id, { correlationId: ids[0] }),
    yield* verify(id, { correlationId: ids[1], forceRefresh: true }),
    yield* verify(id, { correlationId: ids[2], forceRefresh: false })
  ]
  const all = [...bare, ...named]
  if (all.every((exchange) => isIn(exchange, 4))) {
    return yield* block(
      "prerequisite failed: every verify was refused, so the credential may have a type that cannot be verified; " +
        "look at verifiableCredential in the profile",
      ...all
    )
  }
  yield* judge("VER-07", all, all.flatMap(Expect.accepted))
  const [first, ...rest] = all.filter((exchange) => isIn(exchange, 2))
  if (first === undefined) return yield* block("prerequisite failed: no verify was carried out", ...all)
  yield* ifAsked(["ENV-06", "OWN-20"], judgeRefused(id, first))
  const reading = readingOf(first)
  yield* judgeFields([first, ...rest], reading)

  const position = fieldPosition(reading, "correlationId")
  // a deployment may refuse an unusual id, but never changes it
  const odd = yield* Effect.forEach(oddIds(yield* unique), (correlationId) =>
    Effect.map(verify(id, { correlationId }), (exchange) => ({ correlationId, exchange }))
  )
  const kept = odd.filter(({ exchange }) => isIn(exchange, 2))
  const echoed = named.flatMap((exchange, index) =>
    isIn(exchange, 2) ? Expect.value(exchange, position, ids[index] ?? "") : Expect.accepted(exchange)
  )
  yield* judge(
    "VER-04",
    [...named, ...kept.map(({ exchange }) => exchange)],
    [...echoed, ...kept.flatMap(({ correlationId, exchange }) => Expect.value(exchange, position, correlationId))]
  )
  const generated = bare.filter((exchange) => isIn(exchange, 2))
  const last = generated.at(-1)
  if (last === undefined || generated.length < 2) {
    return yield* block("prerequisite failed: no two verifies without a correlationId were carried out", ...bare)
  }
  yield* judge("VER-05", generated, [
    ...generated.flatMap((exchange) => Expect.type(exchange, position, "non-empty string")),
    ...Expect.distinct(
      last,
      `body.${position}`,
      generated.map((exchange) => Expect.valueAt(exchange, position))
    )
  ])
})

/** The literal that callers must not send (§7.1). */
export const literal = "string"

/** The places of a text in a value. */
const positionsWith = (value: Json | undefined, text: string, position: string): ReadonlyArray<string> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, one]) => positionsWith(one, text, `${position}.${key}`))
    : value === text
      ? [position]
      : []

/** A later read shows the correlation id and the earlier one did not: a verification started despite the refusal. */
export const beganWith = (before: Exchange, after: Exchange, correlationId: string): Expect.Met => {
  const seen = new Set(positionsWith(before.answer?.json, correlationId, "body"))
  return positionsWith(after.answer?.json, correlationId, "body")
    .filter((position) => !seen.has(position))
    .flatMap((position) => Expect.difference(after, "changed", position, "as before", correlationId))
}

const literalString = walk({
  name: "verification/literal-string",
  judges: ["VER-06", "SIL-02"],
  alsoJudges: ["VER-04"],
  impact: "mutate-own",
  needs: ["verifiable credential"]
})(function* () {
  const { id } = yield* makeVerifiable()
  const correlationId = yield* (yield* Session).unique
  const done = yield* control(verify(id, { correlationId }))
  const before = yield* read("credential", id)
  const probe = [
    yield* verify(id, { correlationId: literal }),
    yield* verify(id, { correlationId: literal, forceRefresh: true }),
    ...((yield* Session).profile.principals.personalToken === undefined
      ? []
      : [yield* verify(id, { correlationId: literal }, { as: "personalToken" })])
  ]
  const after = yield* read("credential", id)
  yield* judgePair("VER-06", { control: done, probe, after }, [
    ...probe.flatMap(Expect.rejected),
    ...beganWith(before, after, literal)
  ])
  const told = probe.map((one) => statusAndCode(one, at(one.answer?.json, "error.code")))
  yield* observe("SIL-02", [...new Set(told)], probe)
  yield* judgeNeighbours(id)
})

/**
 * Six letters, like the literal. If a deployment refuses these too, it refuses the length or the form, which is open.
 */
const sameLength = "gnirts"

/** Ids that only resemble the literal are accepted and echoed. */
const judgeNeighbours = Effect.fnUntraced(function* (credential: string) {
  const name = yield* (yield* Session).unique
  const short = isIn(yield* verify(credential, { correlationId: sameLength }), 2) ? ["String", "STRING"] : []
  const plain = [...short, `${literal}-${name}`, `${name}-${literal}`]
  // a deployment may refuse these; if it accepts one, it keeps every character
  const odd = [
    ` ${name} `,
    `${name} \u03a9 \u{1f469}\u200d\u{1f467} Cafe\u0301`,
    `${name}'"%_*\\<b>`,
    `${name}-${"long".repeat(40)}`
  ]
  for (const correlationId of [...plain, ...odd]) {
    const exchange = yield* verify(credential, { correlationId })
    if (odd.includes(correlationId) && isIn(exchange, 4)) continue
    const refused = Expect.accepted(exchange)
    const position = fieldPosition(readingOf(exchange), "correlationId")
    yield* judge("VER-04", [exchange], refused.length > 0 ? refused : Expect.value(exchange, position, correlationId))
  }
})

/** VER, without deliveries. */
export const verificationWalks: ReadonlyArray<Walk> = [answers, literalString]
