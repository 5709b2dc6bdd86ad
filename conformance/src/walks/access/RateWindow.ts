import { headerOf } from "../../judgement/Expect.ts"
import type { Exchange } from "../../wire/Exchange.ts"

const numberOf = (exchange: Exchange, name: string): number | undefined => {
  const text = headerOf(exchange, name)
  return text === undefined || !/^\d+(\.\d+)?$/.test(text) ? undefined : Number(text)
}

/** The remaining calls that an answer reports. */
export const remainingOf = (exchange: Exchange) => numberOf(exchange, "x-ratelimit-remaining")

/** The limit that an answer reports. */
export const limitOf = (exchange: Exchange) => numberOf(exchange, "x-ratelimit-limit")

/**
 * Whether a limit was reset while it was being exhausted. True if a burst left more calls than the one before, and no
 * burst twice reported none left. Slow calls can cause this. Answers about other limits are ignored.
 */
export const isGivenBack = (limit: number, bursts: ReadonlyArray<ReadonlyArray<Exchange>>): boolean => {
  const told = bursts.map((burst) =>
    burst.flatMap((exchange) => (limitOf(exchange) === limit ? (remainingOf(exchange) ?? []) : []))
  )
  const rose = told.some((now, index) => Math.max(...now) > Math.min(...(told[index - 1] ?? [])))
  return rose && told.every((burst) => burst.filter((remaining) => remaining === 0).length < 2)
}
