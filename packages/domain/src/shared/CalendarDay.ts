import { Result } from "effect"
import type { Instant } from "./Instant.ts"

/** The time zone of a tenant that chose no other. */
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
export const dayAt = (instant: Instant, timeZone: string): string => {
  const calendar = calendars.get(timeZone) ?? makeCalendar(timeZone)
  calendars.set(timeZone, calendar)
  return calendar(instant)
}

/** A time, and the calendar day of the tenant at that time. */
export interface Moment {
  readonly now: Instant
  /** `YYYY-MM-DD`. */
  readonly today: string
}

/** Returns an instant with its calendar day in a time zone. */
export const momentAt = (now: Instant, timeZone: string): Moment => ({ now, today: dayAt(now, timeZone) })

/** Returns an instant of a day (`YYYY-MM-DD`) in a time zone: about its middle. */
export const instantOn = (day: string, timeZone: string): Instant => {
  const noon = Date.parse(`${day}T12:00:00Z`)
  return dayAt(noon, timeZone) === day ? noon : noon - 3 * 3_600_000 // zones ahead of UTC by 12 to 14 hours
}

/** Returns the last millisecond of a day (`YYYY-MM-DD`) in a time zone. */
export const endOfDay = (day: string, timeZone: string): Instant => {
  // Minutes of which the first is not later than the day, and the last one is: zones differ from UTC by up to 15 hours.
  let [within, later] = [Date.parse(day) / 60_000 - 1440, Date.parse(day) / 60_000 + 2 * 1440]
  while (later - within > 1) {
    const middle = Math.floor((within + later) / 2)
    if (dayAt(middle * 60_000, timeZone) > day) later = middle
    else within = middle
  }
  return later * 60_000 - 1
}

/** Returns whether text is the name of a time zone that the runtime knows, such as `Australia/Sydney`. No offsets. */
export const isTimeZone = (text: string): boolean =>
  /^[a-z][\w+/-]{0,63}$/i.test(text) &&
  Result.isSuccess(Result.try(() => new Intl.DateTimeFormat("en-CA", { timeZone: text })))

/** Returns whether `today` is after the expiry date, both `YYYY-MM-DD`. The expiry date itself is still valid. */
export const isLapsed = (expiryDate: string | undefined, today: string): boolean =>
  expiryDate !== undefined && expiryDate < today
