import { namesIn } from "../calls/Names.ts"
import { isShared } from "../engine/Sharing.ts"
import { isObject, type Json, parse } from "../text/Json.ts"
import type { RecordedExchange, RuleReport } from "./Report.ts"

/** A value from a response that later requests use: an id that the deployment created. */
export interface Shown {
  readonly value: string
  /** Its key, and its index among the members with that key, from 1. */
  readonly key: string
  readonly nth: number
}

const idKey = /(^id|Id|ID|_id)$/
const minIdChars = 4

/** The handle of a token from a response, or of a part of it: `‹access_token of #12›`. Starts only where a key can. */
const givenToken = /(?<![\w.-])([\w.-]+) of #(\d+)›/g

/** Returns the tokens in a request that came from responses: their key and the number of the exchange. */
export const givenTokensIn = (text: string): ReadonlyArray<{ readonly key: string; readonly exchange: number }> =>
  [...text.matchAll(givenToken)].map(([, key = "", number]) => ({ key, exchange: Number(number) }))

interface Member {
  readonly key: string
  /** The path from the root, such as `data.0.id`. */
  readonly path: string
  readonly value: Json
  /** Its index among the members with its key, from 1, in text order. */
  readonly nth: number
}

const entriesOf = (value: Json | undefined, path: string): ReadonlyArray<Omit<Member, "nth">> => {
  if (Array.isArray(value)) return value.flatMap((inner, index) => entriesOf(inner, `${path}${index}.`))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    { key, path: `${path}${key}`, value: inner },
    ...entriesOf(inner, `${path}${key}.`)
  ])
}

/** Returns every member of a JSON text in order; empty if the text is not JSON. */
export const membersOf = (text: string): ReadonlyArray<Member> => {
  const counts = new Map<string, number>()
  return entriesOf(parse(text), "").map((entry) => {
    const nth = (counts.get(entry.key) ?? 0) + 1
    counts.set(entry.key, nth)
    return { ...entry, nth }
  })
}

/** Returns the strings in a response under the wanted keys. */
export const shownAt = (exchange: RecordedExchange, isWanted: (key: string) => boolean): ReadonlyArray<Shown> =>
  membersOf(exchange.answer?.text ?? "").flatMap(({ key, nth, value }) =>
    isWanted(key) && typeof value === "string" ? [{ key, nth, value }] : []
  )

/** Matches a value as a whole word: `wkr_1` is not found in `wkr_12`. */
export const wordOf = (value: string): RegExp =>
  new RegExp(`(?<![\\w-])${value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")}(?![\\w-])`, "g")

/** The whole text of a request. */
export const saidBy = ({ request }: RecordedExchange): string =>
  [request.url, ...request.headers.map(([, value]) => value), request.body].join("\n")

/** Returns the ids in a response that its request did not contain. */
export const idsOf = (exchange: RecordedExchange): ReadonlyArray<Shown> => {
  const said = saidBy(exchange)
  return shownAt(exchange, (key) => idKey.test(key)).filter(
    ({ value }) => value.length >= minIdChars && value.isWellFormed() && !wordOf(value).test(said)
  )
}

const isWrite = ({ request }: RecordedExchange): boolean => !["GET", "HEAD"].includes(request.method)

const isCarriedOut = ({ answer }: RecordedExchange): boolean =>
  answer !== null && answer.status >= 200 && answer.status < 300

/** Returns the exchanges of a walk that the wanted ones build on. `probes` are the exchanges of the finding. */
const neededBy = (
  wanted: ReadonlySet<RecordedExchange>,
  walk: ReadonlyArray<RecordedExchange>,
  probes: ReadonlySet<number>
) => {
  const last = Math.max(...[...wanted].map(({ number }) => number))
  const before = walk.filter(({ number }) => number < last)
  const said = [...wanted].map(saidBy).join("\n")
  const seen = new Set<string>()
  const names = new Set(namesIn(said))
  const used: Array<string> = []
  const makers = before.filter((exchange) => {
    const fresh = idsOf(exchange).filter(({ value }) => !seen.has(value))
    for (const { value } of fresh) seen.add(value)
    const named = fresh.filter(({ value }) => wordOf(value).test(said)).map(({ value }) => value)
    used.push(...named)
    return named.length > 0
  })
  // include changes to these resources, and refused probes, because a refused change may have been made all the same
  const changers = before.filter((exchange) => {
    const told = saidBy(exchange)
    const isPart = isCarriedOut(exchange) || probes.has(exchange.number)
    return (
      isWrite(exchange) &&
      isPart &&
      (used.some((value) => wordOf(value).test(told)) || namesIn(told).some((name) => names.has(name)))
    )
  })
  return [...makers, ...changers]
}

/** Rules for every exchange may have hundreds of exchanges; the first few are enough. */
const maxEvidence = 12

/** The finding to reproduce. */
const shownOf = ({ findings }: RuleReport): RuleReport["findings"][number] | undefined =>
  findings.find(({ outcome }) => outcome === "fail") ?? findings.find(({ outcome }) => outcome === "warn")

/** The exchanges that show the failure. */
const evidenceOf = (failed: RuleReport["findings"][number]): ReadonlyArray<number> => {
  const wrong = [...new Set(failed.differences.map(({ exchange }) => exchange))]
  return failed.exchanges.length <= maxEvidence ? [...failed.exchanges, ...wrong] : wrong.slice(0, 1)
}

/**
 * Returns the shortest chain of exchanges that reproduces the failure of a rule: its evidence, the creates of the ids
 * in it, the requests for its tokens, and the changes in between. Empty if nothing failed.
 */
export const chainOf = (
  rule: RuleReport,
  exchanges: ReadonlyArray<RecordedExchange>
): ReadonlyArray<RecordedExchange> => {
  const shown = shownOf(rule)
  if (shown === undefined) return []
  const sent = exchanges.filter(({ kind }) => kind !== "delivery") // deliveries cannot be sent again
  const byNumber = new Map(sent.map((exchange) => [exchange.number, exchange]))
  const wrong = new Set(shown.differences.map(({ exchange }) => exchange))
  // a read that is refused, as it should be, shows nothing and changes nothing
  const tells = (one: RecordedExchange) => wrong.has(one.number) || isWrite(one) || isCarriedOut(one)
  const chain = new Set(
    evidenceOf(shown)
      .flatMap((number) => byNumber.get(number) ?? [])
      .filter(tells)
  )
  const walks = Map.groupBy(sent, ({ walk }) => walk)
  const shared = sent.filter(isShared)
  const probes = new Set(shown.exchanges)
  if (rule.impact === "exhaust") {
    // every earlier call used up the limit
    const last = Math.max(...[...chain].map(({ number }) => number))
    for (const one of walks.get(shown.walk) ?? []) if (one.number < last) chain.add(one)
  }
  let before = -1
  while (chain.size > before) {
    before = chain.size
    for (const { exchange } of [...chain].flatMap((one) => givenTokensIn(saidBy(one)))) {
      const giver = byNumber.get(exchange)
      if (giver !== undefined) chain.add(giver)
    }
    for (const [walk, own] of Map.groupBy(chain, ({ walk }) => walk)) {
      const its = own.some(isShared) ? [] : (walks.get(walk) ?? [])
      for (const needed of neededBy(new Set(own), [...shared, ...its], probes)) chain.add(needed)
    }
  }
  return [...chain].toSorted((left, right) => left.number - right.number)
}
