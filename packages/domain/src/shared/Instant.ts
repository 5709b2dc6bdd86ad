import { Schema } from "effect"

/** Milliseconds since 1970-01-01T00:00:00Z, as in Effect's `Clock`. */
export type Instant = number

const dayMillis = 86_400_000

/** Texts of days, `YYYY-MM-DDT`, by their number since 1970. Most times of a request are on few days. */
const days = new Map<number, string>()
const daysMax = 1_000

const dayText = (day: number): string => {
  const known = days.get(day)
  if (known !== undefined) return known
  const text = new Date(day * dayMillis).toISOString().slice(0, -"00:00:00.000Z".length)
  if (days.size >= daysMax) days.clear()
  days.set(day, text)
  return text
}

const twoDigits = (value: number): string => (value < 10 ? `0${value}` : `${value}`)

/** Formats an instant as RFC 3339 in UTC with milliseconds, the format of all times on the wire. */
export const toRfc3339 = (instant: Instant): string => {
  const whole = Math.trunc(instant)
  const day = Math.floor(whole / dayMillis)
  const millis = whole - day * dayMillis
  const minutes = Math.floor(millis / 60_000)
  const seconds = Math.floor(millis / 1000) % 60
  const time = `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(seconds)}`
  return `${dayText(day)}${time}.${String(millis % 1000).padStart(3, "0")}Z`
}

/** Like `toRfc3339`, but keeps null. */
export const toRfc3339OrNull = (instant: Instant | null): string | null =>
  instant === null ? null : toRfc3339(instant)

/** Returns whole seconds since 1970, rounded down, the unit of `iat` and `exp` (RFC 7519, section 2). */
export const toUnixSeconds = (instant: Instant): number => Math.floor(instant / 1000)

// RFC 3339, section 5.6, allows hours up to 23, but `Date.parse` also accepts 24:00.
const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt](?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/

/** The format of a time that a caller sends, in words. */
export const timeFormat = "an RFC 3339 time, such as 2026-01-31T09:30:00Z"

/** The format of a date, in words. */
export const dateFormat = "a date that exists, YYYY-MM-DD"

/** Parses an RFC 3339 time; `undefined` if the text is malformed or its date does not exist. */
export const fromRfc3339 = (text: string): Instant | undefined => {
  if (!rfc3339.test(text) || !isCalendarDate(text.slice(0, 10))) return undefined
  const instant = Date.parse(text.toUpperCase())
  return Number.isNaN(instant) ? undefined : instant
}

const isLeapYear = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const daysIn = (year: number, month: number): number =>
  month === 2 && isLeapYear(year) ? 29 : (daysOfMonths[month - 1] ?? 0)

/** Returns whether `YYYY-MM-DD` text is a date that exists. 2023-02-29 does not. */
export const isCalendarDate = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const day = Number(text.slice(8))
  return day >= 1 && day <= daysIn(Number(text.slice(0, 4)), Number(text.slice(5, 7)))
}

/** Returns the day that many days later, or earlier if negative. Both are `YYYY-MM-DD`. */
export const dayAfter = (day: string, days: number): string =>
  toRfc3339(Date.parse(day) + days * 86_400_000).slice(0, 10)

/** Returns how many days the second day is after the first, negative if it is before. Both are `YYYY-MM-DD`. */
export const daysBetween = (first: string, second: string): number =>
  (Date.parse(second) - Date.parse(first)) / dayMillis

/** A date without a time, `YYYY-MM-DD`, that exists in the calendar. */
export const CalendarDate = Schema.String.annotate({ format: "date" }) // the OpenAPI document needs it before the check
  .check(Schema.makeFilter((text: string) => isCalendarDate(text)))
  .annotate({ identifier: "CalendarDate", valueFormat: dateFormat })
