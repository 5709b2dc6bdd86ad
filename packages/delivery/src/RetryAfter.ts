import type { Instant } from "@wcs/domain/shared/Instant"

// The only date format that senders may write (RFC 9110, section 5.6.7).
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * A `Retry-After` in milliseconds from now: seconds or a date (RFC 9110, section 10.2.3). Null when absent or invalid.
 */
export const retryAfterMillis = (value: string | undefined, now: Instant): number | null => {
  const text = value ?? ""
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1000
  const date = httpDate.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
