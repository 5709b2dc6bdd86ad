/** The time zone of the browser, in which moments are shown. */
const dayOf = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" })
const minuteOf = new Intl.DateTimeFormat(undefined, { timeStyle: "short" })
const secondOf = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })
const calendarDay = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" })

const dayMillis = 24 * 60 * 60 * 1000

/** Whole days from the day of `now`, in the browser's time zone, to a calendar day (`YYYY-MM-DD`). */
export const daysUntil = (day: string, now: Date): number => {
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())
  return Math.round((Date.parse(`${day}T00:00:00Z`) - today) / dayMillis)
}

/** Returns the calendar day that is this many days after the day of `now`. */
export const dayIn = (days: number, now: Date): string =>
  new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate() + days)).toISOString().slice(0, 10)

/** A number of days in words, such as "in 3 days" or "yesterday". */
export const inDays = (days: number): string => relative.format(days, "day")

/** A moment (RFC 3339). `isExact` shows the seconds too. */
export const Time = ({
  at,
  isExact = false
}: {
  readonly at: string | null | undefined
  readonly isExact?: boolean
}) =>
  at === null || at === undefined ? (
    <span class="quiet">never</span>
  ) : (
    <time dateTime={at}>
      {dayOf.format(new Date(at))}, <span class="whole">{(isExact ? secondOf : minuteOf).format(new Date(at))}</span>
    </time>
  )

/** A calendar day, and how far away it is. */
export const CalendarDay = ({
  day,
  isNear = false
}: {
  readonly day: string | null | undefined
  readonly isNear?: boolean
}) =>
  day === null || day === undefined ? (
    <span class="quiet">none</span>
  ) : (
    <time dateTime={day}>
      {calendarDay.format(new Date(`${day}T00:00:00Z`))}
      {isNear ? <span class="quiet"> · {inDays(daysUntil(day, new Date()))}</span> : null}
    </time>
  )
