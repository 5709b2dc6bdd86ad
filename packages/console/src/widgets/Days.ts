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
