import { membersOf } from "../report/Chain.ts"
import type { RecordedExchange, ReportedDifference } from "../report/Report.ts"
import * as ReportText from "../report/ReportText.ts"
import { isObject, type Json } from "../text/Json.ts"
import { inLine } from "../text/Visible.ts"
import { isSecretName } from "../wire/SecretFields.ts"
import { quote } from "./Shell.ts"

/** Quotes a text as a word of the script and replaces ids of the run by those of the script. */
type Word = (text: string) => string

/** A key as a sed pattern. Other characters become `.`, so that a deployment cannot inject sed commands. */
export const keyPattern = (key: string): string => quote(key.replaceAll(/[^\w-]/g, "."))

/** One check of the script: the current value, and whether it is as expected. */
interface Check {
  readonly now: string
  readonly met: string
}

const expand = (command: string): string => `"$(${command})"`

const statusCheck = ({ exchange, expected, kind }: ReportedDifference): Check => {
  const now = expand(`status ${exchange}`)
  if (kind === "no-answer") return { now, met: expand(`opposite "$(like ${now} 000)"`) }
  const words = typeof expected === "string" ? expected : ""
  const patterns = [
    ...[...words.matchAll(/\b([1-5])xx\b/g)].map(([, hundred]) => `'${hundred}??'`),
    ...[...words.matchAll(/\b[1-5]\d\d\b/g)].map(([status]) => status),
    ...[expected].flat().flatMap((status) => (typeof status === "number" ? [`${status}`] : []))
  ]
  if (patterns.length === 0) return { now, met: "unknown" }
  const isOne = expand(`like ${now} ${patterns.join(" ")}`)
  return { now, met: /^(no|any but) /.test(words) ? expand(`opposite ${isOne}`) : isOne }
}

const headerCheck = ({ actual, at, exchange, kind }: ReportedDifference, word: Word): Check => {
  const now = expand(`header ${exchange} ${quote(at.slice("header ".length))}`)
  if (kind === "missing") return { now, met: expand(`opposite "$(equal ${now} '')"`) }
  if (kind === "unexpected") return { now, met: expand(`equal ${now} ''`) }
  return { now, met: typeof actual === "string" ? expand(`same ${now} ${word(actual)}`) : "unknown" }
}

/** Returns the first member in which two objects differ, with its path and both values. */
const narrowed = (at: string, expected: Json, actual: Json): readonly [at: string, expected: Json, actual: Json] => {
  if (!isObject(expected) || !isObject(actual)) return [at, expected, actual]
  const key = Object.keys(expected).find((name) => JSON.stringify(expected[name]) !== JSON.stringify(actual[name]))
  return key === undefined
    ? [at, expected, actual]
    : narrowed(`${at}.${key}`, expected[key] ?? null, actual[key] ?? null)
}

const isScalar = (value: Json): value is string | number | boolean | null => value === null || typeof value !== "object"

/** A scalar as JSON text; undefined if it has several spellings or sed cannot find it. */
const written = (value: string | number | boolean | null): string | undefined => {
  const text = JSON.stringify(value)
  return typeof value === "string" && !/^[ !#-[\]-~]*$/.test(value) ? undefined : text
}

/** Expectations in prose cannot be compared. They contain blanks; codes and ids do not. */
const isWords = (value: Json): boolean => typeof value === "string" && /\s/.test(value)

/** Patterns for the beginning of a value, by type. */
const beginnings: Readonly<Record<string, string>> = {
  string: '"*',
  "non-empty string": '"[!"]*',
  integer: "[-0-9]*",
  "non-negative integer": "[0-9]*",
  object: "{*",
  list: "[[]*"
}

const valueCheck = (difference: ReportedDifference, exchange: RecordedExchange | undefined, word: Word): Check => {
  const { exchange: number, kind } = difference
  const [at, expected, actual] = narrowed(difference.at, difference.expected, difference.actual)
  const path = at.replace(/^body\.?/, "")
  const shown = membersOf(exchange?.answer?.text ?? "").find((member) => member.path === path)
  const whole = { now: expand(`text ${number}`), met: "unknown" }
  // a resource that a list no longer shows
  if (kind === "changed" && actual === null && isObject(expected) && typeof expected["id"] === "string") {
    return { ...whole, met: expand(`contains ${whole.now} ${word(expected["id"])}`) }
  }
  if (shown === undefined) return whole
  if (isSecretName(shown.key)) return { now: quote("a secret, not shown"), met: "unknown" }
  if (Array.isArray(expected) && expected.length === 0) {
    const squeezed = expand(`text ${number} | tr -d ' '`)
    return { ...whole, met: expand(`contains ${squeezed} ${quote(`"${shown.key}":[]`)}`) }
  }
  const now = expand(`value ${number} ${keyPattern(shown.key)} ${shown.nth}`)
  const beginning = kind === "wrong-type" && typeof expected === "string" ? beginnings[expected] : undefined
  if (beginning !== undefined) return { now, met: expand(`like ${now} ${quote(beginning)}`) }
  // several expected values are alternatives; a value that must not change has none
  const alternatives = kind === "wrong-value" && Array.isArray(expected) ? expected : [expected]
  const wanted = alternatives.map((one) => (isScalar(one) ? written(one) : undefined))
  const isLiteral = ["wrong-value", "changed"].includes(kind) && !isWords(expected)
  if (isLiteral && wanted.length > 0 && wanted.every((one) => one !== undefined)) {
    return { now, met: expand(`equal ${now} ${wanted.map(word).join(" ")}`) }
  }
  const before = isScalar(actual) ? written(actual) : undefined
  return { now, met: before === undefined ? "unknown" : expand(`same ${now} ${word(before)}`) }
}

const bodyCheck = (difference: ReportedDifference, exchange: RecordedExchange | undefined, word: Word): Check => {
  const { at, exchange: number, expected, kind } = difference
  const now = expand(`text ${number}`)
  if (kind === "not-json") return { now, met: expand(`like ${now} '{*' '[[]*' '"*'`) }
  if (kind === "unexpected" && at === "body") return { now, met: expand(`equal ${now} ''`) }
  if (kind === "missing" && at === "body") {
    return { now, met: typeof expected === "string" ? expand(`contains ${now} ${word(expected)}`) : "unknown" }
  }
  if (kind !== "missing" && kind !== "unexpected") return valueCheck(difference, exchange, word)
  const key = at.split(".").at(-1) ?? ""
  const before = membersOf(exchange?.answer?.text ?? "").filter((member) => member.key === key).length
  const count = expand(`count ${number} ${keyPattern(key)}`)
  if (kind === "unexpected") return { now, met: expand(`more ${before} ${count}`) }
  return { now, met: expand(before === 0 ? `more ${count} 0` : `grown ${count} ${before}`) }
}

/** Returns the script lines that check one difference: expected, result of the run, and result now. */
export const checkOf = (difference: ReportedDifference, exchange: RecordedExchange | undefined, word: Word): string => {
  const { actual, at, expected, exchange: number } = difference
  const { met, now } =
    at === "status"
      ? statusCheck(difference)
      : at.startsWith("header ")
        ? headerCheck(difference, word)
        : bodyCheck(difference, exchange, word)
  return `check ${quote(`#${number} ${inLine(at)}`)} ${word(ReportText.value(expected))} ${word(ReportText.value(actual))} ${now} ${met}`
}
