import { useMe } from "../calls/Me.ts"

/** Moments are shown in the time zone of the browser. */
const dayOf = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" })
const minuteOf = new Intl.DateTimeFormat(undefined, { timeStyle: "short" })
const secondOf = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })
const calendarDay = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" })

const dayMillis = 24 * 60 * 60 * 1000

const millisOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

/** The calendar day (`YYYY-MM-DD`) of a moment in a time zone. */
export const dayAt = (now: Date, timeZone: string): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" }).format(now)

/** Whole days from one calendar day to another. */
export const daysBetween = (from: string, to: string): number => Math.round((millisOf(to) - millisOf(from)) / dayMillis)

/** The calendar day that is this many days after another. */
export const dayAfter = (day: string, days: number): string =>
  new Date(millisOf(day) + days * dayMillis).toISOString().slice(0, 10)

/** Today in the time zone of the organization, whose days decide verdicts. */
export const useToday = (): string => dayAt(new Date(), useMe()?.tenant.timeZone ?? "UTC")

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

const Near = ({ day }: { readonly day: string }) => <span class="quiet"> · {inDays(daysBetween(useToday(), day))}</span>

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
      {isNear ? <Near day={day} /> : null}
    </time>
  )
