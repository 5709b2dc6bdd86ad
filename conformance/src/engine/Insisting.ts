import { Effect } from "effect"
import type { Finding } from "../judgement/Finding.ts"
import { inWords } from "../judgement/Judge.ts"
import type { Walk } from "../judgement/Walk.ts"
import type { Exchange } from "../wire/Exchange.ts"
import { isUnreached, pausesSeconds } from "../wire/Lost.ts"

/** The result of one attempt of a walk. */
export interface WalkAttempt {
  readonly findings: ReadonlyArray<Finding>
  /** The calls whose responses were lost. */
  readonly lost: ReadonlyArray<Exchange>
  /** The run ended during the attempt. */
  readonly isHalted: boolean
}

/** The number of attempts of a walk with lost responses. */
const maxTimes = pausesSeconds.length + 1

const stepsOf = ({ lost }: WalkAttempt): string =>
  lost
    .map(({ step }) => step)
    .toSorted((one, other) => one - other)
    .join()

/** Whether every attempt lost the same calls. Then losing them is the deployment's behaviour. */
const isSteady = (times: ReadonlyArray<WalkAttempt>): boolean =>
  times.length === maxTimes && new Set(times.map(stepsOf)).size === 1

/** Makes a finding inconclusive if it relies on lost responses, or is broken or blocked in a walk that lost some. */
const doubted = ({ lost }: WalkAttempt, finding: Finding): Finding => {
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
    reason: `responses were lost in every attempt of the walk: ${words.join("; ")}`
  }
}

/**
 * Repeats a walk after a pause while responses are lost, up to a limit, with new names and new resources. The last
 * attempt decides. Returns the lost calls that are judged as the deployment's own behaviour.
 */
export const insisting = Effect.fnUntraced(function* <R>(
  walk: Walk<string>,
  sleep: (seconds: number) => Effect.Effect<void>,
  once: (walk: Walk<string>) => Effect.Effect<WalkAttempt, never, R>
) {
  let last = yield* once(walk)
  const times = [last]
  for (const seconds of pausesSeconds) {
    if (last.lost.length === 0 || last.isHalted) break
    yield* sleep(seconds)
    last = yield* once({ ...walk, name: `${walk.name} (${times.length + 1})` })
    times.push(last)
  }
  if (last.lost.length === 0) return { findings: last.findings, owned: [] }
  // a connection that fails and a page in front are never the deployment's behaviour
  if (!last.isHalted && isSteady(times) && !last.lost.some(isUnreached))
    return { findings: last.findings, owned: times.flatMap(({ lost }) => lost) }
  const said = last
  return { findings: said.findings.map((finding) => doubted(said, finding)), owned: [] }
})
