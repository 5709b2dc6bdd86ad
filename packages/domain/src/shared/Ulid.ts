import type { Instant } from "./Instant.ts"

// Crockford's base 32.
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const timeDigits = 10
const timeMax = 2 ** 48 - 1
/** The random part has four numbers of 20 bits, each with four digits. */
const parts = 4
const partMax = 2 ** 20

const timeText = (time: number): string => {
  let text = ""
  for (let rest = time; text.length < timeDigits; rest = Math.floor(rest / 32)) text = digits.charAt(rest % 32) + text
  return text
}

const partText = (part: number): string =>
  digits.charAt(part >> 15) +
  digits.charAt((part >> 10) & 31) +
  digits.charAt((part >> 5) & 31) +
  digits.charAt(part & 31)

/**
 * Makes ULIDs in order: within a millisecond, or if the clock goes back, each is the previous one plus 1. The texts of
 * the time and of the parts that stay the same are kept.
 */
export const makeUlids = (randomBytes: (size: number) => Uint8Array): ((now: Instant) => string) => {
  let time = -1
  let random: Array<number> = []
  let beginning = ""

  const begin = (at: number): void => {
    time = at
    const bytes = randomBytes(3 * parts)
    random = Array.from({ length: parts }, (_, part) => {
      const [one = 0, two = 0, three = 0] = bytes.subarray(3 * part)
      return ((one << 16) | (two << 8) | three) % partMax
    })
    remember()
  }

  const remember = (): void => {
    beginning = timeText(time) + random.slice(0, -1).map(partText).join("")
  }

  /** Adds 1 to the random part. False if it was the last one. */
  const increment = (): boolean => {
    for (let part = parts - 1; part >= 0; part--) {
      const next = (random[part] ?? 0) + 1
      random[part] = next % partMax
      if (next < partMax) {
        if (part < parts - 1) remember()
        return true
      }
    }
    return false
  }

  return (now) => {
    const at = now >= 0 ? Math.min(Math.trunc(now), timeMax) : 0
    if (at > time) begin(at)
    else if (!increment()) begin(Math.min(time + 1, timeMax))
    return beginning + partText(random[parts - 1] ?? 0)
  }
}
