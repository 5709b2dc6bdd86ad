import type { RecordedExchange, RuleReport } from "../report/Report.ts"
import { isObject, type Json, parse } from "../wire/Json.ts"

/** A text of an answer that later requests name: an id that the deployment made up. */
export interface Shown {
  readonly value: string
  /** The key that it stands at, and the how-manieth member of that key it is in the answer, from 1. */
  readonly key: string
  readonly nth: number
}

const idKey = /(^id|Id|ID|_id)$/
const minIdChars = 4

/** What takes the place of a token that an answer gave: `‹access_token of #12›`. */
const givenToken = /‹(\w+) of #(\d+)›/g

/** The tokens of a request that answers gave, by the key and the number of the answer's exchange. */
export const givenTokensIn = (text: string): ReadonlyArray<{ readonly key: string; readonly exchange: number }> =>
  [...text.matchAll(givenToken)].map(([, key = "", number]) => ({ key, exchange: Number(number) }))

/** One member of a JSON value. */
interface Member {
  readonly key: string
  /** From the root: `data.0.id`. */
  readonly path: string
  readonly value: Json
  /** The how-manieth member of its key it is, from 1, in the order of the text. */
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

/** Every member of a JSON text, in its order; none where it is no JSON. */
export const membersOf = (text: string): ReadonlyArray<Member> => {
  const counts = new Map<string, number>()
  return entriesOf(parse(text), "").map((entry) => {
    const nth = (counts.get(entry.key) ?? 0) + 1
    counts.set(entry.key, nth)
    return { ...entry, nth }
  })
}

/** The texts of an answer that stand at some keys. */
export const shownAt = (exchange: RecordedExchange, isWanted: (key: string) => boolean): ReadonlyArray<Shown> =>
  membersOf(exchange.answer?.text ?? "").flatMap(({ key, nth, value }) =>
    isWanted(key) && typeof value === "string" ? [{ key, nth, value }] : []
  )

/** A value as a word of its own: `wkr_1` is not found in `wkr_12`. */
export const wordOf = (value: string): RegExp =>
  new RegExp(`(?<![\\w-])${value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")}(?![\\w-])`, "g")

/** What a request says, in one text. */
export const saidBy = ({ request }: RecordedExchange): string =>
  [request.url, ...request.headers.map(([, value]) => value), request.body].join("\n")

/** The ids that an answer shows and its own request did not name. */
export const idsOf = (exchange: RecordedExchange): ReadonlyArray<Shown> => {
  const said = saidBy(exchange)
  return shownAt(exchange, (key) => idKey.test(key)).filter(
    ({ value }) => value.length >= minIdChars && value.isWellFormed() && !wordOf(value).test(said)
  )
}

/** A name under which the suite makes things, and by which it looks for them. */
const ownName = /\bconf-[a-z0-9]+-\d+\b/g

const isWrite = ({ request }: RecordedExchange): boolean => !["GET", "HEAD"].includes(request.method)

const isCarriedOut = ({ answer }: RecordedExchange): boolean =>
  answer !== null && answer.status >= 200 && answer.status < 300

/** The exchanges of one walk that others of it build on; `probes` are those that its finding rests on. */
const neededBy = (
  wanted: ReadonlySet<RecordedExchange>,
  walk: ReadonlyArray<RecordedExchange>,
  probes: ReadonlySet<number>
) => {
  const last = Math.max(...[...wanted].map(({ number }) => number))
  const before = walk.filter(({ number }) => number < last)
  const said = [...wanted].map(saidBy).join("\n")
  const seen = new Set<string>()
  const used: Array<string> = [...said.matchAll(ownName)].map(([name]) => name)
  const makers = before.filter((exchange) => {
    const fresh = idsOf(exchange).filter(({ value }) => !seen.has(value))
    for (const { value } of fresh) seen.add(value)
    const named = fresh.filter(({ value }) => wordOf(value).test(said)).map(({ value }) => value)
    used.push(...named)
    return named.length > 0
  })
  // what changed one of these things meanwhile is part of how they came to be as they were; so is what was refused, if
  // the finding rests on it: it may have been done all the same
  const changers = before.filter((exchange) => {
    const told = saidBy(exchange)
    const isPart = isCarriedOut(exchange) || probes.has(exchange.number)
    return isWrite(exchange) && isPart && used.some((value) => wordOf(value).test(told))
  })
  return [...makers, ...changers]
}

/** Rules for every exchange may rest on hundreds; the first few show what is wrong as well. */
const maxEvidence = 12

/** The finding that is shown. */
const shownOf = ({ findings }: RuleReport): RuleReport["findings"][number] | undefined =>
  findings.find(({ outcome }) => outcome === "fail") ?? findings.find(({ outcome }) => outcome === "warn")

/** The exchanges that show what is wrong. */
const evidenceOf = (failed: RuleReport["findings"][number]): ReadonlyArray<number> => {
  const wrong = [...new Set(failed.differences.map(({ exchange }) => exchange))]
  return failed.exchanges.length <= maxEvidence ? [...failed.exchanges, ...wrong] : wrong.slice(0, 1)
}

/**
 * The shortest chain of exchanges that shows what is wrong with a rule, in their order: its evidence, the creates whose
 * ids that names, the tokens that were given for it, and the changes in between. Empty where nothing is wrong.
 */
export const chainOf = (
  rule: RuleReport,
  exchanges: ReadonlyArray<RecordedExchange>
): ReadonlyArray<RecordedExchange> => {
  const shown = shownOf(rule)
  if (shown === undefined) return []
  const sent = exchanges.filter(({ kind }) => kind !== "delivery") // what came by itself cannot be sent again
  const byNumber = new Map(sent.map((exchange) => [exchange.number, exchange]))
  const chain = new Set(evidenceOf(shown).flatMap((number) => byNumber.get(number) ?? []))
  const walks = Map.groupBy(sent, ({ walk }) => walk)
  const probes = new Set(shown.exchanges)
  if (rule.impact === "exhaust") {
    // a limit is used up by every call that was made before
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
      for (const needed of neededBy(new Set(own), walks.get(walk) ?? [], probes)) chain.add(needed)
    }
  }
  return [...chain].toSorted((left, right) => left.number - right.number)
}
