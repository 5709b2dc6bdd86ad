import { Result } from "effect"
import { dayAt, endOfDay, type Moment, momentAt } from "../shared/CalendarDay.ts"
import { fromRfc3339, type Instant, isCalendarDate, timeFormat, toRfc3339 } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { type Query, repeated } from "./ListQuery.ts"

const invalid = (reason: string) => Result.fail(new InvalidArgument({ field: "asOf", reason }))

/**
 * Parses `asOf`: a time, or a date, which means the end of that day in the time zone. The present day means now. Fails
 * for a later time.
 */
export const parseAsOf = (
  text: string | ReadonlyArray<string>,
  now: Instant,
  timeZone: string
): Result.Result<Moment, InvalidArgument> => {
  if (typeof text !== "string") return invalid(repeated)
  const today = dayAt(now, timeZone)
  const at = isCalendarDate(text) ? (text === today ? now : endOfDay(text, timeZone)) : fromRfc3339(text)
  if (at === undefined) return invalid(`must be ${timeFormat}, or a date, YYYY-MM-DD`)
  return at > now ? invalid("must not be in the future") : Result.succeed(momentAt(at, timeZone))
}

/** Fails if the versions of the tenant are not complete at a time. */
export const requireKnown = ({ now }: Moment, knownSince: Instant): Result.Result<void, InvalidArgument> =>
  now < knownSince
    ? invalid(`must not be before ${toRfc3339(knownSince)}, when the history of this organization begins`)
    : Result.succeed(undefined)

/** Fails if a query has a parameter that searches the present. */
export const requireOnly = (query: Query, allowed: ReadonlyArray<string>): Result.Result<void, InvalidArgument> => {
  const other = Object.keys(query).find((field) => !allowed.includes(field))
  return other === undefined
    ? Result.succeed(undefined)
    : Result.fail(new InvalidArgument({ field: other.slice(0, 100), reason: "cannot be combined with asOf" }))
}
