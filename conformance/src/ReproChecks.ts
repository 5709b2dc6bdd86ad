import { membersOf } from "./Chain.ts"
import { isObject, type Json } from "./Json.ts"
import type { RecordedExchange, ReportedDifference } from "./Report.ts"
import * as Told from "./report/Told.ts"
import { quote } from "./Shell.ts"

/** A text as a word of the script, with the ids of the run replaced by those of the script. */
type Word = (text: string) => string

/** A key as sed takes it inside a pattern: a deployment that made it up says nothing more there than which key. */
export const keyPattern = (key: string): string => quote(key.replaceAll(/[^\w-]/g, "."))

/** One expectation in the terms of the script: what is there now, and whether that is as expected. */
interface Check {
  readonly now: string
  readonly met: string
}

const expand = (command: string): string => `"$(${command})"`

const statusCheck = ({ exchange, expected, kind }: ReportedDifference): Check => {
  const now = expand(`status ${exchange}`)
  if (kind === "no-answer") return { now, met: expand(`opposite "$(like ${now} 000)"`) }
  const patterns =
    typeof expected === "string"
      ? [...expected.matchAll(/\b([1-5])xx\b/g)].map(([, hundred]) => `'${hundred}??'`)
      : [expected].flat().flatMap((status) => (typeof status === "number" ? [`${status}`] : []))
  return { now, met: patterns.length === 0 ? "unknown" : expand(`like ${now} ${patterns.join(" ")}`) }
}

const headerCheck = ({ actual, at, exchange, kind }: ReportedDifference, word: Word): Check => {
  const now = expand(`header ${exchange} ${quote(at.slice("header ".length))}`)
  if (kind === "missing") return { now, met: expand(`opposite "$(equal ${now} '')"`) }
  if (kind === "unexpected") return { now, met: expand(`equal ${now} ''`) }
  return { now, met: typeof actual === "string" ? expand(`same ${now} ${word(actual)}`) : "unknown" }
}

/** Where two objects differ: the path of the first member that does, and what it is in each. */
const narrowed = (at: string, expected: Json, actual: Json): readonly [at: string, expected: Json, actual: Json] => {
  if (!isObject(expected) || !isObject(actual)) return [at, expected, actual]
  const key = Object.keys(expected).find((name) => JSON.stringify(expected[name]) !== JSON.stringify(actual[name]))
  return key === undefined
    ? [at, expected, actual]
    : narrowed(`${at}.${key}`, expected[key] ?? null, actual[key] ?? null)
}

const isScalar = (value: Json): value is string | number | boolean | null => value === null || typeof value !== "object"

const scalar = (value: string | number | boolean | null, word: Word): string => word(String(value))

/** An expectation in words cannot be compared: they have blanks, codes and ids have none. */
const isWords = (value: Json): boolean => typeof value === "string" && /\s/.test(value)

const valueCheck = (difference: ReportedDifference, exchange: RecordedExchange | undefined, word: Word): Check => {
  const [at, expected, actual] = narrowed(difference.at, difference.expected, difference.actual)
  const path = at.replace(/^body\.?/, "")
  const place = membersOf(exchange?.answer?.text ?? "").find((member) => member.path === path)
  const whole = { now: expand(`text ${difference.exchange}`), met: "unknown" }
  if (place === undefined || !isScalar(actual)) return whole
  const now = expand(`value ${difference.exchange} ${keyPattern(place.key)} ${place.nth}`)
  const wanted = (Array.isArray(expected) ? expected : [expected]).filter(isScalar)
  const isLiteral = ["wrong-value", "changed"].includes(difference.kind) && wanted.length > 0 && !wanted.some(isWords)
  return {
    now,
    met: isLiteral
      ? expand(`equal ${now} ${wanted.map((one) => scalar(one, word)).join(" ")}`)
      : expand(`same ${now} ${scalar(actual, word)}`)
  }
}

const bodyCheck = (difference: ReportedDifference, exchange: RecordedExchange | undefined, word: Word): Check => {
  const { at, exchange: number, kind } = difference
  const now = expand(`text ${number}`)
  if (kind === "not-json") return { now, met: expand(`like ${now} '{*' '\\[*' '"*'`) }
  if (kind === "unexpected" && at === "body") return { now, met: expand(`equal ${now} ''`) }
  const key = at.split(".").at(-1) ?? ""
  const hasKey = expand(`like ${now} ${quote(`*"${key.replaceAll(/[^\w-]/g, "?")}"*`)}`)
  const hadKey = exchange?.answer?.text.includes(`"${key}"`) === true
  if (kind === "missing") return { now, met: hadKey ? "unknown" : hasKey }
  if (kind === "unexpected") return { now, met: expand(`opposite ${hasKey}`) }
  return valueCheck(difference, exchange, word)
}

/** The lines of a script that tell one difference again: what was expected, what the run got, and what is there now. */
export const checkOf = (difference: ReportedDifference, exchange: RecordedExchange | undefined, word: Word): string => {
  const { actual, at, expected, exchange: number } = difference
  const { met, now } =
    at === "status"
      ? statusCheck(difference)
      : at.startsWith("header ")
        ? headerCheck(difference, word)
        : bodyCheck(difference, exchange, word)
  return `check ${quote(`#${number} ${Told.inLine(at)}`)} ${word(Told.value(expected))} ${word(Told.value(actual))} ${now} ${met}`
}
