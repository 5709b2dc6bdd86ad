/** The highest age that a person is believed to have, in years. Nobody is known to have become older than 122. */
const ageMax = 122

const earliestYear = 1900

/** Returns the reason why a date cannot be a person's date of birth, if any. Both are `YYYY-MM-DD`. */
export const implausibleBirthDate = (date: string, today: string): string | undefined => {
  if (date > today) return "must not be in the future"
  const earliest = `${Math.max(earliestYear, Number(today.slice(0, 4)) - ageMax)}-01-01`
  return date < earliest ? `must not be before ${earliest}` : undefined
}
