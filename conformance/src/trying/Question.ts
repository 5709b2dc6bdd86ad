import { planOf, type Unmet } from "../engine/Plan.ts"
import type { Walk } from "../engine/Walk.ts"
import type { Profile } from "../profile/Profile.ts"

/** A question about one need of the rules. */
export interface Question {
  readonly need: string
  readonly text: string
  /** An example answer: YAML in one line. */
  readonly example: string
  /** The rules that are blocked without the need. */
  readonly rules: ReadonlyArray<string>
}

/** Examples that also name the clean-up, so that the first try leaves nothing. */
const examples: Readonly<Record<string, string>> = {
  "credential body":
    'groups: { credential: { create: { body: { attributes: { owners: { worker: "{{worker}}" } } } }, delete: { method: DELETE, path: "/credentials/{{id}}" } } }'
}

/** Removes the quotation marks that YAML does not need. */
const inYaml = (line: string): string =>
  line.replaceAll(/"([A-Za-z][\w-]*)":/g, "$1:").replaceAll(/"([A-Z]+|[a-z][\w.-]*)"(?=[,\s}\]])/g, "$1")

const questionOf = ({ lines, need, rules, text }: Unmet): Question => ({
  need,
  text,
  example: examples[need] ?? inYaml(lines.join(", ")),
  rules
})

/** Returns the open questions of a profile, those that unlock most rules first. */
export const questionsOf = (walks: ReadonlyArray<Walk>, profile: Profile): ReadonlyArray<Question> =>
  planOf(walks, profile)
    .unmet.map(questionOf)
    .filter(({ rules }) => rules.length > 0)
    .toSorted((one, other) => other.rules.length - one.rules.length)
