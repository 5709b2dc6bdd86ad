import type { Data } from "../calls/Contract.ts"
import { wordsOf } from "../widgets/Badge.tsx"
import type { Option } from "../widgets/Field.tsx"

type Attributes = Data<"GET /credentials/:id">["attributes"]

export type Eligibility = NonNullable<Attributes["eligibility"]>
export type StatusDetail = NonNullable<Attributes["statusDetail"]>

/** Verdicts as the options of a selection. Each says what follows from it. */
export const verdictOptions = (
  details: {
    readonly [One in Eligibility]?: ReadonlyArray<StatusDetail>
  }
): ReadonlyArray<Option> => [
  ["", "Choose a verdict"],
  ...Object.entries(details).flatMap(([eligibility, each]) =>
    each.map((detail) => [detail, `${wordsOf(detail)}: ${wordsOf(eligibility)}`] as const)
  )
]
