import { ruleOf } from "../catalogue/Catalogue.ts"
import { ceilingLack, choose, unmetNeeds } from "../engine/Selection.ts"
import type { Walk } from "../judgement/Walk.ts"
import { impacts } from "../profile/Impact.ts"
import { limitsOf } from "../profile/Limits.ts"
import { lineAddresses, type Need, needs } from "../profile/Need.ts"
import type { Profile } from "../profile/Profile.ts"
import { lackTextOf } from "../report/Lacks.ts"

/** A question about a need of the rules, or about the ceiling. */
export interface Question {
  readonly need: string
  readonly text: string
  /** What has to exist in the deployment first; undefined if the deployment needs nothing for it. */
  readonly create: string | undefined
  /** Alternative answers: YAML in one line, with ‹blanks›. */
  readonly examples: ReadonlyArray<string>
  /** The rules that the answer alone unlocks. */
  readonly now: ReadonlyArray<string>
  /** The rules that need further answers too. */
  readonly later: ReadonlyArray<string>
}

/** Removes the quotation marks that YAML does not need. */
const inYaml = (line: string): string =>
  line.replaceAll(/"([A-Za-z][\w-]*)":/g, "$1:").replaceAll(/"([A-Z]+|[a-z][\w.-]*)"(?=[,\s}\]])/g, "$1")

/** The address without the tenant's label: the legacy surface has one host for all organizations (§2.1). */
const withoutTenant = (tenantBaseUrl: string): string => {
  const url = new URL(tenantBaseUrl)
  const labels = url.hostname.split(".")
  const isName = labels.length > 2 && !/^[\d.]+$/.test(url.hostname) && !url.hostname.startsWith("[")
  if (isName) url.hostname = labels.slice(1).join(".")
  return url.origin
}

/** Replaces the addresses of the examples by those of the deployment. */
const located = (line: string, { legacy, newer }: Profile): string => {
  const { hostname, port } = new URL(newer.tenantBaseUrl)
  return line
    .replaceAll(lineAddresses.legacy, legacy?.baseUrl ?? withoutTenant(newer.tenantBaseUrl))
    .replaceAll(lineAddresses.plain, `http://${hostname}:${port || "80"}`)
}

const isJudged = (rule: string): boolean => ruleOf(rule)?.judged !== "observation"

const rulesOf = (walks: ReadonlyArray<Walk>): ReadonlySet<string> =>
  new Set(walks.flatMap(({ judges }) => judges).filter(isJudged))

/** What the profile lacks for a walk: needs, or the ceiling once they are met. */
const lacksOf = (walk: Walk, profile: Profile): ReadonlyArray<string> => {
  const unmet = unmetNeeds(walk, profile)
  if (unmet.length > 0) return unmet
  return choose(walk, profile, limitsOf(profile).ceiling).as === "made" ? [] : [ceilingLack(walk.impact)]
}

const known: Readonly<Record<string, Need>> = needs

const ceilings = impacts.filter((impact) => impact !== "read").map(ceilingLack)

const workerDelete =
  'groups: { worker: { delete: { method: DELETE, path: "‹path of DELETE for a worker, such as /workers/{{id}}›" } } }'

/** The text and the examples of a need. A ceiling says that workers stay while no delete path of workers is known. */
const askedOf = (need: string, profile: Profile): Pick<Question, "text" | "examples"> => {
  const { lines, text } = lackTextOf(need)
  const examples = lines.map((line) => inYaml(located(line, profile)))
  if (!ceilings.includes(need) || profile.groups?.["worker"]?.delete !== undefined) return { text, examples }
  return {
    text: `${text}. It has no delete path of workers yet, so without one all workers stay`,
    examples: [...examples.map((line) => `${line}, ${workerDelete}`), ...examples]
  }
}

const mustsIn = (rules: ReadonlyArray<string>): number => rules.filter((rule) => ruleOf(rule)?.level === "MUST").length

/**
 * Returns the open questions of a profile. Those that unlock most MUST rules alone are first. Among equal ones, those
 * for which nothing has to exist in the deployment are first.
 */
export const questionsOf = (walks: ReadonlyArray<Walk>, profile: Profile): ReadonlyArray<Question> => {
  const isOffered = (need: string) => profile.notOffered?.includes(need) !== true
  const open = walks
    .map((walk) => ({ walk, lacks: lacksOf(walk, profile) }))
    .filter(({ lacks }) => lacks.length > 0 && lacks.every(isOffered))
  return [...new Set(open.flatMap(({ lacks }) => lacks))]
    .map((need): Question => {
      const needing = open.filter(({ lacks }) => lacks.includes(need))
      const now = rulesOf(needing.filter(({ lacks }) => lacks.length === 1).map(({ walk }) => walk))
      const later = rulesOf(needing.map(({ walk }) => walk))
      return {
        need,
        ...askedOf(need, profile),
        create: known[need]?.create,
        now: [...now].sort(),
        later: [...later].filter((rule) => !now.has(rule)).sort()
      }
    })
    .filter(({ later, now }) => now.length + later.length > 0)
    .toSorted(
      (one, other) =>
        mustsIn(other.now) - mustsIn(one.now) ||
        other.now.length + other.later.length - one.now.length - one.later.length ||
        Number(one.create !== undefined) - Number(other.create !== undefined)
    )
}
