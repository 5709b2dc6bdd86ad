import { Schema } from "effect"

/** A moment in milliseconds since 1970-01-01T00:00:00Z, as Effect's `Clock` tells it. */
export type Instant = number

/** RFC 3339 in UTC with milliseconds, the form of every time on the wire. */
export const toRfc3339 = (instant: Instant): string => new Date(instant).toISOString()

/** The same of what may not have happened. */
export const toRfc3339OrNull = (instant: Instant | null): string | null =>
  instant === null ? null : toRfc3339(instant)

/** Whole seconds since 1970, rounded down: the unit of `iat` and `exp` (RFC 7519, section 2). */
export const toUnixSeconds = (instant: Instant): number => Math.floor(instant / 1000)

// Hours end at 23 here, while `Date.parse` takes 24:00 too (RFC 3339, section 5.6).
const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt](?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/

/** The form of a time that a caller sends, in words. */
export const timeForm = "an RFC 3339 time, such as 2026-01-31T09:30:00Z"

/** The form of a date, in words. */
export const dateForm = "a calendar date, YYYY-MM-DD"

/** Reads an RFC 3339 time, or answers `undefined` for text that is none, or that names no day of the calendar. */
export const fromRfc3339 = (text: string): Instant | undefined => {
  if (!rfc3339.test(text) || !isCalendarDate(text.slice(0, 10))) return undefined
  const instant = Date.parse(text.toUpperCase())
  return Number.isNaN(instant) ? undefined : instant
}

const isLeapYear = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const daysIn = (year: number, month: number): number =>
  month === 2 && isLeapYear(year) ? 29 : (daysOfMonths[month - 1] ?? 0)

/** Whether `YYYY-MM-DD` text names a day that the calendar has: 2023-02-29 does not. */
export const isCalendarDate = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const day = Number(text.slice(8))
  return day >= 1 && day <= daysIn(Number(text.slice(0, 4)), Number(text.slice(5, 7)))
}

/** The day so many days after another, before it where they are negative; both `YYYY-MM-DD`. */
export const dayAfter = (day: string, days: number): string =>
  toRfc3339(Date.parse(day) + days * 86_400_000).slice(0, 10)

/** A date without a time, `YYYY-MM-DD`, checked against the calendar. */
export const CalendarDate = Schema.String.annotate({ format: "date" }) // before the check, else no contract shows it
  .check(Schema.makeFilter((text: string) => isCalendarDate(text)))
  .annotate({ identifier: "CalendarDate", form: dateForm })
