import type { Instant } from "./Instant.ts"

/** The zone whose calendar day decides expiry dates. */
export const defaultTimeZone = "Australia/Sydney"

/** Returns a function from instant to day. Formatting is slow, so it caches the last minute. */
const makeCalendar = (timeZone: string) => {
  // The en-CA locale formats dates as YYYY-MM-DD.
  const format = new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" })
  let last = { minute: Number.NaN, day: "" }
  return (instant: Instant): string => {
    const minute = Math.floor(instant / 60_000) // no zone's day begins within a minute
    if (minute !== last.minute) last = { minute, day: format.format(instant) }
    return last.day
  }
}

const calendars = new Map<string, (instant: Instant) => string>()

/** Returns the calendar day of an instant in a time zone, `YYYY-MM-DD`. */
export const dayAt = (instant: Instant, timeZone: string = defaultTimeZone): string => {
  const calendar = calendars.get(timeZone) ?? makeCalendar(timeZone)
  calendars.set(timeZone, calendar)
  return calendar(instant)
}

/** Returns whether `today` is after the expiry date, both `YYYY-MM-DD`. The expiry date itself is still valid. */
export const isLapsed = (expiryDate: string | undefined, today: string): boolean =>
  expiryDate !== undefined && expiryDate < today
