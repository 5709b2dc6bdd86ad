import { Effect } from "effect"
import type { Exchange } from "../wire/Exchange.ts"
import type { Finding } from "./Finding.ts"
import { inWords } from "./Judge.ts"
import type { Walk } from "./Walk.ts"

/** What one making of a walk came to. */
export interface Made {
  readonly findings: ReadonlyArray<Finding>
  /** The calls whose answers were lost. */
  readonly lost: ReadonlyArray<Exchange>
  /** The run ended meanwhile. */
  readonly isHalted: boolean
}

/** As often a walk is made where answers are lost. */
const maxTimes = 3

const stepsOf = ({ lost }: Made): string =>
  lost
    .map(({ step }) => step)
    .toSorted((one, other) => one - other)
    .join()

/** Whether the same calls were lost each time: then that is how the deployment answers them. */
const isSteady = (times: ReadonlyArray<Made>): boolean =>
  times.length === maxTimes && new Set(times.map(stepsOf)).size === 1

/** What is said of a rule by a walk in which answers were lost that another time were not. */
const doubted = ({ lost }: Made, finding: Finding): Finding => {
  const restsOn = lost.filter(({ number }) => finding.exchanges.includes(number))
  const isBroken = finding.outcome === "fail" || finding.outcome === "warn"
  const isStopped = finding.outcome === "blocked" && finding.lacks === undefined
  if (!isBroken && !isStopped && restsOn.length === 0) return finding
  const { observed: _, lacks: __, ...rest } = finding
  const words = (restsOn.length === 0 ? lost : restsOn).slice(0, 3).map(inWords)
  return {
    ...rest,
    outcome: "inconclusive",
    differences: [],
    reason: `answers were lost each time that the walk was made: ${words.join("; ")}`
  }
}

/**
 * Makes a walk anew as long as answers were lost in it, some times at the most: each time under a name of its own, with
 * everything made anew. What it says in the end is that of the last time. Answers the lost calls that are judged as the
 * deployment's own answers.
 */
export const insisting = Effect.fnUntraced(function* <R>(
  walk: Walk,
  once: (walk: Walk) => Effect.Effect<Made, never, R>
) {
  const times: Array<Made> = []
  let last: Made
  do {
    const time = times.length + 1
    last = yield* once(time === 1 ? walk : { ...walk, name: `${walk.name} (${time})` })
    times.push(last)
  } while (last.lost.length > 0 && !last.isHalted && times.length < maxTimes)
  if (last.lost.length === 0 || last.isHalted) return { findings: last.findings, owned: [] }
  if (isSteady(times)) return { findings: last.findings, owned: times.flatMap(({ lost }) => lost) }
  const said = last
  return { findings: said.findings.map((finding) => doubted(said, finding)), owned: [] }
})
