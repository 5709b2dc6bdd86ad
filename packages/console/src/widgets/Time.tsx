import { useMe } from "../calls/Me.ts"
import { dayAt, daysBetween } from "./Days.ts"

/** Moments are shown in the time zone of the browser. */
const dayOf = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" })
const minuteOf = new Intl.DateTimeFormat(undefined, { timeStyle: "short" })
const secondOf = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })
const calendarDay = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" })

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
