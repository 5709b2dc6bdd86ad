const dayMillis = 24 * 60 * 60 * 1000

const millisOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

/** The calendar day (`YYYY-MM-DD`) of a moment in a time zone. */
export const dayAt = (now: Date, timeZone: string): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" }).format(now)

/** The difference of a time zone from UTC at a moment, in milliseconds. */
const offsetAt = (millis: number, timeZone: string): number => {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" })
  return Date.parse(`${format.format(millis).replace(" ", "T")}Z`) - Math.floor(millis / 1000) * 1000
}

/** The moment (RFC 3339) of a time of day in a time zone, `YYYY-MM-DDTHH:MM`; the first one if the clocks repeat it. */
export const momentOf = (local: string, timeZone: string): string => {
  const wanted = Date.parse(`${local}Z`)
  const guesses = [-dayMillis, dayMillis].map((away) => wanted - offsetAt(wanted + away, timeZone))
  const right = guesses.filter((guess) => guess + offsetAt(guess, timeZone) === wanted)
  // A time that the clocks skip counts by the offset before the change.
  return new Date(right.length === 0 ? (guesses[0] ?? wanted) : Math.min(...right)).toISOString()
}

/** Whole days from one calendar day to another. */
export const daysBetween = (from: string, to: string): number => Math.round((millisOf(to) - millisOf(from)) / dayMillis)

/** The calendar day that is this many days after another. */
export const dayAfter = (day: string, days: number): string =>
  new Date(millisOf(day) + days * dayMillis).toISOString().slice(0, 10)

/** The filters of the cards that expire today or within a number of days. `expiringBefore` leaves its own day out. */
export const expiringWithin = (days: number, today: string) => ({
  expiringFrom: today,
  expiringBefore: dayAfter(today, days + 1)
})
