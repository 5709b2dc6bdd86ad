import { ruleOf } from "../catalogue/Catalogue.ts"
import type { Walk } from "../judgement/Walk.ts"

type BudgetedWalk = Pick<Walk<string>, "name" | "judges">

/** Requests before and beside the walks: the first read, tokens of OAuth clients, and what the walks share. */
const overhead = 28

/** The assumed requests of a walk without a figure. */
const usualRequests = 30

const isMust = (rule: string): boolean => ruleOf(rule)?.level === "MUST"

/**
 * Returns the walks that judge most MUST rules with a number of requests. Greedy: each step takes the walk with the
 * most rules per request that no chosen walk judges. Remaining requests go to walks whose rules are already judged.
 * `requests` are the figures by walk.
 */
export const affordable = <W extends BudgetedWalk>(
  walks: ReadonlyArray<W>,
  budget: number,
  requests: Readonly<Record<string, number>>
): ReadonlySet<W> => {
  const costOf = ({ name }: W): number => Math.max(1, requests[name] ?? usualRequests)
  const chosen = new Set<W>()
  const judged = new Set<string>()
  let left = budget - overhead

  const takeBest = (worthOf: (walk: W) => number): boolean => {
    const best = walks
      .filter((walk) => !chosen.has(walk) && costOf(walk) <= left && worthOf(walk) > 0)
      .map((walk) => ({ walk, rate: worthOf(walk) / costOf(walk) }))
      .reduce<{ readonly walk: W; readonly rate: number } | undefined>(
        (one, other) => (one === undefined || other.rate > one.rate ? other : one),
        undefined
      )
    if (best === undefined) return false
    chosen.add(best.walk)
    left -= costOf(best.walk)
    for (const rule of best.walk.judges) judged.add(rule)
    return true
  }

  while (takeBest(({ judges }) => judges.filter((rule) => isMust(rule) && !judged.has(rule)).length));
  while (takeBest(({ judges }) => judges.filter(isMust).length));
  return chosen
}
