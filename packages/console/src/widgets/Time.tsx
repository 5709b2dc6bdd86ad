import { createContext } from "preact"
import { useContext } from "preact/hooks"
import { dayAt, daysBetween } from "./Days.ts"

/** The time zone of the organization. Its days decide verdicts, so screens show every moment in it. */
const TimeZone = createContext("UTC")

export const TimeZoneProvider = TimeZone.Provider

export const useTimeZone = (): string => useContext(TimeZone)

const makeFormats = (timeZone: string) => ({
  day: new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone }),
  minute: new Intl.DateTimeFormat(undefined, { timeStyle: "short", timeZone }),
  second: new Intl.DateTimeFormat(undefined, { timeStyle: "medium", timeZone })
})

/** The formats of the last time zone, because it is slow to make them. */
let formats = { timeZone: "UTC", ...makeFormats("UTC") }

const formatsOf = (timeZone: string) => {
  if (formats.timeZone !== timeZone) formats = { timeZone, ...makeFormats(timeZone) }
  return formats
}

const calendarDay = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" })

/** Today in the time zone of the organization, whose days decide verdicts. */
export const useToday = (): string => dayAt(new Date(), useTimeZone())

/** A number of days in words, such as "in 3 days" or "yesterday". */
export const inDays = (days: number): string => relative.format(days, "day")

/** A moment (RFC 3339). `isExact` shows the seconds too. */
export const Time = ({
  at,
  isExact = false
}: {
  readonly at: string | null | undefined
  readonly isExact?: boolean
}) => {
  const { day, minute, second, timeZone } = formatsOf(useTimeZone())
  if (at === null || at === undefined) return <span class="quiet">never</span>
  const moment = new Date(at)
  return (
    <time dateTime={at} title={timeZone}>
      {day.format(moment)}, <span class="whole">{(isExact ? second : minute).format(moment)}</span>
    </time>
  )
}

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
