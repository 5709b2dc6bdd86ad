import { headerOf } from "../engine/Expect.ts"
import type { Exchange } from "./Exchange.ts"

const numberOf = (exchange: Exchange, name: string): number | undefined => {
  const text = headerOf(exchange, name)
  return text === undefined || !/^\d+(\.\d+)?$/.test(text) ? undefined : Number(text)
}

/** How many calls remain of a limit, as an answer tells it. */
export const remainingOf = (exchange: Exchange) => numberOf(exchange, "x-ratelimit-remaining")

/** A limit, as an answer tells it. */
export const limitOf = (exchange: Exchange) => numberOf(exchange, "x-ratelimit-limit")

/**
 * Whether a limit was given back while it was being used up, and never used up between: more remained in a burst than in
 * the one before, and no burst was answered twice with nothing remaining. Calls that are long under way see that. What
 * is told of another limit says nothing.
 */
export const isGivenBack = (limit: number, bursts: ReadonlyArray<ReadonlyArray<Exchange>>): boolean => {
  const told = bursts.map((burst) =>
    burst.flatMap((exchange) => (limitOf(exchange) === limit ? (remainingOf(exchange) ?? []) : []))
  )
  const rose = told.some((now, index) => Math.max(...now) > Math.min(...(told[index - 1] ?? [])))
  return rose && told.every((burst) => burst.filter((remaining) => remaining === 0).length < 2)
}
