import type { Difference } from "@wcs/conformance/judgement/Difference"
import * as Expect from "@wcs/conformance/judgement/Expect"
import type { Exchange } from "@wcs/conformance/wire/Exchange"
import * as CredentialType from "@wcs/domain/holding/CredentialType"
import type { Matched } from "@wcs/domain/verification/Register"
import type { Answer } from "@wcs/register/GatewayContract"
import { Effect } from "effect"
import { type Asked, judgeAnswers, lackSamples, madeUp, notApplicable, query, servedTypes, walk } from "../Asking.ts"
import type { WalkRuleId } from "../Catalogue.ts"
import type { Sample } from "../Samples.ts"
import type { Target } from "../Target.ts"

type Answered = typeof Answer.Type

const isClearance = ({ statusDetail }: Pick<Answered, "statusDetail">): boolean =>
  statusDetail === "VALID" || statusDetail === "VALID_EXPIRING"

/** Whether the type of a card is asked with this path, such as `holder.lastName`. */
const isAskedWith =
  (path: string) =>
  ({ question }: Sample): boolean =>
    CredentialType.find(question.credentialType)?.askedWith.some((one) => one.join(".") === path) === true

/** The differences of an answer from what the register shows. */
const unlikeSample =
  ({ answer: { expiryDate, statusDetail } }: Sample) =>
  (_: Answered, exchange: Exchange): ReadonlyArray<Difference> => [
    ...Expect.value(exchange, "statusDetail", statusDetail),
    ...(expiryDate === undefined ? [] : unlikeDate(exchange, expiryDate))
  ]

/** An absent date and null are the same. */
const unlikeDate = (exchange: Exchange, expiryDate: string | null): ReadonlyArray<Difference> =>
  (Expect.valueAt(exchange, "expiryDate") ?? null) === expiryDate
    ? []
    : Expect.difference(exchange, "wrong-value", "body.expiryDate", expiryDate, Expect.valueAt(exchange, "expiryDate"))

/** The difference of a clearance that the register must not give, unless it says that it did not compare this. */
const unlessUncompared =
  (compared: Matched | undefined) =>
  (answer: Answered, exchange: Exchange): ReadonlyArray<Difference> => {
    const isCompared = compared === undefined || answer.matched === undefined || answer.matched.includes(compared)
    return isClearance(answer) && isCompared
      ? Expect.difference(exchange, "wrong-value", "body.statusDetail", "no clearance", answer.statusDetail)
      : []
  }

const nobody = { firstName: "Noone", lastName: "Madeupperson" }

const withHolder = ({ question }: Sample, holder: Partial<Asked["holder"]>): Asked => ({
  ...question,
  holder: { ...question.holder, ...holder }
})

/** The day after or before a date of the card. */
const anotherDate = (date: string | null): string => (date === "2031-02-03" ? "2031-02-04" : "2031-02-03")

/** A rule about clearances whose query is changed in one detail that the type is asked with. */
interface Changed {
  readonly rule: WalkRuleId
  readonly askedWith: string
  readonly change: (sample: Sample) => Asked
  readonly mayRefuse: boolean
  readonly differences: (sample: Sample) => (answer: Answered, exchange: Exchange) => ReadonlyArray<Difference>
}

const changes: ReadonlyArray<Changed> = [
  {
    rule: "GWY-22",
    askedWith: "holder.lastName",
    change: (sample) => {
      const { firstName, lastName, otherNames } = sample.question.holder
      const names = [{ ...nobody, lastName: "Otherperson" }, { firstName, lastName: lastName ?? "" }, ...otherNames]
      return withHolder(sample, { ...nobody, middleName: null, otherNames: names })
    },
    mayRefuse: false,
    differences: unlikeSample
  },
  {
    rule: "GWY-23",
    askedWith: "holder.lastName",
    change: (sample) => withHolder(sample, { ...nobody, middleName: null, otherNames: [] }),
    mayRefuse: true,
    differences: () => unlessUncompared("name")
  },
  {
    rule: "GWY-24",
    askedWith: "holder.birthDate",
    change: (sample) => withHolder(sample, { birthDate: "1931-01-31" }),
    mayRefuse: true,
    differences: () => unlessUncompared("birthDate")
  },
  {
    rule: "GWY-25",
    askedWith: "expiryDate",
    change: (sample) => ({ ...sample.question, expiryDate: anotherDate(sample.question.expiryDate) }),
    mayRefuse: true,
    differences: () => unlessUncompared(undefined)
  }
]

/** What a gateway says of persons. */
export const personWalks = (target: Target) => [
  walk("person/known", ["GWY-20"], function* () {
    if (target.samples.length === 0) return yield* lackSamples("GWY-20")
    const judged = yield* Effect.forEach(target.samples, (sample) =>
      Effect.map(query(target, sample.question), (exchange) => ({ exchange, differences: unlikeSample(sample) }))
    )
    yield* judgeAnswers("GWY-20", judged)
  }),
  walk("person/unknown", ["GWY-21"], function* () {
    const types = yield* servedTypes(target)
    if (types.length === 0) return yield* lackSamples("GWY-21")
    const judged = yield* Effect.forEach(types, (type) =>
      Effect.map(query(target, madeUp(type)), (exchange) => ({
        exchange,
        differences: () => Expect.value(exchange, "statusDetail", "NOT_FOUND")
      }))
    )
    yield* judgeAnswers("GWY-21", judged)
  }),
  ...changes.map(({ askedWith, change, differences, mayRefuse, rule }) =>
    walk(`person/${askedWith} of ${rule}`, [rule], function* () {
      if (target.samples.length === 0) return yield* lackSamples(rule)
      const clearances = target.samples.filter(({ answer }) => isClearance(answer)).filter(isAskedWith(askedWith))
      if (clearances.length === 0) {
        return yield* notApplicable(rule, `no known card is a clearance of a type that is asked with ${askedWith}`)
      }
      const judged = yield* Effect.forEach(clearances, (sample) =>
        Effect.map(query(target, change(sample)), (exchange) => ({
          ...{ exchange, mayRefuse },
          differences: differences(sample)
        }))
      )
      yield* judgeAnswers(rule, judged)
    })
  )
]
